# Detached output on a full disk: a refusal with a message, no partial file, and an older good file of that name is as it was. A
# small tmpfs is the disk; where none can be mounted, a limit on the size of files.
build() {
	gcc -g -c a.c -o a.o
	python3 -c "
for i in range(400): print(f'struct s{i} {{ int a{i}; struct s{i} *p; }} v{i};')" > big.c
	gcc -g -c big.c -o big.o
	mkdir small
}

check_btf() {
	mount -t tmpfs -o size=64k tmpfs small 2>/dev/null && mounted=yes || mounted=
	run pahole -J --btf_encode_detached=small/o.btf a.o
	succeeds first
	cp small/o.btf keep
	if [ $mounted ]; then dd if=/dev/zero of=small/fill bs=1k count=200 2>/dev/null || true
	else trap '' XFSZ; ulimit -f 4; fi
	run pahole -J --btf_encode_detached=small/o.btf big.o
	refuses "over an old file"
	[ -s err ] || wrong "no message"
	cmp -s keep small/o.btf || wrong "the older good file was destroyed"
	run pahole -J --btf_encode_detached=small/n.btf big.o
	refuses "to a new file"
	[ ! -e small/n.btf ] || wrong "a partial file was left"
	[ "$(ls -A small | grep -v -e o.btf -e fill)" = "" ] || wrong "left over: $(ls -A small)"
}
