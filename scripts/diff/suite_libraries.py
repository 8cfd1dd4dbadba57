"""What the programs print about libraries with debugging information: C and C++ of the machine's release, and Rust.

The libraries are what scripts/libraries has unpacked. For C and C++ everything is compared as in suite_printing. Of Rust the C library
prints no variants of enumerations, and sorts members and methods by chance (docs/differences.md); compared is what does not depend on that.
"""

import os
import subprocess
from pathlib import Path

import documented
import suite_printing
from harness import ROOT, TARGET

OF_C = (
    "pahole", "pahole -E", "pahole -I", "pahole --sizes", "pahole -l", "pahole -a", "pahole -A", "pahole --hex", "pahole -m",
    "pahole --sort", "pahole --compile", "pahole -T", "pahole -n", "pahole -R", "pahole -R -S", "pahole -P", "pahole -F dwarf --contains=_IO_FILE",
    "pahole --find_pointers_to=_IO_FILE",
    "pfunct", "pfunct -P", "pfunct -V", "pfunct -T", "pfunct -s", "pfunct -S", "pfunct -i", "pfunct -H", "pfunct -N", "pfunct -t",
    "pfunct -E", "pfunct -I", "pfunct -g", "pfunct -p", "pfunct -A", "pfunct --compile",
    "pdwtags -V", "pglobal -f", "pglobal -v", "prefcnt", "dtagnames", "syscse", "codiff",
)
OF_SMALL_C = ("pahole", "pahole -E -I -a -A --hex", "pahole -R", "pahole --compile", "pfunct -V", "pfunct --compile", "pdwtags", "dtagnames", "codiff")
OF_CXX = (
    "pahole", "pahole -E", "pahole -I", "pahole --sizes", "pahole -M", "pdwtags", "pfunct -V", "pglobal -f", "pglobal -v", "dtagnames",
    "prefcnt", "syscse", "codiff",
)
# pfunct walks it for a minute on either library.
OF_LARGE_CXX = ("pahole", "pahole -E", "pahole --sizes", "pglobal -f", "pglobal -v", "dtagnames", "codiff")


def commands(folder):
    by_package = {}
    for path in sorted(folder.glob("*.debug")):
        by_package.setdefault(path.name.rsplit("-", 1)[0], []).append(path)
    versions = [paths[0] for package, paths in by_package.items() if package.startswith("libstdc++")]
    for package, paths in by_package.items():
        if package.startswith("libc6"):
            # A nameless enumeration of bit-fields is a nested type.
            yield from ((command, paths[:1], command.startswith("pdwtags")) for command in OF_C)
            yield from ((command, [path], command.startswith("pdwtags")) for path in paths[1:] for command in OF_SMALL_C)
        else:
            chosen = OF_CXX if package.startswith("libstdc++") else OF_LARGE_CXX
            yield from ((command, paths[:1], True) for command in chosen)
    if len(versions) > 1:
        yield from ((f"codiff{flag}", versions[-2:], True) for flag in ("", " -V", " -f", " -s", " -t"))


def twice(items):
    """codiff compares a library with itself."""
    return [(command, paths * 2 if command == "codiff" and len(paths) == 1 else paths, cxx) for command, paths, cxx in items]


# What of an output in Rust is the same whatever the order: all of it, or what a pattern leaves.
OF_RUST = (
    ("pahole --show_private_classes --sizes", set),
    ("dtagnames", sorted),
    ("pglobal -f", list),
    ("pglobal -v", list),
    ("pfunct -P", list),
    ("prefcnt", list),
    ("syscse", list),
    ("codiff", list),
)


# Of our own library, whose debug build has 20 MB of DWARF; it differs from build to build, so that C is run each time.
OF_OURS = ("pahole --show_private_classes --sizes", "dtagnames", "pglobal -f")


def ours(context):
    """Our library itself, if it has been built for debugging, as `cargo test` does."""
    made = Path(os.environ.get("CARGO_TARGET_DIR", TARGET)) / "debug/deps/libdwarves.so"
    if context.quick or not made.exists():
        context.report.note("our own library is not compared: no debug build, or --quick")
        return
    compare_rust(context, "our own library", made, [item for item in OF_RUST if item[0] in OF_OURS])


def rust(context):
    """A library that is compiled each time: the compiler decides what it looks like."""
    source = ROOT / "tests/printing/library.rs"
    made = context.folder() / "library.so"
    subprocess.run(["rustc", "-g", "--edition=2024", "--crate-type=cdylib", "-o", made, source], check=True)
    compare_rust(context, "a Rust library", made, OF_RUST)
    for command in ("pahole --show_private_classes", "pahole --show_private_classes -E -I", "pdwtags", "pahole --show_private_classes -R"):
        ended, out, err = suite_printing.said(command, [made], context.library)
        context.report.check(ended == "exit 0" and out and not err, f"{command} of a Rust library", f"{ended}, {err[:160]}")


def compare_rust(context, name, made, commands):
    def one(item):
        command, view = item
        paths = [made] * (2 if command == "codiff" else 1)
        theirs, ours = (suite_printing.said(command, paths, library) for library in (None, context.library))
        problem = "" if theirs[0] == ours[0] else f"C ended with {theirs[0]}, ours with {ours[0]}"
        a, b = (view(side[1].splitlines(keepends=True)) for side in (theirs, ours))
        if view is list:
            problem = problem or documented.difference(b"".join(a), b"".join(b))
        elif a != b:
            problem = problem or f"{len(set(a) ^ set(b))} lines differ, among them {sorted(set(a) ^ set(b))[:1]}"
        context.report.check(not problem, f"{command} of {name}", problem or "")
    context.each(commands, one)


def libraries(context):
    folder = TARGET / "libraries"
    items = twice(commands(folder))
    if not items:
        context.report.note("no libraries: only Rust")
    if context.quick:
        items = items[::8]
    suite_printing.compare(context, items)
    rust(context)
    ours(context)
