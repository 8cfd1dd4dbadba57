# More workers than the machine has threads: the number is cut, or the run refused with a message.
build() { gcc -g -c a.c -o a.o; }

check_btf() {
	seconds=60
	for jobs in 100000 3000000; do
		encode -j$jobs a.o
		written_or_refused "-j$jobs"
		[ $status -ne 0 ] || same_as_c a.o
	done
	for jobs in 100000 3000000; do
		run pahole -j$jobs a.o
		alive "printing with -j$jobs"
	done
	# One thread more is all that there may be.
	(
		ulimit -u 1 2>/dev/null
		encode -j8 a.o
		written_or_refused "-j8 with few threads"
		exit $problems
	) || problems=1
}
