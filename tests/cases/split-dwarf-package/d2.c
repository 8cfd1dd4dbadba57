#include "h.h"
struct shared two; struct shared2 t2;
int helper(struct shared2 *p) { return p->s.a0; }
