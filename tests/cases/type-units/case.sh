# -fdebug-types-section changes nothing about types and BTF: DWARF 4 (.debug_types) and 5, linked programs, and objects, where
# each type unit is in a COMDAT section of its own.
build() {
	for version in 4 5; do
		gcc -g -gdwarf-$version ty.c ty2.c -o plain$version
		gcc -g -gdwarf-$version -fdebug-types-section ty.c ty2.c -o units$version
		gcc -g -gdwarf-$version -c ty.c -o plain$version.o
		gcc -g -gdwarf-$version -fdebug-types-section -c ty.c -o units$version.o
	done
}

check_btf() {
	for version in 4 5; do
		same_btf plain$version units$version
		same_btf plain$version.o units$version.o
	done
}

check_print() {
	for version in 4 5; do
		same_print plain$version units$version
		same_print plain$version.o units$version.o
	done
}
