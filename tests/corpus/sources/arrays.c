int one[3], two[4][5], three[2][3][4]; char flex_init[] = "abc"; extern int unknown[]; const char *const names[] = { "a", "b" };
struct flex { int n; long data[]; }; struct zero { int n; int z[0]; }; struct flex *fx; struct zero zz;
typedef int row_t[7]; row_t rows[2]; int (*parr)[9];
int sum(int n, int a[n]) { int s = 0; for (int i = 0; i < n; i++) s += a[i]; return s; }
