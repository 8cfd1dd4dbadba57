# _Atomic has no BTF kind. The rest of the file is not lost for it: the qualifier is dropped, struct at has a of type int and p, a
# pointer to long.
# The same from clang, in DWARF 4, and for a machine of the other byte order.
build() {
	local version
	for version in 4 5; do
		gcc -g -gdwarf-$version -c a.c -o gcc$version.o
		clang -g -gdwarf-$version -c a.c -o clang$version.o
		clang --target=s390x-linux-gnu -g -gdwarf-$version -c a.c -o s390x$version.o
	done
}

check_btf() {
	for file in *.o; do
		encode -j4 $file
		succeeds $file
		quiet
		dump o.btf
		holds "STRUCT 'at' size=16 vlen=2" dump
		holds "STRUCT 'pt' size=16" dump
		int=$(sed -n "s/^\[\([0-9]*\)\] INT 'int'.*/\1/p" dump)
		holds "'a' type_id=$int bits_offset=0" dump
	done
}

# In every place, the same bytes as of the source without the qualifier.
check_more() {
	for cc in gcc clang; do
		$cc -g -gdwarf-5 -c more.c -o qualified.o
		$cc -g -gdwarf-5 -DPLAIN -c more.c -o plain.o
		for features in default all; do
			c_run pahole -J --btf_features=$features --btf_encode_detached=plain.btf plain.o
			encode --btf_features=$features qualified.o
			succeeds "$cc"
			quiet
			cmp -s o.btf plain.btf || wrong "$cc, $features: not the bytes of the source without the qualifier"
		done
	done
}
