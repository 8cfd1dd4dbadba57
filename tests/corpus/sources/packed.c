struct __attribute__((packed)) p1 { char a; int b; short c; }; struct p2 { char a; struct p1 b; long c; } __attribute__((aligned(32)));
struct p1 g1; struct p2 g2; int many(int a, int b, int c, int d, int e, int f, int g, int h, struct p1 i) { return a + b + c + d + e + f + g + h + i.b; }
int byval(struct p1 p, struct p2 q) { return p.b + q.a; }
