struct dev { int id; const char *name; struct dev *parent; struct list { struct list *n, *p; } l; };
typedef unsigned int u32;
enum st { UP, DOWN };
struct dev d0;
u32 cnt;
enum st s0;
int dev_add(struct dev *d, u32 f, enum st s) { return d->id + f + s; }
