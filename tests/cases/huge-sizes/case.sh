# Sizes above 2 and 4 GiB. BTF's fields have 32 bits: what does not fit is left out or refused with a message, never wrapped to
# nr_elems=0 in silence.
build() {
	gcc -g -c a.c -o a.o
	gcc -g -mcmodel=large variables.c -o variables
	python3 - > many.c <<-'PYTHON'
	count = 65537
	print("struct many {", *(f"char m{i};" for i in range(count)), "} a;")
	print("union any {", *(f"char u{i};" for i in range(count)), "} b;")
	print("enum lots {", *(f"E{i}," for i in range(count)), "} c;")
	print("enum lots64 {", *(f"L{i} = {i}ll << 20," for i in range(count)), "} d;")
	PYTHON
	gcc -g -c many.c -o many.o
}

check_btf() {
	encode a.o
	written_or_refused encode
	[ -s err ] || wrong "no message"
	[ ! -s o.btf ] || { dump o.btf; lacks "nr_elems=0" dump; }
}

check_many() {
	encode --btf_features=enum64 many.o
	written_or_refused encode
	[ "$(grep -c 'more than 65535 members' err)" = 2 ] || wrong "not two messages about members"
	[ "$(grep -c 'more than 65535 enumerators' err)" = 2 ] || wrong "not two messages about enumerators"
	dump o.btf
	for type in "STRUCT 'many' size=65537" "UNION 'any' size=1" "ENUM 'lots' .*" "ENUM64 'lots64' .*"; do holds "$type vlen=65535" dump; done
}

# Small ones stay, with their places; what is too large, or too far behind in its section, is told.
check_variables() {
	encode --btf_features=var,global_var variables
	succeeds encode
	place='^variables: \.debug_info\+0x[0-9a-f]+, in the unit at 0x0'
	holds "$place: variable 'cells' of size 6442450944: " err
	holds "$place: variable 'behind' at offset 64424509[0-9]*: " err
	[ "$(grep -cE "$place" err)" = 2 ] || wrong "not two messages: $(head -3 err | tr '\n' '|')"
	dump o.btf
	holds "VAR 'small'" dump
	holds "VAR 'large'" dump
	holds "size=4294967280" dump
	lacks "VAR 'cells'" dump
	lacks "VAR 'behind'" dump
}

check_print() {
	run pahole a.o
	succeeds print
	holds 'size: 3000000004'
	lacks 'size: -'
	holds 'a\[4294967296\]'
}
