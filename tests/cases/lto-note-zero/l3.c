struct shr { int a; struct shr *n; };
struct own3 { struct shr s; long z; };
struct own3 o3;
static inline int hlp(struct shr *p) { return p->a * 3; }
int ext3(struct shr *p, int q) { o3.z = q; return hlp(p) + q; }
