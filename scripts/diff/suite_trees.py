"""The trees of tags that DWARF becomes, field by field: `capi-tests/dump.c` on the C library and on ours.

Inputs are the small objects of `tests/cli` in all the ways to load them, kernel modules, and the first units of a kernel. Left out is what
docs/differences.md lists under DWARF: sizes of pointers to members, and type units. `-J` loads as for encoding, where our library makes tags
only when they are asked for. What was loaded for printing is encoded, too: to C's bytes, or where C is wrong, to the content of what
`pahole -J` writes.
"""

import re
import subprocess

import suite_cli
from content import content
import suite_kernel
from harness import KERNEL, run, tool
from suite_tags import Dump, difference

OBJECTS = (
    "m.o", "m2.o", "n.o", "mn", "mn2", "mcl", "mlto", "init.o", "ev.o", "rng.o", "h1.o", "h2.o", "ts", "xx", "xx.o", "r.o", "r2.o",
    "mdwz", "mdwz1", "ndwz", "mdwzmiss", "common.dwz", "nodbg.o", "at.o",
)
WAYS = ((), ("-x",), ("-x", "-m"), ("-x", "-j", "3"), ("-k",), ("-x", "-t"), ("-x", "-n", "1"), ("-J",))
# C crashes, or takes the types of one unit for those of another; ours has to live.
TYPE_UNITS = ("mtu", "mtu5")
# Where there is nothing to encode, ours says so.
ENCODES_NOTHING = ("nodbg.o -J", b"no DWARF in the file")
# A member of the C++ object is a pointer to member, which C takes for as large as what it points to.
MEMBER_POINTER = re.compile(rb"^.* name=pm .*\n", re.M)
# A variable in it has the type of nullptr, which is a type more than C has, and the last one: there it is void.
IN_CXX = ("xx", "xx.o")
NULL_POINTER = re.compile(rb"^(?: |\d+ )base_type .* name=decltype\(nullptr\) bits=64 .*\n", re.M)
COUNT = re.compile(rb"^(top-level tags|types): (\d+)", re.M)
OF_NULL_POINTER = re.compile(rb"^((?:\d+)? variable type=)(\d+)(?= .* name=np )", re.M)


# The elements of a parameter pack, of which C has no types.
FORMAL_PACK = re.compile(rb"formal_pack\([^)]*\)")


def as_c_has_cxx(output):
    output = FORMAL_PACK.sub(lambda found: re.sub(rb":\d+", b":0", found[0]), output)
    output = COUNT.sub(lambda found: b"%s: %d" % (found[1], int(found[2]) - 1), NULL_POINTER.sub(b"", output))
    last = dict(COUNT.findall(output)).get(b"types")
    return OF_NULL_POINTER.sub(lambda found: found[1] + (b"0" if last in (None, found[2]) else found[2]), output)


class Trees(Dump):
    def compare(self, name, arguments, cwd):
        c = self.go(self.c_library, arguments, cwd)
        ours = self.go(f"{self.context.library}:{self.c_library}", arguments, cwd)
        report = self.context.report
        if name in TYPE_UNITS or not c.alive():
            report.check(ours.alive() and ours.status == 0, name, f"C: {c.ended()}, ours: {ours.ended()}")
            return
        # Workers of the C library say what they have to say in any order.
        left, right = ((MEMBER_POINTER.sub(b"", run.out), b"\n".join(sorted(run.err.splitlines()))) for run in (c, ours))
        if name.split()[0] in IN_CXX:
            right = (as_c_has_cxx(right[0]), right[1])
        if name == ENCODES_NOTHING[0]:
            lines = right[1].splitlines()
            right = (right[0], b"\n".join(line for line in lines if not line.endswith(ENCODES_NOTHING[1])))
            report.check(len(lines) > len(right[1].splitlines()), name, f"does not say `{ENCODES_NOTHING[1].decode()}`")
        report.check(c.status == ours.status and left == right, name, difference(left, right, c, ours))


    def encoded(self, path, folder, library, *way):
        """The file that a program writes which has loaded `path` in some way and encodes every unit that it is shown."""
        made = folder / "encoded"
        said = self.go(f"{library}:{self.c_library}" if library else self.c_library, ["-F", "dwarf", "-e", made, *way, path], folder)
        return made if said.status == 0 and made.exists() else None

    def encoding(self, path, wrong):
        """Encoding what was loaded for printing; `wrong` where C does not encode the file, or not all of it."""
        theirs, ours = self.context.folder(), self.context.folder()
        made = self.encoded(path, ours, self.context.library, "-x")
        name = f"encoding {path.name} as it is printed"
        if wrong:
            reference = theirs / "encoded"
            run([tool("pahole"), "-J", f"--btf_encode_detached={reference}", path], cwd=theirs, library=self.context.library)
            self.context.report.check(made and content(reference) == content(made), name, "not the content of pahole -J")
        else:
            reference = self.encoded(path, theirs, None, "-x")
            self.context.report.check(made and reference and reference.read_bytes() == made.read_bytes(), name, "not C's bytes")

    def split(self, folder):
        """Entries in files of their own, which C does not read: what is asked for later is what the plain build has."""
        sources = [folder / "one.c", folder / "two.c"]
        sources[0].write_text("struct pair { int first; long second; } pair;\nint one(struct pair *p) { return p->first; }\n")
        sources[1].write_text("enum colour { red, green };\nint two(enum colour c) { return c == green; }\nint main(void) { return 0; }\n")
        for name, flags in (("plain", ()), ("apart", ("-gsplit-dwarf",))):
            subprocess.run(["gcc", "-g", "-gdwarf-5", *flags, *sources, "-o", folder / name], cwd=folder, check=True)
        search = f"{self.context.library}:{self.c_library}"
        tags = {
            name: re.sub(rb"(?m)^(cu |functions by| *stealer).*\n", b"", self.go(search, ["-F", "dwarf", "-J", folder / name], folder).out)
            for name in ("plain", "apart")
        }
        same = tags["plain"].replace(b"plain", b"apart") == tags["apart"] and b"type 1 is there" in tags["apart"]
        self.context.report.check(same, "tags of split units, asked for while encoding", "not those of the plain build")
        self.encoding(folder / "apart", True)


def trees(context):
    dump = Trees(context)
    objects, folder = suite_cli.objects(), context.folder()
    inputs = []
    for name in OBJECTS:
        for way in WAYS[:2] if context.quick else WAYS:
            inputs.append((" ".join((name, *way)), ["-F", "dwarf", *way, objects / name]))
    inputs += [(name, ["-F", "dwarf", "-x", objects / name]) for name in TYPE_UNITS]
    kernel = KERNEL / "vmlinux"
    if kernel.exists():
        units = "20" if context.quick else "200"
        inputs.append((f"the first {units} units of a kernel", ["-F", "dwarf", "-x", "-n", units, kernel]))
        for path in suite_kernel.picked_modules(3 if context.quick else 20):
            inputs.append((f"module {path.stem}", ["-F", "dwarf", "-x", path]))
    else:
        context.report.note("no kernel: only small inputs")
    context.each(inputs, lambda item: dump.compare(*item, folder))
    alike = ("m.o", "mn", "mn2", "mcl", "mlto", "r.o", "mdwz", "ndwz")
    wrong = ("xx", *TYPE_UNITS)
    context.each([*alike, *wrong], lambda name: dump.encoding(objects / name, name in wrong))
    dump.split(context.folder())
