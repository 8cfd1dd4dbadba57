# A Go function type that takes and returns itself through its typedef (type F func(F) F): legal, in BTF too.
build() {
	python3 make.py
	as a.s -o a.o
}

check_btf() {
	encode a.o
	succeeds encode
	dump o.btf
	holds "TYPEDEF 'main.F'" dump
	same_as_c a.o
}

check_print() {
	for program in pahole "pahole -E" pdwtags pfunct; do
		# shellcheck disable=SC2086
		run $program a.o
		alive "$program"
	done
	run pahole a.o
	holds 'm; .*0 +8 '
}
