struct base {
	int x;
	int method(int) const;
};
typedef int array_t[5];
typedef int &&moved_t;
typedef int (base::*method_t)(int) const;

struct object {
	int &&moved;
	const int &&constant;
	base &&of_class;
	int *&&pointer;
	int (&array)[5];
	int (&&moved_array)[5];
	int (&function)(int);
	int (&&moved_function)(int, char);
	int (*&to_array)[5];
	int (*&to_function)(int);
	array_t &named;
	int (base::*method)(int) const;
	int (base::*methods[3])(int) const;
	int base::*&member;
	decltype(nullptr) null;
	moved_t by_name;
	enum class small : unsigned char { ONE } number;
	union { unsigned first : 3; unsigned long second : 40; bool third : 1; } bits;
	object(object &&);
	int &&get(int &&, const base &) const;
};

moved_t moved_by_name(moved_t given) { static int z; z = given; return (int &&)z; }
int takes(int (&array)[5], int (&&moved)[5], int (&function)(int), int (base::*method)(int) const, decltype(nullptr) null, object &&o)
{
	return array[0] + moved[0] + function(1) + (o.moved = 2);
}
static int five[5];
int (&returns_array())[5] { return five; }
int called(int number) { return number; }
int (&returns_function())(int) { return called; }
int base::method(int given) const { return given + x; }
int (base::*returns_method())(int) const { return &base::method; }
method_t method;
decltype(nullptr) null;
