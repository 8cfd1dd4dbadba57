# A unit of version 1 or 6 cannot be read: a message and no crash; the types of the unit before it are given, or the exit says no.
build() {
	python3 make.py
	for source in *.s; do as "$source" -o "${source%.s}.o"; done
}

check_btf() {
	for version in 1 6; do
		encode only$version.o
		alive "only $version"
		[ -s err ] || wrong "version $version: no message"
		encode after$version.o
		alive "after $version"
		[ -s err ] || wrong "version $version after a good unit: no message"
		[ ! -s o.btf ] || { dump o.btf; holds "STRUCT 'ok'" dump; }
	done
}

check_print() {
	for object in *.o; do
		for program in pahole pdwtags pfunct; do
			run $program "$object"
			alive "$object, $program"
		done
	done
}
