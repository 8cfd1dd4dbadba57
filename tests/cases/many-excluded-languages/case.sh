# Any number of languages may be excluded: the C types are still there, the heap is intact.
languages=rust,c++,go,ada95,d,java,fortran77,fortran90,cobol74,cobol85,modula2,pascal83,python,haskell,ocaml,swift,julia,dylan
languages=$languages,c++03,c++11,c++14,opencl,upc,pli,objc,objc++

build() { gcc -g -c a.c -o a.o; }

check_btf() {
	for count in 1 5 6 7 9 26; do
		encode --lang_exclude="$(echo $languages | cut -d, -f1-$count)" a.o
		succeeds "$count languages"
		same_as_c a.o
	done
}

check_print() {
	for count in 1 5 6 7 9 26; do
		run pahole --lang_exclude="$(echo $languages | cut -d, -f1-$count)" a.o
		succeeds "$count languages"
		holds '^struct pt'
	done
}
