# A program built with -gsplit-dwarf (DWARF 5), its .dwo files beside it, has the types and BTF of the plain build; functions keep
# their addresses, which are read through the skeleton unit. A .dwo file given by itself has the
# types; C crashes on it.
build() {
	gcc -g -gdwarf-5 d1.c d2.c -o plain
	gcc -g -gdwarf-5 -gsplit-dwarf d1.c d2.c -o split
	gcc -g -gdwarf-5 -c d1.c
	ls ./*.dwo
}

check_btf() {
	same_btf plain split
	encode split-d1.dwo
	succeeds "a .dwo file"
	[ -s o.btf ] || wrong "a .dwo file: no BTF"
	dump o.btf
	grep -oE "(STRUCT|UNION|ENUM) '[^']*' size=[0-9]+" dump | sort > own
	encode d1.o
	dump o.btf
	grep -oE "(STRUCT|UNION|ENUM) '[^']*' size=[0-9]+" dump | sort > other
	{ [ -s own ] && cmp -s own other; } || wrong "a .dwo file: other types than those of the object"
}

check_print() { same_print plain split; }
