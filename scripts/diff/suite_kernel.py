"""A whole kernel and its modules: the same bytes as C, for every feature and any number of workers.

Four suites: `vmlinux` (all features, -j1 -j2 -j3 -j8), `modules` (split BTF against the kernel's, detached and in place with a
distilled base), `oracle` (the library's two test modes: duplicates not dropped at the merge, and a hash that collides), and a
helper that other suites use to get at C's kernel BTF.
"""

import shutil

import elf
from elf import ADDED
from harness import KERNEL, first_difference, run, tool

FEATURES = (
    "encode_force", "var", "float", "decl_tag", "type_tag", "enum64", "optimized_func", "consistent_func", "decl_tag_kfuncs",
    "reproducible_build", "distilled_base", "global_var", "attributes", "true_signature", "layout", "force_cu_merging",
)
KERNEL_BUILD = "encode_force,var,float,enum64,decl_tag,type_tag,optimized_func,consistent_func,decl_tag_kfuncs"
SETS = (None, "default", "all", KERNEL_BUILD) + FEATURES
JOBS = (1, 2, 3, 8)
MODULES = 120
# They define what the kernel only declares, or differ from it somewhere below: equal types of two units become different ones.
TELLING_MODULES = ("fou", "ip_vs", "libceph", "openvswitch", "sctp", "sunrpc", "tipc")


def flag(features):
    return [f"--btf_features={features}"] if features else []


def title(features):
    return {None: "none", KERNEL_BUILD: "kernel build"}.get(features, features)


def detached(context, path, extra, library=None, jobs=1, env=None, folder=None):
    """Encodes `path` to folder/btf and keeps exit code and output beside it as text."""
    folder = folder or context.folder()
    done = run([tool("pahole"), "-J", f"-j{jobs}", *extra, f"--btf_encode_detached={folder / 'btf'}", path],
               library=library, env=env)
    note(folder, done, path)
    return folder


def note(folder, done, path):
    """Keeps exit code and output, with the names of this machine's folders taken out: the same elsewhere, the same later."""
    said = f"{done.ended()}\n{done.out.decode(errors='replace')}{done.text()}"
    (folder / "said").write_text(said.replace(str(folder), "OUT").replace(str(path), path.name))


def reference(context, path, extra, inputs=()):
    return context.reference.get(
        [path, *inputs], ["detached", *[part for part in extra if not part.startswith("--btf_base=")]],
        lambda folder: detached(context, path, extra, folder=folder),
    )


def kernel_reference(context, features):
    return reference(context, KERNEL / "vmlinux", flag(features))


def compare(context, name, theirs, ours):
    """One result: bytes, exit code and everything that was printed."""
    a, b = theirs / "btf", ours / "btf"
    if (theirs / "said").read_text() != (ours / "said").read_text():
        said = (ours / "said").read_text().strip().replace("\n", " | ")
        context.report.fail(name, f"C said `{(theirs / 'said').read_text().strip()[:200]}`, ours `{said[:300]}`")
    elif a.exists() != b.exists():
        context.report.fail(name, "no file written" if a.exists() else "C wrote no file")
    elif a.exists() and a.read_bytes() != b.read_bytes():
        context.report.fail(name, first_difference(a, b))
    else:
        context.report.ok()


def encode_and_compare(context, name, path, extra, theirs, jobs=1, env=None):
    ours = detached(context, path, extra, library=context.library, jobs=jobs, env=env)
    compare(context, name, theirs, ours)
    shutil.rmtree(ours)


def vmlinux(context):
    sets = (None, "default", KERNEL_BUILD) if context.quick else SETS
    jobs = (1, 3) if context.quick else JOBS
    theirs = {}
    context.each(sets, lambda features: theirs.__setitem__(features, kernel_reference(context, features)))

    def one(item):
        features, workers = item
        if features in theirs:
            encode_and_compare(context, f"features {title(features)}, -j{workers}", KERNEL / "vmlinux", flag(features),
                               theirs[features], workers)
    context.each([(features, workers) for features in sets for workers in jobs], one)


def picked_modules(count):
    """`count` modules spread evenly over all that there are, so that every subsystem is in it."""
    found = sorted((KERNEL / "modules/").rglob("*.ko"))
    if not found:
        raise FileNotFoundError(f"no modules under {KERNEL / 'modules'}")
    step = max(1, len(found) / count)
    return [found[int(index * step)] for index in range(min(count, len(found)))]


def modules(context):
    base = kernel_reference(context, "default") / "btf"
    against = [f"--btf_base={base}"]
    chosen = picked_modules(20 if context.quick else MODULES)
    telling = [path for path in (KERNEL / "modules/").rglob("*.ko") if path.stem in TELLING_MODULES]
    chosen += sorted(set(telling) - set(chosen))

    def split(path, number):
        features = "all" if path.stem in TELLING_MODULES else "default" if number % 3 else None
        extra = flag(features) + against
        theirs = reference(context, path, extra, inputs=[base])
        encode_and_compare(context, f"{path.stem} split", path, extra, theirs, jobs=1 + number % 3)

    def distilled(path):
        extra = [*against, "--btf_features=+distilled_base"]

        def by_c(folder):
            in_place(context, path, extra, None, folder)
            (folder / "file").unlink()
        theirs = context.reference.get([path, base], ["distilled, sections"], by_c)
        ours = in_place(context, path, extra, context.library, context.folder())
        name = f"{path.stem} distilled"
        said = [(folder / "said").read_text() for folder in (theirs, ours)]
        if said[0] != said[1]:
            context.report.fail(name, f"C said `{said[0].strip()}`, ours `{said[1].strip()}`")
        else:
            different = [part for part in ("BTF", "BTF.base") if read(theirs / part) != read(ours / part)]
            if different:
                context.report.fail(name, f"section .{different[0]}: {parts(theirs, ours, different[0])}")
            else:
                changed = elf.changes(path, ours / "file", ADDED) if context.rest_must_stay else []
                context.report.check(not changed, name, "besides the new sections: " + "; ".join(changed[:3]))
        shutil.rmtree(ours)

    context.each(list(enumerate(chosen)), lambda item: (split(item[1], item[0]), distilled(item[1])))


def read(path):
    return path.read_bytes() if path.exists() else None


def parts(theirs, ours, name):
    a, b = read(theirs / name), read(ours / name)
    if a is None or b is None:
        return "C has it, ours not" if b is None else "ours has it, C not"
    return first_difference(theirs / name, ours / name)


def in_place(context, path, extra, library, folder, jobs=1):
    """Encodes a copy of `path` in place; leaves the copy as folder/file and the new sections as files beside it."""
    copy = folder / "file"
    shutil.copy(path, copy)
    done = run([tool("pahole"), "-J", f"-j{jobs}", *extra, "file"], library=library, cwd=folder)
    note(folder, done, path)
    made = elf.Elf(copy)
    for name in ADDED:
        data = made.section(name)
        if data is not None:
            (folder / name.lstrip(".")).write_bytes(data)
    return folder


def oracle(context):
    """The library's two test modes."""
    drop, collide = "DWARVES_NO_DROP", "DWARVES_FORCE_COLLISIONS"
    base = kernel_reference(context, "default") / "btf"
    extra = flag("default") + [f"--btf_base={base}"]
    work = []
    for features in ("default",) if context.quick else (None, "default"):
        for mode in (drop, collide):
            work.append((mode, KERNEL / "vmlinux", flag(features), kernel_reference(context, features), title(features)))
    for path in picked_modules(5 if context.quick else 20):
        # Alone a module brings all its types; split, it meets those of the kernel.
        for options, inputs, kind in ((flag("default"), [], "alone"), (extra, [base], "split")):
            for mode in (drop, collide):
                work.append((mode, path, options, reference(context, path, options, inputs), f"{path.stem} {kind}"))

    def one(item):
        mode, path, options, theirs, name = item
        encode_and_compare(context, f"{mode}=1, {name}", path, options, theirs, jobs=2, env={mode: "1"})
    context.each(work, one)
