struct dev { int id; const char *name; struct dev *parent; struct list { struct list *n, *p; } l; };
typedef unsigned int u32;
enum st { UP, DOWN };
struct priv { struct dev d; u32 q[4]; enum st s; union { long a; struct dev *b; } u; };
static struct priv pv;
int __attribute__((section(".init.text"))) mod_init(void) { return pv.q[0]; }
int mod_use(struct priv *p, struct dev *d) { return p->q[1] + d->id; }
