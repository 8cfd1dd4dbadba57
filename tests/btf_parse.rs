//! Reading BTF: the same verdict as the reference on damaged data, and no panic and no endless work on anything.

mod btf_support;

use btf_support::generate::{Program, Rng};
use btf_support::{Op, OurWay, assert_same, build, op};
use dwarves::btf::{Btf, DedupOptions, Endian};
use std::sync::Arc;
use std::time::{Duration, Instant};

fn sample(rng: &mut Rng) -> Vec<u8> {
    let program = Program::random(rng, 6);
    let mut ops = Vec::new();
    let mut next = 1;
    for _ in 0..3 {
        next = program.unit(rng, next, &mut ops);
    }
    let mut btf = build(&ops);
    if rng.chance(30) {
        btf.set_endian(if Endian::HOST == Endian::Little { Endian::Big } else { Endian::Little });
    }
    btf.to_bytes()
}

/// Flips bits, overwrites words with small or extreme numbers, cuts.
fn damage(rng: &mut Rng, bytes: &mut Vec<u8>) {
    for _ in 0..1 + rng.below(3) {
        let at = rng.below(bytes.len().max(1));
        match rng.below(6) {
            0 => bytes.truncate(at),
            1 if !bytes.is_empty() => bytes[at] ^= 1 << rng.below(8),
            // The header deserves more than its share.
            2 if bytes.len() >= 24 => bytes[rng.below(24)] = [0, 1, 4, 24, 25, 0x9f, 0xeb, 0xff][rng.below(8)],
            _ if bytes.len() >= 32 => {
                let word = [0u32, 1, 2, 5, 30, 0x0400_0001, 0x8400_0001, 0x1400_0000, 0x0a00_0000, u32::MAX][rng.below(10)];
                let at = at.min(bytes.len() - 4) & !3;
                bytes[at..at + 4].copy_from_slice(&word.to_ne_bytes());
            }
            _ => bytes.push(0),
        }
    }
}

fn header_len(bytes: &[u8]) -> u32 {
    bytes.get(4..8).map_or(24, |b| u32::from_ne_bytes([b[0], b[1], b[2], b[3]]))
}

#[test]
fn same_verdict_on_damaged_data() {
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let mut rng = Rng(1);
    let mut cases = Vec::new();
    let mut accepted = 0;
    for i in 0..1500 {
        let mut bytes = sample(&mut rng);
        damage(&mut rng, &mut bytes);
        // Headers shorter than their fields are refused here only.
        if header_len(&bytes) < 24 {
            continue;
        }
        accepted += usize::from(Btf::parse(&bytes, None).is_ok());
        let path = dir.path().join(format!("{i}.btf"));
        std::fs::write(&path, bytes).unwrap();
        cases.push(vec![op("load", path.to_str().unwrap(), &[])]);
    }
    assert!(accepted > 100 && accepted < cases.len() - 100, "{accepted} of {} accepted", cases.len());
    assert_same(&cases, &[OurWay::default()]);
}

/// A copy, as bytes need not lie where words may.
fn words_of(bytes: &[u8]) -> &'static [u32] {
    bytes.chunks_exact(4).map(|b| u32::from_ne_bytes([b[0], b[1], b[2], b[3]])).collect::<Vec<u32>>().leak()
}

#[test]
fn same_verdict_on_a_base_in_place() {
    let mut rng = Rng(90_000);
    for _ in 0..2000 {
        let mut bytes = sample(&mut rng);
        damage(&mut rng, &mut bytes);
        let error = |btf: Result<Btf, _>| btf.map(drop);
        let copied = error(Btf::parse(&bytes, None));
        assert_eq!(error(Btf::base_in_place(bytes.leak(), |types| Some(words_of(types)), None, false, None)), copied);
    }
}

#[test]
fn no_panic_and_bounded_work() {
    let mut rng = Rng(2);
    for _ in 0..6000 {
        let mut bytes = sample(&mut rng);
        damage(&mut rng, &mut bytes);
        let start = Instant::now();
        let Ok(parsed) = Btf::parse(&bytes, None) else { continue };
        for (id, ty) in parsed.own_types() {
            let _ = (parsed.name(id), parsed.resolve_size(id, 8), parsed.try_str(ty.name()));
            let _ = ty.members().count() + ty.params().count() + ty.enumerators().count() + ty.secinfos().count();
        }
        for force_collisions in [false, true] {
            let mut btf = parsed.clone();
            if btf.dedup(&DedupOptions { force_collisions, ..DedupOptions::default() }).is_ok() {
                Btf::parse(&btf.to_bytes(), None).expect("the result of deduplication is sound");
            }
        }
        // The same types once more as a split BTF on themselves, and on themselves read as bases are.
        let mut split = parsed.to_bytes();
        let in_place = [false, true].map(|checked| {
            Btf::base_in_place(parsed.to_bytes().leak(), |types| Some(words_of(types)), None, checked, None)
                .expect("as sound as before")
        });
        damage(&mut rng, &mut split);
        if let Ok(mut btf) = Btf::parse(&split, Some(Arc::new(parsed))) {
            let _ = btf.distill_base();
            let done = btf.dedup(&DedupOptions::default());
            for base in in_place {
                let mut on_other = Btf::parse(&split, Some(Arc::new(base))).expect("the same types");
                assert_eq!(on_other.dedup(&DedupOptions::default()), done);
                if done.is_ok() {
                    assert_eq!(on_other.to_bytes(), btf.to_bytes());
                }
            }
        }
        assert!(start.elapsed() < Duration::from_secs(10), "one small input took {:?}", start.elapsed());
    }
}

/// Structs that stand before what they hold, so that nothing of it is deduplicated when they are compared: the first holds one
/// type twice, the second two types that are the same but for being two. Those are compared by content then.
fn holders(types: [i64; 3]) -> Vec<Op> {
    let mut ops = vec![op("int", "int", &[4, 1])];
    for (a, b) in [(types[0], types[0]), (types[1], types[2])] {
        ops.push(op("struct", "holder", &[16]));
        ops.push(op("field", "a", &[a, 0, 0]));
        ops.push(op("field", "b", &[b, 64, 0]));
    }
    ops
}

/// Types that hold another eight times, which holds another eight times and so on: 8^14 comparisons unless what is known is
/// remembered.
#[test]
fn comparison_by_content_is_bounded() {
    const LEVELS: i64 = 14;
    let mut ops = holders([4, 4 + LEVELS, 4 + 2 * LEVELS]);
    for copy in 0..3 {
        for level in 0..LEVELS {
            let below = if level + 1 < LEVELS { 4 + copy * LEVELS + level + 1 } else { 1 };
            ops.push(op("struct", "", &[64]));
            ops.extend((0..8).map(|f| op("field", &format!("f{f}"), &[below, 64 * f, 0])));
        }
    }
    let mut btf = build(&ops);
    btf.dedup(&DedupOptions::default()).unwrap();
    assert_eq!(btf.type_count(), 3 + LEVELS as u32);
}

/// Loops of references, which the reference would follow for ever when it compares them by content.
#[test]
fn loops_of_references_end() {
    let mut ops = holders([4, 6, 8]);
    for typedef in [4, 6, 8] {
        ops.push(op("typedef", "t", &[typedef + 1]));
        ops.push(op("ptr", "", &[typedef]));
    }
    let mut btf = build(&ops);
    btf.dedup(&DedupOptions::default()).unwrap();
    assert_eq!(btf.type_count(), 5);
}

#[test]
fn a_layout_section_says_what_follows_the_head_of_each_kind() {
    for endian in [Endian::Little, Endian::Big] {
        let mut btf = Btf::new(endian);
        btf.add_int(b"int", 4, 1).unwrap();
        let without = btf.to_bytes();
        btf.set_layout(true);
        let bytes = btf.to_bytes();
        assert_eq!(bytes.len(), btf.byte_len());
        let word = |at: usize| {
            let word = [bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]];
            if endian == Endian::Little { u32::from_le_bytes(word) } else { u32::from_be_bytes(word) }
        };
        // Header, types, layout, strings: an `int` is 16 bytes long.
        assert_eq!([1, 2, 3, 4, 5, 6, 7].map(|field| word(field * 4)), [32, 0, 16, 96, 5, 16, 80]);
        let sizes: Vec<[u8; 2]> = bytes[48..128].chunks(4).map(|kind| [kind[0], kind[1]]).collect();
        let (int, array, members, pairs, none) = ([4, 0], [12, 0], [0, 12], [0, 8], [0, 0]);
        let references = [none; 6];
        let expected = [
            &[none, int, none, array, members, members, pairs][..],
            &references,
            &[pairs, int, members, none, int, none, members],
        ];
        assert_eq!(sizes, expected.concat());
        assert_eq!(&bytes[128..], b"\0int\0");

        let mut read = Btf::parse(&bytes, None).unwrap();
        assert!(read.has_layout());
        assert_eq!(read.to_bytes(), bytes);
        // What is added moves it.
        read.add_int(b"long", 8, 1).unwrap();
        let again = Btf::parse(&read.to_bytes(), None).unwrap();
        assert_eq!((again.type_count(), again.has_layout()), (3, true));
        read = Btf::parse(&without, None).unwrap();
        assert_eq!((without.len(), read.to_bytes()), (24 + 16 + 5, without));
    }
}

#[test]
fn a_layout_section_lies_between_types_and_strings() {
    let mut btf = Btf::new(Endian::HOST);
    btf.add_int(b"int", 4, 1).unwrap();
    btf.set_layout(true);
    let bytes = btf.to_bytes();
    for (field, value) in [(24, 12), (24, 20), (24, 18), (28, 84), (28, 78), (24, u32::MAX - 3), (28, u32::MAX - 3)] {
        let mut bad = bytes.clone();
        bad[field..field + 4].copy_from_slice(&u32::to_ne_bytes(value));
        assert!(Btf::parse(&bad, None).is_err(), "{field}: {value}");
    }
    // A later version's section may be longer or shorter than ours.
    let mut fewer = bytes;
    fewer[28..32].copy_from_slice(&u32::to_ne_bytes(40));
    let read = Btf::parse(&fewer, None).unwrap();
    assert_eq!(read.to_bytes().len(), fewer.len() - 40);
}
