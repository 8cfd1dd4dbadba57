//! Relocation of distilled BTF against the reference: onto the base it came from, and onto that of another build.
//! (Distillation itself is part of the split cases in `btf_dedup.rs` and of `btf_kernel.rs`.)

mod btf_support;

use btf_support::generate::{Program, Rng};
use btf_support::{Op, OurWay, append, assert_same, build, op};
use dwarves::btf::{Btf, BtfError, DedupOptions, Endian};
use std::path::Path;
use std::sync::Arc;

/// `units` units of the program and one type that is always there, deduplicated.
fn base_of(program: &Program, rng: &mut Rng, units: usize) -> Btf {
    let mut btf = build(&[op("int", "anchor", &[4, 1])]);
    for _ in 0..units {
        add_unit(program, rng, &mut btf);
    }
    btf.dedup(&DedupOptions::default()).unwrap();
    btf
}

fn add_unit(program: &Program, rng: &mut Rng, btf: &mut Btf) {
    let mut ops = Vec::new();
    program.unit(rng, 1, &mut ops);
    append(btf, &build(&ops));
}

fn write(dir: &Path, name: String, btf: &Btf) -> String {
    let path = dir.join(name);
    std::fs::write(&path, btf.to_bytes()).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn relocation() {
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let mut cases: Vec<Vec<Op>> = Vec::new();
    let (mut good, mut bad) = (0, 0);
    for seed in 0..400 {
        let mut rng = Rng(seed + 60_000);
        let program = if rng.chance(50) { Program::random(&mut rng, 10) } else { Program::consistent(&mut rng, 10) };
        let base = base_of(&program, &mut rng, 4);
        let mut other = base_of(&program, &mut rng, 8);
        if rng.chance(10) {
            // No build at all has this: the anchor is missing.
            other = Btf::new(Endian::HOST);
        }
        let base = Arc::new(base);
        let mut split = Btf::new_split(base.clone(), Endian::HOST);
        split.add_volatile(dwarves::btf::TypeId(1)).unwrap();
        for _ in 0..2 {
            add_unit(&program, &mut rng, &mut split);
        }
        split.dedup(&DedupOptions::default()).unwrap();
        // A tag on a function of the base cannot be distilled.
        let Ok((split, distilled)) = split.distill_base() else { continue };
        let distilled_path = write(dir.path(), format!("{seed}.distilled"), &distilled);
        let split_path = write(dir.path(), format!("{seed}.split"), &split);
        for (name, target) in [("base", &*base), ("other", &other)] {
            let target_path = write(dir.path(), format!("{seed}.{name}"), target);
            let mut case = vec![
                op("new", "", &[]),
                op("load", &distilled_path, &[]),
                op("load_split", &split_path, &[]),
                op("relocate", &target_path, &[]),
            ];
            if split.clone().relocate(Arc::new(target.clone())).is_ok() {
                case.push(op("raw", "", &[]));
                good += 1;
            } else {
                bad += 1;
            }
            cases.push(case);
        }
    }
    assert!(good > 100 && bad > 50, "{good} relocations went well, {bad} did not");
    assert_same(&cases, &[OurWay::default()]);
}

#[test]
fn needs_another_base() {
    let base = Arc::new(Btf::new(Endian::HOST));
    assert_eq!(Btf::new(Endian::HOST).relocate(base.clone()), Err(BtfError::NotSplit));
    assert_eq!(Btf::new(Endian::HOST).distill_base().err(), Some(BtfError::NotSplit));
    assert_eq!(Btf::new_split(base.clone(), Endian::HOST).relocate(base).map_err(|err| err.errno()), Err(22));
}

/// With nothing to keep in the base, the other types still come along (libbpf forgets them).
#[test]
fn empty_distilled_base() {
    let base = Arc::new(build(&[op("struct", "", &[8]), op("ptr", "", &[1])]));
    let mut split = Btf::new_split(base, Endian::HOST);
    split.add_typedef(b"t", dwarves::btf::TypeId(2)).unwrap();
    let (split, distilled) = split.distill_base().unwrap();
    assert_eq!(distilled.type_count(), 1);
    let expected = build(&[op("typedef", "t", &[3]), op("struct", "", &[8]), op("ptr", "", &[2])]);
    assert_eq!(split.own_types().map(|(_, ty)| ty.words()[1..].to_vec()).collect::<Vec<_>>(), {
        expected.own_types().map(|(_, ty)| ty.words()[1..].to_vec()).collect::<Vec<_>>()
    });
}
