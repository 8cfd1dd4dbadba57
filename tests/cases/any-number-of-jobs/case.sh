# 60 units: the BTF and the text are the same with any number of workers.
build() {
	for i in $(seq 60); do
		cat > f$i.c <<-SOURCE
		struct s$i { int a; struct s$((i % 7)) *p; long f$i:5; };
		struct sh { int a, b; struct sh *n; };
		struct s$i v$i;
		struct sh sh$i;
		int fn$i(struct s$i *p, struct sh *q) { return p->a + q->b; }
		static int st(int a) { return a; }
		int us$i(int a) { return st(a); }
		SOURCE
	done
	echo 'int main(void) { return 0; }' > m.c
	gcc -g -O1 -fno-inline ./*.c -o program
}

check_btf() {
	seconds=60
	for features in none default all; do
		c_run pahole -J --btf_features=$features --btf_encode_detached=c.btf program
		for jobs in 1 2 3 8 16 64; do
			encode -j$jobs --btf_features=$features program
			succeeds "-j$jobs"
			cmp -s c.btf o.btf || wrong "-j$jobs, $features: not C's bytes"
		done
	done
}

check_print() {
	seconds=60
	for jobs in 1 2 3 8 16 64; do
		run pahole -j$jobs program
		md5sum < out >> sums
	done
	[ "$(sort -u sums | wc -l)" = 1 ] || wrong "the text differs with -j"
}
