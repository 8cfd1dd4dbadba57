# Whatever is left out or changed is told of on one line, with the file, the section, the offset of the entry and that of its unit; the rest of the
# file is encoded.
build() {
	python3 make.py
	local fault
	while IFS='	' read -r fault _; do as "$fault.s" -o "$fault.o"; done < faults
}

check_btf() {
	local fault text here
	while IFS='	' read -r fault text; do
		here=$(nm "$fault.o" | awk '$3 == "here" { print $1 }' | sed 's/^0*//')
		encode --btf_features=default,global_var "$fault.o"
		succeeds "$fault"
		grep -qE -- "^$fault.o: \.debug_info\+0x$here, in the unit at 0x0: .*$text" err ||
			wrong "$fault: no message about '$text' at 0x$here, but: $(head -2 err | tr '\n' '|')"
		[ "$(wc -l < err)" = 1 ] || wrong "$fault: $(wc -l < err) lines on stderr: $(head -3 err | tr '\n' '|')"
		dump o.btf
		holds "STRUCT 'last' size=4" dump
		# As a unit of many.
		mv err alone
		mv o.btf alone.btf
		encode --btf_features=default,global_var,force_cu_merging "$fault.o"
		succeeds "$fault"
		cmp -s alone err || wrong "$fault, merged: said $(head -1 err)"
		cmp -s alone.btf o.btf || wrong "$fault, merged: other bytes"
	done < faults
}
