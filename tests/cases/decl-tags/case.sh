# clang's btf_decl_tag on struct, member, typedef, argument and function, and btf_type_tag on pointers: all in the BTF, in source
# order; reading it back prints no warning.
build() { for version in 4 5; do clang -g -gdwarf-$version -c a.c -o $version.o; done; }

check_btf() {
	for file in 4.o 5.o; do
		encode --btf_features=default $file
		succeeds $file
		dump o.btf
		for tag in field stag tdtag arg fn fn2; do holds "DECL_TAG '$tag'" dump; done
		holds "TYPE_TAG 'user'" dump
		same_as_c --btf_features=default $file
	done
}

check_print() {
	c_run pahole -J --btf_features=default --btf_encode_detached=o.btf 5.o
	run pahole -F btf o.btf
	succeeds print
	quiet
}
