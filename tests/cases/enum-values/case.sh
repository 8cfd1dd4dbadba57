# Enums of 64 bits, negative, unsigned and packed keep value and sign, from gcc and from clang.
build() {
	gcc -g -c e.c -o gcc.o
	clang -g -c e.c -o clang.o
	gcc -g -gdwarf-4 -c e.c -o gcc4.o
	clang --target=s390x-linux-gnu -g -c e.c -o s390x.o
	clang --target=i386-linux-gnu -g -gdwarf-4 -c e.c -o i386.o
}

check_btf() {
	for file in *.o; do
		encode --btf_features=enum64 $file
		succeeds $file
		dump o.btf
		holds "ENUM64 'big'" dump
		holds "'S0' val=-128" dump
		holds "'L0' val=18446744073709551615" dump
		holds "'U1' val=255" dump
		same_as_c --btf_features=enum64 $file
		encode $file
		same_as_c $file
	done
}

check_print() {
	for file in gcc.o clang.o; do
		run pahole -E $file
		succeeds $file
		for value in 'BA = 1099511627776' 'NA = -5' 'NB = 3000000000' 'U1 = 255' 'S0 = -128' 'M0 = 4294967295' \
			'L0 = 18446744073709551615'; do
			holds "$value,"
		done
	done
}
