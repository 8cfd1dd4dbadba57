struct { int a; struct { int b; union { int c; long d; }; }; enum { E1, E2 } e; } anon; typedef struct { struct { int x; } in; } wrap_t; wrap_t w;
int getc_(void) { return anon.c + anon.e; }
