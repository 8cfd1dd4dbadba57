# A member without type, or whose type is outside the section, inside a DIE, a function or the unit: no crash, and the struct keeps
# its other members.
build() {
	python3 make.py
	for source in *.s; do as "$source" -o "${source%.s}.o"; done
}

check_btf() {
	for object in *.o; do
		encode "$object"
		succeeds "$object"
		holds "^$object: .debug_info\+0x[0-9a-f]+, in the unit at 0x0: " err
		dump o.btf
		holds "STRUCT 'user' size=16 vlen=2" dump
		holds "'ok' type_id=[1-9]" dump
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
