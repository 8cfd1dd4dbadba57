# Pointers to arrays, arrays of pointers to functions, functions that return either: what is printed is C, and a compiler gives each
# member of it the place and the type that the source had. (Qualifiers of pointers stand in front, as C prints them, and so do not count.)
build() {
	for cc in gcc clang; do $cc -g -c a.c -o $cc.o; done
}

members="varargs table returns_function to_array to_matrix to_array_of_pointers to_pointer_to_array array_of_pointers_to_arrays
	returns_pointer_to_array constant_array_of_functions volatile_array_of_functions restricted to_volatile to_function_pointer array_of_pointers_to_function_pointers takes_function matrix
	vector to_vector returns_vector"

# Both declarations of a struct in one source: the original one under another name, and what was printed.
compiles() {
	{
		sed -n '/^struct point;/p; /^struct shapes {/,/^};/p' a.c | sed 's/struct shapes/struct source/; s/ONE, TWO/UNO, DUE/'
		cat out
		for member in $members twice array enumerated to_constant_function to_constant volatile_one; do
			echo "_Static_assert(__builtin_offsetof(struct shapes, $member) == __builtin_offsetof(struct source, $member), \"$member\");"
		done
		for member in $members; do
			echo "_Static_assert(__builtin_types_compatible_p(__typeof__(((struct shapes *)0)->$member)," \
				"__typeof__(((struct source *)0)->$member)), \"$member\");"
		done
	} > printed.c
	gcc -std=gnu11 -w -fsyntax-only printed.c 2> printed.err || wrong "$1: $(grep error printed.err | head -2 | tr '\n' ' ')"
}

check_print() {
	for cc in gcc clang; do
		run pahole -C shapes $cc.o
		succeeds "$cc, one struct"
		compiles "$cc, one struct"
		run pahole --compile $cc.o
		succeeds "$cc, --compile"
		compiles "$cc, --compile"
		holds 'typedef int \(\*array_pointer_t\)\[8\];'
		holds 'const int +\(\*\*to_constant_function\)\(char\);'
		holds 'typedef void +\(\*handler_t\[2\]\)\(int\);'
		holds 'typedef int \(\*\(\*getter_t\)\(void\)\)\(char\);'
		run pfunct -P -f returns_array $cc.o
		succeeds "$cc, function"
		holds 'int \(\*returns_array\(int \(\*given\)\[5\]\)\)\[9\]'
		run pfunct --compile -f returns_vector $cc.o
		sed "s,return 0;,," out > printed.c
		echo 'typedef int four __attribute__((vector_size(16)));' \
			'_Static_assert(__builtin_types_compatible_p(__typeof__(returns_vector), four(four, four *)), "");' >> printed.c
		gcc -std=gnu11 -w -fsyntax-only printed.c 2> printed.err || wrong "$cc, vectors: $(grep error printed.err | head -2 | tr '\n' ' ')"
	done
}
