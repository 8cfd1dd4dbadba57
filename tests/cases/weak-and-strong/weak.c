__attribute__((weak, noinline)) int wk(int x) { return x; }
int go1(int q) { return wk(q); }
