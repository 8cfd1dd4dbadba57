# Feature `layout`: a section between types and strings that says how long the records of each kind are. pahole offers it where libbpf is
# new enough, and asks by a function's name; the library writes the section itself. BTF split from a base, which has it, goes without.
build() {
	gcc -g -c a.c -o a.o
	gcc -shared -fPIC -nostdlib newer.c -o newer.so
}

newer() {
	export LD_PRELOAD=$PWD/newer.so
	"$@"
	unset LD_PRELOAD
}

check_btf() {
	encode --btf_features=default a.o
	mv o.btf plain.btf
	newer encode --btf_features=default,layout a.o
	succeeds encode
	python3 - <<-'PYTHON' || wrong "not the plain BTF with a layout section"
	import struct
	plain, got = open("plain.btf", "rb").read(), open("o.btf", "rb").read()
	_, _, _, length, _, types, strings_at, strings = struct.unpack_from("<HBBIIIII", plain)
	kinds = [(0, 0), (4, 0), (0, 0), (12, 0), (0, 12), (0, 12), (0, 8)] + 6 * [(0, 0)] + [(0, 8), (4, 0), (0, 12), (0, 0), (4, 0), (0, 0), (0, 12)]
	section = b"".join(struct.pack("<BBH", *kind, 0) for kind in kinds)
	header = struct.pack("<HBBIIIIIII", 0xEB9F, 1, 0, 32, 0, types, types + len(section), strings, types, len(section))
	assert length == 24 and got == header + plain[24:24 + types] + section + plain[24 + types:]
	PYTHON
	dump o.btf
	holds "STRUCT 'point' size=16 vlen=2" dump
	mv o.btf base.btf
	newer encode --btf_features=default,layout --btf_base=base.btf a.o
	[ ! -e o.btf ] || [ "$(od -An -tu4 -j4 -N4 o.btf | tr -d ' ')" = 24 ] || wrong "a layout section in split BTF"
}

check_in_place() {
	newer run pahole -J --btf_features=default,layout a.o
	succeeds encode
	objcopy -O binary --only-section=.BTF --set-section-flags .BTF=alloc a.o o.btf
	[ "$(od -An -tu4 -j4 -N4 o.btf | tr -d ' ')" = 32 ] || wrong "no layout section"
}
