//! Damaged and hostile ELF files: errors, but no panics, no runaway memory and no endless loops.

mod elf_support;

use dwarves::elf::{ElfFile, NewSection, set_sections};
use elf_support::*;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Calls everything that reads. Results do not matter, only that there are some.
fn read_everything(path: &Path) {
    let Ok(file) = ElfFile::open(path) else { return };
    for index in 0..file.sections().len() {
        let _ = file.read_raw(index);
        if let Ok(section) = file.section_data(index) {
            let mut buf = [0; 16];
            let _ = section.read_exact_at(section.len().saturating_sub(16), &mut buf);
            let _ = section.load();
        }
    }
    for name in [".debug_info", ".debug_str", ".debug_addr", ".debug_types"] {
        let _ = file.debug_section(name);
    }
    if let Ok(Some(symbols)) = file.symbols() {
        let _ = symbols.iter().map(|symbol| symbol.name.len()).sum::<usize>();
    }
    let _ = (file.notes().is_ok(), file.build_id().is_ok(), file.debug_link().is_ok(), file.debug_alt_link().is_ok());
}

/// Reads and edits a file with these bytes.
fn exercise(path: &Path, bytes: &[u8]) {
    fs::write(path, bytes).unwrap();
    read_everything(path);
    let sections = [NewSection { name: b".BTF", data: b"contents" }, NewSection { name: b".BTF.base", data: b"base" }];
    if set_sections(path, &sections).is_ok() {
        let file = ElfFile::open(path).expect("what was written can be read");
        let index = file.section_index(b".BTF").expect("the section is there");
        assert_eq!(file.read_raw(index).unwrap(), b"contents");
    } else {
        assert_eq!(fs::read(path).unwrap(), bytes, "an error leaves the file as it was");
    }
}

/// Small files of all kinds.
fn inputs(dir: &Path) -> Vec<PathBuf> {
    let small = "struct s { int a; } t; int f(struct s *p) { return p->a; }";
    let object = compile(dir, "cc", &["-g", "-c"], small, "object");
    let program = compile(dir, "cc", &["-g", "-c", "-gz=zlib"], small, "compressed");
    let shared = compile(dir, "cc", &["-g", "-shared", "-fPIC", "-nostdlib"], small, "shared");
    let debug = dir.join("debug");
    run(Command::new("objcopy").arg("--only-keep-debug").arg(&shared).arg(&debug));
    let mut inputs = vec![object, program, shared, debug];
    for machine in ["powerpc", "riscv64", "mips64el"] {
        let out = dir.join(machine);
        let source = dir.join("object.c");
        run(Command::new("clang").arg(format!("--target={machine}-linux-gnu")).args(["-g", "-c", "-o"]).arg(&out).arg(&source));
        inputs.push(out);
    }
    inputs
}

#[test]
fn truncated_files() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("damaged");
    for input in inputs(dir.path()) {
        let bytes = fs::read(input).unwrap();
        for length in (0..bytes.len()).step_by(97) {
            exercise(&path, &bytes[..length]);
        }
    }
}

#[test]
fn random_bytes() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("damaged");
    let mut random = Random(0x1234_5678_9abc_def1);
    for input in inputs(dir.path()) {
        let bytes = fs::read(&input).unwrap();
        let table = ElfFile::open(&input).unwrap().sections().len() * 64;
        for round in 0..400 {
            let mut damaged = bytes.clone();
            for _ in 0..1 + random.below(4) {
                // Where damage does most: the ELF header, the section headers at the end, anywhere.
                let at = match round % 3 {
                    0 => random.below(64),
                    1 => bytes.len() - 1 - random.below(table),
                    _ => random.below(bytes.len()),
                };
                damaged[at] = [0, 1, 0x7f, 0x80, 0xff, random.below(256) as u8][random.below(6)];
            }
            exercise(&path, &damaged);
        }
    }
}

#[test]
fn section_counts_that_cannot_be() {
    let dir = tempfile::tempdir().unwrap();
    let path = compile(dir.path(), "cc", &["-g", "-c"], "int a;", "object");
    let good = fs::read(&path).unwrap();
    let table = u64::from_le_bytes(good[40..48].try_into().unwrap()) as usize;
    for count in [1u64, 1 << 20, 1 << 32, 1 << 58, u64::MAX] {
        let mut bytes = good.clone();
        bytes[60..62].fill(0); // e_shnum: the count is in section 0
        bytes[table + 32..table + 40].copy_from_slice(&count.to_le_bytes());
        exercise(&path, &bytes);
    }
    let mut bytes = good.clone();
    bytes[62..64].fill(0xff); // e_shstrndx: the index is in section 0
    bytes[table + 40..table + 44].fill(0xff);
    exercise(&path, &bytes);
    let mut bytes = good;
    bytes[40..48].fill(0xff); // e_shoff
    exercise(&path, &bytes);
}

#[test]
fn symbol_names_in_a_section_with_relocations() {
    let dir = tempfile::tempdir().unwrap();
    let path = compile(dir.path(), "cc", &["-g", "-c"], "int f(void) { return 1; } int g(void) { return f(); }", "object");
    let file = ElfFile::open(&path).unwrap();
    let (symbols, info) = (file.section_index(b".symtab").unwrap(), file.section_index(b".debug_info").unwrap());
    let mut bytes = fs::read(&path).unwrap();
    let table = u64::from_le_bytes(bytes[40..48].try_into().unwrap()) as usize;
    // Relocating the names would need the symbols, and the symbols their names.
    bytes[table + symbols * 64 + 40..][..4].copy_from_slice(&(info as u32).to_le_bytes());
    exercise(&path, &bytes);
}

#[test]
fn overlapping_sections_take_no_time_by_the_product() {
    // A table of 50,000 section headers that all have the same name of a megabyte, and the same contents.
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("overlapping");
    let (names_at, count) = (64usize, 50_000usize);
    let mut names = vec![b'x'; 1 << 20];
    *names.last_mut().unwrap() = 0;
    for (kind, name) in [(7u32, 0u32), (4, 0), (4, (1 << 20) - 40_000)] {
        let mut bytes = b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x01\0\x3e\0\x01\0\0\0".to_vec();
        bytes.resize(64, 0);
        bytes.extend(&names);
        let table = bytes.len() as u64;
        bytes[40..48].copy_from_slice(&table.to_le_bytes());
        bytes[58..64].copy_from_slice(&[64, 0, 0x50, 0xc3, 1, 0]);
        for index in 0..count {
            let mut header = [0; 64];
            header[..4].copy_from_slice(&name.to_le_bytes());
            header[4..8].copy_from_slice(&(if index == 1 { 3 } else { kind }).to_le_bytes());
            header[24..32].copy_from_slice(&(names_at as u64).to_le_bytes());
            header[32..40].copy_from_slice(&(1u64 << 20).to_le_bytes());
            header[44..48].copy_from_slice(&1u32.to_le_bytes());
            bytes.extend(header);
        }
        fs::write(&path, bytes).unwrap();
        let start = std::time::Instant::now();
        if let Ok(file) = ElfFile::open(&path) {
            let _ = (file.notes().is_ok(), file.section_data(1).is_ok(), file.debug_section(".debug_info").is_ok());
        }
        assert!(start.elapsed().as_secs() < 20);
    }
}
