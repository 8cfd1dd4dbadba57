"""The cases of tests/cases: one small input each for a kind of fault that users of the C library have met.

A case is a folder with `case.sh`; tests/cases/run runs one check of it. tests/cases/pending lists checks that the library does not
pass yet, with the reason; one that passes although it is listed fails the run, so that the list can only shrink.
"""

import re

from harness import FRONTENDS, ROOT, pending_list, run

HERE = ROOT / "tests/cases"


def checks():
    for path in sorted(HERE.glob("*/case.sh")):
        for kind in re.findall(r"^check_(\w+)\(\)", path.read_text(), re.MULTILINE):
            yield path.parent, kind


def cases(context):
    listed, all_checks = pending_list(HERE / "pending"), list(checks())
    for name in set(listed) - {f"{folder.name}/{kind}" for folder, kind in all_checks}:
        context.report.fail(name, "stands in tests/cases/pending but is no check")

    def one(item):
        folder, kind = item
        name = f"{folder.name}/{kind}"
        done = run(["bash", HERE / "run", folder, kind], timeout=600,
                   env={"FRONTENDS": str(FRONTENDS.resolve()), "LIBRARY": str(context.library)})
        text = " | ".join(line for line in done.out.decode(errors="replace").splitlines() if line)[:400]
        context.report.judge(name, "" if done.status == 0 else text or said(done), listed)
    context.each(all_checks, one)


def said(done):
    return f"{done.ended()}, `{done.text().strip()[:200]}`"
