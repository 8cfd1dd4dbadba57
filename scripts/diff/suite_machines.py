"""Kernels of other machines, big-endian and 32-bit ones among them, and modules of each: the same bytes as C.

Not part of a run of all suites, as each kernel has a gigabyte to be fetched: `scripts/check machines`. `MACHINES` names others
(`MACHINES="riscv64 ppc64el"`). Kernels stay in target/kernel-MACHINE; an unpacked one there is taken as it is.
"""

import os
import subprocess

from harness import ROOT, TARGET
from suite_kernel import encode_and_compare, flag, reference, title

# Big-endian, 64 bits without aggregates in registers, 32 bits.
MACHINES = "s390x arm64 armhf"
# The release that this is developed on has small kernels for these; all others come from the newest one.
CLOUD = ("amd64", "arm64")
FEATURES = ("default", "all")
JOBS = (1, 4)
MODULES = 12


def fetched(machine):
    """The folder of the machine's kernel."""
    folder = TARGET / f"kernel-{machine}"
    env = dict(os.environ) if machine in CLOUD else os.environ | {"SUITE": "sid", "FLAVOUR": ""}
    subprocess.run([ROOT / "scripts/kernel", folder, machine], env=env, check=True, stdout=subprocess.DEVNULL)
    return folder


def machines(context):
    for machine in os.environ.get("MACHINES", MACHINES).split():
        try:
            folder = fetched(machine)
        except subprocess.CalledProcessError as error:
            context.report.fail(f"kernel for {machine}", f"scripts/kernel: exit {error.returncode}")
            continue
        compare_machine(context, machine, folder)


def compare_machine(context, machine, folder):
    kernel = folder / "vmlinux"
    features = ("default",) if context.quick else FEATURES
    bases = {name: reference(context, kernel, flag(name)) for name in features}
    context.each(
        [(name, jobs) for name in features for jobs in JOBS],
        lambda item: encode_and_compare(
            context, f"{machine}, features {title(item[0])}, -j{item[1]}", kernel, flag(item[0]), bases[item[0]], item[1]),
    )
    found = sorted((folder / "modules/").rglob("*.ko"))
    count = min(len(found), 4 if context.quick else MODULES)
    if not count:
        context.report.fail(f"modules of {machine}", f"there are none under {folder / 'modules'}")
        return
    chosen = [found[index * len(found) // count] for index in range(count)]

    def module(item):
        path, name = item
        base = bases[name] / "btf"
        extra = [*flag(name), f"--btf_base={base}"]
        theirs = reference(context, path, extra, inputs=[base])
        for jobs in JOBS:
            encode_and_compare(context, f"{machine}, {path.stem}, features {title(name)}, -j{jobs}", path, extra, theirs, jobs)
    context.each([(path, name) for path in chosen for name in features], module)
