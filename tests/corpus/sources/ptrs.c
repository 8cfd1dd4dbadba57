void *v; void **vv; int ***ppp; char *(*names)(void); struct self { struct self *(*make)(struct self *); const struct self *const *list; } sf;
int deref(int ***p) { return ***p; } void *ident(void *p) { return p; }
