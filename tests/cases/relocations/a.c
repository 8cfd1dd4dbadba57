struct s { char c[3]; short n; unsigned b : 3, d : 7; };
struct s g;
__attribute__((noinline)) int f(struct s *p, short n) { return p->n + n; }
