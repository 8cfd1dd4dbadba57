#define tag(x) __attribute__((btf_decl_tag(#x)))
#define type(x) __attribute__((btf_type_tag(#x)))
#if !__has_attribute(btf_decl_tag)
#undef tag
#undef type
#define tag(x)
#define type(x)
#endif
typedef int number_t tag(typedef1) tag(typedef2);
typedef struct { int type(inner) *p; } tag(nameless) named_t tag(named);
union choice { int a tag(choice_a); char *b tag(choice_b1) tag(choice_b2); } tag(choice);
struct outer {
	number_t first tag(first);
	int type(one) *one;
	const int type(one) *const type(two) *two;
	int type(three) *volatile *three;
	struct outer type(next) *next tag(next);
	union { int i tag(nested_i); long l; } tag(nested);
	int type(cells) *cells[4] tag(cells);
	int (*call)(struct outer type(argument) *, int type(deep) *type(deeper) *type(deepest) *) tag(call);
	unsigned bits : 3 tag(bits);
	named_t named;
} tag(outer1) tag(outer2);
enum level { LOW, HIGH };
typedef int type(pointed) *pointer_t;
struct outer global tag(global1) tag(global2);
static int hidden tag(hidden);
int type(percpu) *type(rcu) *variable tag(variable);
pointer_t through_typedef;
extern int elsewhere(struct outer *) tag(elsewhere);
static __attribute__((noinline)) int helper(int a, union choice type(user) *c) tag(helper);
static int helper(int a tag(helper_a), union choice type(user) *c tag(helper_c)) { return a + c->a + hidden++; }
struct outer type(result) *entry(struct outer type(user) *o, int n, pointer_t p) tag(entry1) tag(entry2);
struct outer type(result) *entry(struct outer type(user) *o tag(entry_o1) tag(entry_o2), int n tag(entry_n), pointer_t p tag(entry_p))
{
	union choice c = { n };
	enum level level tag(local) = n ? HIGH : LOW;
	hidden += helper(n, &c) + level + *p + **variable + *through_typedef;
	return o ? o->next : &global;
}
