#define __user __attribute__((btf_type_tag("user")))
#define __rcu __attribute__((btf_type_tag("rcu")))
#define __tag(x) __attribute__((btf_decl_tag(#x)))
struct t { int __user *p; int __user * __rcu *pp; long f __tag(field); } __tag(stag);
typedef int td __tag(tdtag);
struct t g; td h;
int __tag(fn) __tag(fn2) foo(struct t __user *a __tag(arg), int b) { return b; }
