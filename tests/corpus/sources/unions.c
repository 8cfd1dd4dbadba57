union u { int i; float f; struct { short lo, hi; }; unsigned char bytes[8]; };
struct outer { int kind; union { long l; double d; struct { int x, y; } pt; }; union u u[3]; } o;
double get(const struct outer *p) { return p->kind ? p->d : (double)p->l; }
