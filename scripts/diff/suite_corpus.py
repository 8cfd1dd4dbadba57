"""The corpus: each source of tests/corpus built by two compilers in many ways and for many machines.

What is built plainly, by link-time optimisation, with dwz, with compressed sections and for other machines must become the bytes that C
writes, for no features and for all. Split units and type units, which C does not read, must become what the plain build of the same
source does: the same types, members, functions and variables, whatever their numbers. tests/corpus/differences.tsv lists what differs
from C, with C's fault.

The build lines are here, in `variants`: a variant is a name, whether it is linked, and the commands.
"""

import os
import re
import shutil
import tempfile
from pathlib import Path

from harness import FRONTENDS, ROOT, run

HERE = ROOT / "tests/corpus"
CROSS = ["i386", "aarch64", "riscv64", "s390x", "powerpc64le", "mips64el", "arm"]
FEATURES = [[], ["--btf_features=all"]]


def variants(source, other):
    """(name, kind, commands): kind is `c` for C's bytes, or the name of the variant with the same content. Output is `out`."""
    plus = source.suffix == ".cc"
    main = f"{source.parent / 'main.c'}"
    for compiler, name in (("g++" if plus else "gcc", "gcc"), ("clang++" if plus else "clang", "clang")):
        language = ["-x", "c++" if plus else "c"]
        for level in "-O0", "-O2":
            for dwarf in "4", "5":
                base = [compiler, "-w", "-g", f"-gdwarf-{dwarf}", level]
                yield f"{name}{level}-{dwarf}-object", "c", [base + ["-c", source, "-o", "out"]]
                if level == "-O0":
                    continue
                label = f"{name}-{dwarf}"
                link = base + [source, main, "-o", "out"]
                yield f"{label}-plain", "c", [link]
                yield f"{label}-compressed", "c", [link, ["objcopy", "--compress-debug-sections", "out"]]
                yield f"{label}-split", f"{label}-plain", [link + ["-gsplit-dwarf"]]
                yield f"{label}-types", f"{label}-plain", [link + ["-fdebug-types-section"]]
                yield f"{label}-types-object", f"{label}-plain-object", [base + ["-c", source, "-o", "out", "-fdebug-types-section"]]
                yield f"{label}-plain-object", "c", [base + ["-c", source, "-o", "out"]]
                yield f"{label}-split-types", f"{label}-plain", [link + ["-gsplit-dwarf", "-fdebug-types-section"]]
                if name == "gcc":
                    yield f"{label}-lto", "c", [link + ["-flto"]]
                    yield f"{label}-dwz", "c", [base + [source, other, main, "-o", "out"], ["dwz", "-l0", "out"]]
                    yield f"{label}-dwz-multi", "c", [
                        link, base + [source, other, main, "-o", "second"], ["dwz", "-m", "common", "out", "second"]]
                    if not plus and dwarf == "5":
                        yield f"{label}-m32", "c", [base + ["-m32", "-c", source, "-o", "out"]]
    for machine in CROSS:
        for dwarf in "4", "5":
            command = ["clang++" if plus else "clang", "-w", "-g", f"-gdwarf-{dwarf}", "-O1", f"--target={machine}-linux-gnu"]
            yield f"{machine}-{dwarf}", "c", [command + ["-c", source, "-o", "out"]]


def differences():
    listed = {}
    for line in (HERE / "differences.tsv").read_text().splitlines():
        if line and not line.startswith("#"):
            pattern, heading = line.split("\t")
            listed[pattern] = heading
    return listed


def corpus(context):
    known = differences()
    sources = sorted(p for p in (HERE / "sources").iterdir() if p.suffix in (".c", ".cc") and p.name != "main.c")

    def one(source):
        other = next(p for p in sources if p.suffix == source.suffix and p != source)
        contents = {}
        items = list(variants(source, other))
        for name, kind, commands in sorted(items, key=lambda item: item[1] != "c"):
            label = f"{source.name}/{name}"
            with tempfile.TemporaryDirectory() as folder:
                failed = next((d for d in (run(c, cwd=folder) for c in commands) if d.status != 0), None)
                if failed is not None and commands[-1][0] != "dwz":
                    context.report.fail(label, f"cannot be built: {failed.text().strip()[:120]}")
                    continue
                problem = judge(context, Path(folder), name, kind, contents)
                listed = next((h for p, h in known.items() if re.fullmatch(p, label)), None)
                if listed and kind == "c":
                    problem = ""
                context.report.judge(label, problem, {})
    context.each(sources, one)


def judge(context, folder, name, kind, contents):
    problems = []
    for features in FEATURES:
        ours = encode(folder, features, context.library)
        if ours is None:
            return "nothing is encoded"
        if kind == "c":
            contents[name, *features] = content(folder, "ours")
            if encode(folder, features, None, "theirs") != ours:
                problems.append(f"not the bytes that C writes ({' '.join(features) or 'no features'})")
        elif contents.get((kind, *features)) != content(folder, "ours"):
            problems.append(f"not the content of {kind} ({' '.join(features) or 'no features'})")
    return "; ".join(problems)


def encode(folder, features, library, name="ours"):
    path = folder / name
    path.unlink(missing_ok=True)
    run([FRONTENDS.resolve() / "bin/pahole", "-J", *features, f"--btf_encode_detached={path}", "out"], cwd=folder,
        library=Path(library).resolve() if library else None)
    return path.read_bytes() if path.exists() else None


def content(folder, name):
    """What the BTF says, without the numbers of types."""
    text = run([FRONTENDS.resolve() / "bin/bpftool", "btf", "dump", "file", folder / name]).out.decode(errors="replace")
    text = re.sub(r"(\[|type_id=)\d+", r"\1N", text)
    # clang names base types so that only location expressions refer to, and has fewer of these in split units.
    return sorted({line for line in text.splitlines() if "'DW_ATE_" not in line})
