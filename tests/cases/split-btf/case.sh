# A module against a base: only new types are in its BTF; without the base or with a wrong one it is not read; distilled_base adds
# .BTF.base; a base that is not there is refused.
build() {
	gcc -g -c base.c -o base.o
	gcc -g -c module.c -o module.o
}

check_btf() {
	c_run pahole -J --btf_encode_detached=base.btf base.o
	encode --btf_base=base.btf module.o
	succeeds detached
	same_as_c --btf_base=base.btf module.o
	cp module.o m.ko
	run pahole -J --btf_base base.btf m.ko
	succeeds "in place"
	"$FRONTENDS/bin/bpftool" -B base.btf btf dump file m.ko > dump || wrong "m.ko does not load"
	holds "STRUCT 'priv'" dump
	lacks "STRUCT 'dev'" dump
	cp module.o distilled.ko
	run pahole -J --btf_base base.btf --btf_features=default,distilled_base distilled.ko
	succeeds distilled
	readelf -SW distilled.ko | grep -q BTF.base || wrong "no .BTF.base"
	run pahole -J --btf_base nosuch module.o
	refuses "a base that is not there"
}

check_print() {
	c_run pahole -J --btf_encode_detached=base.btf base.o
	cp module.o m.ko
	c_run pahole -J --btf_base base.btf m.ko
	run pahole -F btf m.ko
	refuses "without the base"
	# Another file's types, fewer than the module refers to.
	echo 'int number;' > other.c
	gcc -g -c other.c
	c_run pahole -J --btf_encode_detached=other.btf other.o
	run pahole -F btf --btf_base other.btf m.ko
	refuses "with a wrong base"
	[ -s err ] || wrong "nothing is said about a wrong base"
	run pahole -F btf --btf_base base.btf -C priv m.ko
	succeeds "with the base"
	holds 'size: 72'
}
