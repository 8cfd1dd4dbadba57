# A nameless enumeration with two typedefs: what `pahole --compile` prints has both, of one enumeration, and a compiler takes it.
build() { gcc -g -c a.c -o a.o; }

check_print() {
	run pahole --compile a.o
	succeeds "both"
	holds 'first_t;'
	holds 'second_t;'
	cp out printed.c
	echo '_Static_assert(sizeof(struct user) == 8, ""); second_t both = TWO;' >> printed.c
	gcc -std=gnu11 -w -fsyntax-only printed.c 2> printed.err || wrong "$(grep error printed.err | head -2 | tr '\n' ' ')"
}
