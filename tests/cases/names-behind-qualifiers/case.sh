# Typedefs and members whose types are named behind pointers and qualifiers only (`typedef const one_t *to_const`): what `--compile` prints has
# these names before they are used, so that a compiler takes it.
build() {
	for cc in gcc clang; do $cc -g -c a.c -o $cc.o; done
}

check_print() {
	for cc in gcc clang; do
		for program in "pahole --compile" "pfunct --compile"; do
			# shellcheck disable=SC2086
			run $program $cc.o
			succeeds "$cc, $program"
			cp out printed.c
			gcc -std=gnu11 -w -fsyntax-only printed.c 2> printed.err || wrong "$cc, $program: $(grep error printed.err | head -2 | tr '\n' ' ')"
		done
	done
}
