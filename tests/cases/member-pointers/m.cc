// No struct P without hole or padding is right unless the pointers to members have their sizes.
#include "types.h"
P p;
method lone;
__attribute__((noinline)) int use(P *p, A *a, int (A::*by_value)(int)) { return a->*(p->data) + (a->*by_value)(2); }
int main() { return p.last; }
int A::f(int n) { return n; }
int A::g() { return x; }
