# A weak and a strong definition with different prototypes: the one whose address the symbol has is encoded, long wk(long, long).
build() {
	gcc -g -O2 -c weak.c
	gcc -g -O2 -c strong.c
	gcc weak.o strong.o -o program
	gcc strong.o weak.o -o reversed
}

check_btf() {
	for file in program reversed; do
		for features in none default; do
			encode --btf_features=$features $file
			succeeds "$file, $features"
			c_run pfunct -F btf -f wk o.btf
			holds 'wk\(long int a, long int b\)'
		done
	done
}
