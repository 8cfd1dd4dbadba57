"""The trees of tags that DWARF becomes, field by field: `capi-tests/dump.c` on the C library and on ours.

Inputs are the small objects of `tests/cli` in all the ways to load them, kernel modules, and the first units of a kernel. Left out is what
docs/differences.md lists under DWARF: sizes of pointers to members, and type units.
"""

import re

import suite_cli
import suite_kernel
from harness import KERNEL
from suite_tags import Dump, difference

OBJECTS = (
    "m.o", "m2.o", "n.o", "mn", "mn2", "mcl", "mlto", "init.o", "ev.o", "rng.o", "h1.o", "h2.o", "ts", "xx", "xx.o", "r.o", "r2.o",
    "mdwz", "mdwz1", "ndwz", "mdwzmiss", "common.dwz", "nodbg.o", "at.o",
)
WAYS = ((), ("-x",), ("-x", "-m"), ("-x", "-j", "3"), ("-k",), ("-x", "-t"), ("-x", "-n", "1"))
# C crashes, or takes the types of one unit for those of another; ours has to live.
TYPE_UNITS = ("mtu", "mtu5")
# A member of the C++ object is a pointer to member, which C takes for as large as what it points to.
MEMBER_POINTER = re.compile(rb"^.* name=pm .*\n", re.M)


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
        report.check(c.status == ours.status and left == right, name, difference(left, right, c, ours))


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
