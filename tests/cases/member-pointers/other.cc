// Shares the types of m.cc with it, so that dwz moves them to a unit of their own.
struct A {
	int x;
	int f(int);
	virtual int g();
};
typedef int (A::*method)(int) const;
struct P {
	int A::*data;
	int (A::*function)(int);
	method named[2];
	long last;
};
extern P p;
struct Q {
	int (A::*function)(int);
	method named;
	long last;
};
Q q;
long other() { return p.last + q.last; }
