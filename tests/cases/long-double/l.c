/* 12 bytes on i386, which no integer of BTF has. */
struct s { char c[4]; long double d; };
long double v[3];
#define P int a, int b, int c, int d, int e, int f, int g, int h
int on_stack(P, struct s x) { return a + x.c[0]; }
int by_pointer(P, struct s *x) { return a + x->c[0]; }
