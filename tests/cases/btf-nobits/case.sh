# A section .BTF without content (NOBITS), as in a stripped debug file: reading BTF from it is refused, DWARF is read as ever, and -J
# puts a real section in its place.
build() {
	gcc -g -c a.c -o a.o
	printf '.section .BTF,"a",@nobits\n.space 400\n.section .note.GNU-stack,"",@progbits\n' > b.s
	as b.s -o b.o
	ld -r a.o b.o -o nobits.o
}

check_btf() {
	encode nobits.o
	succeeds detached
	same_as_c nobits.o
	run pahole -J nobits.o
	alive "in place"
	[ $status -ne 0 ] || { dump nobits.o; holds "STRUCT 'pt'" dump; }
}

check_print() {
	run pahole -F btf nobits.o
	refuses "reading BTF"
	run pahole nobits.o
	succeeds "reading DWARF"
	holds '^struct pt'
}
