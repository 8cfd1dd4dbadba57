# Names with a blank, a quote, a dollar or a semicolon: .BTF is added to exactly that file, and no shell runs any of it.
build() { gcc -g -c a.c -o a.o; }

check_btf() {
	for name in 'my file.o' "it's.o" 'a$HOME.o' 'x;touch TOUCHED;.o' '-J.o' 'a\nb.o' 'ü.o'; do
		cp a.o "./$name"
		run pahole -J "./$name"
		succeeds "<$name>"
		readelf -SW "./$name" | grep -qw .BTF || wrong "<$name>: no .BTF"
		rm -f "./$name"
	done
	[ ! -e TOUCHED ] || wrong "a command in a file name was run"
	[ "$(ls -A | grep -vxE 'a.c|a.o|case.sh|out|err|build.log' | tr '\n' ' ')" = "" ] || wrong "left over: $(ls -A | tr '\n' ' ')"
}
