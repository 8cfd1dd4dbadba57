#include "h.h"
struct shared one; struct shared2 t1;
extern struct shared two;
int helper(struct shared2 *p);
int main(void) { one.a0 = 1; two.a1 = 2; return one.a0 + two.a1 + helper(&t1); }
