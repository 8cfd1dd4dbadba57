# Nameless structs and unions as members in C, of which clang says that they are nested types, too: each member is printed once, and a
# compiler gives what is printed the size of the source.
build() {
	for cc in gcc clang; do $cc -g -c a.c -o $cc.o; done
}

check_print() {
	for cc in gcc clang; do
		run pahole -C object $cc.o
		succeeds $cc
		for member in 'flag:1' first 'narrow:3' number 'letters\[3\]' small large behind read only one; do
			found=$(grep -c -- " $member;" out)
			[ "$found" -eq 1 ] || wrong "$cc: member $member is printed $found times"
		done
		for command in "pahole --compile" "pahole -C object" "pahole -E -C object"; do
			# shellcheck disable=SC2086
			run $command $cc.o
			{
				sed 's/object/source/g' a.c
				cat out
				echo '_Static_assert(sizeof(struct object) == sizeof(struct source), "size");'
				echo '_Static_assert(__builtin_offsetof(struct object, pair) == __builtin_offsetof(struct source, pair), "pair");'
			} > printed.c
			gcc -std=gnu11 -w -fsyntax-only printed.c 2> printed.err || wrong "$cc, $command: $(grep error printed.err | head -1)"
		done
	done
}
