struct point { int x; long y; };
struct point origin;
long sum(struct point *p) { return p->x + p->y; }
