# `pahole -l` names the first member of the biggest basic size, also where a member's own type has no member of any size.
build() { gcc -g -c a.c -o a.o; }

check_print() {
	run pahole -l a.o
	succeeds "all structs"
	holds 'struct holder \{'
	holds 'first biggest size base type member: b 8'
}
