# A weak and a strong definition with different prototypes: the one whose address the symbol has is encoded, long wk(long, long). Where the
# types differ in typedefs' names only, and where another function of the source's name has a symbol of its own, C's rules hold.
build() {
	gcc -g -O2 -c weak.c
	gcc -g -O2 -c strong.c
	gcc -g -O2 -c named.c
	gcc weak.o strong.o named.o -o program
	gcc named.o strong.o weak.o -o reversed
}

check_btf() {
	for file in program reversed; do
		for features in none default; do
			encode --btf_features=$features $file
			succeeds "$file, $features"
			c_run pfunct -F btf -f wk o.btf
			holds 'wk\(long int a, long int b\)'
			c_run pfunct -F btf -f by_pointer o.btf
			holds 'by_pointer\(struct b \* b\)'
		done
		for name in spelled named; do
			c_run pfunct -F btf -f $name o.btf
			lacks "$name\\("
		done
	done
}
