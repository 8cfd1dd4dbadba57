# Functions without a name, in DWARF that no compiler writes: programs that go by names live, and leave them out or print none.
build() {
	gcc -g -dA -S a.c -o a.s
	# In the abbreviation of functions, DW_AT_name becomes DW_AT_description.
	sed -i '/(TAG: DW_TAG_subprogram)/,/0x3.*(DW_AT_name)/ s/0x3\(.*(DW_AT_name)\)/0x5a\1/' a.s
	gcc -c a.s -o a.o
}

check_print() {
	for program in "pglobal -f" "pfunct -c one" pfunct "pfunct -V" "pfunct -P" "pfunct -T" pdwtags prefcnt; do
		# shellcheck disable=SC2086
		run $program a.o
		alive "$program"
	done
	run codiff a.o a.o
	alive codiff
	run pglobal -f a.o
	succeeds "pglobal -f"
}
