# No file, and no BTF of a running kernel: a message and an exit that is not 0, for every program.
build() { echo text > text; }

check_print() {
	export PAHOLE_VMLINUX_BTF_FILENAME=/nonexistent
	for program in pahole pfunct pdwtags pglobal codiff prefcnt dtagnames syscse ctracer; do
		run $program
		alive "$program without arguments"
		run $program missing
		alive "$program with a file that is missing"
		run $program text
		alive "$program with a text"
	done
	for program in pahole prefcnt dtagnames; do
		run $program
		refuses "$program without arguments"
		[ -s err ] || [ -s out ] || wrong "$program says nothing"
	done
}
