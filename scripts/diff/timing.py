"""C against ours in one run: time and peak memory of the same program on the same file under either library, alternating.

Alternating, because machines are noisy in stretches: what disturbs one disturbs the other. The best of the runs counts for time (noise
only adds), the largest for memory. Nothing is taken from the cache of C's results.
"""

import sys
import tempfile
import time
from pathlib import Path

from harness import CORES, run, tool


class Side:
    def __init__(self, name, library):
        self.name, self.library = name, library
        self.seconds, self.peaks, self.bytes, self.failure = [], [], None, None

    def once(self, path, jobs, features, folder):
        target = folder / "btf"
        target.unlink(missing_ok=True)
        extra = [f"--btf_features={features}"] if features else []
        done = run([tool("pahole"), "-J", f"-j{jobs}", *extra, f"--btf_encode_detached={target}", path],
                   library=self.library, timeout=3600)
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
