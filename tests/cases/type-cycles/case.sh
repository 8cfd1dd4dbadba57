# Types that contain or refer to themselves or each other. Illegal DWARF, except cycles through pointers and subroutine types. Every
# program ends within the time limit, without a signal; encoding gives BTF that loads, or a refusal, never an error with exit 0.
build() {
	python3 make.py
	for source in *.s; do as "$source" -o "${source%.s}.o"; done
}

check_btf() {
	for object in *.o; do
		encode "$object"
		alive "$object"
		[ $status -ne 0 ] || [ -s o.btf ] || [ ! -s err ] || wrong "$object: an error, yet exit 0"
		[ ! -s o.btf ] || dump o.btf
	done
}

check_print() {
	for object in *.o; do
		for program in pahole "pahole -E" "pahole --compile" pdwtags pfunct "pfunct --compile"; do
			# shellcheck disable=SC2086
			run $program "$object"
			alive "$object, $program"
		done
	done
}
