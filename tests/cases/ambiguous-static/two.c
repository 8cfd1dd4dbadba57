static __attribute__((noinline)) int dup(int x) { return x * 3; }
int go1(int);
int main(int c, char **v) { return dup(c) + go1(c); }
