struct a { struct b { struct c { int deep; struct a *up; } c; struct c arr[2]; } b; union { struct d { long x; } d; int i; } u; };
struct a aa; struct d dd; int deep(struct a *p) { return p->b.arr[1].deep; }
