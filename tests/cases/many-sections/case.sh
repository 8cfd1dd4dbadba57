# More than 65535 sections: the per-CPU variable, the function and the DATASEC are there, and -J adds .BTF.
build() {
	python3 -c "
for i in range(70000): print(f'.section .d{i},\"aw\",@progbits\n.long {i}')" > many.s
	as many.s -o many_s.o
	gcc -g -c percpu.c
	ld -r many_s.o percpu.o -o many.o
}

check_btf() {
	seconds=60
	encode many.o
	succeeds encode
	dump o.btf
	holds "FUNC 'readit'" dump
	holds "VAR 'my_pcpu'" dump
	holds "DATASEC '.data..percpu' size=16" dump
	same_as_c many.o
	run pahole -J many.o
	succeeds "in place"
	readelf -SW many.o 2>/dev/null | grep -qw .BTF || wrong "no section .BTF"
	readelf -SW many.o 2>/dev/null | grep -c ' \.d[0-9]' | grep -qx 70000 || wrong "sections are gone"
}

check_print() {
	seconds=60
	run pahole -C pc many.o
	succeeds print
	holds '^struct pc'
}
