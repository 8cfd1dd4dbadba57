"""What the ten programs print: every command of tests/cli/programs.tsv, run by both libraries in a fresh copy of the same folder.

Compared are exit code, stdout, stderr and every file of the folder afterwards, byte for byte. Where C is wrong, a line of
tests/cli/programs-differences.tsv says what is right: which lines may differ from C's (all others must be the same, in the same
order), what has to be among the output, how the program ends, and the heading of docs/differences.md that gives the reason.
What C itself prints differently from run to run is masked, as narrowly as the text around it allows.
"""

import difflib
import re
import shlex
import shutil
import subprocess

from harness import pending_list, run, tool
from suite_cli import HERE, files, headings, line_of, objects, table

# What C prints differently from run to run, by program: parts of addresses that it takes for sizes, and uninitialised line numbers.
MASKS = {
    "pdwtags": [
        # The size of a function without return value, and of a label.
        (rb"(?m)^((?:[a-z]+ )*void [^*\s(][^\n]*\)\n\{\n(?:(?:[^}\n].*)?\n)*\} /\* size: )\d+", rb"\1N"),
        (rb"(?m)^(; /\* size: )\d+", rb"\1N"),
    ],
    # The line of a variable that the compiler added: a function's name, or one without a name.
    "pfunct": [(rb"(?m)^(\t+(?:const const char   (?:__func__|__FUNCTION__|__PRETTY_FUNCTION__)|[^\n;]* \(null\)); /\* scope: \w+ \*/ *//) *\d+$",
                rb"\1 N")],
    # The line of a member without a file.
    "pahole": [(rb"(?m)^(\t+/\* <[0-9a-f]+> \(null\):)\d+", rb"\1N")],
}


def masked(program, data):
    for pattern, replacement in MASKS.get(program, ()):
        data = re.sub(pattern, replacement, data)
    return data


def addresses(folder):
    """Symbols of the program mn and their addresses, in hexadecimal."""
    listed = subprocess.run(["nm", "mn"], cwd=folder, capture_output=True, text=True, check=True).stdout
    return {row.split()[-1]: row.split()[0] for row in listed.splitlines() if len(row.split()) == 3}


def programs(context):
    before = objects()
    symbols = addresses(before)
    commands = table(HERE / "programs.tsv")
    differences = {row["name"]: row for row in table(HERE / "programs-differences.tsv")}
    waiting = pending_list(HERE / "pending")
    known = headings()
    for name in set(differences) - {row["name"] for row in commands}:
        context.report.fail(name, "stands in programs-differences.tsv but not in programs.tsv")

    def go(row, library):
        folder = context.folder() / "work"
        shutil.copytree(before, folder, symlinks=True)
        env = dict(pair.split("=", 1) for pair in shlex.split(row["env"] or ""))
        arguments = shlex.split(re.sub(r"%(\w+)%", lambda found: symbols[found[1]], row["arguments"] or ""))
        with open(folder / row["stdin"] if row["stdin"] else "/dev/null", "rb") as stdin:
            done = run([tool(row["program"]), *arguments], cwd=folder, env=env, library=library, timeout=60, stdin=stdin)
        done.out = masked(row["program"], done.out)
        return folder, done

    def one(row):
        reference, expected = go(row, None)
        folder, done = go(row, context.library)
        wanted = differences.get(row["name"])
        if wanted is None:
            problems = equal(reference, expected, folder, done)
        elif wanted["reason"] not in known:
            problems = [f"docs/differences.md has no heading #{wanted['reason']}"]
        else:
            problems = as_documented(before, expected, folder, done, wanted)
        context.report.judge(row["name"], "; ".join(problems[:4]), waiting)
        shutil.rmtree(folder.parent)
        shutil.rmtree(reference.parent)
    context.each(commands, one)


def equal(reference, expected, folder, done):
    problems = []
    if expected.ended() != done.ended():
        problems.append(f"C ended with {expected.ended()}, ours with {done.ended()} ({done.text().strip()[:200]})")
    for stream, x, y in (("stdout", expected.out, done.out), ("stderr", expected.err, done.err)):
        if x != y:
            problems.append(f"{stream}: C {line_of(x, y)}, ours {line_of(y, x)}")
    a, b = files(reference), files(folder)
    for name in sorted(set(a) | set(b)):
        if name not in a or name not in b:
            problems.append(f"file {name} is {'missing' if name in a else 'left over'}")
        elif a[name].is_file() and a[name].read_bytes() != b[name].read_bytes():
            problems.append(f"file {name} has another content")
    return problems


def as_documented(before, expected, folder, done, wanted):
    """The outcome that programs-differences.tsv gives; the columns are explained there."""
    problems = []
    if done.ended() != f"exit {wanted['exit']}":
        problems.append(f"{done.ended()} instead of exit {wanted['exit']} ({done.text().strip()[:200]})")
    if not re.search(wanted["stderr"] or r"\A\Z", done.text().strip()):
        problems.append(f"stderr `{done.text().strip()[:200]}` does not match `{wanted['stderr']}`")
    theirs, ours = (data.decode(errors="replace").splitlines() for data in (expected.out, done.out))
    if wanted["lines"]:
        apart = [line for line in difflib.ndiff(theirs, ours) if line[:2] in ("- ", "+ ")]
        other = [line for line in apart if not re.fullmatch(wanted["lines"], line[2:].strip())]
        if other:
            problems.append(f"{len(other)} other lines differ: {' | '.join(other[:6])}")
    elif expected.alive() and expected.ended() == done.ended() and theirs == ours:
        problems.append("C does the same: take it out of programs-differences.tsv")
    made = [path.read_text(errors="replace") for name, path in files(folder).items() if name not in files(before)]
    text = "\n".join([*ours, *made])
    problems += [f"the output lacks `{part}`" for part in wanted["holds"].split(" && ") if part and part not in text]
    return problems
