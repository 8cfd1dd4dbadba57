# BTF of a big-endian object, made without asking for newer features, can be read by consumers that are out there: they refuse a
# byte-swapped header longer than 24 bytes.
build() { clang --target=s390x-linux-gnu -g -c a.c -o a.o; }

check_btf() {
	encode a.o
	succeeds encode
	dump o.btf
	holds "STRUCT 'pt'" dump
	[ "$(od -An -tx1 -N8 o.btf | tr -d ' ')" = eb9f010000000018 ] || wrong "header: $(od -An -tx1 -N8 o.btf)"
	same_as_c a.o
}
