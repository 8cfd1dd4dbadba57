# C++: a pointer to a data member has the size of a pointer, one to a member function that of two, and both are encoded so.
build() {
	g++ -g -c m.cc -o gcc.o
	g++ -g -gdwarf-4 -c m.cc -o gcc4.o
	clang++ -g -c m.cc -o clang.o
	g++ -m32 -g -c m.cc -o gcc32.o
	python3 make.py
	as apart.s -o apart.o
	as together.s -o together.o
	local version
	for version in 4 5; do
		g++ -g -gdwarf-$version m.cc other.cc third.cc -o plain$version
		cp plain$version dwz$version
		dwz -l0 dwz$version
		cp plain$version shared$version
		g++ -O1 -g -gdwarf-$version m.cc -o second
		dwz -m common$version shared$version second
		g++ -g -gdwarf-$version -fdebug-types-section m.cc other.cc third.cc -o types$version
		clang++ -g -gdwarf-$version -fdebug-types-section m.cc other.cc third.cc -o clang-types$version
		clang++ -g -gdwarf-$version m.cc other.cc third.cc -o clang-plain$version
		clang++ -g -gdwarf-$version -flto -fuse-ld=lld m.cc other.cc third.cc -o lto$version
	done
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

# Also where the type that a pointer leads to is in another unit, or names of it are.
check_units() {
	local jobs version way
	for jobs in 1 4; do
		encode -j$jobs --btf_features=default,global_var apart.o
		succeeds apart.o
		dump o.btf
		holds "STRUCT 'P' size=72 vlen=6" dump
		[ "$(grep -c "^.*'__pfn' type_id=[0-9]* bits_offset=0" dump)" = 3 ] || wrong "apart.o: not three pointers to member functions"
		c_run pahole -F btf -C P o.btf
		lacks 'hole|padding'
	done
	same_btf together.o apart.o
	for version in 4 5; do
		readelf --debug-dump=info dwz$version >units
		holds DW_TAG_imported_unit units
		same_btf plain$version dwz$version
		same_btf plain$version shared$version
		same_btf plain$version types$version
		same_btf clang-plain$version clang-types$version
		encode --btf_features=default,global_var lto$version
		quiet
		dump o.btf
		holds "STRUCT '\(anon\)' size=16 vlen=2" dump
	done
}
