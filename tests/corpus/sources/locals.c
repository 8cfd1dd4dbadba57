int scope(int n) { struct local { int a; char b; } l = { n, 1 }; enum le { LE1, LE2 } e = LE1; { struct local2 { long z; } m = { n }; l.a += m.z; } typedef struct local lt; lt *p = &l; return p->a + e; }
int loops(int *a, int n) { int s = 0; for (int i = 0; i < n; i++) { int t = a[i]; if (t > 3) { int u = t * 2; s += u; } } return s; }
