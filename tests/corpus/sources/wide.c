long long ll; unsigned long long ull; char c; signed char sc; unsigned char uc; short sh; unsigned short ush; long l; unsigned long ul; _Bool b;
struct mixed { char a; long long b; char c; short d; int e; _Bool f; } m; long long widen(char a, short s, int i, unsigned u) { return a + s + i + u; }
