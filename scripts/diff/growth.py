"""How time and memory grow with the input: measured for C and ours, and drawn. See scripts/bench --growth.

Three kinds of inputs. *Multiples* of the kernel have its units two, four and eight times over: eight times the work, no new types.
*Synthetic* programs have more and more units, of which each brings types of its own: `synthetic.py`. *Kernels* are Debian's for clouds and
the full one, with three times the drivers.
"""

import os
import shutil
import struct
import subprocess
import tempfile
from pathlib import Path

import bench_inputs as inputs
import plot
import timing
from harness import KERNEL, ROOT, TARGET, tool

KINDS = ["kernels", "multiples", "synthetic"]
TIMES = [1, 2, 4, 8]
UNITS = [500, 1000, 2000, 4000]


def section(file, wanted):
    """Where the header of a section of a 64-bit little-endian ELF file is, its offset and its size."""
    file.seek(0)
    header = file.read(64)
    (table,), (entry, count, names) = struct.unpack_from("<Q", header, 40), struct.unpack_from("<HHH", header, 58)

    def fields(index):
        file.seek(table + index * entry)
        return struct.unpack("<IIQQQQIIQQ", file.read(64))

    offset, size = fields(names)[4:6]
    file.seek(offset)
    texts = file.read(size)
    for index in range(count):
        name = fields(index)[0]
        if texts[name:texts.index(b"\0", name)] == wanted:
            return table + index * entry, fields(index)[4], fields(index)[5]
    raise SystemExit(f"bench: no {wanted.decode()} in {file.name}")


def multiple(path, times, out):
    """A copy of an ELF file whose `.debug_info` is there `times` times over. Units refer to what is in themselves, and to other sections by
    offsets that stay, so that a copy of a unit is a unit."""
    shutil.copyfile(path, out)
    with open(out, "r+b") as file:
        at, offset, size = section(file, b".debug_info")
        end = file.seek(0, os.SEEK_END)
        with open(path, "rb") as source:
            for _ in range(times):
                source.seek(offset)
                left = size
                while left:
                    left -= file.write(source.read(min(left, 1 << 24)))
        file.seek(at + 24)
        file.write(struct.pack("<QQ", end, size * times))


def points(kind, scratch):
    """Label, file, and whether it goes when it has been measured."""
    if kind == "multiples":
        for times in TIMES:
            path = scratch / f"times-{times}"
            multiple(KERNEL / "vmlinux", times, path)
            yield f"kernel x {times}", path, True
    elif kind == "synthetic":
        for units in UNITS:
            yield f"{units} units", inputs.synthetic_program(units), False
    else:
        yield "cloud kernel", KERNEL / "vmlinux", False
        full = TARGET / "kernel-full"
        subprocess.run([ROOT / "scripts/kernel", full, "amd64"], env=os.environ | {"FLAVOUR": ""}, check=True)
        yield "full kernel", full / "vmlinux", False


def measure(library, kinds, runs, name):
    """Measures and writes `name`.tsv, with what it has of other kinds, and `name`.svg."""
    table = Path(f"{name}.tsv")
    rows = [line.split("\t") for line in table.read_text().splitlines()[1:]] if table.exists() else []
    rows = [row for row in rows if row[0] not in kinds]
    print(timing.Row.HEAD, flush=True)
    inputs.FOLDER.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=inputs.FOLDER) as scratch:
        scratch = Path(scratch)
        for kind in kinds:
            for label, path, is_temporary in points(kind, scratch):
                with open(path, "rb") as file:
                    size = section(file, b".debug_info")[2] / 1e6
                command = [tool("pahole"), "-J", "-j1", "--btf_features=default", f"--btf_encode_detached={scratch / 'btf'}", path]
                row = timing.pairs(label, [command], library, runs, scratch)
                print(row, flush=True)
                if is_temporary:
                    path.unlink()
                if row.failure:
                    continue
                theirs, ours = row.sides
                rows.append([kind, label, f"{size:.1f}", f"{theirs.time():.3f}", f"{ours.time():.3f}", f"{theirs.peak():.0f}", f"{ours.peak():.0f}"])
    rows.sort(key=lambda row: (row[0], float(row[2])))
    table.write_text("kind\tinput\tMB of .debug_info\tC s\tours s\tC MB\tours MB\n" + "".join("\t".join(row) + "\n" for row in rows))
    Path(f"{name}.svg").write_text(plot.growth(rows))
    print(f"{table} and {name}.svg")
