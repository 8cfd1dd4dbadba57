typedef int (*cmp_t)(const void *, const void *);
struct ops { int (*open)(struct ops *, const char *, ...); void (*close)(struct ops *); cmp_t cmp; int (*(*get)(int))(char); };
static int cmp_int(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
int vari(const char *f, ...) { return f[0]; }
cmp_t chooser(int which) { return which ? cmp_int : 0; }
void noargs(void) {} int oldstyle() { return 1; }
struct ops the_ops = { .cmp = cmp_int };
