# An assembler unit, whose functions return DW_TAG_unspecified_type: encoded as void(void), and the C types after it keep their ids.
build() {
	gcc -g -c e.S -o e.o
	gcc -g -c a.c -o a.o
	ld -r e.o a.o -o x.o
}

check_btf() {
	encode x.o
	succeeds encode
	same_as_c x.o
	c_run pfunct -F btf -P o.btf
	holds 'void asm_entry\(void\)'
	holds 'int area\(struct pt \* ?p\)'
	c_run pahole -F btf -C pt o.btf
	holds 'int +x;'
	holds 'long int +y;'
}
