# A pointer to a data member is an offset, one to a member function two addresses (Itanium C++ ABI, 2.3), on 64 bits and on 32: no hole or
# padding is invented around them.
build() {
	g++ -g -c a.cc -o gcc.o
	clang++ -g -c a.cc -o clang.o
	clang++ -m32 -g -c a.cc -o clang32.o
}

check_print() {
	for object in gcc.o clang.o; do
		run pahole -C object $object
		succeeds $object
		holds 'data; +/\* +0 +8 \*/'
		holds 'int +\(base::\*function\)\(struct base \*, int\); +/\* +8 +16 \*/'
		holds 'several\[3\]; +/\* +24 +24 \*/'
		holds 'last; +/\* +48 +1 \*/'
		holds 'size: 56'
		holds 'padding: 7'
		lacks 'XXX|BRAIN|sum'
	done
	run pahole -C object clang32.o
	succeeds clang32.o
	holds '\(base::\*function\)\(struct base \*, int\); +/\* +4 +8 \*/'
	holds 'several\[3\]; +/\* +12 +12 \*/'
	holds 'size: 28'
	holds 'padding: 3'
	lacks 'XXX|BRAIN|sum'
}
