/* Types that are named behind pointers and qualifiers only, in typedefs and in members. */
typedef int one_t;
typedef int two_t;
typedef int three_t;
typedef int four_t;
typedef short five_t;
typedef long six_t;
typedef char seven_t;
typedef int eight_t;
typedef int nine_t;
typedef int ten_t;
struct late { int a; long b; };
struct later { int a; long b; };
struct deep { int x; };
typedef const one_t *to_const;
typedef two_t *restrict restricted;
typedef const struct late constant;
typedef volatile struct later changing;
typedef three_t **to_to;
typedef four_t (*to_array)[3];
typedef const five_t *const table[2];
typedef const struct deep *(*getter)(const eight_t *restrict);
struct user {
	to_const a;
	restricted b;
	constant c;
	changing d;
	to_to e;
	to_array f;
	table g;
	getter h;
	const six_t *restrict i;
	seven_t *restrict *volatile j;
	nine_t **const *k;
	const volatile ten_t l;
};
int f(struct user *u) { return u->c.a; }
