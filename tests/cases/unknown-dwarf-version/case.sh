# A unit of version 0, 1, 6 or 65535 cannot be read: a message and no crash; the types of the units before and behind it are given.
build() {
	python3 make.py
	for source in *.s; do as "$source" -o "${source%.s}.o"; done
}

check_btf() {
	for version in 0 1 6 65535; do
		encode only$version.o
		alive "only $version"
		holds "^only$version.o: .debug_info\+0x0: unit of DWARF version $version, expected 2 to 5" err
		for place in before after; do
			for jobs in 1 4; do
				encode -j$jobs $place$version.o
				succeeds "$place $version"
				holds "^$place$version.o: .debug_info\+0x[0-9a-f]+: unit of DWARF version $version, expected 2 to 5" err
				dump o.btf
				holds "STRUCT 'ok'" dump
			done
		done
	done
}

check_print() {
	for object in *.o; do
		for program in pahole pdwtags pfunct; do
			run $program "$object"
			alive "$object, $program"
		done
		case $object in
		only*) ;;
		*)
			run pahole -C ok "$object"
			holds 'size: 4,'
			;;
		esac
	done
}
