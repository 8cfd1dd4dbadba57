"""Every encoding command of tests/cli/commands.tsv, run by both libraries in a fresh copy of the same folder.

Compared are exit code, stdout, stderr and every file of the folder afterwards: a file that is an ELF object may differ between the
libraries in where its sections lie, never in .BTF and .BTF.base, and ours must have left all else as it was. Commands for
which C is wrong stand in tests/cli/differences.tsv with the right outcome and the heading of docs/differences.md that says why.
"""

import csv
import hashlib
import os
import re
import shlex
import shutil
import subprocess

import elf
from elf import ADDED
from harness import ROOT, TARGET, first_difference, pending_list, run, tool

HERE = ROOT / "tests/cli"


def table(path):
    with open(path, newline="") as file:
        return list(csv.DictReader((line for line in file if not line.startswith("#")), delimiter="\t", quoting=csv.QUOTE_NONE))


def compilers():
    said = []
    for name in ("gcc", "g++", "clang", "rustc", "dwz"):
        said.append(subprocess.run([name, "--version"], capture_output=True, check=True).stdout)
    return b"".join(said)


def objects():
    """Builds the objects once for these sources and compilers, and returns their folder."""
    key = hashlib.sha256(compilers())
    for path in sorted((HERE / "sources").iterdir()) + [HERE / "build"]:
        key.update(path.name.encode() + path.read_bytes())
    folder = TARGET / "cli" / key.hexdigest()[:24]
    if not (folder / "built").exists():
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        env = {k: v for k, v in os.environ.items() if k != "DWLIB"} | {"PAHOLE": str(tool("pahole")), "LC_ALL": "C"}
        made = subprocess.run(["sh", HERE / "build"], cwd=folder, env=env, capture_output=True, text=True)
        if made.returncode:
            raise RuntimeError(f"tests/cli/build failed: {made.stderr.strip()[-400:]}")
        (folder / "built").touch()
    return folder


def is_elf(data):
    return data[:4] == b"\x7fELF"


def files(folder):
    return {path.name: path for path in sorted(folder.iterdir())}


def states(before, theirs, ours):
    """What differs between the two folders after the runs, as lines."""
    a, b, original = files(theirs), files(ours), files(before)
    found = []
    for name in sorted(set(a) | set(b)):
        if name not in b or name not in a:
            found.append(f"file {name} is {'missing' if name in a else 'left over'}")
            continue
        x, y = a[name].read_bytes(), b[name].read_bytes()
        if x == y:
            continue
        if not (is_elf(x) and is_elf(y)):
            found.append(f"{name}: {first_difference(a[name], b[name])}")
            continue
        left, right = elf.Elf(a[name]), elf.Elf(b[name])
        for section in sorted(ADDED):
            c, mine = left.section(section), right.section(section)
            if c is None or mine is None:
                if c is not mine:
                    found.append(f"{name}: {'C has' if mine is None else 'only ours has'} a section {section}")
            elif c != mine:
                parts = [folder.parent / f"{name}{section}" for folder in (theirs, ours)]
                parts[0].write_bytes(c)
                parts[1].write_bytes(mine)
                found.append(f"{name}: {section}: {first_difference(*parts)}")
        found.extend(f"{name}: {line}" for line in elf.changes(original[name], b[name], ADDED)[:3])
    return found


def go(context, before, row, library):
    folder = context.folder() / "work"
    shutil.copytree(before, folder, symlinks=True)
    env = dict(pair.split("=", 1) for pair in shlex.split(row["env"] or ""))
    return folder, run([tool(row["program"]), *shlex.split(row["arguments"])], cwd=folder, env=env, library=library, timeout=60)


def cli(context, leave_out=()):
    before = objects()
    commands = [row for row in table(HERE / "commands.tsv") if row["name"] not in leave_out]
    differences = {row["name"]: row for row in table(HERE / "differences.tsv")}
    waiting = pending_list(HERE / "pending")
    for name in set(waiting) - {row["name"] for listed in ("commands", "programs") for row in table(HERE / f"{listed}.tsv")}:
        context.report.fail(name, "stands in pending but in no list of commands")
    known = headings()
    for name in set(differences) - {row["name"] for row in commands} - set(leave_out):
        context.report.fail(name, "stands in differences.tsv but not in commands.tsv")

    def one(row):
        folder, done = go(context, before, row, context.library)
        if row["name"] in differences:
            wanted = differences[row["name"]]
            if wanted["reason"] not in known:
                context.report.fail(row["name"], f"docs/differences.md has no heading #{wanted['reason']}")
            else:
                problems = as_documented(before, folder, done, wanted)
                context.report.judge(row["name"], "; ".join(problems), waiting)
            shutil.rmtree(folder.parent)
            return
        reference, expected = go(context, before, row, None)
        problems = []
        if expected.ended() != done.ended():
            problems.append(f"C ended with {expected.ended()}, ours with {done.ended()} ({done.text().strip()[:200]})")
        for stream, x, y in (("stdout", expected.out, done.out), ("stderr", expected.err, done.err)):
            if x != y:
                problems.append(f"{stream}: C {line_of(x, y)}, ours {line_of(y, x)}")
        problems += states(before, reference, folder)
        context.report.judge(row["name"], "; ".join(problems[:4]), waiting)
        shutil.rmtree(folder.parent)
        shutil.rmtree(reference.parent)
    context.each(commands, one)


def headings():
    """The headings of docs/differences.md as links name them."""
    return {
        re.sub(r"[^a-z0-9 -]", "", line.lstrip("#").strip().lower()).replace(" ", "-")
        for line in (ROOT / "docs/differences.md").read_text().splitlines() if line.startswith("#")
    }


def line_of(mine, other):
    """The first line of `mine` that `other` does not have in its place."""
    a, b = mine.decode(errors="replace").splitlines(), other.decode(errors="replace").splitlines()
    for number, line in enumerate(a):
        if number >= len(b) or b[number] != line:
            return f"`{line[:120]}`"
    return "nothing more"


def as_documented(before, folder, done, wanted):
    """The outcome that differences.tsv gives: exit code, a pattern for stderr, and what the output file holds."""
    problems = []
    if done.ended() != f"exit {wanted['exit']}":
        problems.append(f"{done.ended()} instead of exit {wanted['exit']} ({done.text().strip()[:200]})")
    if not re.search(wanted["stderr"] or r"\A\Z", done.text().strip()):
        problems.append(f"stderr `{done.text().strip()[:200]}` does not match `{wanted['stderr']}`")
    extra = set(files(folder)) - set(files(before)) - {wanted["file"]}
    if extra:
        problems.append(f"left over: {sorted(extra)}")
    path = folder / wanted["file"]
    if wanted["content"] == "absent":
        return [*problems, f"{wanted['file']} was written"] if path.exists() else problems
    if wanted["content"] == "unchanged":
        if path.read_bytes() != (before / wanted["file"]).read_bytes():
            problems.append(f"{wanted['file']} was changed")
        return problems
    if not path.exists():
        return [*problems, f"{wanted['file']} was not written"]
    dump = run([tool("bpftool"), "btf", "dump", "file", path])
    if dump.status != 0:
        return [*problems, f"the BTF of {wanted['file']} does not load: {dump.text().strip()}"]
    text = dump.out.decode(errors="replace")
    problems += [f"the BTF lacks {part}" for part in wanted["content"].split(";") if part not in text]
    if is_elf(path.read_bytes()):
        problems += elf.changes(before / wanted["file"], path, ADDED)[:3]
    return problems
