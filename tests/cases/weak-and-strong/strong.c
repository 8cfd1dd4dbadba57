struct b { long y; };
long wk(long a, long b) { return a * b; }
int by_pointer(struct b *b) { return (int)b->y; }
unsigned long long spelled(void) { return 2; }
/* What the other file's function of this name has in the symbol table is a name of its own. */
int named(int n) { return n + 1; }
int go1(int);
long other(long n);
int main(int c, char **v) { return go1(c) + named(c) + (int)other(c); }
