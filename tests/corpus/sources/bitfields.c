struct flags { unsigned a : 1, b : 3, c : 28; unsigned long long d : 33, e : 31; signed s : 7; _Bool f : 1; };
struct __attribute__((packed)) tight { unsigned char a : 3; unsigned short b : 11; unsigned c : 17; };
struct zero { int a : 5; int : 0; int b : 9; char t; };
struct flags fl; struct tight ti; struct zero ze;
int flag_sum(struct flags *p, struct tight *t) { return p->a + p->b + p->s + t->b; }
