static int counter; int shared = 3; static const int table[] = { 1, 2, 3 }; struct st { int v; }; static struct st s = { 4 };
static int bump(struct st *p) { static int calls; calls++; return p->v += table[calls % 3] + counter++; } int api(void) { return bump(&s) + shared; }
