# Bit-fields, packed and not, have the same layout on both byte orders and in DWARF 4 and 5 (offsets from either end), and the BTF's
# offsets agree.
targets="x86_64 s390x powerpc64 riscv64"

build() {
	for target in $targets; do
		for version in 4 5; do clang --target=$target-linux-gnu -g -gdwarf-$version -c bf.c -o $target-$version.o; done
	done
}

check_btf() {
	for target in $targets; do
		for version in 4 5; do
			encode $target-$version.o
			succeeds "$target, DWARF $version"
			c_run pahole -F btf o.btf
			[ -e reference ] || cp out reference
			cmp -s reference out || wrong "$target, DWARF $version: layout differs"
			encode $target-$version.o
			same_as_c $target-$version.o
		done
	done
	grep -q 'd:33; .*0:33' reference || wrong "the reference lacks bit-field d"
}

check_print() {
	for target in $targets; do
		for version in 4 5; do
			run pahole $target-$version.o
			succeeds "$target, DWARF $version"
			[ -e reference ] || cp out reference
			cmp -s reference out || wrong "$target, DWARF $version: layout differs"
		done
	done
	grep -q 'd:33; .*0:33' reference || wrong "the reference lacks bit-field d"
}
