__attribute__((noinline)) long named(long n) __asm__("_named_elsewhere");
long named(long n) { return n * 3; }
long other(long n) { return named(n); }
