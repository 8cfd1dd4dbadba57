# DW_FORM_ref_sup4, ref_sup8 and strp_sup lead into the file that .debug_sup names, if that has the same id; else a message says so.
build() {
	python3 make.py sup
	as sup.s -o sup.o
	python3 make.py main "$(nm sup.o | awk '$3 == "here" { print $1 }')"
	as ref_sup4.s -o ref_sup4.o
	as ref_sup8.s -o ref_sup8.o
}

check_btf() {
	local file
	for file in ref_sup4.o ref_sup8.o; do
		encode $file
		succeeds $file
		quiet
		dump o.btf
		# The struct's own name is the supplementary file's string of that offset, too.
		holds "STRUCT 'inner' size=4 vlen=1" dump
		holds "'outer' type_id=[1-9]" dump
		holds "STRUCT 'shared' size=4 vlen=1" dump
		holds "'inner' type_id=[1-9]" dump
	done
	mv sup.o elsewhere.o
	encode ref_sup4.o
	succeeds "without the file"
	holds 'ref_sup4.o' err
}
