const volatile int cv = 1; volatile const char *const *vp; int *restrict rp; const struct { const int a; volatile long b; } q = { 1, 2 };
typedef const int cint; typedef volatile cint vcint; vcint *vc;
void copy(char *restrict d, const char *restrict s, unsigned long n) { while (n--) *d++ = *s++; }
