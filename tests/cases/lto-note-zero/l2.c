struct shr { int a; struct shr *n; };
struct own2 { struct shr s; long z; };
struct own2 o2;
static inline int hlp(struct shr *p) { return p->a * 2; }
int ext2(struct shr *p, int q) { o2.z = q; return hlp(p) + q; }
