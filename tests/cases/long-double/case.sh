# long double of i386, encoded as an integer: sizes that depend on it are those of the type, with and without link-time optimisation.
build() {
	gcc -m32 -g -O1 -c l.c
	gcc -m32 -g -O1 -flto -fno-fat-lto-objects -c l.c -o lto.o
	gcc -m32 -g -O1 -flto -r -flinker-output=nolto-rel lto.o -o linked.o
}

check_btf() {
	local file features
	for file in l.o linked.o; do
		for features in none default global_var; do
			encode --btf_features=$features $file
			succeeds "$file, $features"
			same_as_c --btf_features=$features $file
		done
		# C encodes no variables of link-time optimisation.
		[ $file = linked.o ] || { dump o.btf; holds "size=36 \(VAR 'v'\)" dump; }
	done
}
