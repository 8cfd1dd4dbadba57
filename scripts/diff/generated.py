"""A large program in C that nobody wrote, the same on every machine, to be compiled in ways that take long to find in the wild.

Each of its files has structs with members whose names are its own, and functions with parameters of all kinds: more than there are registers,
structs in one register, in two, and in memory, packed ones, floating-point numbers, pointers, and lists that go on. Some functions are known
outside, some are static and called with constants or with arguments that they do not use, which compilers take out.
"""

import subprocess
from pathlib import Path

from harness import CORES
from synthetic import Random

COMMON = """\
struct pair { long first, second; };
struct small { int number; short kind; char flag, letter; };
struct wide { long words[5]; };
struct mixed { double real; long whole; };
struct single { float real; };
struct __attribute__((packed)) tight { char tag; long value; short rest; };
union either { long number; void *pointer; };
enum level { LOW, MIDDLE, HIGH };
typedef unsigned long word_t;
typedef int (*call_t)(struct wide *, enum level, ...);
struct node { struct node *next; struct wide *wide; enum level level; unsigned bits : 5, more : 3; call_t call; };
int seen(const void *, long);
"""
# A type, and an expression of type long that uses the parameter of this name.
KINDS = [
    ("int", "{}"), ("long", "{}"), ("char", "{}"), ("unsigned short", "{}"), ("_Bool", "{}"), ("word_t", "(long){}"),
    ("double", "(long){}"), ("float", "(long){}"), ("struct pair", "{0}.first + {0}.second"), ("struct small", "{0}.number + {0}.flag"),
    ("struct wide", "{}.words[2]"), ("struct mixed", "{0}.whole + (long){0}.real"), ("struct single", "(long){}.real"),
    ("struct tight", "{0}.value + {0}.tag"), ("union either", "{}.number"), ("enum level", "{}"), ("struct node *", "{0} ? {0}->bits : 0"),
    ("const struct pair *", "{0}->first"), ("call_t", "seen({0}, 1)"), ("const char *", "{}[0]"), ("__int128", "(long)({} >> 3)"),
    ("void *", "seen({}, 2)"),
]
# What is passed for them, always the same.
CONSTANTS = {"int": "3", "long": "4", "char": "'c'", "_Bool": "1", "enum level": "HIGH", "const char *": "\"text\"", "void *": "0"}


def function(name, random, own):
    """The text of a function, and of a call of it."""
    count = random.below(9)
    kinds = [KINDS[random.below(len(KINDS))] for _ in range(count)]
    if random.below(3) == 0:
        kinds.append((f"struct {own} *", "{0}->" + own + "_m0"))
    static, unused = random.below(2), random.below(3) == 0
    variadic = not static and kinds and random.below(6) == 0
    params = [f"{kind} p{i}" for i, (kind, _) in enumerate(kinds)] + (["..."] if variadic else [])
    used = [use.format(f"p{i}") for i, (_, use) in enumerate(kinds) if not (unused and i % 2)]
    result = ["int", "long", "void", "struct pair", "word_t"][random.below(5)]
    value = " + ".join(f"({use})" for use in used) or "1"
    lines = [f"\tlong sum = seen({'p0' if kinds and kinds[0][0].endswith('*') else '0'}, {value});"]
    if random.below(4) == 0:
        lines.append("\twhile (seen(0, sum)) sum += seen(\"again\", sum);")
    if result == "struct pair":
        lines.append("\treturn (struct pair){sum, sum};")
    elif result != "void":
        lines.append("\treturn sum;")
    how = "static __attribute__((noinline)) " if static else ["", "__attribute__((noinline)) "][random.below(2)]
    text = f"{how}{result} {name}({', '.join(params) or 'void'})\n{{\n" + "\n".join(lines) + "\n}\n"
    arguments = [CONSTANTS.get(kind, f"*({kind} *)at") if static or kind not in CONSTANTS else f"*({kind} *)at" for kind, _ in kinds]
    return text, f"{name}({', '.join(arguments)})"


def unit(number, structs, members, functions):
    random = Random(7000 + number)
    out = ['#include "common.h"\n']
    names = [f"u{number}_{i}" for i in range(structs)]
    for i, name in enumerate(names):
        fields = [f"\tstruct {names[i - 1]} {name}_inner;" if i % 4 and i else f"\tstruct {name} *{name}_inner;"]
        fields += [f"\t{KINDS[(i + m) % len(KINDS)][0]} {name}_m{m};" for m in range(1, members)]
        out.append(f"struct {name} {{\n\tlong {name}_m0;\n" + "\n".join(fields) + "\n};\n")
    calls = []
    for i in range(functions):
        text, call = function(f"f{number}_{i}", random, names[i % structs])
        out.append(text)
        calls.append(f"\t{call};\n")
    uses = "".join(f"\tsum += ((struct {name} *)at)->{name}_m0;\n" for name in names)
    out.append(f"long run_{number}(void *at)\n{{\n\tlong sum = 0;\n{''.join(calls)}{uses}\treturn sum;\n}}\n")
    return "".join(out)


def write(folder, units, structs=2, members=6, functions=12):
    """Writes the sources to `folder`; returns their names."""
    (folder / "common.h").write_text(COMMON)
    for n in range(units):
        (folder / f"u{n}.c").write_text(unit(n, structs, members, functions))
    main = '#include "common.h"\nint seen(const void *p, long n) { return p && n > 3; }\n'
    main += "".join(f"long run_{n}(void *);\n" for n in range(units))
    main += "int main(int argc, char **argv)\n{\n\tlong sum = 0;\n" + "".join(f"\tsum += run_{n}(argv);\n" for n in range(units))
    (folder / "main.c").write_text(main + "\treturn sum;\n}\n")
    return [f"u{n}.c" for n in range(units)] + ["main.c"]


def compile_all(folder, names, compiler, flags, link=()):
    """Compiles the files, some at a time, and links them to `program`; the objects go."""
    command = f"xargs -P {CORES} -n 12 {compiler} -c {' '.join(flags)}"
    subprocess.run(command, shell=True, cwd=folder, input="\n".join(names), text=True, check=True)
    objects = [str(Path(name).with_suffix(".o")) for name in names]
    subprocess.run([compiler, *flags, *link, "-o", "program", *objects], cwd=folder, check=True)
    for name in objects:
        (folder / name).unlink()
