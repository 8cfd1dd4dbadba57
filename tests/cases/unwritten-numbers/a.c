const void *constant;
volatile void *changing;
void nothing(int given) { if (given) goto out; given = 2; out: constant = &given; }
int user(void *of) { const void *p = of; return p == constant; }
