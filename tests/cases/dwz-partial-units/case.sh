# A program compressed with dwz (partial and imported units) has the types, layout and BTF that it had before.
build() {
	gcc -g d1.c d2.c -o plain
	cp plain small
	dwz small
	readelf -wi small | grep -q DW_TAG_partial_unit
}

check_btf() {
	same_btf plain small
	encode small
	same_as_c small
}

check_print() { same_print plain small; }
