"""See scripts/bench: what is measured, and the table. How C and ours are run side by side: `timing.py`; inputs: `bench_inputs.py`;
growth: `growth.py`."""

import argparse
import statistics
import sys
import tempfile
from pathlib import Path

import bench_inputs as inputs
import growth
import timing
from harness import CORES, KERNEL, ROOT, library_folder, run, tool
from timing import Row

VMLINUX = KERNEL / "vmlinux"


def encode(path, scratch, jobs="-j1", *more):
    """The command for one file; its result goes to `scratch`, where it is compared."""
    return [tool("pahole"), "-J", jobs, "--btf_features=default", *more, f"--btf_encode_detached={scratch / 'btf'}", path]


def rows(options):
    """All rows, by the names that --only takes."""
    features = [f"--btf_features={options.features}"] if options.features != "none" else []
    for jobs in options.jobs.split(","):
        yield f"vmlinux-j{jobs}", lambda scratch, j=jobs: [
            [tool("pahole"), "-J", f"-j{j}", *features, f"--btf_encode_detached={scratch / 'btf'}", options.elf]]
    base = inputs.base
    yield "module", lambda scratch: [encode(inputs.module(), scratch, "-j1", f"--btf_base={base()}")]
    yield "200-modules", lambda scratch: [encode(path, scratch, "-j1", f"--btf_base={base()}") for path in inputs.modules(200)]
    yield "10kB-object", lambda scratch: [encode(inputs.small(), scratch)] * 50
    yield "LTO-400-units-j1", lambda scratch: [encode(inputs.lto(400), scratch)]
    yield "LTO-400-units-j2", lambda scratch: [encode(inputs.lto(400), scratch, "-j2")]
    yield "print-sizes", lambda _: [[tool("pahole"), "--sizes", options.elf]]
    yield "print-all", lambda _: [[tool("pahole"), options.elf]]
    yield "print-one", lambda _: [[tool("pahole"), "-C", "task_struct", options.elf]]
    yield "print-BTF-sizes", lambda _: [[tool("pahole"), "-F", "btf", "--sizes", base()]]


def main():
    parser = argparse.ArgumentParser(prog="scripts/bench", description="C and ours, alternating: seconds, ratio, peak memory")
    parser.add_argument("--library", type=library_folder, required=True)
    parser.add_argument("--runs", type=int, default=5, help="pairs of runs a row; the median counts")
    parser.add_argument("--jobs", default="1,2,16", help="of the kernel's rows")
    parser.add_argument("--features", default="default", help="--btf_features of the kernel's rows, or none")
    parser.add_argument("--only", default="", help="rows to take, with commas between; a beginning of their names does")
    parser.add_argument("--save", type=Path, help="a file for the table, tab-separated")
    parser.add_argument("--force", action="store_true", help="measure on a busy machine, too")
    parser.add_argument("--require", help="FASTER,MEMORY: fail when a row of the kernel at -j1 or -j2 is below this ratio of time or "
                                          "above this ratio of memory")
    parser.add_argument("--growth", nargs="?", const="all", help="measure how time and memory grow with the input instead, and draw "
                        "docs/growth.svg: all, or kinds of inputs with commas between: " + " ".join(growth.KINDS))
    parser.add_argument("elf", nargs="?", default=VMLINUX)
    options = parser.parse_args()

    if timing.busy() and not options.force:
        sys.exit("bench: wait until the machine is idle, or say --force and do not trust the figures")
    if options.growth:
        kinds = growth.KINDS if options.growth == "all" else options.growth.split(",")
        return growth.measure(options.library, kinds, options.runs, ROOT / "docs/growth")
    wanted = [name for name in options.only.split(",") if name]
    chosen = [(name, make) for name, make in rows(options) if not wanted or any(name.startswith(start) for start in wanted)]
    if not chosen:
        sys.exit("bench: no such row; there are: " + " ".join(name for name, _ in rows(options)))

    print(f"{CORES} cores, {options.runs} pairs of runs, median; {Path(options.elf).resolve()}")
    print(Row.HEAD, flush=True)
    good, table = True, []
    for name, make in chosen:
        with tempfile.TemporaryDirectory() as scratch:
            commands = make(Path(scratch))
            row = timing.pairs(name, commands, options.library, options.runs, Path(scratch))
        print(row, flush=True)
        good &= row.good()
        table.append(row)
        if name.startswith("vmlinux-j1") and len(name) == len("vmlinux-j1"):
            phases(commands[0], options.library)
        if options.require and name in ("vmlinux-j1", "vmlinux-j2"):
            faster, memory = (float(part) for part in options.require.split(","))
            if row.ratio() < faster or row.memory() > memory:
                print(f"bench: {name}: wanted {faster}x and {memory:.0%} of the memory")
                good = False
    if options.save:
        options.save.write_text("".join(row.line() for row in table))
    sys.exit(0 if good else 1)


def phases(command, library):
    """Prints where ours spends its CPU time: the run in the middle of three."""
    with tempfile.TemporaryDirectory() as scratch:
        command = [f"--btf_encode_detached={scratch}/btf" if str(part).startswith("--btf_encode_detached") else part for part in command]
        done = [run(command, library=library, env={"DWARVES_PHASES": "1"}, timeout=3600) for _ in range(3)]
    middle = statistics.median_low([one.seconds for one in done])
    text = next(one.text() for one in done if one.seconds == middle)
    print("".join(f"    {line.removeprefix('phases: ')}\n" for line in text.splitlines() if line.startswith("phases: ")), end="", flush=True)


main()
