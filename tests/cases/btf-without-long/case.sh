# A raw BTF file without any long: pointers still have a size, 8 for this x86-64 input, and no hole or alignment is invented.
build() { gcc -g -c a.c -o a.o; }

check_btf() {
	encode a.o
	succeeds encode
	same_as_c a.o
}

check_print() {
	c_run pahole -J --btf_encode_detached=o.btf a.o
	run pahole -F btf o.btf
	succeeds print
	holds 'p; .*0 +8 \*/'
	lacks 'XXX|aligned'
}
