// Shares the types of m.cc with it.
#include "types.h"
extern P p;
struct Q {
	int (A::*function)(int);
	method named;
	long last;
};
Q q;
long other() { return p.last + q.last; }
