"""What `scripts/bench` measures on: made when first needed, and kept in target/bench."""

import functools
import subprocess

import synthetic
from harness import CORES, KERNEL, TARGET, digest, run, tool

FOLDER = TARGET / "bench"
MODULES = KERNEL / "modules"


def made(name, make):
    """The file or folder `name`; `make(path)` makes it, in a place of its own first."""
    path = FOLDER / name
    if not path.exists():
        FOLDER.mkdir(parents=True, exist_ok=True)
        part = FOLDER / f"part-{name}"
        make(part)
        part.rename(path)
    return path


@functools.cache
def base():
    """The kernel's BTF, as C makes it."""
    def make(path):
        done = run([tool("pahole"), "-J", f"-j{CORES}", "--btf_features=default", f"--btf_encode_detached={path}", KERNEL / "vmlinux"],
                   timeout=3600)
        if done.status != 0:
            raise SystemExit(f"bench: C cannot encode the kernel: {done.text()}")
    return made(f"vmlinux-{digest(KERNEL / 'vmlinux')[:12]}.btf", make)


def module():
    return MODULES / "net/netfilter/nf_conntrack.ko"


def modules(count):
    return sorted(MODULES.resolve().rglob("*.ko"))[:count]


def small():
    """An object of some 10 kB: one unit with a few types and functions."""
    return made("small", lambda path: synthetic.write(path, units=1, header_count=3))


def synthetic_program(units):
    return made(f"synthetic-{units}", lambda path: synthetic.write(path, units=units))


UNIT = """\
#include "all.h"
struct own_{n} {{ struct node_{m} *first; struct own_{n} *next; long value[{n} + 1]; int (*call)(struct own_{n} *, struct list_{m} *); }};
static int help_{n}(struct own_{n} *own, int by) {{ return by ? help_{n}(own->next, by - 1) + (int)own->value[0] : 0; }}
int use_{n}(struct own_{n} *own, struct node_{m} *node, struct list_{m} *list)
{{
	list->count += node->key;
	return help_{n}(own, list->count) + (own->call ? own->call(own, list) : 0);
}}
"""
HEADER = """\
struct node_{m} {{ struct node_{m} *left, *right; struct list_{m} *owner; int key; unsigned flags : 3, kind : 5; char name[{m} + 8]; }};
struct list_{m} {{ struct node_{m} *first, **last; int count; union {{ long number; void *pointer; }} extra; }};
"""


def lto(units):
    """A program of `units` files, linked with link-time optimisation: its units refer to each other."""
    def make(path):
        path.mkdir()
        (path / "all.h").write_text("".join(HEADER.format(m=m) for m in range(40)))
        for n in range(units):
            (path / f"u{n}.c").write_text(UNIT.format(n=n, m=n % 40))
        main = "".join(f"int use_{n}();\n" for n in range(units)) + "int main(int argc, char **argv)\n{\n\tint sum = argc;\n"
        main += "".join(f"\tif (argc > {n}) sum += use_{n}(argv[1], argv[2], argv[3]);\n" for n in range(units)) + "\treturn sum;\n}\n"
        (path / "main.c").write_text(main)
        names = " ".join(f"u{n}.c" for n in range(units)) + " main.c"
        flags = "-g -O1 -w -flto -fno-inline -fno-eliminate-unused-debug-types"
        subprocess.run(f"printf '%s\\n' {names} | xargs -P {CORES} -n 20 gcc {flags} -c && gcc {flags} -o program *.o && rm *.o",
                       shell=True, cwd=path, check=True)
    return made(f"lto-{units}", make) / "program"
