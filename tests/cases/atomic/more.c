#ifdef PLAIN
#define ATOMIC(type) __typeof__(type)
#else
#define ATOMIC(type) _Atomic(type)
#endif
struct pt { int x; long y; };
struct one { int x; };
typedef ATOMIC(long) counter_t;
typedef ATOMIC(struct pt *) pointer_t;
enum state { OFF, ON };
struct more {
	counter_t counter;
	pointer_t pointer;
	ATOMIC(unsigned char) cells[3];
	ATOMIC(struct one) whole;
	const volatile ATOMIC(int) both;
	ATOMIC(ATOMIC(int) *) *chain;
	int (*call)(ATOMIC(int) *, pointer_t);
	union { ATOMIC(int) i; long l; };
	ATOMIC(enum state) state;
} more;
static ATOMIC(int) hidden;
ATOMIC(long) *take(ATOMIC(int) *p, counter_t n, ATOMIC(struct pt) *w) { hidden++; return &more.counter + *p + n + (w != 0); }
