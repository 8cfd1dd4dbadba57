"""See scripts/bench."""

import argparse
import sys

import timing
from harness import KERNEL

parser = argparse.ArgumentParser(prog="scripts/bench")
parser.add_argument("--library", required=True)
parser.add_argument("--runs", type=int, default=5)
parser.add_argument("--jobs", default="1,2")
parser.add_argument("--features", default="default")
parser.add_argument("--force", action="store_true")
parser.add_argument("--require", help="FASTER,MEMORY: fail below this ratio of time or above this ratio of memory")
parser.add_argument("elf", nargs="?", default=KERNEL / "vmlinux")
options = parser.parse_args()

if timing.busy() and not options.force:
    sys.exit("bench: wait until the machine is idle, or say --force and do not trust the figures")
same, rows = timing.table(options.elf, options.library, [int(count) for count in options.jobs.split(",")], options.runs,
                          "" if options.features == "none" else options.features)
good = same and bool(rows)
if options.require:
    faster, memory = (float(part) for part in options.require.split(","))
    for count, time_ratio, memory_ratio in rows:
        if time_ratio < faster or memory_ratio > memory:
            print(f"bench: -j{count}: wanted {faster}x and {memory:.0%} of the memory")
            good = False
sys.exit(0 if good else 1)
