# Raw BTF in circles, 200,000 types deep, with ids, names, kinds, lengths and flags that cannot be. On a stack of 256 KiB every program ends, without
# a signal; what libbpf refuses is refused, by itself and as a base of others.
build() { python3 make.py; }

check_print() {
	local file program
	seconds=60
	ulimit -s 256
	for file in read/*.btf; do
		for program in pahole "pahole --sizes" "pahole -C user" "pahole -E -C user" "pahole -R -C user" "pahole -l" "pahole --compile -C user" pfunct \
			"pfunct -V" "pfunct --compile" "pahole --contains user" "pahole --find_pointers_to user"; do
			case $file,$program in
			# The program's own list of types, which it goes through for each.
			*chain*,*-l | *chain*,*--contains* | *chain*,*--find*) continue ;;
			esac
			# shellcheck disable=SC2086
			run $program -F btf "$file"
			alive "$file, $program"
		done
		case $file in
		*chain*) ;;
		*)
			run pahole -F btf -E "$file"
			alive "$file, -E"
			run pdwtags -F btf "$file"
			alive "$file, pdwtags"
			run codiff -F btf "$file" "$file"
			alive "$file, codiff"
			;;
		esac
		run pahole -F btf -C user "$file"
		succeeds "$file"
		holds 'size: 8,'
	done
	for file in const_self typedef_pair array_self ptr_pair; do
		run pahole -F btf -C user read/$file.btf
		holds "WARNING: BTF type [23] leads back to itself" err
	done
	for file in refused/*.btf; do
		run pahole -F btf "$file"
		refuses "$file"
		[ -s err ] || wrong "$file: no message"
		run pahole -F btf --btf_base="$file" read/members.btf
		refuses "$file as a base"
	done
}
