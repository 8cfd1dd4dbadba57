struct ctx { int a, b; long v[4]; }; static inline __attribute__((always_inline)) int inner(struct ctx *c, int k) { return c->a * k + c->b; }
static __attribute__((noinline)) int split_me(struct ctx *c, int unused, int k) { return inner(c, k) + c->v[1]; }
int outer1(struct ctx *c) { return split_me(c, 1, 2) + inner(c, 3); } int outer2(struct ctx *c) { return split_me(c, 4, 2); }
struct ctx gc; 
