# What has no size has the size 0: functions that return nothing, labels, and qualified void.
build() { gcc -g -O0 -c a.c -o a.o; }

check_print() {
	run pdwtags a.o
	succeeds pdwtags
	grep -A12 '^void nothing(int given)' out | grep -q '^} /\* size: 0 \*/' || wrong "a function that returns nothing has a size"
	holds 'const_type tag not supported! \*/; /\* size: 0 \*/'
	lacks 'size: [1-9][0-9]{4,}'
}
