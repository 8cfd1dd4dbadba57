# .BTF_ids cut short, or with an absurd count: a refusal, or BTF without the tags of kfuncs; never exit 0 without BTF, and nothing
# is read outside the section. The sound one gives two tags.
build() {
	gcc -O1 -g -c kf.c -o kf.o
	objcopy --dump-section .BTF_ids=ids kf.o
	head -c 9 ids > cut
	objcopy --update-section .BTF_ids=cut kf.o short.o
	printf '\377\377\377\177' | dd of=ids conv=notrunc bs=1
	objcopy --update-section .BTF_ids=ids kf.o big.o
}

check_btf() {
	for file in short.o big.o; do
		encode --btf_features=default $file
		written_or_refused $file
		[ $file = big.o ] || holds "^$file: section \.BTF_ids: .* is not all within the section" err
	done
	encode --btf_features=default kf.o
	succeeds kf.o
	dump o.btf
	[ "$(grep -c "DECL_TAG 'bpf_kfunc'" dump)" = 2 ] || wrong "$(grep -c "DECL_TAG 'bpf_kfunc'" dump) kfunc tags"
	same_as_c --btf_features=default kf.o
}
