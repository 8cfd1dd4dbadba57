# No type that BTF lacks loses the file: what stands for it has its size where that is known, and where it is void, one message names its place,
# whatever refers to it. C gives up the file, or says of each reference that nothing is there.
build() {
	python3 make.py
	local kind
	cut -f1 kinds | while read -r kind; do as "$kind.s" -o "$kind.o"; done
}

check_btf() {
	local kind message lines line
	while IFS='	' read -r kind message lines; do
		encode --btf_features=default,global_var "$kind.o"
		succeeds "$kind"
		if [ "$message" = - ]; then
			quiet
		else
			holds "^$kind.o: \.debug_info\+0x[0-9a-f]+, in the unit at 0x0: $message" err
			[ "$(wc -l < err)" = 1 ] || wrong "$kind: $(wc -l < err) lines on stderr: $(tail -1 err)"
		fi
		dump o.btf
		holds "STRUCT 'last' size=4" dump
		holds "FUNC 'f'" dump
		while read -r line; do grep -qE -- "$line" dump || wrong "$kind lacks: $line"; done < <(tr '\t' '\n' <<< "$lines")
		mv o.btf alone.btf
		encode --btf_features=default,global_var,force_cu_merging "$kind.o"
		cmp -s alone.btf o.btf || wrong "$kind, merged: other bytes"
	done < kinds
}
