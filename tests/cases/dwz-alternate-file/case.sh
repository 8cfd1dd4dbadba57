# What dwz has moved to an alternate file is there; without the file a message says so, and what is left is encoded.
build() {
	gcc -g d1.c d2.c -o plain
	cp plain first
	cp plain second
	dwz -m common first second
	cp common kept
}

check_btf() {
	same_btf plain first
	encode first
	same_as_c first
	rm common
	encode first
	alive "without the alternate file"
	holds "could not resolve dwz alternate debug file" err
}
