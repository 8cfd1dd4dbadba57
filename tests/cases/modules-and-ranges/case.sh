# Types within a module (Fortran), texts of a fixed length, and ranges that are types (Ada, Pascal): C loses all that is in a module, and the
# whole file at the first text; what refers to a range becomes void. Ranges are typedefs of what they are ranges of, texts are arrays.
build() {
	python3 make.py
	as a.s -o a.o
}

check_btf() {
	encode --btf_features=var,global_var a.o
	succeeds encode
	quiet
	dump o.btf
	holds "STRUCT 'point' size=24 vlen=4" dump
	holds "TYPEDEF 'index' type_id=1\b" dump
	holds "'from' type_id=2 bits_offset=0" dump
	holds "'to' type_id=1 bits_offset=32" dump
	holds "'label' type_id=4 bits_offset=64" dump
	holds "INT 'character' size=1 " dump
	holds "ARRAY .* type_id=3 .* nr_elems=12" dump
	holds "VAR 'origin' type_id=5," dump
}
