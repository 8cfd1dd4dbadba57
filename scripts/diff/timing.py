"""C against ours in one run: time and peak memory of the same program on the same file under either library, alternating.

Alternating, because machines are noisy in stretches: what disturbs one disturbs the other. Of `scripts/bench` the median of the pairs counts
for time, of the short `scripts/quickstart` the best of the runs (noise only adds); for memory it is the largest. Nothing is taken from
the cache of C's results.
"""

import functools
import hashlib
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import documented
from harness import CORES, FRONTENDS, ROOT, TARGET, c_library, loader, run, tool


@functools.cache
def launcher():
    """See launch.c."""
    path = TARGET / "bench/launch"
    path.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(["gcc", "-O1", "-Wall", "-Wextra", "-o", path, ROOT / "scripts/diff/launch.c"], check=True)
    return path


def direct(command, library):
    """A command of the frontends without the shell that their wrappers are: to start it takes a tenth of the time of a small file."""
    program = Path(command[0])
    path = f"{library}:{c_library()}" if library else c_library()
    return [loader(), "--argv0", program.name, "--library-path", path, FRONTENDS / "root/usr/bin" / program.name, *command[1:]]


def launched(command, library, scratch):
    """Runs a command of the frontends; time and peak memory are those of its process alone."""
    told = scratch / "launched"
    done = run([launcher(), told, *direct(command, library)], timeout=3600)
    if told.exists():
        seconds, peak = told.read_text().split()
        done.seconds, done.peak = float(seconds), int(peak)
        told.unlink()
    return done


class Totals:
    """One side of a row: seconds of each run of all its commands, and the largest peak of any process."""

    def __init__(self, library):
        self.library, self.seconds, self.peaks = library, [], []

    def once(self, commands, scratch):
        """Runs all commands; returns what was printed and a hash of what was written, or why a run failed."""
        total, peak, printed, written = 0.0, 0, [], hashlib.sha256()
        for command in commands:
            result = scratch / "btf"
            result.unlink(missing_ok=True)
            done = launched(command, self.library, scratch)
            total, peak = total + done.seconds, max(peak, done.peak)
            if done.status != 0:
                return None, f"{'ours' if self.library else 'C'}: {done.ended()}: {done.text().strip()[:200]}"
            printed.append(done.out)
            written.update(result.read_bytes() if result.exists() else b"")
        self.seconds.append(total)
        self.peaks.append(peak)
        return (b"".join(printed), written.digest()), None

    def time(self):
        return statistics.median(self.seconds)

    def peak(self):
        return max(self.peaks) / 1024


class Row:
    """One line of the table."""

    HEAD = f"{'':<18} {'C':>10} {'ours':>10} {'faster':>7}   {'C':>8} {'ours':>8} {'memory':>7}   result"

    def __init__(self, name, sides, result, failure):
        self.name, self.sides, self.result, self.failure = name, sides, result, failure

    def ratio(self):
        """Times faster: the median over the pairs."""
        theirs, ours = self.sides
        return statistics.median(c / o for c, o in zip(theirs.seconds, ours.seconds))

    def memory(self):
        theirs, ours = self.sides
        return ours.peak() / theirs.peak()

    def __str__(self):
        if self.failure:
            return f"{self.name:<18} {self.failure}"
        theirs, ours = self.sides
        return (f"{self.name:<18} {theirs.time():>8.3f} s {ours.time():>8.3f} s {self.ratio():>6.1f}x   {theirs.peak():>5.0f} MB "
                f"{ours.peak():>5.0f} MB {self.memory() * 100:>6.0f}%   {self.result}")

    def good(self):
        return not self.failure and self.result != "DIFFERENT"

    def line(self):
        if self.failure:
            return f"{self.name}\tfailed\n"
        theirs, ours = self.sides
        return f"{self.name}\t{theirs.time():.3f}\t{ours.time():.3f}\t{self.ratio():.2f}\t{theirs.peak():.1f}\t{ours.peak():.1f}\n"


def pairs(name, commands, library, runs, scratch):
    """Runs the commands under C and under ours, `runs` times in turn, after a run of ours that warms the pages of files."""
    sides, result = (Totals(None), Totals(library)), "the same"
    Totals(library).once(commands, scratch)
    for _ in range(runs):
        results = []
        for side in sides:
            came_out, failure = side.once(commands, scratch)
            if failure:
                return Row(name, sides, "DIFFERENT", failure)
            results.append(came_out)
        if results[0] != results[1]:
            result = compared(*results)
    return Row(name, sides, result, None)


def compared(theirs, ours):
    """The result of a row whose runs do not have the same output."""
    is_documented = theirs[1] == ours[1] and not documented.difference(theirs[0], ours[0])
    return "as documented" if is_documented else "DIFFERENT"


class Side:
    def __init__(self, name, library):
        self.name, self.library = name, library
        self.seconds, self.peaks, self.bytes, self.failure = [], [], None, None

    def once(self, path, jobs, features, folder):
        target = folder / "btf"
        target.unlink(missing_ok=True)
        extra = [f"--btf_features={features}"] if features else []
        done = launched([tool("pahole"), "-J", f"-j{jobs}", *extra, f"--btf_encode_detached={target}", path],
                        self.library, folder)
        self.seconds.append(done.seconds)
        self.peaks.append(done.peak)
        self.bytes = target.read_bytes() if target.exists() else None
        if done.status != 0 or self.bytes is None:
            self.failure = f"{self.name} at -j{jobs}: {done.ended()}, {'no BTF' if self.bytes is None else 'BTF written'}: {done.text().strip()[:300]}"

    def best(self):
        return min(self.seconds)

    def peak(self):
        return max(self.peaks) / 1024


def measure(path, library, jobs, runs, features):
    """Both sides for one number of jobs, after a run of ours that warms the file's pages."""
    sides = Side("C", None), Side("ours", library)
    with tempfile.TemporaryDirectory() as scratch:
        for _ in range(runs):
            for side in sides:
                side.once(path, jobs, features, Path(scratch))
                if side.failure:
                    return sides
    return sides


def table(path, library, jobs, runs, features):
    """Prints the table; returns whether every run gave the same bytes, and the rows (jobs, time ratio, memory ratio)."""
    path = Path(path)
    print(f"{path}: {path.stat().st_size / 1e6:.0f} MB, features {features or 'none'}, best of {runs}, {CORES} cores")
    with path.open("rb") as file:  # warm pages for whoever comes first
        while file.read(1 << 24):
            pass
    print(f"{'':>5} {'C':>9} {'ours':>9} {'faster':>7}   {'C':>8} {'ours':>8} {'memory':>7}   bytes", flush=True)
    rows, same = [], True
    for count in jobs:
        theirs, ours = measure(path, library, count, runs, features)
        failure = theirs.failure or ours.failure
        if failure:
            print(failure, file=sys.stderr)
            return False, rows
        equal = theirs.bytes == ours.bytes
        same &= equal
        rows.append((count, theirs.best() / ours.best(), ours.peak() / theirs.peak()))
        print(f"-j{count:<3} {theirs.best():>7.2f} s {ours.best():>7.2f} s {rows[-1][1]:>6.1f}x   {theirs.peak():>5.0f} MB "
              f"{ours.peak():>5.0f} MB {rows[-1][2] * 100:>6.0f}%   {'the same' if equal else 'DIFFERENT'}", flush=True)
    return same, rows


def idle_share(seconds=2.0):
    """The share of all CPU time that nobody used during the next `seconds`: the load average would still tell of a build that ended."""
    def sample():
        numbers = [int(part) for part in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]]
        return numbers[3] + numbers[4], sum(numbers)
    idle, whole = sample()
    time.sleep(seconds)
    later_idle, later_whole = sample()
    return (later_idle - idle) / max(1, later_whole - whole)


def busy():
    """Whether others use so much of the machine that times say little; prints a line when so."""
    share = 1 - idle_share()
    if share > 0.1:
        print(f"other programs are using {share:.0%} of {CORES} cores", file=sys.stderr)
    return share > 0.1
