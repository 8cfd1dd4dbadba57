# Types that contain or refer to themselves or each other, functions and variables that are instances of each other, units that import each
# other. Illegal DWARF, except circles through pointers to structs and through function types. On a stack of 256 KiB no program crashes or hangs;
# what is sound is encoded, and what is cut is told with its place.
build() {
	python3 make.py
	for source in *.s; do as "$source" -o "${source%.s}.o"; done
}

check_btf() {
	local object jobs
	ulimit -s 256
	for object in *.o; do
		for jobs in 1 4; do
			encode -j$jobs --btf_features=default,global_var "$object"
			succeeds "$object"
			[ -s o.btf ] || { wrong "$object: no BTF"; continue; }
			[ $jobs = 1 ] || cmp -s o.btf one || wrong "$object: other bytes with -j$jobs"
			cp o.btf one
			! grep -qv "^$object: " err || wrong "a message without the file: $(grep -v "^$object: " err | head -1)"
		done
		dump o.btf
		holds "STRUCT 'sound' size=4 vlen=1" dump
	done
	# Where C has no type to show, and where a circle has no name: both are void behind the cut.
	for object in const_type_self.o pointer_type_hundred.o array_pair.o prototype_self.o pointer_const.o typedef_nameless_pair.o atomic_type_self.o; do
		encode --btf_features=default "$object"
		holds "^$object: .debug_info\+0x[0-9a-f]+, in the unit at 0x0: .*taken for void" err
		dump o.btf
		holds "STRUCT 'user' size=8 vlen=1" dump
	done
	for object in units_const_type.o units_pointer_type.o units_circle_*.o units_prototype.o units_array.o units_import_circle.o; do
		encode --btf_features=default "$object"
		holds "^$object: .debug_info\+0x[0-9a-f]+, in the unit at 0x[0-9a-f]+: other units refer to this, and it leads back to itself" err
		# Not by deduplication, which knows of no entries.
		lacks 'lead from unit to unit' err
	done
	# What is legal, or has a name to stop at, is as it was.
	for object in structure_type_self.o typedef_pair.o typedef_pointer.o prototype_typedef.o base_pair.o units_typedef.o units_struct.o; do
		encode --btf_features=default "$object"
		succeeds "$object"
		quiet
	done
}

check_print() {
	local object program
	seconds=60
	ulimit -s 256
	for object in *.o; do
		for program in pahole "pahole -E" "pahole --sizes" "pahole -C user" "pahole -E -C user" "pahole -R -C user" "pahole -l" "pahole --compile" \
			pdwtags pfunct "pfunct -V" "pfunct --compile" "codiff $object" "pahole --contains user" "pahole --find_pointers_to user"; do
			# shellcheck disable=SC2086
			run $program "$object"
			alive "$object, $program"
		done
		run pahole -C sound "$object"
		holds 'size: 4,'
	done
}
