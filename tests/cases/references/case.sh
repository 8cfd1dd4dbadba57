# References to rvalues, references to arrays and functions, pointers to member functions and the type of nullptr are printed as declarators of
# C++ have them, and each has the size that the Itanium C++ ABI gives it: no hole is invented behind them.
build() {
	for cc in gcc clang; do
		compiler=g++
		[ $cc = gcc ] || compiler="clang++ -fstandalone-debug"
		$compiler -std=c++17 -g -c a.cc -o $cc.o
	done
}

check_print() {
	for cc in gcc clang; do
		run pahole -C object $cc.o
		succeeds $cc
		holds 'int && +moved; +/\* +0 +8 \*/'
		holds 'const int +&& +constant; +/\* +8 +8 \*/'
		holds 'struct base && +of_class; +/\* +16 +8 \*/'
		holds 'int \* && +pointer; +/\* +24 +8 \*/'
		holds 'int +\(&array\)\[5\]; +/\* +32 +8 \*/'
		holds 'int +\(&&moved_array\)\[5\]; +/\* +40 +8 \*/'
		holds 'int +\(&function\)\(int\); +/\* +48 +8 \*/'
		holds 'int +\(&&moved_function\)\(int, char\); +/\* +56 +8 \*/'
		holds 'int +\(\*&to_array\)\[5\]; +/\* +64 +8 \*/'
		holds 'int +\(\*&to_function\)\(int\); +/\* +72 +8 \*/'
		holds 'array_t & +named; +/\* +80 +8 \*/'
		holds 'int +\(base::\*method\)\(const struct base +\*, int\); +/\* +88 +16 \*/'
		holds 'int +\(base::\*methods\[3\]\)\(const struct base +\*, int\); +/\* +104 +48 \*/'
		holds 'int base::\* & +member; +/\* +152 +8 \*/'
		holds 'decltype\(nullptr\) +null; +/\* +160 +8 \*/'
		holds 'moved_t +by_name; +/\* +168 +8 \*/'
		holds 'enum small +number; +/\* +176 +1 \*/'
		holds 'unsigned int +first:3; +/\* +184: 0 +4 \*/'
		holds 'second:40; +/\* +184: 0 +8 \*/'
		holds 'bool +third:1; +/\* +184: 0 +1 \*/'
		holds 'void object\(struct object \*, struct object &&\);'
		holds 'int && get\(const struct object +\*, int &&, const struct base +&\);'
		holds 'holes: 1, sum holes: 7'
		lacks 'ERROR|BRAIN|Bitfield combined'
		run pfunct -P $cc.o
		succeeds "$cc, functions"
		holds 'moved_t moved_by_name\(moved_t given\);'
		holds 'int takes\(int \(&array\)\[5\], int \(&&moved\)\[5\], int \(&function\)\(int\), int \(base::\*method\)\(const struct base +\*, int\), decltype\(nullptr\) null, struct object && o\);'
		holds 'int \(&returns_array\(void\)\)\[5\];'
		holds 'int \(&returns_function\(void\)\)\(int\);'
		holds 'int \(base::\*returns_method\(void\)\)\(const struct base +\*, int\);'
		run pdwtags $cc.o
		succeeds "$cc, everything"
		holds 'typedef int && moved_t; /\* size: 8 \*/'
		holds 'typedef int \(base::\*method_t\)\(const struct base +\*, int\); /\* size: 16 \*/'
		holds 'decltype\(nullptr\) +null; /\* size: 8 \*/'
	done
}
