struct bf {
	unsigned a:3, b:7;
	unsigned :0;
	unsigned c:1;
	unsigned long long d:33, e:31;
	_Bool f:1;
	signed char g:5;
	enum en { P, Q, R } h:2;
	short i:9;
	int j;
} __attribute__((packed));
struct bf2 { unsigned char x; unsigned y:12; unsigned z:20; unsigned long w:40; int t:5; };
struct bf g;
struct bf2 g2;
int rd(struct bf *p, struct bf2 *q) { return p->d + q->w; }
