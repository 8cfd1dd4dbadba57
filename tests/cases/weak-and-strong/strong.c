long wk(long a, long b) { return a * b; }
int go1(int);
int main(int c, char **v) { return go1(c); }
