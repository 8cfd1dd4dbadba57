"""The corpus: each source of tests/corpus built by two compilers in many ways and for many machines.

What is built plainly, by link-time optimisation, with dwz, with compressed sections and for other machines must become the bytes that C
writes. Split units and type units, which C does not read, must have the content (`content.py`) that the plain build of the same source
has. tests/corpus/differences.tsv lists where C is wrong, with what is right; C must be wrong there in the way that is listed.

The build lines are here, in `variants`. Every source is compiled without and with optimisation; the ways of linking are spread so that each
meets both levels in half of the sources, and other machines' ways each meet a third. Of other versions of the compilers, where there are
any, the newest takes two builds of each source.
"""

import csv
import re
import shutil
import tempfile
from pathlib import Path

from compilers import others
from content import content
from harness import FRONTENDS, ROOT, run
from suite_cli import headings

HERE = ROOT / "tests/corpus"
CROSS = ["i386", "aarch64", "riscv64", "s390x", "powerpc64le", "mips64el", "arm"]
FEATURES = {"none": [], "all": ["--btf_features=all"]}
# Each source meets one of these, too.
MORE = ["default", "default,true_signature", "var,global_var", "default,force_cu_merging"]


class Variant:
    """`like` is the variant with the same content, None for C's bytes. The output of the commands is `out`."""

    def __init__(self, name, commands, like=None):
        self.name, self.commands, self.like = name, commands, like
        # Compiler or machine, level of optimisation and DWARF version: `{}` in differences.tsv.
        self.build = "-".join(name.split("-")[:3])


def variants(source, other, index):
    plus = source.suffix == ".cc"
    main = source.parent / "main.c"
    for which, (compiler, name) in enumerate((("g++" if plus else "gcc", "gcc"), ("clang++" if plus else "clang", "clang"))):
        for dwarf in "4", "5":
            for level in "-O0", "-O2":
                label = f"{name}{level}-{dwarf}"
                base = [compiler, "-w", "-g", f"-gdwarf-{dwarf}", level]
                compile_only = base + ["-c", source, "-o", "out"]
                link = base + [source, main, "-o", "out"]
                yield Variant(f"{label}-object", [compile_only])
                if (level == "-O0") == ((index + which + (dwarf == "5")) % 2 == 0):
                    continue
                yield Variant(f"{label}-plain", [link])
                yield Variant(f"{label}-compressed", [link, ["objcopy", "--compress-debug-sections", "out"]])
                yield Variant(f"{label}-split", [link + ["-gsplit-dwarf"]], f"{label}-plain")
                yield Variant(f"{label}-types", [link + ["-fdebug-types-section"]], f"{label}-plain")
                yield Variant(f"{label}-types-object", [compile_only + ["-fdebug-types-section"]], f"{label}-object")
                yield Variant(f"{label}-split-types", [link + ["-gsplit-dwarf", "-fdebug-types-section"]], f"{label}-plain")
                yield Variant(f"{label}-lto", [link + ["-flto"] + (["-fuse-ld=lld"] if name == "clang" else [])])
                three = base + [source, other, main]
                yield Variant(f"{label}-dwz", [three + ["-o", "out"], ["dwz", "-l0", "out"]])
                yield Variant(f"{label}-dwz-multi", [link, three + ["-o", "second"], ["dwz", "-m", "common", "out", "second"]])
                if name == "gcc":
                    yield Variant(f"{label}-m32", [compile_only + ["-m32"]])
    for which, compiler in enumerate(others()):
        kind, number = compiler.split("-")
        driver = {"clang": f"clang++-{number}", "gcc": f"g++-{number}"}[kind] if plus else compiler
        if not shutil.which(driver):
            continue
        for dwarf, level in (("4", "-O0"), ("5", "-O2")) if (index + which) % 2 else (("4", "-O2"), ("5", "-O0")):
            base = [driver, "-w", "-g", f"-gdwarf-{dwarf}", level]
            way, commands = [
                ("object", [base + ["-c", source, "-o", "out"]]), ("plain", [base + [source, main, "-o", "out"]])][dwarf == "5"]
            yield Variant(f"{kind}{number}{level}-{dwarf}-{way}", commands)
    for which, machine in enumerate(CROSS):
        for dwarf, level in (("4", "-O0"), ("4", "-O2"), ("5", "-O0"), ("5", "-O2")):
            label = f"{machine}{level}-{dwarf}"
            command = ["clang++" if plus else "clang", "-w", "-g", f"-gdwarf-{dwarf}", level, f"--target={machine}-linux-gnu", "-fPIC"]
            compile_only = command + ["-c", source, "-o", "out"]
            turn = (index + which) % 3
            # A third of the sources for each level of optimisation and kind of DWARF, all of them where names need to be right.
            if machine != "mips64el" and turn == (level == "-O0") + 2 * (dwarf == "4") - 1:
                continue
            yield Variant(label, [compile_only])
            if machine != "s390x":  # which this lld cannot link
                shared = ["ld.lld", "-shared", "--unresolved-symbols=ignore-all", "out", "-o", "linked"]
                yield Variant(f"{label}-linked", [compile_only, shared, ["mv", "linked", "out"]])
            if (dwarf, level) != ("5", "-O2"):
                continue
            way, flags, like = [
                ("compressed", ["-gz"], None), ("split", ["-gsplit-dwarf"], label), ("types", ["-fdebug-types-section"], label)][turn]
            if way == "compressed" and machine == "mips64el":
                like = label  # C has no names there
            elif way == "split" and machine == "riscv64":
                continue  # which this clang cannot write
            yield Variant(f"{label}-{way}", [compile_only + flags], like)


class Difference:
    """A line of differences.tsv."""

    def __init__(self, row):
        self.pattern, self.features, self.theirs, self.right, self.heading = row
        self.used = False

    def problem(self, variant, theirs, ours, found, seen, features):
        """What is wrong, or an empty text."""
        self.used = True
        if (theirs is None) != (self.theirs == "nothing"):
            return f"C writes {'nothing' if theirs is None else 'BTF'}, differences.tsv says `{self.theirs}`"
        if theirs == ours:
            return "C is right: take it out of differences.tsv"
        how, what = self.right.split(None, 1)
        if how == "like":
            what = what.replace("{}", variant.build)
            return unlike(found, seen.get((what, features)), what)
        return "; ".join(f"lacks {line}" for line in re.findall(r"\[([^][]*(?:\[[0-9]+\][^][]*)*)\]", what)
                         if not any(have == line or have.startswith(line + " ") for have in found))


def unlike(found, wanted, name):
    if wanted is None:
        return f"there is no {name} to compare with"
    lines = [f"lacks {line}" for line in sorted(wanted - found)] + [f"has {line}" for line in sorted(found - wanted)]
    return f"not the content of {name}: {'; '.join(lines[:3])}" if lines else ""


def differences():
    with open(HERE / "differences.tsv", newline="") as file:
        rows = csv.reader((line for line in file if not line.startswith("#")), delimiter="\t", quoting=csv.QUOTE_NONE)
        return [Difference(row) for row in rows]


def corpus(context):
    listed = differences()
    known = headings()
    sources = sorted(p for p in (HERE / "sources").iterdir() if p.suffix in (".c", ".cc") and p.name != "main.c")
    context.report.note(f"other compilers: {', '.join(others()) or 'none'}")
    for difference in listed:
        link = re.sub(r"[^a-z0-9 -]", "", difference.heading.lower()).replace(" ", "-")
        context.report.check(link in known, difference.pattern, f"docs/differences.md has no heading {difference.heading}")

    def one(source):
        index = sources.index(source)
        other = next(p for p in sources if p.suffix == source.suffix and p != source)
        features = FEATURES | {more: [f"--btf_features={more}"] for more in [MORE[index % len(MORE)]]}
        seen = {}
        items = list(variants(source, other, index))
        # What others are compared with comes first.
        for variant in sorted(items, key=lambda v: (v.like is not None, not v.name.endswith(("-linked", "-plain")))):
            label = f"{source.name}/{variant.name}"
            with tempfile.TemporaryDirectory() as folder:
                failed = next((d for c in variant.commands for d in [run(c, cwd=folder)] if d.status != 0 and c[0] != "dwz"), None)
                if failed is not None:
                    context.report.fail(label, f"cannot be built: {failed.text().strip()[:120]}")
                    continue
                problems = []
                for name, options in features.items():
                    problem = judge(context, Path(folder), label, variant, name, options, seen, listed)
                    if problem:
                        problems.append(f"{name}: {problem}")
                context.report.judge(label, " | ".join(problems), {})
    context.each(sources, one)
    for difference in listed:
        context.report.check(difference.used, difference.pattern, "stands in differences.tsv and matches nothing")


def judge(context, folder, label, variant, name, options, seen, listed):
    ours = encode(folder, options, context.library)
    if ours is None:
        return "nothing is encoded"
    found = content(folder / "ours")
    seen[variant.name, name] = found
    if variant.like:
        return unlike(found, seen.get((variant.like, name)), variant.like)
    theirs = encode(folder, options, None, "theirs")
    for difference in listed:
        if re.fullmatch(difference.pattern, label) and re.fullmatch(difference.features, name):
            return difference.problem(variant, theirs, ours, found, seen, name)
    return "" if theirs == ours else f"not the bytes that C writes{' (nothing)' if theirs is None else ''}"


def encode(folder, features, library, name="ours"):
    path = folder / name
    path.unlink(missing_ok=True)
    run([FRONTENDS.resolve() / "bin/pahole", "-J", *features, f"--btf_encode_detached={path}", "out"], cwd=folder,
        library=Path(library).resolve() if library else None)
    return path.read_bytes() if path.exists() else None
