struct node { struct node *next, **pprev; };
struct tree { struct tree *left, *right; unsigned long color; };
struct owner { struct node n; struct tree t; void *data; };
struct owner owners[4];
int owner_count(struct owner *o, int max) { int n = 0; for (struct node *p = &o->n; p && n < max; p = p->next) n++; return n; }
