"""What the programs print about large files: byte for byte what they print on C. A kernel and its modules, with DWARF and with BTF, and a
program that brings much of the C++ standard library.

C's output is kept under target/reference. Lines may differ in the kinds that docs/differences.md describes and `documented` recognises.
"""

import gzip
import hashlib
import subprocess

import suite_kernel
from documented import difference, difference_in_definitions, difference_in_messages
from documented_cxx import difference_in_cxx
from harness import KERNEL, ROOT, TARGET, run, tool
from suite_programs import MASKS, masked

OF_CXX = (
    "pahole", "pahole -E", "pahole -I", "pahole --sizes", "pahole --compile", "pahole -M", "pahole --classes_as_structs",
    "pahole --show_private_classes", "pfunct -V", "pfunct -P", "pfunct -T", "pdwtags", "pglobal -f", "pglobal -v", "dtagnames",
    "prefcnt", "syscse",
)


def cxx():
    """The C++ program, made once for each compiler."""
    source = ROOT / "tests/printing/library.cc"
    said = subprocess.run(["g++", "--version"], stdout=subprocess.PIPE, check=True).stdout
    made = TARGET / "printing" / hashlib.sha256(said + source.read_bytes()).hexdigest()[:24] / "library"
    if not made.exists():
        made.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(["g++", "-std=c++17", "-g", "-O1", "-pthread", "-o", made.with_suffix(".new"), source], check=True)
        made.with_suffix(".new").rename(made)
    return made


TYPES = (
    "task_struct", "sk_buff", "net_device", "inode", "dentry", "super_block", "file", "page", "folio", "mm_struct", "vm_area_struct",
    "vm_fault", "request_queue", "bio", "sock", "tcp_sock", "inet_connection_sock", "module", "device", "kobject", "cred", "user_namespace",
    "rq", "cfs_rq", "sched_entity", "sched_class", "zone", "pglist_data", "perf_event", "bpf_prog", "bpf_map", "bpf_verifier_env",
    "trace_event_call", "pci_dev", "pci_bus", "irq_desc", "clocksource", "hrtimer", "work_struct", "rcu_head", "cgroup", "css_set",
    "block_device", "gendisk", "path", "nameidata", "pt_regs", "thread_struct", "fpu", "kvm_vcpu",
)

OF_A_MODULE = (
    "pahole", "pahole -E", "pahole -I", "pahole -l", "pahole -a", "pahole -A", "pahole --hex", "pahole --sizes", "pahole -m",
    "pahole --sort", "pahole --compile", "pahole --contains=list_head", "pahole --find_pointers_to=sk_buff", "pahole -T", "pahole -n",
    "pahole -H 2", "pahole -B 1", "pahole --structs", "pahole --unions", "pahole --packed", "pahole --with_flexible_array",
    "pahole --with_embedded_flexible_array", "pahole -s", "pahole -c 32", "pahole -z 8", "pahole -q", "pahole -R -S -C net",
    "pahole -w 4",
    "pfunct", "pfunct -P", "pfunct -V", "pfunct -T", "pfunct -s", "pfunct -S", "pfunct -i", "pfunct -H", "pfunct -l", "pfunct -N",
    "pfunct -t", "pfunct -c net", "pfunct -E", "pfunct -I", "pfunct -g", "pfunct -G", "pfunct -p", "pfunct -A",
    "pfunct --no_parm_names -P", "pfunct --symtab", "pfunct --compile",
    "pdwtags", "pdwtags -V", "pglobal -f", "pglobal -v", "prefcnt", "dtagnames", "syscse",
)
SPLIT = (
    "pahole -F btf", "pahole -F btf -E", "pahole -F btf --sizes", "pahole -F btf -I -a -A --hex", "pahole -F btf --sort",
    "pahole -F btf --compile", "pahole -F btf -m", "pahole -F btf --contains=list_head", "pahole -F btf --find_pointers_to=sk_buff",
    "pfunct -F btf -P",
)
OF_A_KERNEL = (
    "pahole", "pahole --sizes", "pahole -m", "pahole --sort", "pahole -I -A --hex", "pahole -F dwarf --contains=list_head",
    "pahole -F dwarf --find_pointers_to=sk_buff",
)
OF_ITS_BTF = (
    "pahole -F btf", "pahole -F btf -E", "pahole -F btf -I", "pahole -F btf --sizes", "pahole -F btf -m", "pahole -F btf -T",
    "pahole -F btf -a -A --hex", "pahole -F btf --sort", "pahole -F btf --compile",
    "pahole -F btf --contains=list_head", "pahole -F btf --find_pointers_to=sk_buff", "pfunct -F btf", "pfunct -F btf -P",
    "pdwtags -F btf",
)
WITH_A_TYPE = ("", "-E", "-I", "-R", "-R -S", "-l", "-a", "-A", "--hex", "--compile", "-E -I -a -A --hex")
WITH_ALL_TYPES = ("-E -I -a -A --hex",)
QUICK = ("pahole", "pahole -E", "pahole --compile", "pahole --sizes", "pfunct -V", "pdwtags", "pglobal -f", "dtagnames")


def commands(context):
    """Each with its files behind it."""
    if not context.quick:
        yield from ((command, [cxx()]) for command in OF_CXX)
    kernel = KERNEL / "vmlinux"
    by_name = {path.stem: path for path in sorted((KERNEL / "modules/").rglob("*.ko"))}
    picked = [by_name[name] for name in ("af_key", "nf_tables", "nf_conntrack") if name in by_name]
    picked = picked[:1] if context.quick else list(dict.fromkeys(picked + suite_kernel.picked_modules(3)))
    for path in picked:
        yield from ((command, [path]) for command in (QUICK if context.quick else OF_A_MODULE))
        yield from ((f"{command} --btf_base", [kernel, path]) for command in SPLIT)
    if len(picked) > 1:
        yield from ((f"codiff{flag}", picked[:2]) for flag in ("", " -V", " -f", " -s", " -t"))
    yield from ((command, [kernel]) for command in OF_ITS_BTF)
    types = TYPES[:5] if context.quick else TYPES
    yield from ((f"pahole {flags} -C {name}", [kernel]) for name in types for flags in ("", *WITH_ALL_TYPES))
    for flags in WITH_A_TYPE[1:]:
        yield from ((f"pahole {flags} -C {name}", [kernel]) for name in types[:1 if context.quick else 4])
    yield from ((command, [kernel]) for command in (() if context.quick else OF_A_KERNEL))


def said(command, paths, library=None):
    program, *rest = command.split()
    if rest and rest[-1] == "--btf_base":
        rest[-1] = f"--btf_base={paths[0]}"
        paths = paths[1:]
    done = run([tool(program), *rest, *paths], library=library)
    out = masked(program, done.out)
    for path in paths:
        # `-I` says where the file is, which is not the same in every clone.
        out = out.replace(bytes(path), path.name.encode())
    return done.ended(), out, done.err


def reference(context, command, paths):
    def produce(folder):
        ended, out, err = said(command, paths)
        (folder / "ended").write_text(ended)
        (folder / "err").write_bytes(err)
        (folder / "out.gz").write_bytes(gzip.compress(out, 1))
    folder = context.reference.get(paths, ["printed by name", command, repr(MASKS.get(command.split()[0]))], produce)
    return (folder / "ended").read_text(), gzip.decompress((folder / "out.gz").read_bytes()), (folder / "err").read_bytes()


def compare(context, items):
    """Each a command, its files, and whether they are of C++."""
    def one(item):
        command, paths, in_cxx = item
        name = f"{command} of {' and '.join(path.name for path in paths)}"
        ended, out, err = reference(context, command, paths)
        our_end, our_out, our_err = said(command, paths, context.library)
        if ended != our_end:
            context.report.fail(name, f"C ended with {ended}, ours with {our_end}")
        else:
            plain = difference_in_definitions if "--compile" in command else difference
            found = difference_in_cxx(out, our_out) if in_cxx else plain(out, our_out)
            found = found or difference_in_messages(err, our_err)
            context.report.check(not found, name, found)
    context.each(items, one)


def compiles(context, paths):
    """What `--compile` prints about a kernel and its modules is taken by a compiler."""
    def one(item):
        command, path = item
        source = context.folder() / "printed.c"
        source.write_bytes(said(command, [path], context.library)[1])
        made = subprocess.run(["gcc", "-std=gnu11", "-w", "-fsyntax-only", source], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        name = f"a compiler takes {command} of {path.name}"
        context.report.check(made.returncode == 0 and source.stat().st_size, name, made.stdout[:200].decode(errors="replace"))
    context.each([("pahole --compile", path) for path in paths] + [("pahole -F btf --compile", paths[0])], one)


def printing(context):
    if not (KERNEL / "vmlinux").exists():
        raise FileNotFoundError("no kernel to print")
    compiles(context, [KERNEL / "vmlinux", *suite_kernel.picked_modules(3)])
    compare(context, [(command, paths, paths[0] == cxx()) for command, paths in commands(context)])
