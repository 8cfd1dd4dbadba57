"""The tags of loaded files, field by field: `capi-tests/dump.c`, built once, on the C library and on ours.

Inputs are BTF made from the small objects and from a kernel, raw and in ELF files, split, of the other byte order, and damaged; and
CTF. Where C is wrong by docs/differences.md ("Reading BTF"), that much of its output is left out of the comparison.
"""

import random
import re
import struct
import subprocess

import ctf
import suite_cli
import suite_kernel
from harness import FRONTENDS, KERNEL, ROOT, c_library, loader, run, tool

MAGIC = 0xEB9F
# Objects whose DWARF the C library makes BTF from.
OBJECTS = ("m.o", "n.o", "mn", "mn2", "mcl", "init.o", "ev.o", "rng.o", "h1.o", "ts", "mlto")
WARNING = re.compile(rb"^WARNING: BTF_KIND_DECL_TAG for unknown BTF id \d+\n", re.M)
ATTRIBUTE = re.compile(rb" attr\([^)]*\)")


def swapped(data):
    """BTF in the other byte order: but for the magic number and strings it is all words."""
    magic, version, flags, *fields = struct.unpack("<HBB5I", data[:24])
    assert magic == MAGIC and fields[0] == 24
    types = data[24:24 + fields[2]]
    words = struct.unpack(f"<{len(types) // 4}I", types)
    return struct.pack(">HBB5I", magic, version, flags, *fields) + struct.pack(f">{len(words)}I", *words) + data[24 + fields[3]:]


def damaged(data, count):
    """Copies with a few bytes changed, those of the header more often than others; always the same ones."""
    source = random.Random(1)
    for _ in range(count):
        copy = bytearray(data)
        for _ in range(source.choice((1, 1, 2, 3))):
            at = source.randrange(len(copy) if source.random() < 0.6 else 24)
            copy[at] = source.choice((0, 1, 255, source.randrange(256), copy[at] ^ 1 << source.randrange(8)))
        if source.random() < 0.1:
            del copy[source.randrange(len(copy)):]
        yield bytes(copy)


class Dump:
    """The program that dumps, under either library."""

    def __init__(self, context):
        self.context = context
        released = FRONTENDS.resolve() / "root/usr/include/dwarves"
        self.c_library, self.loader = c_library(), loader()
        out = context.folder()
        made = subprocess.run(
            ["make", "-s", "-C", ROOT / "capi-tests", out / "dump", f"OUT={out}", f"LIB={self.c_library}", f"HEADERS={released}"],
            capture_output=True, text=True,
        )
        if made.returncode:
            raise RuntimeError(f"capi-tests/dump cannot be built: {made.stderr.strip()[-400:]}")
        self.program = out / "dump"

    def go(self, search, arguments, cwd):
        return run([self.loader, "--library-path", search, self.program, *arguments], cwd=cwd)

    def compare(self, name, arguments, cwd):
        c = self.go(self.c_library, arguments, cwd)
        ours = self.go(f"{self.context.library}:{self.c_library}", arguments, cwd)
        report = self.context.report
        if not c.alive():
            report.check(ours.alive(), name, f"C: {c.ended()}, ours: {ours.ended()}")
            return
        if b" addr_size=0 " in c.out:
            report.check(b" addr_size=8 " in ours.out, name, "pointers without a size")
            return
        if b"Unknown kind" in c.err:
            report.check(ours.alive(), name, ours.ended())
            return
        left, right = (c.out, c.err), (ours.out, ours.err)
        if WARNING.search(c.err):
            left = (ATTRIBUTE.sub(b"", c.out), WARNING.sub(b"", c.err))
            right = (ATTRIBUTE.sub(b"", ours.out), ours.err)
        report.check(c.status == ours.status and left == right, name, difference(left, right, c, ours))


def difference(left, right, c, ours):
    if c.status != ours.status:
        return f"C: {c.ended()}, ours: {ours.ended()}"
    for stream, a, b in zip(("stdout", "stderr"), left, right):
        for number, (x, y) in enumerate(zip(a.splitlines() + [b""], b.splitlines() + [b""])):
            if x != y:
                return f"{stream} line {number + 1}: C `{x.decode(errors='replace')}`, ours `{y.decode(errors='replace')}`"
    return "other lengths"


def tags(context):
    dump = Dump(context)
    objects, folder = suite_cli.objects(), context.folder()
    inputs = []

    def encode(name):
        made = folder / f"{name}.btf"
        run([tool("pahole"), "-J", "--btf_features=all", f"--btf_encode_detached={made}", objects / name], cwd=folder)
        return made

    for name in OBJECTS:
        made = encode(name)
        if not made.exists():
            context.report.fail(name, "C makes no BTF of it")
            continue
        inputs.append((name, ["-F", "btf", made.name]))
        other = folder / f"{name}.other.btf"
        other.write_bytes(swapped(made.read_bytes()))
        inputs.append((f"{name}, other byte order", ["-F", "btf", other.name]))
    inputs += [
        ("in an ELF file", ["-F", "btf", objects / "mn.btf"]),
        ("shown to a stealer", ["-F", "btf", "-k", objects / "mn.btf"]),
        ("no cache line size", ["-F", "btf", "-c", "0", objects / "mn.btf"]),
        ("split", ["-F", "btf", "-b", objects / "raw.btf", objects / "split.btf"]),
        ("split without its base", ["-F", "btf", objects / "split.btf"]),
        ("an object without BTF", ["-F", "btf", objects / "m.o"]),
        ("a text", ["-F", "btf", objects / "m.c"]),
        ("no file", ["-F", "btf", "nothing"]),
        ("a folder", ["-F", "btf", objects]),
    ]
    for number, data in enumerate(damaged((folder / "m.o.btf").read_bytes(), 50 if context.quick else 400)):
        path = folder / f"damaged{number}.btf"
        path.write_bytes(data)
        inputs.append((f"damaged, number {number}", ["-F", "btf", path.name]))

    (folder / "ctf.c").write_text(ctf.SOURCE)
    subprocess.run(["gcc", "-c", "ctf.c"], cwd=folder, check=True)
    for name, options in (("plain", {}), ("compressed", {"compressed": True}), ("child", {"parent": "parent"})):
        (folder / "section").write_bytes(ctf.sample(**options))
        subprocess.run(["objcopy", "--add-section", ".SUNW_ctf=section", "ctf.o", f"{name}.o"], cwd=folder, check=True)
        inputs.append((f"CTF, {name}", ["-F", "ctf", f"{name}.o"]))
    inputs.append(("an object without CTF", ["-F", "ctf", "ctf.o"]))

    kernel = KERNEL / "vmlinux"
    if kernel.exists():
        inputs.append(("a kernel", ["-F", "btf", kernel]))
        for path in suite_kernel.picked_modules(3 if context.quick else 20):
            inputs.append((f"module {path.stem}", ["-F", "btf", "-b", kernel, path]))
    else:
        context.report.note("no kernel: only small inputs")
    context.each(inputs, lambda item: dump.compare(*item, folder))
