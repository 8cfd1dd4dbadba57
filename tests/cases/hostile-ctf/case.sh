# CTF in circles, 30,000 types deep (there are no more ids), with ids and lengths that are not there. On a stack of 256 KiB every program ends,
# without a signal, and shows what is sound.
build() { python3 make.py; }

check_print() {
	local object program
	seconds=60
	ulimit -s 256
	for object in *.o; do
		for program in pahole "pahole --sizes" "pahole -E -C user" "pahole --compile -C user" pfunct "pfunct -V"; do
			# shellcheck disable=SC2086
			run $program -F ctf "$object"
			alive "$object, $program"
		done
		case $object in
		bad* | empty.o) continue ;;
		*chain*) ;;
		*)
			run pdwtags -F ctf "$object"
			alive "$object, pdwtags"
			;;
		esac
		run pahole -F ctf -C user "$object"
		holds '^struct user'
	done
	run pahole -F ctf -C user typedef_pair.o
	holds "WARNING: CTF type [23] leads back to itself" err
}
