# A program compressed with dwz (partial and imported units) has the types, layout and BTF that it had before.
build() {
	for version in 4 5; do
		gcc -g -gdwarf-$version d1.c d2.c -o plain$version
		cp plain$version small$version
		dwz small$version
		readelf -wi small$version | grep -q DW_TAG_partial_unit
	done
}

check_btf() {
	for version in 4 5; do
		same_btf plain$version small$version
		for jobs in 1 4; do
			encode -j$jobs small$version
			same_as_c small$version
		done
	done
}

check_print() { for version in 4 5; do same_print plain$version small$version; done; }
