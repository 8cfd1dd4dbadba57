struct two { long a, b; }; struct three { long a, b, c; }; struct one { int x; };
long m1(long a, struct two b, long c, struct three d, int e, char f, struct one g, double h) { return a + b.a + c + d.c + e + f + g.x + (long)h; }
struct three ret3(struct two t) { struct three r = { t.a, t.b, 0 }; return r; } int tiny(struct one o, struct two t) { return o.x + t.b; }
