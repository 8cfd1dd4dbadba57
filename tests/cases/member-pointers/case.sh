# C++: a pointer to a data member has the size of a pointer, one to a member function that of two, and both are encoded so.
build() {
	g++ -g -c m.cc -o gcc.o
	g++ -g -gdwarf-4 -c m.cc -o gcc4.o
	clang++ -g -c m.cc -o clang.o
	g++ -m32 -g -c m.cc -o gcc32.o
}

check_btf() {
	local file
	for file in gcc.o gcc4.o clang.o; do
		encode --btf_features=default,global_var $file
		succeeds $file
		quiet
		dump o.btf
		holds "STRUCT 'P' size=64 vlen=4" dump
		holds "STRUCT '\(anon\)' size=16 vlen=2" dump
		holds "'__pfn' type_id=[0-9]+ bits_offset=0" dump
		holds "'__delta' type_id=[0-9]+ bits_offset=64" dump
		holds "offset=[0-9]+ size=16 \(VAR 'lone'\)" dump
		c_run pahole -F btf -C P o.btf
		lacks 'hole|padding'
	done
	encode --btf_features=default,global_var gcc32.o
	succeeds gcc32.o
	dump o.btf
	holds "STRUCT 'P' size=32 vlen=4" dump
	holds "STRUCT '\(anon\)' size=8 vlen=2" dump
}
