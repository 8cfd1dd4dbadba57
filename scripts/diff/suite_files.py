"""What happens to files: encoding in place, and what is said and left behind when something is wrong.

`inplace`: programs, libraries and objects after encoding are the old file plus the new section, still run, keep mode, owner, links.
`errors`: missing, foreign, cut and unsuitable inputs, and outputs that cannot be written: no crash, a message that names the
file, nothing left over, the old file as it was.
"""

import os
import resource
import shutil
import stat
import subprocess
import threading

import elf
from elf import ADDED
from harness import FRONTENDS, run
from suite_cli import objects

PROGRAM = """
#include <stdio.h>
struct point { int x, y; };
__attribute__((noinline)) int area(struct point *p) { return p->x * p->y; }
int main(void) { struct point p = {6, 7}; printf("%d\\n", area(&p)); return area(&p) - 39; }
"""

# Name, compiler line (the output is always `file`), whether it can be run.
SHAPES = (
    ("pie", "gcc -g -O1 p.c -o file", True),
    ("fixed address", "gcc -g -O1 -no-pie p.c -o file", True),
    ("static", "gcc -g -O1 -static p.c -o file", True),
    ("clang and lld", "clang -g -O1 -fuse-ld=lld p.c -o file", True),
    ("separate code off", "gcc -g -Wl,-z,noseparate-code p.c -o file", True),
    ("compressed debug sections", "gcc -g -gz=zlib p.c -o file", True),
    ("link-time optimisation", "gcc -g -O2 -flto p.c -o file", True),
    ("two-byte page alignment", "gcc -g -Wl,-z,max-page-size=65536 p.c -o file", True),
    ("shared library", "gcc -g -shared -fPIC p.c -o file", False),
    ("object", "gcc -g -c p.c -o file", False),
    ("object with function sections", "gcc -g -O1 -ffunction-sections -fdata-sections -c p.c -o file", False),
    ("object with section groups", "g++ -x c++ -g -O1 -c inline.cc -o file", False),
    ("32-bit object", "clang --target=i386-linux-gnu -g -c freestanding.c -o file", False),
    ("big-endian object", "clang --target=s390x-linux-gnu -g -c freestanding.c -o file", False),
    ("dwz", "gcc -g -gdwarf-4 p.c freestanding.c -o file && dwz file", True),
)
SOURCES = {
    "p.c": PROGRAM,
    "freestanding.c": "struct point { int x, y; }; int area2(struct point *p) { return p->x * p->y; } struct point origin;\n",
    "inline.cc": "struct point { int x, y; }; inline int twice(struct point *p) { return p->x * 2; }\n"
                 "int area(struct point *p) { return twice(p) * p->y; }\n",
}


def built(context, command):
    folder = context.folder()
    for name, text in SOURCES.items():
        (folder / name).write_text(text)
    made = subprocess.run(command, shell=True, cwd=folder, capture_output=True, text=True)
    if made.returncode:
        raise RuntimeError(f"`{command}` failed: {made.stderr.strip()[-200:]}")
    for name in SOURCES:
        (folder / name).unlink()
    return folder


def said(done):
    return f"{done.ended()}, `{done.text().strip()[:200]}`"


def inplace(context):
    report = context.report

    def shape(item):
        name, command, runs = item
        folder = built(context, command)
        file, before = folder / "file", folder / "before"
        os.chmod(file, 0o751)
        if os.geteuid() == 0:
            os.chown(file, 1234, 2345)
        shutil.copy2(file, before)
        earlier = run([file]) if runs else None
        old = file.stat()
        done = context.ours("pahole", "-J", "--btf_features=default", "file", cwd=folder)
        if not report.check(done.status == 0 and not done.err, name, said(done)):
            return
        left = sorted(path.name for path in folder.iterdir())
        report.check(left == ["before", "file"], name, f"left over: {left}")
        changed = elf.changes(before, file, ADDED)
        report.check(not changed, name, "; ".join(changed[:3]))
        context.ours("pahole", "-J", "--btf_features=default", f"--btf_encode_detached={folder / 'btf'}", before)
        report.check((folder / "btf").read_bytes() == elf.Elf(file).section(".BTF"), name, "section is not what -J writes detached")
        new = file.stat()
        report.check((new.st_mode, new.st_uid, new.st_gid) == (old.st_mode, old.st_uid, old.st_gid), name, "mode or owner changed")
        if runs:
            later = run([file])
            report.check((later.status, later.out) == (earlier.status, earlier.out), name, f"runs differently: {said(later)}")
        for reader in (["readelf", "-hSlW", "file"], ["objcopy", "file", "copy"], ["eu-readelf", "-hSl", "file"]):
            if name in ("32-bit object", "big-endian object") and reader[0] == "objcopy":
                continue  # this machine's objcopy need not know the format
            a, b = run([*reader[:-1], "before"] if reader[-1] == "file" else [reader[0], "before", "copy0"], cwd=folder), run(reader, cwd=folder)
            report.check((a.status, a.err) == (b.status, b.err.replace(b"file", b"before")), name, f"{reader[0]}: {said(b)}")
        section = elf.Elf(file).section(".BTF")
        again = context.ours("pahole", "-J", "--btf_features=default", "file", cwd=folder)
        report.check(again.status == 0 and elf.Elf(file).section(".BTF") == section, name, f"a second time: {said(again)}")
        names = [part.name for part in elf.Elf(file).sections]
        report.check(names.count(".BTF") == 1, name, f"{names.count('.BTF')} sections .BTF after the second time")
        changed = elf.changes(before, file, ADDED)
        report.check(not changed, name, "a second time: " + "; ".join(changed[:3]))

    context.each(SHAPES, shape)

    folder = built(context, "gcc -g -c freestanding.c -o file")
    (folder / "link").symlink_to("file")
    done = context.ours("pahole", "-J", "link", cwd=folder)
    report.check(done.status == 0 and (folder / "link").is_symlink() and elf.Elf(folder / "file").section(".BTF"),
                 "through a symbolic link", said(done))

    folder = built(context, "gcc -g -c freestanding.c -o file")
    os.link(folder / "file", folder / "other")
    old = (folder / "file").read_bytes()
    done = context.ours("pahole", "-J", "file", cwd=folder)
    report.check(done.status == 0 and elf.Elf(folder / "file").section(".BTF"), "file with a second hard link", said(done))
    report.check((folder / "other").read_bytes() in (old, (folder / "file").read_bytes()), "file with a second hard link",
                 "the other name has neither the old nor the new content")

    folder = built(context, "gcc -g -c freestanding.c -o file")
    context.ours("pahole", "-J", "--btf_encode_detached=plain", "file", cwd=folder)
    expected = (folder / "plain").read_bytes()
    (folder / "target").write_bytes(b"x" * 100000)
    (folder / "symlink").symlink_to("target")
    done = context.ours("pahole", "-J", "--btf_encode_detached=symlink", "file", cwd=folder)
    report.check(done.status == 0 and (folder / "symlink").is_symlink() and (folder / "target").read_bytes() == expected,
                 "detached through a symbolic link, over a longer file", said(done))
    os.mkfifo(folder / "fifo")
    got = []
    reader = threading.Thread(target=lambda: got.append((folder / "fifo").read_bytes()), daemon=True)
    reader.start()
    done = context.ours("pahole", "-J", "--btf_encode_detached=fifo", "file", cwd=folder, timeout=20)
    reader.join(5)
    report.check(got == [expected] and stat.S_ISFIFO((folder / "fifo").stat().st_mode), "detached into a pipe", said(done))
    done = context.ours("pahole", "-J", "--btf_encode_detached=/dev/stdout", "file", cwd=folder)
    report.check(done.out == expected, "detached to /dev/stdout", said(done))


def inventory(folder):
    return {path.name: path.read_bytes() if path.is_file() and not path.is_symlink() else None for path in folder.iterdir()}


def errors(context):
    report = context.report
    made = objects()
    good = (made / "mn").read_bytes()

    def attempt(name, content, must, arguments=("-J", "file"), prepare=None, limits=None, wrapper=(), programs=FRONTENDS / "bin"):
        """`must` is what has to hold: "message" (stderr names the file), "refusal" (exit not 0 and a message), "told" (BTF was
        written, or stderr says something). In no case may there be a crash or a file left over."""
        folder = context.folder()
        if content is not None:
            (folder / "file").write_bytes(content)
        if prepare:
            prepare(folder)
        before = inventory(folder)
        done = run([*wrapper, programs / "pahole", *arguments], cwd=folder, library=context.library, limits=limits, timeout=60)
        after = inventory(folder)
        problems = []
        if not done.alive():
            problems.append("died or hung")
        if must == "refusal" and done.status == 0:
            problems.append("exit 0")
        if must in ("message", "refusal"):
            if not done.err.strip():
                problems.append("no message")
            elif must == "message" and b"file" not in done.err:
                problems.append("the message does not name the file")
            changed = sorted(key for key in before.keys() | after.keys() if before.get(key, 0) != after.get(key, 0))
            if changed:
                problems.append(f"changed: {changed}")
        if must == "told" and not done.err.strip() and not (after.keys() - before.keys() or after.get("file") != before.get("file")):
            problems.append("neither BTF nor a message")
        left = sorted(after.keys() - before.keys() - {"out"})
        if left:
            problems.append(f"left over: {left}")
        report.check(not problems, name, f"{', '.join(problems)} ({said(done)})")
        return folder, done

    detached = ("-J", "--btf_encode_detached=out", "file")
    for title, arguments in (("in place", ("-J", "file")), ("detached", detached)):
        attempt(f"missing file, {title}", None, "message", arguments)
        attempt(f"empty file, {title}", b"", "message", arguments)
        attempt(f"not ELF, {title}", b"int main(void) { return 0; }\n", "message", arguments)
        attempt(f"a folder, {title}", None, "message", arguments, prepare=lambda folder: (folder / "file").mkdir())
        attempt(f"no DWARF, {title}", (made / "nodbg.o").read_bytes(), "message", arguments)
        for size in (4, 16, 40, 63, 64):
            attempt(f"cut after {size} bytes, {title}", good[:size], "message", arguments)
        for part in range(1, 16):
            attempt(f"cut after {part}/16, {title}", good[:len(good) * part // 16], "told", arguments)
        attempt(f"the last byte missing, {title}", good[:-1], "told", arguments)
        # Every section header in turn claims to be elsewhere, or huge.
        image = elf.Elf(made / "mn")
        table = int.from_bytes(good[40:48], "little")
        for index in range(len(image.sections)):
            for field in (24, 32, 56):
                broken = bytearray(good)
                at = table + index * 64 + field
                broken[at:at + 8] = (0x7FFFFFFFFFFFFF00).to_bytes(8, "little")
                attempt(f"section {index} broken at {field}, {title}", bytes(broken), "told", arguments)

    folder, done = attempt("no symbol table", (made / "ab.ns2").read_bytes(), "told", detached)
    report.check(done.status != 0 or (folder / "out").exists(), "no symbol table", f"exit 0 and no BTF ({said(done)})")

    attempt("output in a folder that is not there", good, "refusal", ("-J", "--btf_encode_detached=no/out", "file"))
    attempt("output on a folder", good, "refusal", detached, prepare=lambda folder: (folder / "out").mkdir())
    # A node of our own where root could remove the real one.
    device = "full" if os.geteuid() == 0 else "/dev/full"

    def node(folder):
        if device == "full":
            os.mknod(folder / device, stat.S_IFCHR | 0o666, os.makedev(1, 7))
    folder, done = attempt("output on a full device", good, "refusal", ("-J", f"--btf_encode_detached={device}", "file"), prepare=node)
    path = folder / device
    report.check(path.exists() and stat.S_ISCHR(path.stat().st_mode), "output on a full device", "the device is gone")
    keep = [(resource.RLIMIT_FSIZE, 1000)]
    attempt("disk full, detached, new file", good, "refusal", detached, limits=keep)
    attempt("disk full, detached, old file", good, "refusal", detached, limits=keep,
            prepare=lambda folder: (folder / "out").write_bytes(b"old" * 100))
    for size in (400, len(good) // 2, len(good)):
        attempt(f"disk full after {size} bytes, in place", good, "refusal", limits=[(resource.RLIMIT_FSIZE, size)])
    attempt("base BTF missing", good, "refusal", ("-J", "--btf_base=no.btf", "--btf_encode_detached=out", "file"))

    # Where root may do everything, somebody else tries: on copies of the programs that anybody can reach.
    wrapper, programs = (), FRONTENDS / "bin"
    if os.geteuid() == 0:
        wrapper = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--",
                   "env", f"DWLIB={context.scratch / 'everybody/library'}")
        os.chmod(context.scratch, 0o755)
        shutil.copytree(FRONTENDS, context.scratch / "everybody/frontends", symlinks=True)
        shutil.copytree(context.library, context.scratch / "everybody/library")
        programs = context.scratch / "everybody/frontends/bin"

    def closed(folder):
        for parent in (folder.parent, folder):
            os.chmod(parent, 0o755)
        os.chmod(folder / "file", 0o444)
        os.chmod(folder, 0o555)
    folder, done = attempt("folder and file not writable, in place", good, "refusal", prepare=closed, wrapper=wrapper, programs=programs)
    os.chmod(folder, 0o755)
    folder, done = attempt("folder not writable, detached", good, "refusal", detached, prepare=closed, wrapper=wrapper, programs=programs)
    os.chmod(folder, 0o755)
