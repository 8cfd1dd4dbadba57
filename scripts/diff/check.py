"""Runs the suites and counts: see scripts/check."""

import argparse
import os
import re
import subprocess
import sys

import harness
import suite_cases
import suite_cli
import suite_files
import suite_kernel
import suite_self
from harness import ROOT, TARGET

COMPARED = {
    "cli": suite_cli.cli,
    "cases": suite_cases.cases,
    "inplace": suite_files.inplace,
    "errors": suite_files.errors,
    "vmlinux": suite_kernel.vmlinux,
    "modules": suite_kernel.modules,
    "oracle": suite_kernel.oracle,
    "selftest": suite_self.selftest,
}
SOURCES = ("fmt", "clippy", "unit", "headers", "capi")


def command(report, name, *parts, env=None):
    """A step that passes or fails as a whole; its output is shown when it fails."""
    done = subprocess.run(parts, cwd=ROOT, env=os.environ | (env or {}), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if report.check(done.returncode == 0, name, f"exit {done.returncode}"):
        return done.stdout
    print("\n".join(done.stdout.splitlines()[-60:]), flush=True)
    return done.stdout


def unit(report):
    """cargo test, each test counted; ignored ones are told."""
    done = subprocess.run(
        ["cargo", "test", "--workspace", "--no-fail-fast", "--quiet"],
        cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )
    counted = re.findall(r"test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored", done.stdout)
    passed, failed, ignored = (sum(int(row[index]) for row in counted) for index in range(3))
    report.ok(passed)
    if failed or done.returncode:
        print("\n".join(done.stdout.splitlines()[-80:]), flush=True)
        report.fail("cargo test", f"exit {done.returncode}", max(failed, 1))
    if not passed:
        report.fail("cargo test", "no test was run")
    if ignored:
        report.note(f"{ignored} tests of cargo test are marked as ignored and were not run")


def headers(report):
    """The committed headers are what the Rust types give, and they compile as C and as C++."""
    report.check((ROOT / "scripts/gen-headers").exists(), "scripts/gen-headers", "is missing")
    command(report, "headers are up to date (run scripts/gen-headers)", "scripts/gen-headers", "--check")
    found = sorted((ROOT / "include").rglob("*.h"))
    report.check(found, "include", "holds no header")
    for path in found:
        for compiler, language in (("gcc", "c"), ("g++", "c++")):
            command(report, f"{path.relative_to(ROOT)} as {language}", compiler, "-x", language, "-fsyntax-only",
                    "-Wall", "-Wextra", "-Werror", "-include", "stddef.h", f"-I{path.parent}", f"-I{ROOT / 'include'}", str(path))


def capi(report, library):
    """The C harness, against the real headers and ours, on both libraries."""
    runner = ROOT / "capi-tests/run"
    if not report.check(runner.exists(), "capi-tests/run", "is missing"):
        return
    said = command(report, "capi-tests", str(runner), str(library), env={"FRONTENDS": str(harness.FRONTENDS)})
    for passed, failed in re.findall(r"^(\d+) passed, (\d+) failed", said, re.MULTILINE):
        report.ok(int(passed))
        if int(failed):
            report.fail("capi-tests", "see above", int(failed))


def build():
    stage = TARGET / "stage"
    done = subprocess.run([ROOT / "scripts/stage", stage])
    if done.returncode:
        sys.exit("check: scripts/stage could not build the library")
    return stage


def main():
    parser = argparse.ArgumentParser(prog="scripts/check")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--library")
    parser.add_argument("suites", nargs="*", metavar="SUITE", help=" ".join([*SOURCES, *COMPARED]))
    options = parser.parse_args()
    unknown = [name for name in options.suites if name not in SOURCES and name not in COMPARED]
    if unknown:
        parser.error(f"no suite {unknown[0]}; there are: {' '.join([*SOURCES, *COMPARED])}")
    wanted = options.suites or [*SOURCES, *COMPARED]

    TARGET.mkdir(exist_ok=True)
    report = harness.Report(all_failures=TARGET / "check-failures.txt")
    library = options.library or (build() if set(wanted) & ({"capi"} | set(COMPARED)) else None)
    if options.quick:
        report.note("--quick: not the whole list of features, workers and modules")
    context = harness.Context(library, report, options.quick) if set(wanted) & set(COMPARED) else None
    try:
        for name in [*SOURCES, *COMPARED]:
            if name not in wanted:
                continue
            report.begin(name)
            try:
                if name == "fmt":
                    command(report, "cargo fmt --check", "cargo", "fmt", "--all", "--check")
                elif name == "clippy":
                    command(report, "cargo clippy", "cargo", "clippy", "--workspace", "--all-targets", "--quiet", "--", "-D", "warnings")
                elif name == "unit":
                    unit(report)
                elif name == "headers":
                    headers(report)
                elif name == "capi":
                    capi(report, library)
                else:
                    COMPARED[name](context)
            except Exception as error:  # noqa: BLE001: one broken suite must not hide the others
                report.fail(name, f"{type(error).__name__}: {error}")
            report.end()
    finally:
        if context:
            context.close()
    if context and context.reference.made:
        print(f"C was run anew for {context.reference.made} inputs; the results are kept in {context.reference.folder}")
    for suite, name, reason in report.pending:
        print(f"pending {suite}: {name}: {reason}")
    print(f"pending: {len(report.pending)}")
    print(f"{report.passed} passed, {report.failed} failed")
    sys.exit(1 if report.failed or not report.passed else 0)


main()
