# An array from -3 to 3 (Ada, Fortran, Pascal) has 7 elements and 28 bytes, and the struct around it no padding.
build() {
	python3 make.py
	as a.s -o a.o
}

check_btf() {
	encode a.o
	succeeds encode
	dump o.btf
	holds nr_elems=7 dump
}

check_print() {
	run pahole a.o
	succeeds print
	holds 'm\[7\]; .*0 +28 \*/'
	lacks padding
}
