# One of two .dwo files is missing: a message names it, and the other unit is encoded.
build() {
	gcc -g -gdwarf-5 -gsplit-dwarf d1.c d2.c -o split
	rm split-d2.dwo
}

check_btf() {
	encode split
	succeeds encode
	[ -s o.btf ] || wrong "no BTF written"
	holds "split-d2.dwo" err
	lacks "split-d1.dwo" err
	dump o.btf
	holds "STRUCT 'shared'" dump
}
