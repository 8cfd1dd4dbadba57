typedef unsigned long long u64;
struct a { int x; };
__attribute__((weak, noinline)) int wk(int x) { return x; }
__attribute__((weak, noinline)) int by_pointer(struct a *a) { return a->x; }
/* The linked one says unsigned long long: the same type by another name. */
__attribute__((weak, noinline)) u64 spelled(void) { return 1; }
int go1(int q) { struct a a = {q}; return wk(q) + by_pointer(&a) + (int)spelled(); }
