"""That the comparison compares: the C library against a copy of itself must agree in everything, and one broken on purpose must not.

The broken one is C's with another name for the per-CPU section in its constants, so that its BTF lacks some variables while all
else is as it was: the smallest kind of mistake that the suites exist for.
"""

import io
import shutil

import elf
import harness
import suite_cli
import suite_kernel
import suite_printing
from harness import c_library


def judged(context, library, suites):
    """Passed and failed of these suites with `library` as the one under test, nothing printed or counted."""
    report = harness.Report(out=io.StringIO())
    other = harness.Context(library, report, quick=True)
    other.rest_must_stay = False  # C has objcopy write files anew, and its symbol tables move
    try:
        for suite in suites:
            report.begin(suite.__name__)
            suite(other)
        return report.passed, report.failed, report.out.getvalue()
    finally:
        other.close()


def selftest(context):
    report = context.report
    copy, broken = context.folder(), context.folder()
    original = c_library() / "libdwarves.so.1"
    shutil.copy(original, copy / "libdwarves.so.1")
    data = original.read_bytes()
    report.check(data.count(b"\0.data..percpu\0") == 1, "constant to break", "is not in C's library any more")
    (broken / "libdwarves.so.1").write_bytes(data.replace(b"\0.data..percpu\0", b"\0.data..percpX\0"))

    passed, failed, text = judged(context, copy, (plain_commands, suite_kernel.modules, percpu_object))
    report.check(passed > 50 and failed == 0, "C against itself", f"{passed} passed, {failed} failed: {text[-600:]}")
    passed, failed, text = judged(context, broken, (percpu_object,))
    report.check(failed > 0, "C against a broken copy", f"{passed} passed, {failed} failed: nothing was found")

    # The comparison of files: a byte of code, a section's flags, a missing section, a moved program header.
    before = suite_cli.objects() / "mn"
    good = elf.Elf(before)
    report.check(not elf.changes(before, before, set()), "a file and itself", "differ")
    text = next(section for section in good.sections if section.name == ".text")
    table = int.from_bytes(good.raw[40:48], "little")
    for title, at in (("a byte of .text", text.offset), ("the flags of a section", table + 64 * good.sections.index(text) + 8),
                      ("the type of a segment", int.from_bytes(good.raw[32:40], "little")), ("the entry point", 24)):
        changed = bytearray(good.raw)
        changed[at] ^= 1
        other = context.folder() / "file"
        other.write_bytes(changed)
        report.check(elf.changes(before, other, set()), f"{title} changed", "was not found")
    lost = context.folder() / "file"
    harness.run(["objcopy", "--remove-section=.comment", before, lost])
    report.check(elf.changes(before, lost, set()), "a section lost", "was not found")
    printed_lines(report)


def printed_lines(report):
    """Of two lines that may differ in documented kinds, what else differs is found."""
    for theirs, ours, same in (
        (b"\tchar *  p;  /* 0 8 */", b"\tchar    (*p)[4];  /* 0 8 */", True),
        (b"\tchar *  p;  /* 0 8 */", b"\tchar    (*q)[4];  /* 0 8 */", False),
        (b"\tchar *  p;  /* 0 8 */", b"\tchar    (*p)[4];  /* 8 8 */", False),
        (b"int  (*array)(void)[8]; /* size: 64 */", b"int  (*array[8])(void); /* size: 64 */", True),
        (b"int  (*array)(void)[8]; /* size: 64 */", b"int  (*array[9])(void); /* size: 64 */", False),
        (b"\t}; /* 0 168 */", b"\t} ops; /* 0 168 */", True),
        (b"\t}; /* 0 168 */", b"\t} ops; /* 0 160 */", False),
        (b"\t} other; /* 0 168 */", b"\t} ops; /* 0 168 */", False),
        (b"\tint a; /* 0 4 */", b"\tint a; /* 4 4 */", False),
    ):
        found = suite_printing.difference(theirs, ours)
        report.check(bool(found) != same, f"`{theirs.decode()}` and `{ours.decode()}`", found or "was not found")


def percpu_object(context):
    folder = context.folder()
    (folder / "p.c").write_text('__attribute__((section(".data..percpu"))) int counter = 1; int get(void) { return counter; }\n')
    made = harness.run(["gcc", "-g", "-c", "p.c", "-o", "p.o"], cwd=folder)
    if made.status:
        raise RuntimeError(made.text())
    theirs = suite_kernel.reference(context, folder / "p.o", [])
    suite_kernel.encode_and_compare(context, "per-CPU variable", folder / "p.o", [], theirs)


def plain_commands(context):
    """The commands for which C is right: the others are judged by differences.tsv, which C does not satisfy."""
    known = {row["name"] for row in suite_cli.table(suite_cli.HERE / "differences.tsv")}
    suite_cli.cli(context, leave_out=known)


