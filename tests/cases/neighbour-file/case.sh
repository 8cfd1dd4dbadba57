# -J a.o leaves an unrelated file a.o.btf alone.
build() { gcc -g -c a.c -o a.o; }

check_btf() {
	echo precious > a.o.btf
	run pahole -J a.o
	succeeds "in place"
	[ "$(cat a.o.btf)" = precious ] || wrong "a.o.btf was destroyed"
}
