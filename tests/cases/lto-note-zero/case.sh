# References between units (DW_FORM_ref_addr) resolve even when a Linux note says that the file was built without LTO: all four
# structs are there, nothing is said about types that could not be found.
build() { gcc -flto -O2 -g l1.c l2.c l3.c main.c note.s -o lto; }

check_btf() {
	encode lto
	succeeds encode
	quiet
	dump o.btf
	for name in shr own1 own2 own3; do holds "STRUCT '$name'" dump; done
	same_as_c lto
	encode -j4 --btf_features=default lto
	same_as_c --btf_features=default lto
}

check_print() {
	run pahole lto
	succeeds print
	quiet
	for name in shr own1 own2 own3; do holds "^struct $name "; done
}
