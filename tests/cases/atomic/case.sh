# _Atomic has no BTF kind. The rest of the file is not lost for it: the qualifier is dropped, struct at has a of type int and p, a
# pointer to long.
build() { gcc -g -c a.c -o a.o; }

check_btf() {
	encode a.o
	succeeds encode
	dump o.btf
	holds "STRUCT 'at' size=16 vlen=2" dump
	holds "STRUCT 'pt' size=16" dump
	int=$(sed -n "s/^\[\([0-9]*\)\] INT 'int'.*/\1/p" dump)
	holds "'a' type_id=$int bits_offset=0" dump
}
