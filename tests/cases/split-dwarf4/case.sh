# A program built with -gsplit-dwarf (DWARF 4), its .dwo files beside it, has the types and BTF of the plain build; functions keep
# their addresses, which are read through the skeleton unit.
build() {
	gcc -g -gdwarf-4 d1.c d2.c -o plain
	gcc -g -gdwarf-4 -gsplit-dwarf d1.c d2.c -o split
	ls ./*.dwo
}

check_btf() { same_btf plain split; }

check_print() { same_print plain split; }
