struct never; union neither; struct later; struct holder { struct never *n; union neither *u; struct later *l; } h; struct later { int x; };
struct later la; int peek(struct never *n, struct later *l) { return l->x + !n; }
