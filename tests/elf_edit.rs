//! Putting sections into ELF files: everything else stays, programs run as before, and a failure changes nothing.

mod elf_support;

use dwarves::elf::{EditError, ElfFile, NewSection, set_sections};
use elf_support::*;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;

const CONTENTS: &[u8] = b"\x9f\xeb\x01 not really BTF";

fn set(path: &Path, name: &str, data: &[u8]) {
    set_sections(path, &[NewSection { name: name.as_bytes(), data }]).unwrap_or_else(|err| panic!("{err}"));
}

fn section(path: &Path, name: &str) -> Vec<u8> {
    let file = ElfFile::open(path).unwrap();
    file.read_raw(file.section_index(name.as_bytes()).unwrap_or_else(|| panic!("{name} is missing"))).unwrap()
}

/// All but the section header table and the table of section names is the same in `old` and `path`.
fn assert_only_added(old: &[u8], path: &Path, added: &[&str]) {
    let dir = tempfile::tempdir().unwrap();
    let old_path = dir.path().join("old");
    fs::write(&old_path, old).unwrap();
    let (before, after) = (ElfFile::open(&old_path).unwrap(), ElfFile::open(path).unwrap());
    assert_eq!(after.sections().len(), before.sections().len() + added.len());
    assert!(before.section_index(b".shstrtab").is_some());
    for (index, (a, b)) in before.sections().iter().zip(after.sections()).enumerate().skip(1) {
        assert_eq!(
            (&a.name, a.sh_type, a.flags, a.addr, a.link, a.info, a.align, a.entsize),
            (&b.name, b.sh_type, b.flags, b.addr, b.link, b.info, b.align, b.entsize)
        );
        if *a.name != *b".shstrtab" {
            assert_eq!((a.offset, a.size), (b.offset, b.size), "{}", a.display_name());
            assert_eq!(before.read_raw(index).unwrap(), after.read_raw(index).unwrap(), "{}", a.display_name());
        }
    }
    for (section, name) in after.sections()[before.sections().len()..].iter().zip(added) {
        assert_eq!(section.display_name(), *name);
        let header = (section.sh_type, section.flags, section.addr, section.link, section.info, section.align, section.entsize);
        assert_eq!(header, (1, 0, 0, 0, 0, 1, 0), "like objcopy's");
        assert_eq!(section.offset % 8, 0);
    }
    // Nothing complains, and the segments are the same. (With tens of thousands of sections, listing symbols takes minutes.)
    let all = if after.sections().len() < 0xff00 { "-aW" } else { "-hSlW" };
    let output = output(Command::new("readelf").arg(all).arg(path));
    assert!(output.status.success() && output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    let segments =
        |path: &Path| run(Command::new("readelf").arg("-lW").arg(path)).split_once("Program Headers").map(|x| x.1.to_owned());
    assert_eq!(segments(&old_path), segments(path));
}

#[test]
fn programs_get_sections_and_still_run() {
    let dir = tempfile::tempdir().unwrap();
    for (name, args) in [
        ("program", &["-g"][..]),
        ("static", &["-static"][..]),
        ("static-pie", &["-static-pie"][..]),
        ("no-pie", &["-no-pie", "-s"][..]),
        ("compressed", &["-g", "-gz=zlib"][..]),
        ("clang", &["-g", "-fuse-ld=lld"][..]),
    ] {
        let compiler = if name == "clang" { "clang" } else { "cc" };
        let path = compile(dir.path(), compiler, args, PROGRAM, name);
        let before = run(&mut Command::new(&path));
        let old = fs::read(&path).unwrap();
        set(&path, ".BTF", CONTENTS);
        assert_only_added(&old, &path, &[".BTF"]);
        assert_eq!(section(&path, ".BTF"), CONTENTS);
        assert_eq!(run(&mut Command::new(&path)), before, "{name}");
        // Others' tools read it, and keep it.
        let (dumped, copy) = (dir.path().join("dumped"), dir.path().join("copy"));
        for objcopy in ["objcopy", "llvm-objcopy"] {
            if name == "static" && objcopy == "llvm-objcopy" {
                continue; // It cannot read what glibc's static startup needs (.rela.plt), edited or not.
            }
            run(Command::new(objcopy).arg(format!("--dump-section=.BTF={}", dumped.display())).arg(&path).arg(&copy));
            assert_eq!(fs::read(&dumped).unwrap(), CONTENTS);
            assert_eq!(run(&mut Command::new(&copy)), before, "{name} {objcopy}");
        }
    }
}

#[test]
fn replacing_reuses_the_space() {
    let dir = tempfile::tempdir().unwrap();
    let path = compile(dir.path(), "cc", &["-g"], PROGRAM, "program");
    let old = fs::read(&path).unwrap();
    set(&path, ".BTF", CONTENTS);
    let first = fs::read(&path).unwrap();
    set(&path, ".BTF", CONTENTS);
    assert!(fs::read(&path).unwrap() == first, "the same again is the same file");
    set(&path, ".BTF", &[7; 100_000]);
    assert_eq!(section(&path, ".BTF"), [7; 100_000]);
    set(&path, ".BTF", CONTENTS);
    assert!(fs::read(&path).unwrap() == first, "shrinks back");

    let both = [NewSection { name: b".BTF", data: &[1; 77] }, NewSection { name: b".BTF.base", data: &[2; 33] }];
    set_sections(&path, &both).unwrap();
    assert_only_added(&old, &path, &[".BTF", ".BTF.base"]);
    assert_eq!((section(&path, ".BTF"), section(&path, ".BTF.base")), (vec![1; 77], vec![2; 33]));
    let two = fs::read(&path).unwrap();
    set_sections(&path, &both).unwrap();
    assert!(fs::read(&path).unwrap() == two);
    set_sections(&path, &[]).unwrap();
    assert!(fs::read(&path).unwrap() == two);
    run(&mut Command::new(&path));
    set(&path, ".BTF", b"");
    assert_eq!(section(&path, ".BTF"), b"");
}

#[test]
fn sections_made_by_objcopy_keep_their_number() {
    let dir = tempfile::tempdir().unwrap();
    let path = compile(dir.path(), "cc", &["-g"], PROGRAM, "program");
    let contents = dir.path().join("contents");
    fs::write(&contents, [3; 5000]).unwrap();
    run(Command::new("objcopy").arg(format!("--add-section=.BTF={}", contents.display())).arg(&path));
    let old = fs::read(&path).unwrap();
    let number = ElfFile::open(&path).unwrap().section_index(b".BTF").unwrap();
    for data in [&[4; 9000][..], CONTENTS] {
        set(&path, ".BTF", data);
        let file = ElfFile::open(&path).unwrap();
        assert_eq!(file.section_index(b".BTF"), Some(number));
        assert_eq!(section(&path, ".BTF"), data);
        assert_eq!(file.sections().len(), ElfFile::open(&path).unwrap().sections().len());
    }
    assert!(fs::metadata(&path).unwrap().len() <= old.len() as u64 + 16_384);
    run(&mut Command::new(&path));
}

#[test]
fn objects_still_link() {
    let dir = tempfile::tempdir().unwrap();
    let object = compile(dir.path(), "cc", &["-g", "-c"], PROGRAM, "object.o");
    let old = fs::read(&object).unwrap();
    set(&object, ".BTF", CONTENTS);
    assert_only_added(&old, &object, &[".BTF"]);
    let program = dir.path().join("program");
    run(Command::new("cc").arg("-o").arg(&program).arg(&object));
    assert!(run(&mut Command::new(&program)).starts_with("sum "));

    let shared = compile(dir.path(), "cc", &["-g", "-shared", "-fPIC"], "int f(void) { return 5; }", "libf.so");
    set(&shared, ".BTF", CONTENTS);
    let source = "#include <stdio.h>\nint f(void); int main(void) { printf(\"%d\\n\", f()); return 0; }";
    let (user, input) = (dir.path().join("user"), dir.path().join("user.c"));
    fs::write(&input, source).unwrap();
    run(Command::new("cc").arg("-o").arg(&user).arg(&input).arg(&shared).arg("-Wl,-rpath,$ORIGIN"));
    assert_eq!(run(&mut Command::new(&user)), "5\n");
}

#[test]
fn other_classes_and_byte_orders() {
    let dir = tempfile::tempdir().unwrap();
    let source = dir.path().join("freestanding.c");
    fs::write(&source, FREESTANDING).unwrap();
    for machine in ["i386", "powerpc", "powerpc64", "s390x", "mips64el", "riscv32", "bpfeb"] {
        let path = dir.path().join(machine);
        run(Command::new("clang").arg(format!("--target={machine}-linux-gnu")).args(["-g", "-c", "-o"]).arg(&path).arg(&source));
        let old = fs::read(&path).unwrap();
        set(&path, ".BTF", CONTENTS);
        // LLVM's assembler shares one table between the names of symbols and of sections: what is added goes to a copy of it.
        let file = ElfFile::open(&path).unwrap();
        assert_eq!(section(&path, ".BTF"), CONTENTS, "{machine}");
        let symbols = file.symbols().unwrap().unwrap();
        assert!(symbols.iter().any(|symbol| symbol.name == b"sum"), "{machine}");
        assert!(fs::read(&path).unwrap().len() > old.len());
        let output = output(Command::new("readelf").arg("-aW").arg(&path));
        assert!(output.status.success(), "{machine}");
        let dump = dir.path().join("dump");
        run(Command::new("llvm-objcopy").arg(format!("--dump-section=.BTF={}", dump.display())).arg(&path).arg("/dev/null"));
        assert_eq!(fs::read(&dump).unwrap(), CONTENTS, "{machine}");
    }
}

#[test]
fn many_sections_cross_the_limit_of_the_header() {
    let dir = tempfile::tempdir().unwrap();
    let trial = many_sections(dir.path(), 10, "trial.o");
    let overhead = ElfFile::open(&trial).unwrap().sections().len() - 10;
    // The last count that the ELF header can hold, the first it cannot, and far more.
    for count in [0xfeff, 0xff00, 66_000] {
        // Above 0xff00 there is one more: the one with the symbols' section numbers.
        let overhead = overhead + usize::from(count > 0xff00);
        let path = many_sections(dir.path(), count - overhead, "many.o");
        assert_eq!(ElfFile::open(&path).unwrap().sections().len(), count);
        let old = fs::read(&path).unwrap();
        set(&path, ".BTF", CONTENTS);
        let file = ElfFile::open(&path).unwrap();
        assert_eq!((file.sections().len(), file.section_index(b".BTF")), (count + 1, Some(count)));
        assert_eq!(section(&path, ".BTF"), CONTENTS);
        assert_only_added(&old, &path, &[".BTF"]);
        let first = fs::read(&path).unwrap();
        set(&path, ".BTF", CONTENTS);
        assert!(fs::read(&path).unwrap() == first);
    }
}

#[test]
fn files_with_debugging_information_alone() {
    let dir = tempfile::tempdir().unwrap();
    let program = compile(dir.path(), "cc", &["-g"], PROGRAM, "program");
    let debug = dir.path().join("objcopy.debug");
    run(Command::new("objcopy").arg("--only-keep-debug").arg(&program).arg(&debug));
    let stripped = dir.path().join("eu-strip.debug");
    run(Command::new("eu-strip").arg("-f").arg(&stripped).arg("-o").arg(dir.path().join("stripped")).arg(&program));
    for path in [debug, stripped] {
        let old = fs::read(&path).unwrap();
        set(&path, ".BTF", CONTENTS);
        assert_eq!(section(&path, ".BTF"), CONTENTS);
        let (before, after) = (tempfile::NamedTempFile::new().unwrap(), ElfFile::open(&path).unwrap());
        fs::write(before.path(), old).unwrap();
        let before = ElfFile::open(before.path()).unwrap();
        for name in [".debug_info", ".debug_str", ".debug_line"] {
            let load = |file: &ElfFile| file.debug_section(name).unwrap().unwrap().load().unwrap();
            assert_eq!(load(&before), load(&after));
        }
        // A debugger still takes it as belonging to the program.
        assert_eq!(before.build_id().unwrap(), after.build_id().unwrap());
    }
}

#[test]
fn loaded_sections_are_changed_where_they_are() {
    let dir = tempfile::tempdir().unwrap();
    let source = "#include <stdio.h>\n__attribute__((section(\".BTF\"), used)) const volatile unsigned char btf[64] = { 9 };\n\
                  int main(void) { printf(\"%d %d\\n\", btf[0], btf[63]); return 0; }";
    let path = compile(dir.path(), "cc", &["-g"], source, "program");
    let old = fs::read(&path).unwrap();
    let before = ElfFile::open(&path).unwrap(); // Stays open on the first file, which is replaced.
    let index = before.section_index(b".BTF").unwrap();
    assert_eq!(before.sections()[index].flags & 2, 2);
    set(&path, ".BTF", &[5; 64]);
    assert_eq!(run(&mut Command::new(&path)), "5 5\n");
    set(&path, ".BTF", &[6; 10]);
    assert_eq!(run(&mut Command::new(&path)), "6 0\n");
    let after = ElfFile::open(&path).unwrap();
    let (a, b) = (&before.sections()[index], &after.sections()[index]);
    assert_eq!((a.offset, a.addr, a.flags, a.sh_type, 10), (b.offset, b.addr, b.flags, b.sh_type, b.size));

    // What does not fit is not loaded, and the program keeps what it had.
    fs::write(&path, &old).unwrap();
    for data in [&[1; 65][..], &[2; 5000]] {
        set(&path, ".BTF", data);
        assert_eq!(run(&mut Command::new(&path)), "9 0\n");
        assert_eq!(section(&path, ".BTF"), data);
        let after = ElfFile::open(&path).unwrap();
        let section = &after.sections()[index];
        assert_eq!((section.display_name().as_str(), section.addr, section.flags & 2), (".BTF", 0, 0));
        for (a, b) in
            before.sections().iter().zip(after.sections()).filter(|(a, _)| !a.name.ends_with(b"strtab") && *a.name != *b".BTF")
        {
            assert_eq!((&a.name, a.offset, a.size, a.addr, a.flags), (&b.name, b.offset, b.size, b.addr, b.flags));
        }
    }
}

#[test]
fn what_follows_the_sections_is_kept() {
    let dir = tempfile::tempdir().unwrap();
    let path = compile(dir.path(), "cc", &["-g"], PROGRAM, "program");
    let mut bytes = fs::read(&path).unwrap();
    let end = bytes.len();
    bytes.extend(b"signature or archive appended by somebody else");
    fs::write(&path, &bytes).unwrap();
    set(&path, ".BTF", CONTENTS);
    assert!(fs::read(&path).unwrap()[end..].starts_with(&bytes[end..]));
    assert_eq!(section(&path, ".BTF"), CONTENTS);
    run(&mut Command::new(&path));
}

#[test]
fn files_that_cannot_take_a_section() {
    let dir = tempfile::tempdir().unwrap();
    let path = compile(dir.path(), "cc", &[], PROGRAM, "program");
    let good = fs::read(&path).unwrap();
    let try_with = |bytes: &[u8]| {
        fs::write(&path, bytes).unwrap();
        let error = set_sections(&path, &[NewSection { name: b".BTF", data: CONTENTS }]).unwrap_err();
        assert!(fs::read(&path).unwrap() == bytes);
        assert!(error.to_string().starts_with(&path.display().to_string()), "{error}");
        error
    };
    let mut no_table = good.clone();
    no_table[40..48].fill(0);
    no_table[60..64].fill(0);
    assert!(matches!(try_with(&no_table), EditError::NoSections { .. }));
    let mut no_names = good.clone();
    no_names[62..64].fill(0);
    assert!(matches!(try_with(&no_names), EditError::NoSections { .. }));
    assert!(matches!(try_with(b"text"), EditError::Elf(_)));
    assert!(matches!(try_with(&good[..good.len() / 2]), EditError::Elf(_)));
    let edit = |path: &Path| set_sections(path, &[NewSection { name: b".BTF", data: CONTENTS }]).unwrap_err();
    assert!(matches!(edit(dir.path()), EditError::NotRegular { .. }));
    assert!(matches!(edit(Path::new("/dev/null")), EditError::NotRegular { .. }));
    let fifo = dir.path().join("fifo");
    run(Command::new("mkfifo").arg(&fifo));
    assert!(matches!(edit(&fifo), EditError::NotRegular { .. }));
    assert!(matches!(edit(&dir.path().join("missing")), EditError::Open { .. }));
}

#[test]
fn mode_owner_attributes_and_links() {
    let dir = tempfile::tempdir().unwrap();
    let path = compile(dir.path(), "cc", &["-g"], PROGRAM, "program");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o4751)).unwrap();
    if is_root() {
        std::os::unix::fs::chown(&path, Some(1234), Some(4321)).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o4751)).unwrap();
    }
    let before = fs::metadata(&path).unwrap();
    let link = dir.path().join("link");
    symlink("program", &link).unwrap();
    // The name that older versions used for their temporary file belongs to somebody else.
    let innocent = dir.path().join("program.btf");
    fs::write(&innocent, "mine").unwrap();
    let expected = names(dir.path());

    set(&link, ".BTF", CONTENTS);
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(section(&path, ".BTF"), CONTENTS);
    let after = fs::metadata(&path).unwrap();
    assert_ne!(before.ino(), after.ino(), "replaced by a complete file");
    let rights = |metadata: &fs::Metadata| (metadata.mode(), metadata.uid(), metadata.gid());
    assert_eq!(rights(&before), rights(&after));
    assert_eq!(names(dir.path()), expected);
    assert_eq!(fs::read(&innocent).unwrap(), b"mine");

    // Both names of a file with two go on meaning the same file.
    let second = dir.path().join("second");
    fs::hard_link(&path, &second).unwrap();
    set(&path, ".BTF", &[8; 3000]);
    assert_eq!(fs::metadata(&path).unwrap().ino(), fs::metadata(&second).unwrap().ino());
    assert_eq!(section(&second, ".BTF"), [8; 3000]);
    set(&second, ".BTF", CONTENTS);
    assert_eq!(section(&path, ".BTF"), CONTENTS);
    run(&mut Command::new(&path));
    let after = fs::metadata(&path).unwrap();
    assert_eq!((before.uid(), before.gid()), (after.uid(), after.gid()));
    // What changes in place leave behind is not used again, but does not keep later ones from using their own space again.
    fs::remove_file(&second).unwrap();
    set(&path, ".BTF", CONTENTS);
    let size = fs::metadata(&path).unwrap().len();
    set(&path, ".BTF", CONTENTS);
    assert_eq!(fs::metadata(&path).unwrap().len(), size);
}

#[test]
fn a_running_program_can_be_changed() {
    let dir = tempfile::tempdir().unwrap();
    let source = "#include <unistd.h>\nint main(void) { char c; return read(0, &c, 1) != 1; }";
    let path = compile(dir.path(), "cc", &["-g"], source, "program");
    let mut child = Command::new(&path).stdin(std::process::Stdio::piped()).spawn().unwrap();
    set(&path, ".BTF", CONTENTS);
    std::io::Write::write_all(child.stdin.as_mut().unwrap(), b"x").unwrap();
    assert!(child.wait().unwrap().success());
    assert_eq!(section(&path, ".BTF"), CONTENTS);
}

/// Not a test of its own: what the tests below let a process with limits do. Ends with status 3 if editing failed.
#[test]
fn task_of_a_child() {
    let Some((task, path)) = task() else { return };
    let data = vec![1; task.parse().unwrap()];
    if let Err(error) = set_sections(&path, &[NewSection { name: b".BTF", data: &data }]) {
        eprintln!("{error}");
        std::process::exit(3);
    }
}

#[test]
fn a_full_disk_changes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let path = compile(dir.path(), "cc", &["-g"], PROGRAM, "program");
    let second = dir.path().join("second");
    let old = fs::read(&path).unwrap();
    for hard_link in [false, true] {
        if hard_link {
            fs::hard_link(&path, &second).unwrap();
        }
        let expected = names(dir.path());
        // Files may have 64 blocks of 512 bytes: enough for the copy, not for a megabyte more. The signal is ignored, or it kills.
        for (wrapper, killed) in
            [("trap '' XFSZ; ulimit -f 64; exec \"$@\"", false), ("ulimit -c 0; ulimit -f 64; exec \"$@\"", true)]
        {
            if killed && hard_link {
                continue; // In place: see the documentation of `set_sections`; the sections are the same, the bytes need not be.
            }
            let output = output(&mut child("1000000", &path, wrapper));
            if killed {
                assert_eq!(output.status.code(), None, "killed by the signal");
            } else {
                assert_eq!(output.status.code(), Some(3), "{}", String::from_utf8_lossy(&output.stderr));
                let message = String::from_utf8_lossy(&output.stderr).into_owned();
                assert!(message.contains("program: cannot be written: File too large"), "{message}");
            }
            assert!(fs::read(&path).unwrap() == old);
            assert_eq!(names(dir.path()), expected, "no temporary file is left");
        }
    }
}

#[test]
fn rights_of_others() {
    let dir = tempfile::tempdir().unwrap();
    fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let path = compile(dir.path(), "cc", &["-g"], PROGRAM, "program");
    let old = fs::read(&path).unwrap();
    if is_root() {
        // Neither the file nor the directory may be written to.
        let output = output(&mut unprivileged_child("100", &path, dir.path()));
        assert_eq!(output.status.code(), Some(3));
        assert!(String::from_utf8_lossy(&output.stderr).contains("program: cannot be opened for writing: Permission denied"));
        assert!(fs::read(&path).unwrap() == old);
    }
    // The file may, the directory may not: changed in place.
    fs::set_permissions(&path, fs::Permissions::from_mode(0o777)).unwrap();
    if !is_root() {
        fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o555)).unwrap();
    }
    let before = fs::metadata(&path).unwrap();
    run(&mut unprivileged_child("100", &path, dir.path()));
    fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o777)).unwrap();
    assert_eq!(section(&path, ".BTF"), [1; 100]);
    // Both may, but the owner is somebody else, who would lose the file if it were replaced.
    if is_root() {
        run(&mut unprivileged_child("200", &path, dir.path()));
        assert_eq!(section(&path, ".BTF"), [1; 200]);
    }
    let after = fs::metadata(&path).unwrap();
    assert_eq!((before.ino(), before.uid(), before.mode()), (after.ino(), after.uid(), after.mode()));
    run(&mut Command::new(&path));
}

#[test]
fn kernel_modules() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("module.ko");
    for module in modules().iter().step_by(20) {
        let old = fs::read(module).unwrap();
        fs::write(&path, &old).unwrap();
        let sections = [NewSection { name: b".BTF", data: &[1; 4444] }, NewSection { name: b".BTF.base", data: &[2; 333] }];
        set_sections(&path, &sections).unwrap();
        assert_eq!((section(&path, ".BTF"), section(&path, ".BTF.base")), (vec![1; 4444], vec![2; 333]));
        let (before, after) = (ElfFile::open(module).unwrap(), ElfFile::open(&path).unwrap());
        for (index, (a, b)) in before.sections().iter().zip(after.sections()).enumerate().skip(1) {
            assert_eq!(a.name, b.name);
            if *a.name != *b".shstrtab" && *a.name != *b".BTF" && *a.name != *b".BTF.base" {
                assert_eq!((a.offset, a.size, a.addr, a.flags), (b.offset, b.size, b.addr, b.flags));
                assert!(before.read_raw(index).unwrap() == after.read_raw(index).unwrap());
            }
        }
        let once = fs::read(&path).unwrap();
        set_sections(&path, &sections).unwrap();
        assert!(fs::read(&path).unwrap() == once, "{}", module.display());
    }
}
