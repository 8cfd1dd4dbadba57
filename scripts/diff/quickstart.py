"""See scripts/quickstart."""

import os
import sys

import timing
from harness import CORES, tool

library, path = sys.argv[1:]
if not os.access(path, os.R_OK):
    sys.exit(f"quickstart: cannot read {path}")
if timing.busy():
    print("(so the times below are those of a busy machine)")
print(f"The unmodified {tool('pahole')} on the C library, then on {library}/libdwarves.so.1:")
same, rows = timing.table(path, library, sorted({1, CORES}), 1, "default")
if not rows:
    sys.exit("quickstart: see above")
print("Both libraries wrote the same bytes." if same else "The libraries wrote different bytes: scripts/check says where they part.")
print(f"To use it: DWLIB={library} {tool('pahole')} -J FILE, or LD_LIBRARY_PATH={library} with an installed pahole 1.32")
sys.exit(0 if same else 1)
