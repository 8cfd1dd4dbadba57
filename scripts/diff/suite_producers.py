"""Large programs by several compilers: parameters where clang and gcc leave them, and link-time optimisation of 400 units.

The sources are those of `generated.py`; the programs stay in target/producers, since to compile them takes a minute. Every program must become the bytes that C writes, with any
features and number of workers. Those of link-time optimisation, each of whose units has 800 names that no other has, must take less
than a quarter of C's memory, too.
"""

import hashlib
import shutil
import subprocess
import tempfile
from pathlib import Path

import generated
from compilers import others
from harness import ROOT, TARGET, first_difference, tool
from timing import launched

FEATURES = ("none", "default", "all", "default,true_signature")
JOBS = (1, 2, 4)
MEMORY = 0.25
# Functions matter in the first, names in the second.
OPTIMISED = {"units": 90, "functions": 16}
LINK_TIME = {"units": 400, "structs": 40, "members": 20, "functions": 4}


def programs():
    """Name, compiler, flags for compiling and linking, additional ones for linking, and what is generated."""
    for compiler in ["clang", "gcc", *others()]:
        yield f"{compiler} -O2", compiler, ["-g", "-w", "-O2"], [], OPTIMISED
    yield "gcc -flto", "gcc", ["-g", "-w", "-O1", "-flto=auto"], [], LINK_TIME
    yield "clang -flto", "clang", ["-g", "-w", "-O1", "-flto"], ["-fuse-ld=lld"], LINK_TIME


def built(compiler, flags, link, size):
    """The program, made when it is not there for these sources, this compiler and these flags."""
    said = subprocess.run([compiler, "--version"], stdout=subprocess.PIPE, check=True).stdout
    key = hashlib.sha256(said + repr([compiler, flags, link, size]).encode() + (ROOT / "scripts/diff/generated.py").read_bytes())
    path = TARGET / "producers" / key.hexdigest()[:24]
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=path.parent) as folder:
            names = generated.write(Path(folder), **size)
            generated.compile_all(Path(folder), names, compiler, flags, link)
            shutil.move(Path(folder) / "program", path)
    return path


def encoded(program, features, jobs, library, folder):
    """The BTF's path, and the run."""
    out = folder / ("ours" if library else "theirs")
    out.unlink(missing_ok=True)
    flags = [] if features == "none" else [f"--btf_features={features}"]
    return out, launched([tool("pahole"), "-J", f"-j{jobs}", *flags, f"--btf_encode_detached={out}", program], library, folder)


def producers(context):
    folder = context.folder()
    for name, compiler, flags, link, size in programs():
        program = built(compiler, flags, link, size)
        for features in FEATURES[1:3] if context.quick else FEATURES:
            theirs, run = encoded(program, features, JOBS[-1], None, folder)
            if not theirs.exists():
                context.report.fail(f"{name}, {features}", f"C writes nothing: {run.ended()}: {run.text().strip()[:120]}")
                continue
            peak = run.peak
            for jobs in JOBS:
                label = f"{name}, {features}, -j{jobs}"
                ours, run = encoded(program, features, jobs, context.library, folder)
                same = ours.exists() and ours.read_bytes() == theirs.read_bytes()
                context.report.check(same, label, first_difference(theirs, ours) if ours.exists() else f"nothing is encoded: {run.ended()}")
                if size is LINK_TIME and features == "default":
                    context.report.note(f"{label}: {run.peak >> 10} MB, {run.peak / peak:.0%} of C's")
                    context.report.check(run.peak < MEMORY * peak, f"{label}: memory", f"{run.peak} KiB, C {peak} KiB")
