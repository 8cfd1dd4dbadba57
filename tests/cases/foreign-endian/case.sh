# BTF of a big-endian object, made without asking for newer features, can be read by consumers that are out there: they refuse a
# byte-swapped header longer than 24 bytes.
targets="s390x powerpc64 powerpc sparcv9 mips64 armeb"

build() { for target in $targets; do clang --target=$target-linux-gnu -fintegrated-as -g -c a.c -o $target.o; done; }

check_btf() {
	for target in $targets; do
		encode $target.o
		succeeds $target
		dump o.btf
		holds "STRUCT 'pt'" dump
		[ "$(od -An -tx1 -N8 o.btf | tr -d ' ')" = eb9f010000000018 ] || wrong "$target, header: $(od -An -tx1 -N8 o.btf)"
		# C does not know the relocations of MIPS.
		[ $target = mips64 ] || same_as_c $target.o
	done
}
