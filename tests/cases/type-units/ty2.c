struct inner { short s; char q[6]; };
struct pt { int x; long y; struct inner in; struct pt *nx; enum kind { KA, KB } k; };
extern int area(struct pt *, void *);
int main(void) { struct pt p = {1, 2}; return area(&p, 0); }
