# A Rust enum with data (DW_TAG_variant_part) has 16 bytes and is more than padding: its discriminant and variants are there, and
# nothing is said on stderr, of `()`, which has no bytes, neither. A file without a unit to encode is no error.
build() { rustc -g --crate-type=lib --emit=obj r.rs -o r.o; }

check_btf() {
	run pahole --lang_exclude=rust -J r.o
	succeeds "rust excluded"
	encode r.o
	succeeds "rust encoded"
	quiet
	dump o.btf
	holds "STRUCT 'Shape' size=16" dump
	same_as_c r.o
}

check_print() {
	seconds=60
	run pahole -C Shape r.o
	succeeds print
	quiet
	holds Circle
	holds Rect
	run pahole -C Holder r.o
	lacks 'last struct has 16 bytes of padding'
}
