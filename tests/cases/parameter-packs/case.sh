# The parameters of a function template's instance that come from a pack have the pack's types, also where the instance is inlined here and called
# there, and nothing is said about them.
build() { g++ -g -O2 -c a.cc -o a.o; }

check_print() {
	run pdwtags a.o
	succeeds pdwtags
	[ ! -s err ] || wrong "says $(head -1 err)"
	holds '^int count<int, char>\(int, char\)$'
}
