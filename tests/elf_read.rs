//! Reading ELF files, compared with readelf and with elfutils' libdwfl, the library that DWARF was read with before.

mod elf_support;

use dwarves::elf::{ElfError, ElfFile};
use elf_support::*;
use std::fmt::Write;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Data of all debugging sections by name, decompressed.
fn debug_sections(path: &Path) -> Vec<(String, Vec<u8>)> {
    let file = ElfFile::open(path).unwrap();
    let load = |name: &str| file.debug_section(name).unwrap().map(|section| (name.to_owned(), section.load().unwrap()));
    [".debug_info", ".debug_abbrev", ".debug_str", ".debug_line", ".debug_line_str", ".debug_aranges"]
        .iter()
        .filter_map(|name| load(name))
        .collect()
}

#[test]
fn headers_and_sections_are_those_of_readelf() {
    let dir = tempfile::tempdir().unwrap();
    for (name, args) in [
        ("program", &["-g"][..]),
        ("static", &["-g", "-static"][..]),
        ("static-pie", &["-g", "-static-pie"][..]),
        ("shared", &["-g", "-shared", "-fPIC"][..]),
    ] {
        let path = compile(dir.path(), "cc", args, PROGRAM, name);
        let file = ElfFile::open(&path).unwrap();
        assert!(file.is_64() && file.little_endian() && file.addr_size() == 8 && !file.is_relocatable());
        let mut expected = Vec::new();
        for line in run(Command::new("readelf").arg("-SW").arg(&path)).lines() {
            // "  [ 1] .interp PROGBITS 0000000000000318 000318 00001c 00   A  0   0  1"; the null section has no name.
            let Some((index, rest)) = line.trim_start().strip_prefix('[').and_then(|line| line.split_once(']')) else { continue };
            let Ok(index) = index.trim().parse::<usize>() else { continue };
            let fields: Vec<&str> = rest.split_whitespace().collect();
            if index > 0 {
                let number = |at: usize| u64::from_str_radix(fields[at], 16).unwrap();
                expected.push((index, fields[0].to_owned(), number(2), number(3), number(4), number(5)));
            }
        }
        let actual: Vec<_> = file
            .sections()
            .iter()
            .enumerate()
            .skip(1)
            .map(|(index, s)| (index, s.display_name(), s.addr, s.offset, s.size, s.entsize))
            .collect();
        assert_eq!(actual, expected, "{name}");
        let index = file.section_index(b".text").unwrap();
        assert_eq!(file.read_raw(index).unwrap().len() as u64, file.sections()[index].size);
        let bss = file.section_index(b".bss").unwrap();
        assert!(file.read_raw(bss).unwrap().is_empty(), "a section without bytes in the file");
        assert_eq!(file.section_index(b""), None, "the null section cannot be found by name");
    }
}

#[test]
fn symbols_are_those_of_readelf() {
    let dir = tempfile::tempdir().unwrap();
    for (name, args) in [("program", &["-g"][..]), ("object", &["-g", "-c"][..])] {
        let path = compile(dir.path(), "cc", args, PROGRAM, name);
        let symbols = ElfFile::open(&path).unwrap().symbols().unwrap().unwrap();
        let listing = run(Command::new("readelf").args(["-sW", "--no-demangle"]).arg(&path));
        let table = &listing[listing.find("'.symtab'").unwrap()..];
        let mut seen = 0;
        for line in table.lines() {
            // "    12: 0000000000001139    52 FUNC    GLOBAL DEFAULT   14 sum"
            let fields: Vec<&str> = line.split_whitespace().collect();
            let Some(index) = fields.first().and_then(|first| first.strip_suffix(':')?.parse::<usize>().ok()) else { continue };
            let symbol = symbols.get(index).unwrap();
            let kind = ["NOTYPE", "OBJECT", "FUNC", "SECTION", "FILE", "COMMON", "TLS"][symbol.st_type as usize];
            let bind = ["LOCAL", "GLOBAL", "WEAK"][symbol.bind as usize];
            let visibility = ["DEFAULT", "INTERNAL", "HIDDEN", "PROTECTED"][symbol.visibility as usize];
            let section = match (symbol.reserved, symbol.shndx) {
                (false, 0) => "UND".to_owned(),
                (true, 0xfff1) => "ABS".to_owned(),
                (_, index) => index.to_string(),
            };
            assert_eq!(format!("{:016x}", symbol.value), fields[1]);
            assert_eq!([kind, bind, visibility, &section], [fields[3], fields[4], fields[5], fields[6]]);
            if symbol.st_type != 3 && !symbol.name.is_empty() {
                let shown = fields[7].split('@').next().unwrap();
                assert_eq!(String::from_utf8_lossy(symbol.name).split('@').next().unwrap(), shown);
            }
            seen += 1;
        }
        assert_eq!(seen, symbols.len());
        assert_eq!(symbols.iter().count(), symbols.len());
    }
    run(Command::new("strip").arg(dir.path().join("program")));
    assert!(ElfFile::open(&dir.path().join("program")).unwrap().symbols().unwrap().is_none());
}

#[test]
fn more_than_65535_sections() {
    let dir = tempfile::tempdir().unwrap();
    let path = many_sections(dir.path(), 66_000, "many.o");
    let file = ElfFile::open(&path).unwrap();
    assert!(file.sections().len() > 66_000);
    let index = file.section_index(b".s65999").unwrap();
    assert_eq!(file.read_raw(index).unwrap(), [1]);
    let symbols = file.symbols().unwrap().unwrap();
    for (name, section) in [("sym65999", ".s65999"), ("sym65280", ".s65280"), ("sym3", ".s3")] {
        let symbol = symbols.iter().find(|symbol| symbol.name == name.as_bytes()).unwrap();
        assert!(!symbol.reserved);
        assert_eq!(file.sections()[symbol.shndx as usize].display_name(), section);
    }
}

#[test]
fn compressed_sections_read_as_uncompressed_ones() {
    let dir = tempfile::tempdir().unwrap();
    let plain = compile(dir.path(), "cc", &["-g"], PROGRAM, "plain");
    let expected = debug_sections(&plain);
    assert!(expected.len() >= 4);
    for format in ["zlib", "zlib-gnu"] {
        let path = dir.path().join(format);
        run(Command::new("objcopy").arg(format!("--compress-debug-sections={format}")).arg(&plain).arg(&path));
        assert_eq!(debug_sections(&path), expected, "{format}");
        let is_compressed =
            ElfFile::open(&path).unwrap().sections().iter().any(|s| s.flags & 0x800 != 0 || s.name.starts_with(b".z"));
        assert!(is_compressed);
    }
    let object = compile(dir.path(), "cc", &["-g", "-c"], PROGRAM, "object");
    let compressed = compile(dir.path(), "cc", &["-g", "-c", "-gz=zlib"], PROGRAM, "object");
    assert_eq!(debug_sections(&compressed), {
        run(Command::new("objcopy").arg("--decompress-debug-sections").arg(&object));
        debug_sections(&object)
    });
}

/// Makes `section` of `plain` a compressed one with the compression type `kind`, as a linker does: header, then data.
fn with_compressed_section(plain: &Path, to: &Path, section: &str, kind: u32, size: u64, data: &[u8]) {
    let mut contents = kind.to_le_bytes().to_vec();
    contents.extend([0; 4]);
    contents.extend(size.to_le_bytes());
    contents.extend(1u64.to_le_bytes());
    contents.extend(data);
    let contents_path = to.with_extension("contents");
    fs::write(&contents_path, contents).unwrap();
    run(Command::new("objcopy").arg("--update-section").arg(format!("{section}={}", contents_path.display())).arg(plain).arg(to));
    let index = ElfFile::open(to).unwrap().section_index(section.as_bytes()).unwrap();
    let mut bytes = fs::read(to).unwrap();
    let table = u64::from_le_bytes(bytes[40..48].try_into().unwrap()) as usize;
    bytes[table + 64 * index + 9] |= 8; // SHF_COMPRESSED
    fs::write(to, bytes).unwrap();
}

#[test]
fn zstd_and_false_sizes() {
    let dir = tempfile::tempdir().unwrap();
    let plain = compile(dir.path(), "cc", &["-g"], PROGRAM, "plain");
    let file = ElfFile::open(&plain).unwrap();
    let data = file.debug_section(".debug_info").unwrap().unwrap().load().unwrap();
    let raw = dir.path().join("raw");
    fs::write(&raw, &data).unwrap();
    run(Command::new("zstd").args(["-q", "-f"]).arg(&raw));
    let zstd = fs::read(dir.path().join("raw.zst")).unwrap();
    let path = dir.path().join("zstd");
    let read = || ElfFile::open(&path).unwrap().debug_section(".debug_info").map(|section| section.unwrap().load().unwrap());

    with_compressed_section(&plain, &path, ".debug_info", 2, data.len() as u64, &zstd);
    assert_eq!(read().unwrap(), data);
    for (kind, size, contents) in [
        (2, data.len() as u64 + 1, &zstd[..]),
        (2, data.len() as u64 - 1, &zstd),
        (2, 1 << 60, &zstd),
        (1, data.len() as u64, &zstd),
        (3, data.len() as u64, &zstd),
        (2, data.len() as u64, &zstd[..zstd.len() / 2]),
        (1, u64::MAX, &[]),
    ] {
        with_compressed_section(&plain, &path, ".debug_info", kind, size, contents);
        let error = read().unwrap_err();
        assert!(matches!(error, ElfError::Compression { .. }), "{error}");
        assert!(error.to_string().contains(".debug_info"), "{error}");
    }
}

#[test]
fn notes_build_id_and_links() {
    let dir = tempfile::tempdir().unwrap();
    let path = compile(dir.path(), "cc", &["-g", "-Wl,--build-id=0x0123456789abcdef"], PROGRAM, "program");
    let expected = [0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef];
    let file = ElfFile::open(&path).unwrap();
    assert_eq!(file.build_id().unwrap().unwrap(), expected);
    assert!(file.debug_link().unwrap().is_none() && file.debug_alt_link().unwrap().is_none());

    let alt = dir.path().join("alt");
    fs::write(&alt, [&b"/shared/alt.debug\0"[..], &expected].concat()).unwrap();
    run(Command::new("objcopy").arg(format!("--add-section=.gnu_debugaltlink={}", alt.display())).arg(&path));
    let debug = dir.path().join("program.debug");
    run(Command::new("objcopy").arg("--only-keep-debug").arg(&path).arg(&debug));
    run(Command::new("objcopy").arg(format!("--add-gnu-debuglink={}", debug.display())).arg(&path));
    let file = ElfFile::open(&path).unwrap();
    let link = file.debug_alt_link().unwrap().unwrap();
    assert_eq!((link.file.as_slice(), link.check.as_slice()), (&b"/shared/alt.debug"[..], &expected[..]));
    let link = file.debug_link().unwrap().unwrap();
    assert_eq!((link.file.as_slice(), link.check.len()), (&b"program.debug"[..], 4));
    // The file that was split off has the same build id, and no code.
    let file = ElfFile::open(&debug).unwrap();
    assert_eq!(file.build_id().unwrap().unwrap(), expected);
    assert!(file.read_raw(file.section_index(b".text").unwrap()).unwrap().is_empty());

    // What Linux 5.12 and later put into a kernel or module built with link-time optimization.
    let source = "__asm__(\".section .note.Linux,\\\"a\\\",@note\\n.long 6,4,0x101\\n.asciz \\\"Linux\\\"\\n.balign 4\\n.long 1\\n.previous\");";
    let object = compile(dir.path(), "cc", &["-c"], source, "lto");
    let notes = ElfFile::open(&object).unwrap().notes().unwrap();
    let note = notes.iter().find(|note| note.name == b"Linux").unwrap();
    assert_eq!((note.kind, note.desc.as_slice()), (0x101, &[1, 0, 0, 0][..]));
}

#[test]
fn errors_say_what_is_wrong() {
    let dir = tempfile::tempdir().unwrap();
    let open = |name: &str, contents: &[u8]| {
        let path = dir.path().join(name);
        fs::write(&path, contents).unwrap();
        ElfFile::open(&path).err().unwrap()
    };
    let missing = ElfFile::open(&dir.path().join("missing")).err().unwrap();
    assert!(matches!(&missing, ElfError::Open { source, .. } if source.kind() == ErrorKind::NotFound), "{missing}");
    let directory = ElfFile::open(dir.path()).err().unwrap();
    assert!(matches!(&directory, ElfError::Open { source, .. } if source.kind() == ErrorKind::IsADirectory), "{directory}");
    assert!(matches!(open("empty", b""), ElfError::NotElf { .. }));
    assert!(matches!(open("text", b"#!/bin/sh\necho this is no ELF file\n"), ElfError::NotElf { .. }));
    assert!(matches!(open("short", b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0"), ElfError::Header { .. }));
    assert!(matches!(open("class", b"\x7fELF\x03\x01\x01\0\0\0\0\0\0\0\0\0"), ElfError::Header { .. }));
}

#[test]
fn a_file_that_shrinks_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    let path = compile(dir.path(), "cc", &["-g", "-static"], PROGRAM, "program");
    let file = ElfFile::open(&path).unwrap();
    let largest = (1..file.sections().len()).max_by_key(|&index| file.sections()[index].size).unwrap();
    let section = file.section_data(largest).unwrap();
    assert!(section.as_slice().is_none(), "large sections are read piece by piece");
    let mut last = [0; 1];
    section.read_exact_at(section.len() - 1, &mut last).unwrap();
    let error = section.read_exact_at(section.len(), &mut last).unwrap_err();
    assert!(matches!(error, ElfError::OutOfRange { .. }), "{error}");
    assert!(section.read_exact_at(u64::MAX, &mut last).is_err());
    fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(4096).unwrap();
    let error = section.read_exact_at(section.len() - 1, &mut last).unwrap_err();
    assert!(matches!(&error, ElfError::Read { source, .. } if source.kind() == ErrorKind::UnexpectedEof), "{error}");
    assert!(file.symbols().is_err());
}

#[test]
fn unknown_relocations_are_errors() {
    let dir = tempfile::tempdir().unwrap();
    let path = compile(dir.path(), "cc", &["-g", "-c"], PROGRAM, "object");
    let file = ElfFile::open(&path).unwrap();
    let table = file.section_index(b".rela.debug_info").unwrap();
    let at = file.sections()[table].offset as usize;
    let mut bytes = fs::read(&path).unwrap();
    let place = u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap());
    bytes[at + 8] = 200;
    fs::write(&path, &bytes).unwrap();
    let error = ElfFile::open(&path).unwrap().debug_section(".debug_info").unwrap_err();
    assert!(
        matches!(&error, ElfError::UnknownRelocation { machine: 62, kind: 200, offset, section, .. } if *offset == place && section == ".debug_info"),
        "{error}"
    );
    assert!(ElfFile::open(&path).unwrap().debug_section(".debug_line").is_ok(), "others are not affected");
    bytes[at + 8] = 10;
    bytes[at + 7] = 0x70;
    fs::write(&path, &bytes).unwrap();
    let error = ElfFile::open(&path).unwrap().debug_section(".debug_info").unwrap_err();
    assert!(matches!(error, ElfError::BadRelocation { .. }), "{error}");
}

/// The program that prints what libdwfl makes of a file, run with the reference's libraries.
struct Reference {
    command: Vec<PathBuf>,
}

impl Reference {
    fn new(dir: &Path) -> Reference {
        let libraries = root().join("target/frontends/root/usr/lib/x86_64-linux-gnu");
        assert!(
            libraries.join("libdw.so.1").exists(),
            "no reference libraries in {libraries:?}: run scripts/setup frontends first"
        );
        let program = dir.join("libdwfl");
        run(Command::new("cc")
            .arg("-o")
            .arg(&program)
            .arg(root().join("tests/elf_support/libdwfl.c"))
            .arg("-Wl,--allow-shlib-undefined")
            .args(["libdw.so.1", "libelf.so.1"].map(|name| libraries.join(name))));
        Reference { command: vec![libraries.join("ld-linux-x86-64.so.2"), "--library-path".into(), libraries, program] }
    }

    fn compare(&self, files: &[PathBuf]) {
        let expected = run(Command::new(&self.command[0]).args(&self.command[1..]).args(files));
        let mut expected = expected.split("== ").skip(1);
        for path in files {
            let expected = expected.next().unwrap();
            let actual = describe(path);
            for (ours, theirs) in actual.lines().zip(expected.lines()) {
                assert_eq!(ours, theirs, "{}: ours, libdwfl's", path.display());
            }
            assert_eq!(actual.lines().count(), expected.lines().count(), "{}", path.display());
        }
    }
}

/// What `libdwfl.c` prints, from our reader.
fn describe(path: &Path) -> String {
    let file = ElfFile::open(path).unwrap();
    let mut text = format!("{}\n", path.display());
    for (index, section) in file.sections().iter().enumerate() {
        let name = section.display_name();
        if section.flags & 2 != 0 {
            writeln!(text, "{index} {name} at {:x}", section.addr).unwrap();
        }
        if name.starts_with(".debug") && section.sh_type != 8 {
            let contents = file.section_data(index).unwrap().load().unwrap();
            let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
            let hash = contents.iter().fold(0xcbf2_9ce4_8422_2325, step);
            writeln!(text, "{index} {name} {:x} bytes {hash:x}", contents.len()).unwrap();
        }
    }
    text
}

#[test]
fn objects_are_relocated_as_by_libdwfl() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let mut files = vec![
        compile(dir, "cc", &["-g", "-c"], PROGRAM, "plain.o"),
        compile(dir, "cc", &["-g", "-c", "-O2", "-ffunction-sections", "-fdata-sections"], PROGRAM, "sections.o"),
        compile(dir, "cc", &["-g", "-c", "-gdwarf-4", "-fdebug-types-section"], PROGRAM, "types.o"),
        compile(dir, "cc", &["-g", "-c", "-gz=zlib"], PROGRAM, "compressed.o"),
        compile(dir, "cc", &["-g", "-c", "-fcommon"], "int common[7]; struct s { int a; } t;", "common.o"),
        compile(dir, "clang", &["-g", "-c"], PROGRAM, "clang.o"),
    ];
    let joined = dir.join("joined.o");
    run(Command::new("ld").args(["-r", "-z", "muldefs", "-o"]).arg(&joined).args(&files[..2]));
    files.push(joined);
    // Those of the machines that libdwfl knows and clang has the code generator of; REL and RELA, 32 and 64 bits, both byte orders.
    for machine in
        ["i386", "aarch64", "aarch64_be", "armv7", "armv7eb", "s390x", "powerpc", "powerpc64", "powerpc64le", "sparcv9", "mips"]
    {
        let source = dir.join("freestanding.c");
        fs::write(&source, FREESTANDING).unwrap();
        let object = dir.join(format!("{machine}.o"));
        let mut clang = Command::new("clang");
        clang.arg(format!("--target={machine}-linux-gnu")).args(["-g", "-O1", "-c", "-o"]).arg(&object).arg(&source);
        if output(&mut clang).status.success() {
            files.push(object);
        }
    }
    assert!(files.len() > 12, "clang lacks other machines");
    Reference::new(dir).compare(&files);
}

/// Compiles [`FREESTANDING`] for `machine` and compares what our relocated sections decode to with what LLVM's do.
#[test]
fn machines_that_libdwfl_gets_wrong() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let source = dir.join("freestanding.c");
    fs::write(&source, FREESTANDING).unwrap();
    let machines = [
        "riscv64", "riscv32", "mips64el", "mips", "bpfel", "bpfeb", "avr", "msp430", "hexagon", "lanai", "ve", "m68k", "sparcv9",
    ];
    for machine in machines {
        let object = dir.join(format!("{machine}.o"));
        let args = ["-g", "-O1", "-c", "-gdwarf-5", "-fintegrated-as", "-o"];
        run(Command::new("clang").arg(format!("--target={machine}-linux-gnu")).args(args).arg(&object).arg(&source));
        let file = ElfFile::open(&object).unwrap();
        for (index, section) in file.sections().iter().enumerate().filter(|(_, section)| section.name.starts_with(b".debug")) {
            file.section_data(index).unwrap_or_else(|err| panic!("{machine} {}: {err}", section.display_name()));
        }
        // .debug_str_offsets: a header of eight bytes, then the offset of every string, ascending from the first one.
        let offsets = file.debug_section(".debug_str_offsets").unwrap().unwrap().load().unwrap();
        let strings = file.debug_section(".debug_str").unwrap().unwrap().load().unwrap();
        let number = |bytes: &[u8]| {
            let raw = bytes.try_into().unwrap();
            if file.little_endian() { u32::from_le_bytes(raw) } else { u32::from_be_bytes(raw) }
        };
        let mut expected = 0;
        for offset in offsets[8..].chunks_exact(4).map(number) {
            assert_eq!(offset, expected, "{machine}");
            expected += strings[offset as usize..].iter().position(|&byte| byte == 0).unwrap() as u32 + 1;
        }
        assert_eq!(expected as usize, strings.len(), "{machine}");
    }
}

#[test]
fn modules_are_relocated_as_by_libdwfl() {
    let dir = tempfile::tempdir().unwrap();
    let modules = modules();
    let small = |path: &&PathBuf| fs::metadata(path).unwrap().len() < 4 << 20;
    let mut files: Vec<PathBuf> = modules.iter().filter(small).step_by(7).cloned().collect();
    files.extend(modules.iter().max_by_key(|path| fs::metadata(path).unwrap().len()).cloned());
    Reference::new(dir.path()).compare(&files);
}
