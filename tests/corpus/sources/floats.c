float f; double d; long double ld; struct fl { float a; double b; long double c; } s;
double mix(float a, double b, long double c) { return a + b + (double)c; } float half(struct fl x) { return x.a / 2; }
