# A nameless struct, union or enumeration within a class is printed once: with the member or typedef that is of its type, or on its
# own where nothing in the class uses it.
build() {
	for cc in g++ clang++; do $cc -std=c++17 -g -c a.cc -o $cc.o; done
}

check_print() {
	for cc in g++ clang++; do
		for command in "pahole -C outer" "pahole --compile" pahole; do
			# shellcheck disable=SC2086
			run $command $cc.o
			succeeds "$cc, $command"
			for what in 'RED   = 0,' 'overlay;' 'inner;' 'grain;' 'fixed;' 'deepest;' 'other;' 'renamed;'; do
				# Definitions that come before the class have the typedef once more.
				[ "$command $what" != "pahole --compile renamed;" ] || continue
				found=$(grep -c -- "\b$what" out)
				[ "$found" -eq 1 ] || wrong "$cc, $command: $what is printed $found times"
			done
			holds 'size: 40'
		done
	done
	run pahole -C outer g++.o
	holds 'ALONE = 7'
}
