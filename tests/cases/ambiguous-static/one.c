struct pk { char c; long l; } __attribute__((packed));
struct nm { long a, b, c; };
static __attribute__((noinline)) int dup(int x) { return x + 1; }
int go1(int q) { return dup(q); }
int st_pk(int a, int b, int c, int d, int e, int f, int g, struct pk p) { return p.l + g; }
int st_nm(struct nm n, int x) { return n.a + x; }
int reg_pk(struct pk *p) { return p->c; }
