# -J on a separate debug file (objcopy --only-keep-debug; eu-strip -f, whose program headers point past the end): .BTF is added and
# loads; detached output works too.
build() {
	gcc -g -O1 m.c -o linked
	objcopy --only-keep-debug linked objcopy.debug
	eu-strip -f eu.debug -o stripped linked
}

check_btf() {
	for file in objcopy.debug eu.debug; do
		encode $file
		succeeds "$file, detached"
		dump o.btf
		holds "STRUCT 'pt'" dump
		run pahole -J $file
		succeeds "$file, in place"
		dump $file
		holds "STRUCT 'pt'" dump
	done
}
