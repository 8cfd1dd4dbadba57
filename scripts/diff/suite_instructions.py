"""How many instructions the library needs for fixed inputs: a slowdown is seen without timing, on any machine, however busy.

Counted by valgrind's callgrind, and of the library alone: what the program, libc and libbpf do is theirs. The inputs are made by
`synthetic.py`, byte for byte the same everywhere, and a module of the Debian kernel, which is compared while Debian has that kernel.

    scripts/check instructions              compares with tests/instructions.tsv
    scripts/check instructions --update     writes it anew

What the compiler makes of the source depends on the compiler: with another rustc than the baseline's, only large differences count.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

import synthetic
from harness import FRONTENDS, KERNEL, ROOT, c_library, digest, loader, run

BASELINE = ROOT / "tests/instructions.tsv"
TOLERANCE, OTHER_COMPILER = 0.03, 0.20
MODULE = KERNEL / "modules/net/netfilter/nf_conntrack.ko"

HEAD = """\
# Instructions that the library needs for fixed inputs, as callgrind counts them; written by `scripts/check instructions --update`.
# {compiler}
# case, start of the input's SHA-256, instructions
"""


def cases(folder):
    """Name, input, and the command's arguments behind `pahole`, of each case."""
    program, module, small = folder / "program", folder / "module.ko", folder / "small"
    synthetic.write(program, units=150)
    synthetic.write(module, units=30, relocatable=True)
    synthetic.write(small, units=1, header_count=4)
    encode = ["-J", "-j1", "--btf_features=default", f"--btf_encode_detached={folder / 'btf'}"]
    base = folder / "base"
    made = run([FRONTENDS / "bin/pahole", "-J", "--btf_features=default", f"--btf_encode_detached={base}", program])
    if made.status != 0:
        raise RuntimeError(f"C cannot encode the base: {made.text()}")
    yield "encode", program, [*encode, program]
    yield "module against a base", module, [*encode, f"--btf_base={base}", module]
    yield "one small unit", small, [*encode, small]
    yield "print DWARF", program, [program]
    yield "print sizes", program, ["--sizes", program]
    yield "print BTF", base, ["-F", "btf", base]
    yield "kernel module", MODULE, [*encode, MODULE]


def count(library, arguments, folder):
    """Instructions inside of the library."""
    program = FRONTENDS.resolve() / "root/usr/bin/pahole"
    out = folder / "callgrind"
    done = run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", loader(), "--library-path",
                f"{library}:{c_library()}", program, *arguments], timeout=600)
    if done.status != 0 or not out.exists():
        raise RuntimeError(f"under valgrind: {done.ended()}: {done.text().strip()[-300:]}")
    return library_cost(out)


def library_cost(path):
    """The costs of lines below `ob=` lines that name the library; what follows a `calls=` line is the callee's."""
    names, total, inside, callee = {}, 0, False, False
    with open(path) as file:
        for line in file:
            if line.startswith("ob="):
                number, _, name = line[3:].strip().partition(" ")
                if name:
                    names[number] = name
                inside = "libdwarves.so" in names.get(number, "")
            elif line.startswith("cob="):
                number, _, name = line[4:].strip().partition(" ")
                if name:
                    names[number] = name
            elif line.startswith("calls="):
                callee = True
            elif line[0] in "0123456789+-*":
                if inside and not callee:
                    total += int(line.split()[1])
                callee = False
    return total


def compiler():
    return subprocess.run(["rustc", "--version"], stdout=subprocess.PIPE, text=True, cwd=ROOT).stdout.strip()


def read_baseline():
    """The compiler, and of each case the start of the input's hash and the count."""
    if not BASELINE.exists():
        return "no compiler", {}
    lines = BASELINE.read_text().splitlines()
    known = {name: (hash_, int(instructions)) for name, hash_, instructions in
             (line.split("\t") for line in lines if line and not line.startswith("#"))}
    return next((line[2:] for line in lines if re.match(r"# rustc \d", line)), "no compiler"), known


def measure(library):
    with tempfile.TemporaryDirectory() as scratch:
        for name, path, arguments in cases(Path(scratch)):
            if path.exists():
                yield name, digest(path)[:16], count(Path(library).resolve(), arguments, Path(scratch))
            else:
                yield name, None, None


def instructions(context):
    report, mine = context.report, compiler()
    theirs, baseline = read_baseline()
    tolerance = TOLERANCE
    if mine != theirs:
        tolerance = OTHER_COMPILER
        report.note(f"the baseline is for {theirs}, this is {mine}: only what differs by more than {tolerance:.0%} counts")
    for name, hash_, now in measure(context.library):
        known = baseline.get(name)
        if now is None:
            report.note(f"{name}: no input, not compared")
        elif known is None:
            report.fail(name, "not in the baseline: scripts/check instructions --update")
        elif known[0] != hash_:
            # The kernel is the newest that Debian has; all else comes from here.
            report.check(name == "kernel module", name, "another input than the baseline's: scripts/check instructions --update")
            report.note(f"{name}: another input than the baseline's, NOT COMPARED: {now:,} now, {known[1]:,} then")
        else:
            change = now / known[1] - 1
            report.note(f"{name}: {now:,} instructions, {change:+.1%}")
            report.check(change <= tolerance, name, f"{now:,} instructions, {change:+.1%} on {known[1]:,}")
            if change < -tolerance:
                report.note(f"{name}: faster than the baseline: scripts/check instructions --update keeps it so")


def update(library):
    rows = [f"{name}\t{hash_}\t{now}\n" for name, hash_, now in measure(library) if now is not None]
    BASELINE.write_text(HEAD.format(compiler=compiler()) + "".join(rows))
    sys.stdout.write("".join(rows))
