"""Which other compilers than the machine's `gcc` and `clang` there are."""

import functools
import os
import re
import subprocess


@functools.cache
def others():
    """The newest `gcc-N` and `clang-N` on PATH that are not what `gcc` and `clang` are; where there is none, less."""
    return [name for kind in ("clang", "gcc") for name in [newest_other(kind)] if name]


def newest_other(kind):
    plain = version(kind)
    names = {name for folder in os.get_exec_path() if os.path.isdir(folder) for name in os.listdir(folder)}
    numbers = sorted((int(found[1]) for name in names if (found := re.fullmatch(rf"{kind}-(\d+)", name))), reverse=True)
    return next((f"{kind}-{number}" for number in numbers if number != plain and works(f"{kind}-{number}")), None)


def version(compiler):
    said = subprocess.run([compiler, "-dumpversion"], stdout=subprocess.PIPE, text=True, check=True).stdout
    return int(said.split(".")[0])


def works(compiler):
    """Whether all that belongs to it is installed."""
    done = subprocess.run([compiler, "-x", "c", "-", "-o", os.devnull], input="int main(void) { return 0; }", text=True,
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return done.returncode == 0
