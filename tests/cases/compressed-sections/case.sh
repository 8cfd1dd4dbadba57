# Debug sections compressed by zlib (SHF_COMPRESSED), the old way (.zdebug) and zstd are read.
kinds="zlib zlib-gnu zstd"

build() {
	gcc -g -c a.c -o a.o
	# Small sections stay as they are when compression does not pay: fill them.
	python3 -c "
for i in range(300): print(f'struct filler{i} {{ int member{i}; struct filler{i} *next{i}; }} v{i};')" > filler.c
	gcc -g -c filler.c -o filler.o
	ld -r a.o filler.o -o plain.o
	for kind in $kinds; do
		objcopy --compress-debug-sections=$kind plain.o $kind.o
		readelf -SW $kind.o | grep -E '\.zdebug_info|\.debug_info .* C '
	done
}

check_btf() {
	encode plain.o
	mv o.btf expected
	for kind in $kinds; do
		encode $kind.o
		succeeds $kind
		cmp -s expected o.btf || wrong "$kind: BTF differs from that of the plain file"
	done
}

check_print() {
	for kind in $kinds; do
		run pahole -C pt $kind.o
		succeeds $kind
		holds '^struct pt'
	done
}
