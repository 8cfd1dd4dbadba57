"""Programs whose units contradict each other (`contradicting.py`), compiled in all ways: the bytes of C with any number of workers, and without dropping.

Dropping goes by names (DESIGN.md), and these are what it could go wrong on. `DWARVES_PROGRAMS` is how many are made, `DWARVES_PROGRAM` the number of the
first; a thousand take some minutes.
"""

import os
import shutil
from pathlib import Path

import contradicting
from harness import first_difference, run, tool

# Compiler and flags, and how the objects become one file.
WAYS = (
    (("gcc", "-O0", "-gdwarf-5"), "shared"), (("clang", "-O0", "-gdwarf-5"), "shared"), (("gcc", "-O2", "-gdwarf-4"), "relocatable"),
    (("clang", "-O2", "-gdwarf-4"), "relocatable"), (("gcc", "-O1", "-flto"), "shared"), (("clang", "-O1", "-flto", "-fuse-ld=lld"), "shared"),
    (("gcc", "-O0", "-gdwarf-5"), "module"), (("clang", "-O2", "-gdwarf-5"), "module"), (("gcc", "-O0", "-gdwarf-4"), "dwz"),
    (("gcc", "-O0", "-fdebug-types-section"), "relocatable"),
)
FEATURES = ("none", "default", "all", "default,force_cu_merging", "var,global_var")
# Type units are what C does not read: nothing but that dropping changes nothing can be seen there.
NOT_FOR_C = "-fdebug-types-section"


def build(folder, seed, flags, how):
    """The files that were made: the program, or a base and what is split from it."""
    texts = contradicting.units(seed, 6 if how == "module" else None)
    names = [f"u{number}.c" for number in range(len(texts))]
    for name, text in zip(names, texts):
        (folder / name).write_text(text)
    link = ["ld", "-r"] if how in ("relocatable", "module") else [*flags, "-g", "-w", "-shared"]
    objects = [Path(name).with_suffix(".o").name for name in names]
    parts = {"base": objects[:3], "out": objects[3:]} if how == "module" else {"out": objects}
    commands = [[*(flag for flag in flags if not flag.startswith("-fuse")), "-g", "-w", "-fPIC", "-c", *names]]
    commands += [[*link, *some, "-o", name] for name, some in parts.items()]
    for command in commands + ([["dwz", "-l0", "out"]] if how == "dwz" else []):
        done = run(command, cwd=folder)
        if done.status != 0 and command[0] != "dwz":
            raise RuntimeError(f"cannot be built: {' '.join(command)}: {done.text().strip()[:300]}")
    return list(parts)


def encode(context, folder, name, options, library=None, jobs=2, env=None):
    out = folder / f"{name}-{'ours' if library else 'theirs'}"
    out.unlink(missing_ok=True)
    run([tool("pahole").resolve(), "-J", f"-j{jobs}", *options, f"--btf_encode_detached={out}", name], cwd=folder, library=library, env=env)
    return out


def one(context, seed):
    flags, how = WAYS[seed % len(WAYS)]
    features = FEATURES[seed // len(WAYS) % len(FEATURES)]
    options = [] if features == "none" else [f"--btf_features={features}"]
    label = f"DWARVES_PROGRAM={seed}, {' '.join(flags)}, {how}, {features}"
    folder = context.folder()
    for name in build(folder, seed, flags, how):
        ways = [(f"{name}, -j{jobs}", jobs, None) for jobs in (1, 3)] + [(f"{name}, nothing dropped", 2, {"DWARVES_NO_DROP": "1"})]
        if NOT_FOR_C in flags:
            theirs = shutil.copy(encode(context, folder, name, options, context.library, 1), folder / "theirs")
            ways = ways[1:]
        else:
            theirs = encode(context, folder, name, options)
        if not theirs.exists():
            context.report.fail(label, "C writes nothing")
        for way, jobs, env in ways if theirs.exists() else []:
            ours = encode(context, folder, name, options, context.library, jobs, env)
            same = ours.exists() and ours.read_bytes() == theirs.read_bytes()
            if not context.report.check(same, f"{label}: {way}", "" if same else first_difference(theirs, ours) if ours.exists() else "nothing"):
                return
        if how == "module":
            options = [*options, f"--btf_base={theirs}"]
    shutil.rmtree(folder)


def contradicting_programs(context):
    first, count = (int(os.environ.get(name, default)) for name, default in (("DWARVES_PROGRAM", 0), ("DWARVES_PROGRAMS", 50 if context.quick else 250)))
    context.each(range(first, first + count), lambda seed: one(context, seed))
