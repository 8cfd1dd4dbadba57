# `pahole -R` never makes a struct larger nor speaks of negative savings, and what it prints adds up: members do not lie on each other.
build() {
	gcc -g -c a.c -o gcc.o
	g++ -g -x c++ -c a.c -o g++.o
	gcc -m32 -g -c a.c -o gcc32.o 2> /dev/null || clang -m32 -g -c a.c -o gcc32.o
}

# The struct's own members (one tab deep) with offset and size, in order: none starts before the end of the one before, bit-fields aside.
adds_up() {
	awk -v what="$1" '
		/^\t[^\t].*\/\* +[0-9]+ +[0-9]+ \*\// {
			match($0, /\/\* +[0-9]+ +[0-9]+ \*\//)
			split(substr($0, RSTART, RLENGTH), part)
			if (part[2] + 0 < end) print what ": a member at " part[2] " before " end
			end = part[2] + part[3]
		}
		/^\t\/\* size: / { size = $3 + 0; if (end > size) print what ": members end at " end ", the size is " size }
	' out
}

check_print() {
	for object in gcc.o g++.o gcc32.o; do
		for struct in inner sorted holes within bits mixed packed aligned arrays tail; do
			run pahole -C $struct $object
			before=$(sed -n 's/.*\/\* size: \([0-9]*\),.*/\1/p' out | tail -1)
			for flags in -R "-R -S"; do
				# shellcheck disable=SC2086
				run pahole $flags -C $struct $object
				succeeds "$object, $struct $flags"
				lacks 'saved -'
				after=$(sed -n 's/^\t\/\* size: \([0-9]*\),.*/\1/p' out | tail -1)
				[ "${after:-0}" -le "$before" ] && [ "${after:-0}" -gt 0 ] || wrong "$object, $struct $flags: $before became $after"
				[ "$flags" != -R ] || { problem=$(adds_up "$object, $struct"); [ -z "$problem" ] || wrong "$problem"; }
			done
		done
		run pahole -R -C holes $object
		holds 'size: (16|12),'
		run pahole -P $object
		succeeds "$object -P"
	done
}
