struct shr { int a; struct shr *n; };
struct own1 { struct shr s; long z; };
struct own1 o1;
static inline int hlp(struct shr *p) { return p->a * 1; }
int ext1(struct shr *p, int q) { o1.z = q; return hlp(p) + q; }
