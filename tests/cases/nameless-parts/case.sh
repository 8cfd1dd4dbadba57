# Enumerators without name, without value, with a block or a string as value; types, parameters and variables without name: no crash.
build() {
	python3 make.py
	as a.s -o a.o
}

check_btf() {
	encode a.o
	written_or_refused encode
	[ ! -s o.btf ] || dump o.btf
}

check_print() {
	for program in pahole "pahole -E" pdwtags pfunct "pfunct -V"; do
		# shellcheck disable=SC2086
		run $program a.o
		alive "$program"
	done
	run codiff a.o a.o
	alive codiff
}
