# A member without type, or whose type is outside the section, inside a DIE, a function or the unit: no crash, and the struct keeps
# its other members.
build() {
	python3 make.py
	for source in *.s; do as "$source" -o "${source%.s}.o"; done
}

check_btf() {
	for object in *.o; do
		encode "$object"
		written_or_refused "$object"
		[ ! -s o.btf ] || dump o.btf
	done
}

check_print() {
	for object in *.o; do
		for program in pahole "pahole -E" pdwtags; do
			# shellcheck disable=SC2086
			run $program "$object"
			alive "$object, $program"
		done
		run pahole "$object"
		holds '^struct user'
		holds ' ok;'
	done
}
