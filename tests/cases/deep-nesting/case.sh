# Everything that can be nested, or lead to another one of its kind, 200,000 times: blocks, namespaces, structs by nesting and by value, chains of
# pointers, typedefs, qualifiers and prototypes, arrays of arrays, dimensions, base classes, definitions of declarations. On a stack of 256 KiB:
# no overflow, no hang; what is sound is encoded and printed, and what is left out is told.
build() {
	python3 make.py 200000
	mkdir some
	for source in *.s; do as "$source" -o "${source%.s}.o"; done
	# What is printed of each type shows up to 64 of the next ones.
	(cd some && python3 ../make.py 3000 && for source in *.s; do as "$source" -o "${source%.s}.o"; done)
	rm ./*.s some/*.s
}

check_btf() {
	local object features
	seconds=120
	ulimit -s 256
	for object in *.o some/*.o; do
		for features in none default,global_var; do
			encode -j2 --btf_features=$features "$object"
			succeeds "$object, $features"
			[ -s o.btf ] || { wrong "$object, $features: no BTF"; continue; }
			case $features,$object in
			# Tags are types then, and one of many looks like the next.
			default*,*annotations.o) holds 'annotations.o: .debug_info\+0x[0-9a-f]*, in the unit at 0x0: .*annotation' err ;;
			# Where all have the same name, or none, not all duplicates are looked for.
			*) ! grep -qv "^$object: .debug_info+0x[0-9a-f]*, in the unit at 0x0: from this type on, too many are alike" err || quiet ;;
			esac
		done
		# The struct whose member leads to all of them, or stands beside them.
		dump o.btf
		holds "STRUCT 'user' size=[48] vlen=1" dump
		holds "'m' type_id=[1-9]" dump
	done
	# A chain of names ends at what it names, wherever that is.
	for object in nameless-typedefs.o atomic.o; do
		encode "$object"
		dump o.btf
		int=$(sed -n "s/^\[\([0-9]*\)\] INT 'int'.*/\1/p" dump)
		holds "CONST '\(anon\)' type_id=$int" dump
	done
}

check_print() {
	local object program
	seconds=120
	ulimit -s 256
	for object in *.o; do
		for program in pahole "pahole --sizes" "pahole -E -C user" "pahole --compile -C user" pfunct "pfunct -V"; do
			# shellcheck disable=SC2086
			run $program "$object"
			alive "$object, $program"
		done
		run pahole -C user "$object"
		holds 'size: [48],'
	done
}

check_programs() {
	local object program
	seconds=60
	ulimit -s 256
	cd some || return
	for object in *.o; do
		for program in pahole "pahole -E" "pahole --sizes" "pahole --compile" "pahole -R" "pahole -I" "pahole -l" "pfunct --compile" pdwtags \
			"codiff $object" "pahole --contains user" "pahole --find_pointers_to user"; do
			# shellcheck disable=SC2086
			run $program "$object"
			alive "$object, $program"
		done
	done
}
