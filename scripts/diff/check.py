"""Runs the suites and counts: see scripts/check."""

import argparse
import os
import re
import subprocess
import sys
from pathlib import Path

import harness
import suite_cases
import suite_cli
import suite_contradicting
import suite_corpus
import suite_files
import suite_instructions
import suite_kernel
import suite_libraries
import suite_machines
import suite_printing
import suite_producers
import suite_programs
import suite_self
import suite_tags
import suite_trees
from harness import ROOT, TARGET

COMPARED = {
    "cli": suite_cli.cli,
    "cases": suite_cases.cases,
    "corpus": suite_corpus.corpus,
    "contradicting": suite_contradicting.contradicting_programs,
    "producers": suite_producers.producers,
    "inplace": suite_files.inplace,
    "errors": suite_files.errors,
    "programs": suite_programs.programs,
    "vmlinux": suite_kernel.vmlinux,
    "modules": suite_kernel.modules,
    "oracle": suite_kernel.oracle,
    "printing": suite_printing.printing,
    "libraries": suite_libraries.libraries,
    "tags": suite_tags.tags,
    "trees": suite_trees.trees,
    "instructions": suite_instructions.instructions,
    "selftest": suite_self.selftest,
    "machines": suite_machines.machines,
}
# Suites that only run when they are named: what they fetch is large.
ON_REQUEST = ("machines",)
SOURCES = ("fmt", "clippy", "oldest", "unit", "headers", "capi")


def command(report, name, *parts, env=None):
    """A step that passes or fails as a whole; its output is shown when it fails."""
    done = subprocess.run(parts, cwd=ROOT, env=os.environ | (env or {}), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if report.check(done.returncode == 0, name, f"exit {done.returncode}"):
        return done.stdout
    print("\n".join(done.stdout.splitlines()[-60:]), flush=True)
    return done.stdout


def oldest(report):
    """The libraries build, without a warning, with the oldest compiler that Cargo.toml promises. Its own cargo is not needed: ours asks the compiler."""
    folder = TARGET / "oldest-rust"
    command(report, "the oldest compiler is there", ROOT / "scripts/oldest-rust", folder)
    told = command(report, "the libraries build with it", "cargo", "build", "--workspace", "--locked", "--quiet",
                   env={"RUSTC": str(folder.resolve() / "rustc"), "CARGO_TARGET_DIR": str(folder.resolve() / "target")})
    report.check("warning" not in told, "it warns of nothing", told)


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
    """The committed header is what the Rust types give, and it compiles as C and as C++."""
    command(report, "headers are up to date (run scripts/gen-headers)", "scripts/gen-headers", "--check")
    command(report, "headers as C and C++", "make", "-s", "-C", "capi-tests", "headers")


def capi(report, library):
    """The C harness, compiled against the released headers and ours, run on both libraries, and on ours with this system's libc, too."""
    released = harness.FRONTENDS.resolve() / "root/usr/include/dwarves"
    c_library, loader = harness.c_library(), harness.loader()
    for name, folder, search in (("ours", Path(library).resolve(), f"{Path(library).resolve()}:{c_library}"),
                                 ("C", c_library, c_library)):
        for kind, include in (("our headers", ROOT / "include"), ("the released headers", released)):
            command(report, f"{name} with {kind}", "make", "-s", "-C", "capi-tests", "check", f"LIB={folder}", f"HEADERS={include}",
                    f"RUN={loader} --library-path {search}", f"OUT={TARGET / 'capi-tests'}")
    for target in ("check", "valgrind"):
        command(report, f"ours with this system's libc: {target}", "make", "-s", "-C", "capi-tests", target,
                f"LIB={Path(library).resolve()}", f"HEADERS={released}", f"OUT={TARGET / 'capi-tests'}")


def build():
    stage = TARGET / "stage"
    done = subprocess.run([ROOT / "scripts/stage", stage])
    if done.returncode:
        sys.exit("check: scripts/stage could not build the library")
    return stage


def main():
    parser = argparse.ArgumentParser(prog="scripts/check")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--library", type=harness.library_folder)
    parser.add_argument("--update", action="store_true", help="write the baseline of the suite `instructions` anew, and check nothing")
    parser.add_argument("suites", nargs="*", metavar="SUITE", help=" ".join([*SOURCES, *COMPARED]))
    options = parser.parse_args()
    unknown = [name for name in options.suites if name not in SOURCES and name not in COMPARED]
    if unknown:
        parser.error(f"no suite {unknown[0]}; there are: {' '.join([*SOURCES, *COMPARED])}")
    wanted = options.suites or [name for name in (*SOURCES, *COMPARED) if name not in ON_REQUEST]

    TARGET.mkdir(exist_ok=True)
    report = harness.Report(all_failures=TARGET / "check-failures.txt")
    if options.update:
        if options.suites != ["instructions"]:
            parser.error("--update is for the suite `instructions` alone")
        return suite_instructions.update(options.library or build())
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
                elif name == "oldest":
                    oldest(report)
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
