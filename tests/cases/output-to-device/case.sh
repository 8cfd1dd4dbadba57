# A failed write to a path that is no regular file does not remove it; output through a symbolic link writes its target; a longer old
# file is cut to the new length.
build() { gcc -g -c a.c -o a.o; }

check_btf() {
	# A node of our own when root, who could remove the real one.
	device=/dev/full
	[ "$(id -u)" != 0 ] || { device=full; mknod full c 1 7 || wrong "cannot make a device node"; }
	run pahole -J --btf_encode_detached=$device a.o
	refuses "a full device"
	[ -c $device ] || wrong "the device was removed"
	ln -s target link
	run pahole -J --btf_encode_detached=link a.o
	succeeds "a symbolic link"
	{ [ -L link ] && [ -s target ]; } || wrong "the link was replaced"
	head -c 100000 /dev/zero | tr '\0' x > old
	run pahole -J --btf_encode_detached=old a.o
	cmp -s old target || wrong "old bytes are left at the end"
}
