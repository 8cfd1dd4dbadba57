# Per-CPU variables at an address plus a constant (LLVM merges globals): offsets 0, 4 and 8 in the DATASEC; a variable of a discarded
# section at 0, and one of size 0, are not in it.
build() {
	python3 make.py
	as a.s -o a.o
}

check_btf() {
	encode a.o
	succeeds encode
	dump o.btf
	holds "offset=0 size=4 .VAR 'one'" dump
	holds "offset=4 size=4 .VAR 'two'" dump
	holds "offset=8 size=4 .VAR 'three'" dump
	lacks "'discarded'" dump
	lacks "'empty'" dump
	same_as_c a.o
}
