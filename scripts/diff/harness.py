"""What every suite needs: where things are, how a program is run under either library, what C said before, and the count.

The reference is the C library under the released pahole; ours is the same program with another libdwarves.so.1 in front
(`DWLIB`). C's output is deterministic and does not depend on -j, so it is kept under target/reference, keyed by the content of the
program, the library and the input: a developer's second run only pays for ours. A result is never taken from the cache without
all of these being the same.
"""

import argparse
import concurrent.futures
import functools
import hashlib
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TARGET = ROOT / "target"
FRONTENDS = TARGET / "frontends"
KERNEL = TARGET / "kernel-amd64"
CORES = os.cpu_count() or 1
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

# The program is killed after this many seconds: a hang is a failure, not a stuck run.
TIMEOUT = 300


class Run:
    """How a program ended: status (negative: a signal, None: killed for taking too long), its output, its peak memory in KiB."""

    def __init__(self, status, out, err, seconds=0.0, peak=0):
        self.status, self.out, self.err, self.seconds, self.peak = status, out, err, seconds, peak

    def ended(self):
        if self.status is None:
            return "hung"
        if self.status < 0:
            return signal.Signals(-self.status).name
        return f"exit {self.status}"

    def alive(self):
        return self.status is not None and 0 <= self.status < 124

    def text(self):
        return self.err.decode(errors="replace")


def run(command, cwd=None, env=None, library=None, timeout=TIMEOUT, stdin=subprocess.DEVNULL, limits=None):
    """Runs `command` with `library` (a folder) as DWLIB; `limits` is a list of (resource, value) for the child."""
    full = {k: v for k, v in os.environ.items() if not k.startswith(("DWARVES_", "PAHOLE_", "LLVM_OBJCOPY", "DWLIB"))}
    full["LC_ALL"] = "C"
    if library:
        full["DWLIB"] = str(library)
    full.update(env or {})

    def prepare():
        for what, value in limits:
            resource.setrlimit(what, (value, value))
        # A full disk is told by a failed write, which is what the limit stands for, not by a signal.
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

    start = time.monotonic()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        child = subprocess.Popen(
            [str(part) for part in command], cwd=cwd, env=full, stdin=stdin, stdout=out, stderr=err,
            preexec_fn=prepare if limits else None, start_new_session=True,
        )
        timer = threading.Timer(timeout, lambda: os.killpg(child.pid, signal.SIGKILL))
        timer.start()
        _, status, usage = os.wait4(child.pid, 0)
        hung = not timer.is_alive()
        timer.cancel()
        child.returncode = status  # reaped here: Popen must not wait for it again
        out.seek(0)
        err.seek(0)
        code = None if hung and os.WIFSIGNALED(status) else os.waitstatus_to_exitcode(status)
        return Run(code, out.read(), err.read(), time.monotonic() - start, usage.ru_maxrss)


def pending_list(path):
    """Name and reason of what a file says does not pass yet: one a line, `#` for comments."""
    listed = {}
    for line in path.read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            name, reason = line.split(None, 1)
            listed[name] = reason
    return listed


def tool(name):
    return FRONTENDS / "bin" / name


def library_folder(folder):
    """A folder given on the command line: without our library in it, the programs would run on C's."""
    if not Path(folder, "libdwarves.so.1").is_file():
        raise argparse.ArgumentTypeError(f"no libdwarves.so.1 in {folder}")
    return folder


@functools.cache
def c_library():
    """The folder of the C library and all others that the frontends come with."""
    return next((FRONTENDS.resolve() / "root/usr/lib").rglob("libdwarves.so.1")).parent


@functools.cache
def loader():
    """The dynamic loader of that folder."""
    return next(path for path in sorted(c_library().glob("ld*.so.*")) if os.access(path, os.X_OK))


_digests = {}
_digests_lock = threading.Lock()


def digest(path):
    """Content hash of a file, computed once a process for an unchanged file."""
    path = Path(path).resolve()
    stat = path.stat()
    key = (path, stat.st_size, stat.st_mtime_ns)
    with _digests_lock:
        if key not in _digests:
            whole = hashlib.sha256()
            with open(path, "rb") as file:
                while part := file.read(1 << 24):
                    whole.update(part)
            _digests[key] = whole.hexdigest()
        return _digests[key]


def reference_identity():
    """What C's results depend on besides the input: the program and every library of the package set."""
    parts = [digest(FRONTENDS / "root/usr/bin/pahole")]
    for name in ("libdwarves.so.1", "libbpf.so.1", "libdw.so.1", "libelf.so.1"):
        for found in sorted((FRONTENDS / "root/usr/lib").rglob(name)):
            parts.append(digest(found))
    return "".join(parts)


class Reference:
    """C's results, kept on disk."""

    def __init__(self):
        self.folder = TARGET / "reference"
        self.folder.mkdir(parents=True, exist_ok=True)
        self.identity = reference_identity()
        self.made = 0

    def get(self, inputs, what, produce):
        """The folder that holds what `produce(folder)` wrote for these input files and this description, from the cache if it is there."""
        name = hashlib.sha256(
            json.dumps([self.identity, [digest(path) for path in inputs], what]).encode()
        ).hexdigest()[:32]
        final = self.folder / name
        if not final.is_dir():
            scratch = Path(tempfile.mkdtemp(dir=self.folder, prefix="part-"))
            try:
                produce(scratch)
                self.made += 1
                os.rename(scratch, final)
            except OSError:
                if not final.is_dir():  # another run was first
                    raise
            finally:
                shutil.rmtree(scratch, ignore_errors=True)
        return final


class Report:
    """Counts results by suite and prints what failed as soon as it did: the first few of a suite here, all of them in `all_failures`."""

    SHOWN = 25

    def __init__(self, out=sys.stdout, all_failures=None):
        self.out, self.lock, self.all_failures = out, threading.Lock(), all_failures
        if all_failures:
            all_failures.write_text("")
        self.passed = self.failed = 0
        self.pending, self.notes, self.suite, self.current = [], [], None, None

    def begin(self, suite):
        self.suite, self.current = suite, [0, 0, time.monotonic()]
        print(f"== {suite}", file=self.out, flush=True)

    def end(self):
        passed, failed, start = self.current
        print(f"   {self.suite}: {passed} passed, {failed} failed ({time.monotonic() - start:.0f} s)", file=self.out, flush=True)

    def ok(self, count=1):
        with self.lock:
            self.passed += count
            self.current[0] += count

    def fail(self, name, why, count=1):
        with self.lock:
            self.failed += count
            self.current[1] += count
            line = f"FAIL {self.suite}: {name}: {why}"
            if self.all_failures:
                with self.all_failures.open("a") as file:
                    print(line, file=file)
            if self.current[1] <= self.SHOWN:
                print(line, file=self.out, flush=True)
            elif self.current[1] == self.SHOWN + 1:
                print(f"FAIL {self.suite}: more, all of them in {self.all_failures}", file=self.out, flush=True)

    def check(self, condition, name, why=""):
        if condition:
            self.ok()
        else:
            self.fail(name, why)
        return bool(condition)

    def judge(self, name, problems, pending):
        """Like `check`, where `pending` maps names that are known not to pass yet to the reason."""
        if name not in pending:
            self.check(not problems, name, problems)
        elif problems:
            with self.lock:
                self.pending.append((self.suite, name, pending[name]))
        else:
            self.fail(name, "passes: take it out of the list of pending ones")

    def note(self, text):
        with self.lock:
            self.notes.append(text)
            print(f"     {text}", file=self.out, flush=True)


class Context:
    """A run of the suites: the library under test, C's results, the count, and options."""

    def __init__(self, library, report, quick=False):
        self.library, self.report, self.quick = Path(library).resolve(), report, quick
        self.reference = Reference()
        # Whether encoding in place may change nothing but the new sections (ours; not so where C judges itself).
        self.rest_must_stay = True
        self.scratch = Path(tempfile.mkdtemp(prefix="dwarves-check-"))

    def close(self):
        shutil.rmtree(self.scratch, ignore_errors=True)

    def folder(self):
        return Path(tempfile.mkdtemp(dir=self.scratch))

    def ours(self, name, *args, **options):
        return run([tool(name), *args], library=self.library, **options)

    def theirs(self, name, *args, **options):
        return run([tool(name), *args], **options)

    def each(self, items, work, workers=CORES):
        """Calls `work(item)` for all items, `workers` at a time; an exception becomes a failure of that item."""
        def guarded(item):
            try:
                work(item)
            except Exception as error:  # noqa: BLE001: whatever it was, it is one failed test and not the end of the run
                self.report.fail(str(item), f"{type(error).__name__}: {error}")
        with concurrent.futures.ThreadPoolExecutor(workers) as pool:
            list(pool.map(guarded, items))


def first_difference(theirs, ours):
    """Where two BTF files part, as one line for a person: through bpftool's dump when both load, else by offset."""
    a, b = Path(theirs).read_bytes(), Path(ours).read_bytes()
    if a == b:
        return "the same"
    dumps = []
    for path in (theirs, ours):
        made = run([tool("bpftool"), "btf", "dump", "file", path, "format", "raw"])
        dumps.append(made.out.decode(errors="replace").splitlines() if made.status == 0 else None)
    sizes = f"C {len(a)} bytes, ours {len(b)}"
    if all(dump is not None for dump in dumps):
        for number, (x, y) in enumerate(zip(*dumps)):
            if x != y:
                return f"{sizes}; line {number + 1} of the dump: C `{x.strip()}`, ours `{y.strip()}`"
        if len(dumps[0]) != len(dumps[1]):
            return f"{sizes}; dumps agree as far as both go: C {len(dumps[0])} lines, ours {len(dumps[1])}"
    offset = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
    loads = "" if dumps[1] is not None or dumps[0] is None else "; bpftool cannot load ours"
    return f"{sizes}; first difference at byte {offset}{loads}"
