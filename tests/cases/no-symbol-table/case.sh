# DWARF without a symbol table: the types are encoded, functions as far as they can be.
build() {
	gcc -g -O1 m.c -o linked
	objcopy --strip-all --keep-section='.debug_*' linked stripped
	readelf -SW stripped | grep -q debug_info
}

check_btf() {
	encode stripped
	succeeds encode
	dump o.btf
	holds "STRUCT 'pt'" dump
	run pahole -J stripped
	succeeds "in place"
	dump stripped
	holds "STRUCT 'pt'" dump
}

check_print() {
	run pahole stripped
	succeeds print
	holds '^struct pt'
}
