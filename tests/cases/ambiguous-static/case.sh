# Two static functions of one name: one prototype but two addresses, so no FUNC for it with the default features. A packed struct
# on the stack drops its function, another struct by value does not.
build() { gcc -g -O2 one.c two.c -o program; }

check_btf() {
	encode --btf_features=default program
	succeeds encode
	dump o.btf
	lacks "FUNC 'dup'" dump
	lacks "FUNC 'st_pk'" dump
	for name in go1 st_nm reg_pk main; do holds "FUNC '$name'" dump; done
	same_as_c --btf_features=default program
}
