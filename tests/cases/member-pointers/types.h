// What the units share: dwz moves to a unit of their own only types that are declared at one place.
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
