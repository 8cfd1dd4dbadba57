# A program built with -gsplit-dwarf (DWARF 4), its .dwo files beside it, has the types and BTF of the plain build; functions keep
# their addresses, which are read through the skeleton unit. A .dwo file given by itself is read as C reads it.
build() {
	gcc -g -gdwarf-4 d1.c d2.c -o plain
	gcc -g -gdwarf-4 -gsplit-dwarf d1.c d2.c -o split
	ls ./*.dwo
}

check_btf() {
	same_btf plain split
	local features
	for features in none default; do
		encode --btf_features=$features split-d1.dwo
		succeeds "a .dwo file, $features"
		same_as_c --btf_features=$features split-d1.dwo
	done
}

check_print() { same_print plain split; }
