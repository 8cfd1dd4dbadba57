# The .dwo files put together to a .dwp beside the program, type units among them, serve as well as the files themselves. A
# package of gcc's files given by itself is read as C reads it; a damaged one is named with the unit that it was to have.
build() {
	local version
	for version in 4 5; do
		gcc -g -gdwarf-$version d1.c d2.c -o plain$version
		clang -g -gdwarf-$version -gsplit-dwarf -fdebug-types-section d1.c d2.c -o clang$version
		llvm-dwp -e clang$version -o clang$version.dwp
		clang -g -gdwarf-$version d1.c d2.c -o clang-plain$version
		rm ./*.dwo
		gcc -g -gdwarf-$version -gsplit-dwarf d1.c d2.c -o gcc$version
		llvm-dwp -e gcc$version -o gcc$version.dwp
		rm ./*.dwo
	done
}

check_btf() {
	same_btf plain4 gcc4
	same_btf plain5 gcc5
	same_btf clang-plain4 clang4
	same_btf clang-plain5 clang5
	for file in gcc4.dwp gcc5.dwp; do
		encode $file
		succeeds $file
		[ -s o.btf ] || wrong "$file: no BTF"
		dump o.btf
		sed -E 's/(\[|type_id=)[0-9]+/\1N/g' dump | sort > ours
		# C crashes on the package of version 5, whose units are the same.
		c_run pahole -J --btf_encode_detached=c.btf gcc4.dwp
		dump c.btf
		sed -E 's/(\[|type_id=)[0-9]+/\1N/g' dump | sort > theirs
		cmp -s ours theirs || wrong "$file: other content than with C"
	done
	truncate -s 500 gcc5.dwp
	encode gcc5
	holds 'gcc5.dwp' err
	holds 'd1.dwo' err
}
