"""Objects with CTF that nobody's linker writes: types in circles, as deep as 15 bits of an id allow, ids, names and lengths that are not there."""
import os
import struct
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["PYTHONPATH"].split(":")[0], "../../scripts/diff"))
from ctf import ARRAY, CONST, FUNCTION, INTEGER, POINTER, RESTRICT, STRUCT, TYPEDEF, UNION, VOLATILE, Writer

DEPTH = 30000


def save(text, steps, change=None):
    """The steps add types from id 2 on, and leave the id of the one that `user` has."""
    w = Writer()
    w.record(INTEGER, 0, "int", 4, w.words(1 << 24 | 32))
    last = 2
    for step in steps:
        last = step(w) or last
    w.record(STRUCT, 1, "user", 8, w.members(("m", last, 0)))
    section = w.section(b"", b"")
    with open("section", "wb") as file:
        file.write(change(section) if change else section)
    subprocess.run(["objcopy", "--add-section", ".SUNW_ctf=section", "empty.o", f"{text}.o"], check=True)


def link(kind, target):
    def step(w):
        if kind == ARRAY:
            w.record(ARRAY, 0, "", 0, w.halves(target, 1) + w.words(4))
        elif kind == FUNCTION:
            w.record(FUNCTION, 2, "", target, w.halves(target, target))
        else:
            w.record(kind, 0, "t" if kind == TYPEDEF else "", target)
        return 2
    return step


def composite(kind, name, *targets):
    def step(w):
        w.record(kind, len(targets), name, 8, w.members(*[("m", target, 0) for target in targets]))
        return 2
    return step


with open("empty.c", "w") as file:
    file.write("int x;\n")
subprocess.run(["gcc", "-c", "empty.c"], check=True)
for text, kind in dict(pointer=POINTER, typedef=TYPEDEF, volatile=VOLATILE, const=CONST, restrict=RESTRICT, array=ARRAY, function=FUNCTION).items():
    save(f"{text}_self", [link(kind, 2)])
    save(f"{text}_pair", [link(kind, 3), link(kind, 2)])
    save(f"{text}_chain", [link(kind, i + 3 if i < DEPTH - 1 else 1) for i in range(DEPTH)])
for text, kind in dict(struct=STRUCT, union=UNION).items():
    for name in ("s", ""):
        label = text + ("" if name else "_nameless")
        save(f"{label}_self", [composite(kind, name, 2)])
        save(f"{label}_pair", [composite(kind, name, 3, 3), composite(kind, name, 2, 2)])
        save(f"{label}_chain", [composite(kind, name, i + 3 if i < DEPTH - 1 else 1) for i in range(DEPTH)])
save("bad_ids", [link(POINTER, 0x7FFE), composite(STRUCT, "s", 0x7FFF)])
for at in range(8, 36, 4):
    for value in (1, 1000, 0xFFFFFFFF):
        save(f"bad_header_{at}_{value:x}", [link(CONST, 1)], lambda section: section[:at] + struct.pack("<I", value) + section[at + 4:])
for length in (1, 4, 35, 36, 40):
    save(f"bad_cut_{length}", [link(CONST, 1)], lambda section: section[:length])
