//! The fuzz targets on the stable toolchain: seeds of all kinds, damaged at random but the same in every run.
//!
//! `DWARVES_FUZZ_ROUNDS` makes it longer.

#[path = "../fuzz/src/lib.rs"]
mod targets;

mod btf_support;
mod elf_support;

use btf_support::build;
use btf_support::generate::{Program, Rng};
use elf_support::{compile, run};
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// Damaged copies of each seed.
fn rounds() -> usize {
    std::env::var("DWARVES_FUZZ_ROUNDS").ok().and_then(|n| n.parse().ok()).unwrap_or(150)
}

/// Overwrites, cuts, repeats and moves bytes.
fn damage(rng: &mut Rng, bytes: &mut Vec<u8>, from: usize) {
    for _ in 0..1 + rng.below(4) {
        let at = from + rng.below((bytes.len() - from).max(1));
        if at >= bytes.len() {
            return;
        }
        match rng.below(8) {
            0 => bytes[at] ^= 1 << rng.below(8),
            1 => bytes[at] = [0, 1, 0x7f, 0x80, 0xff][rng.below(5)],
            2 => bytes[at] = rng.below(256) as u8,
            3 => {
                let word = [0u32, 1, 0x7fff_ffff, 0x8000_0000, u32::MAX, 0xffff_0000, 0x1000_0000][rng.below(7)];
                let end = bytes.len().min(at + 4);
                bytes[at..end].copy_from_slice(&word.to_le_bytes()[..end - at]);
            }
            4 => {
                let (other, len) = (rng.below(bytes.len()), rng.below(32));
                let piece = bytes[other..bytes.len().min(other + len)].to_vec();
                let end = bytes.len().min(at + piece.len());
                bytes[at..end].copy_from_slice(&piece[..end - at]);
            }
            5 => {
                let end = bytes.len().min(at + rng.below(16));
                bytes[at..end].fill(0xff);
            }
            6 if rng.chance(10) => bytes.truncate(at),
            _ => bytes[at] = bytes[at].wrapping_add(1),
        }
    }
}

/// Runs a target on seeds, each as it is and damaged; no run takes long.
fn exercise(target: fn(&[u8]), seeds: &[Vec<u8>], from: usize) {
    let mut rng = Rng(7);
    for seed in seeds {
        target(seed);
        for _ in 0..rounds() {
            let mut bytes = seed.clone();
            damage(&mut rng, &mut bytes, from.min(seed.len()));
            let start = Instant::now();
            target(&bytes);
            if start.elapsed() > Duration::from_secs(10) {
                let path = std::env::temp_dir().join("dwarves-fuzz-slow");
                fs::write(&path, &bytes).expect("the folder for temporary files can be written");
                panic!("took {:?}: {}", start.elapsed(), path.display());
            }
        }
    }
}

const C: &str = "
typedef unsigned long size_t;
struct s { int a : 3, b; char c[4]; struct s *n; union { double d; float f[2]; }; enum e { one, two = -2 } e; };
enum big { small, large = 0x100000000 };
struct s v; static __thread int t; int (*fp)(struct s *, ...);
static inline int three(int n) { return n * 3; }
__attribute__((noinline)) int f(struct s *p, size_t n) { t += n; return three(p->b) + fp(p, 1); }
int g(struct s by_value, enum big b) { return f(&by_value, b); }
";

fn objects(dir: &Path) -> Vec<Vec<u8>> {
    let mut made = vec![
        compile(dir, "cc", &["-g", "-O2", "-c"], C, "gcc5"),
        compile(dir, "cc", &["-gdwarf-4", "-O0", "-c", "-fdebug-types-section"], C, "types4"),
        compile(dir, "cc", &["-gdwarf-5", "-O2", "-c", "-fdebug-types-section"], C, "types5"),
        compile(dir, "clang", &["-g", "-gdwarf-5", "-O2", "-c"], C, "clang5"),
        compile(dir, "clang", &["-g", "-gdwarf-4", "-O1", "-c"], C, "clang4"),
        compile(dir, "cc", &["-g", "-gz=zlib", "-c"], C, "compressed"),
    ];
    let source = dir.join("machine.c");
    fs::write(&source, C.replace("static __thread", "static")).expect("a source can be written");
    for machine in ["powerpc64", "riscv64", "mips64el", "arm"] {
        let out = dir.join(machine);
        let args = ["-g", "-O1", "-c", "-o"];
        run(Command::new("clang").arg(format!("--target={machine}-linux-gnu")).args(args).arg(&out).arg(&source));
        made.push(out);
    }
    made.iter().map(|path| fs::read(path).expect("what was compiled is there")).collect()
}

#[test]
fn elf() {
    let dir = tempfile::tempdir().unwrap();
    exercise(targets::elf, &objects(dir.path()), 0);
}

#[test]
fn dwarf() {
    let dir = tempfile::tempdir().unwrap();
    // Behind the header, where the sections are.
    exercise(targets::dwarf, &objects(dir.path()), 64);
}

fn programs(rng: &mut Rng) -> Vec<Vec<u8>> {
    (0..8)
        .map(|_| {
            let program = Program::random(rng, 6);
            let (mut ops, mut next) = (Vec::new(), 1);
            for _ in 0..3 {
                next = program.unit(rng, next, &mut ops);
            }
            build(&ops).to_bytes()
        })
        .collect()
}

#[test]
fn btf() {
    exercise(targets::btf, &programs(&mut Rng(3)), 0);
}

#[test]
fn distill() {
    let mut rng = Rng(4);
    let seeds: Vec<Vec<u8>> = programs(&mut rng)
        .into_iter()
        .filter_map(|base| {
            let mut seed = u16::try_from(base.len()).ok()?.to_le_bytes().to_vec();
            let parsed = dwarves::btf::Btf::parse(&base, None).ok()?;
            let mut split = dwarves::btf::Btf::new_split(std::sync::Arc::new(parsed), dwarves::btf::Endian::HOST);
            for id in 1..split.start_id().min(20) {
                split.add_ptr(dwarves::btf::TypeId(id)).ok()?;
                split.add_struct(format!("own{id}").as_bytes(), 8).ok()?;
            }
            seed.extend(base);
            seed.extend(split.to_bytes());
            Some(seed)
        })
        .collect();
    assert!(!seeds.is_empty());
    exercise(targets::distill, &seeds, 0);
}

/// An ELF file with a section of CTF: a header, one type of each kind, names.
fn ctf_file(dir: &Path) -> Vec<u8> {
    let int = |name: u32, kind: u16, parts: u16, size: u16| {
        [name.to_le_bytes().to_vec(), (kind << 11 | 1 << 10 | parts).to_le_bytes().to_vec(), size.to_le_bytes().to_vec()].concat()
    };
    let mut types = int(1, 1, 0, 4);
    types.extend(0x0100_0020u32.to_le_bytes());
    types.extend(int(0, 3, 0, 1));
    types.extend(int(5, 6, 2, 16));
    for (name, ty, offset) in [(7u32, 1u16, 0u16), (9, 2, 64)] {
        types.extend(name.to_le_bytes());
        types.extend(ty.to_le_bytes());
        types.extend(offset.to_le_bytes());
    }
    types.extend(int(11, 10, 0, 3));
    types.extend(int(0, 5, 2, 1));
    types.extend([1, 0, 3, 0]);
    let strings = b"\0int\0s\0a\0b\0t\0";
    let mut section = vec![0xf1, 0xcf, 2, 0];
    for word in [0u32, 0, 0, 0, 0, 0, types.len() as u32, strings.len() as u32] {
        section.extend(word.to_le_bytes());
    }
    section.extend(&types);
    section.extend(strings);
    let path = compile(dir, "cc", &["-c"], "int a; int f(void) { return a; }", "ctf");
    let raw = dir.join("ctf.raw");
    fs::write(&raw, section).expect("a section can be written");
    run(Command::new("objcopy").arg("--add-section").arg(format!(".SUNW_ctf={}", raw.display())).arg(&path));
    fs::read(path).expect("what was compiled is there")
}

#[test]
fn ctf() {
    let dir = tempfile::tempdir().unwrap();
    let seed = ctf_file(dir.path());
    let path = dir.path().join("seed");
    fs::write(&path, &seed).expect("a file can be written");
    let types = dwarves::loader::ctf::CtfFile::read(&path).expect("the seed is sound").content.types();
    assert_eq!(types.expect("so are its types").len(), 5);
    exercise(targets::ctf, &[seed], 0);
}
