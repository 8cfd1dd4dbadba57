# Relocatable objects of other machines: names, sizes and places are those of the source, whatever the relocations are called there. A relocation
# that is not known is refused by machine and name.
machines="x86_64 i386 aarch64 aarch64_be arm armeb riscv32 riscv64 s390x powerpc powerpc64 powerpc64le mips mipsel mips64 mips64el sparcv9
	hexagon msp430 avr m68k bpf bpfeb lanai ve"

build() {
	local machine version
	for machine in $machines; do
		for version in 4 5; do
			clang --target="$machine" -fintegrated-as -g -gdwarf-$version -O1 -c a.c -o "$machine-$version.o"
		done
	done
	python3 patch.py x86_64-5.o
}

same_content() {
	encode "$1"
	succeeds "$1"
	[ -s o.btf ] || wrong "$1: no BTF"
	quiet
	dump o.btf
	holds "STRUCT 's' size=[0-9]+ vlen=4" dump
	holds "'c' type_id=[0-9]+ bits_offset=0" dump
	holds "'n' type_id=[0-9]+ bits_offset=32" dump
	holds "INT 'short' size=2" dump
}

check_btf() {
	local machine
	for machine in $machines; do
		same_content "$machine-4.o"
		same_content "$machine-5.o"
	done
	same_content loongarch64.o
	encode nobody.o
	holds 'nobody.o: section .debug_[a-z_]*: relocation [0-9]+ of machine 2989 at offset 0x' err
	encode got.o
	holds 'got.o: section .debug_[a-z_]*: relocation R_X86_64_GOTPCREL \(9\) of machine EM_X86_64 \(62\) at offset 0x' err
}
