# Sizes above 2 and 4 GiB. BTF's fields have 32 bits: what does not fit is left out or refused with a message, never wrapped to
# nr_elems=0 in silence.
build() { gcc -g -c a.c -o a.o; }

check_btf() {
	encode a.o
	written_or_refused encode
	[ -s err ] || wrong "no message"
	[ ! -s o.btf ] || { dump o.btf; lacks "nr_elems=0" dump; }
}

check_print() {
	run pahole a.o
	succeeds print
	holds 'size: 3000000004'
	lacks 'size: -'
	holds 'a\[4294967296\]'
}
