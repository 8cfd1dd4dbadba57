# Debugging information in a file of its own is found by the link, whose build id or checksum must fit, and the BTF goes into the program.
build() {
	gcc -g d1.c d2.c -Wl,--build-id -o plain
	cp plain by-id
	objcopy --only-keep-debug by-id by-id.debug
	strip --strip-debug by-id
	objcopy --add-gnu-debuglink=by-id.debug by-id
	gcc -g d1.c d2.c -Wl,--build-id=none -o by-sum
	objcopy --only-keep-debug by-sum by-sum.debug
	strip --strip-debug by-sum
	objcopy --add-gnu-debuglink=by-sum.debug by-sum
	mkdir .debug
	mv by-sum.debug .debug
	cp by-sum other
	mkdir wrong
	cp by-sum wrong
	cp by-id.debug wrong/by-sum.debug
}

check_btf() {
	same_btf plain by-id
	same_btf plain by-sum
	encode by-id
	same_as_c by-id
	encode wrong/by-sum
	[ ! -s o.btf ] || wrong "a debug file with another checksum is taken"
	run pahole -J by-id
	succeeds "in place"
	readelf -SW by-id | grep -q ' \.BTF ' || wrong "no section .BTF in the program"
}
