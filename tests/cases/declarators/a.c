struct point;
struct shapes {
	int (*varargs)(int, ...);
	void (*table[4])(void);
	int (*(*returns_function)(int))(char);
	int (*to_array)[5];
	int (*to_matrix)[5][6];
	int *(*to_array_of_pointers)[5];
	int (**to_pointer_to_array)[5];
	int (*array_of_pointers_to_arrays[3])[5];
	int (*(*returns_pointer_to_array)(void))[7];
	void (**to_function_pointer)(void);
	void (*(*array_of_pointers_to_function_pointers[2]))(int, long);
	struct point *(*takes_function)(int (*)(struct point *, int), struct point **);
	int matrix[2][3];
	struct { int nameless; } **twice;
	union { int number; float real; } *array[4];
	enum { ONE, TWO } (*enumerated)[3];
	int (*const constant_array_of_functions[2])(void);
	int (*volatile volatile_array_of_functions[3])(long);
	int (*restrict restricted)[7];
	volatile int (*restrict volatile to_volatile)[2];
	int (*const *to_constant_function)(char);
	const struct { int constant_nameless; } *to_constant;
	volatile struct { int volatile_nameless; } volatile_one;
	int vector __attribute__((vector_size(16)));
	int __attribute__((vector_size(16))) *to_vector;
	int __attribute__((vector_size(16))) (*returns_vector)(int __attribute__((vector_size(16))), float);
};
typedef int (*array_pointer_t)[8];
typedef void (*handler_t[2])(int);
typedef int (*(*getter_t)(void))(char);
struct of_typedefs { array_pointer_t pointer; handler_t handlers; getter_t getter; };

struct shapes shapes;
struct of_typedefs of_typedefs;
int (*returns_array(int (*given)[5]))[9] { return 0; }
int __attribute__((vector_size(16))) returns_vector(int __attribute__((vector_size(16))) taken, int __attribute__((vector_size(16))) * pointed)
{
	return taken + *pointed;
}
