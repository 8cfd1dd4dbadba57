# clang's btf_decl_tag on struct, member, typedef, argument and function, and btf_type_tag on pointers: all in the BTF, in source
# order; reading it back prints no warning.
build() { clang -g -c a.c -o a.o; }

check_btf() {
	encode --btf_features=default a.o
	succeeds encode
	dump o.btf
	for tag in field stag tdtag arg fn fn2; do holds "DECL_TAG '$tag'" dump; done
	holds "TYPE_TAG 'user'" dump
	same_as_c --btf_features=default a.o
}

check_print() {
	c_run pahole -J --btf_features=default --btf_encode_detached=o.btf a.o
	run pahole -F btf o.btf
	succeeds print
	quiet
}
