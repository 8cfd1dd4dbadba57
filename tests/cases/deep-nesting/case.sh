# 200,000 blocks, 100,000 namespaces, structs or inlined calls inside each other, 20,000 structs each holding the next by value: no
# stack overflow; the full result, or a message and a refusal.
build() {
	python3 make.py
	for source in *.s; do as "$source" -o "${source%.s}.o"; done
}

check_btf() {
	seconds=60
	for object in *.o; do
		encode "$object"
		written_or_refused "$object"
		[ ! -s o.btf ] || dump o.btf
	done
}

check_print() {
	seconds=60
	for object in *.o; do
		for program in pahole "pahole -E" pdwtags "pfunct -V"; do
			# shellcheck disable=SC2086
			run $program "$object"
			alive "$object, $program"
		done
	done
}
