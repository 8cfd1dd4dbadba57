# The .dwo files put together to a .dwp beside the program, type units among them, serve as well as the files themselves.
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
}
