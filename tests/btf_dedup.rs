//! Deduplication against the reference: equal bytes on random programs, tangles and hand-made corner cases, alone and split.

mod btf_support;

use btf_support::generate::{Program, Rng, tangle};
use btf_support::{Op, OurWay, assert_same, op, our_transcript};
use dwarves::btf::Btf;

const BOTH_WAYS: [OurWay; 2] = [OurWay { force_collisions: false }, OurWay { force_collisions: true }];

fn finish(ops: &mut Vec<Op>) {
    ops.extend([op("dedup", "", &[0]), op("raw", "", &[]), op("reload", "", &[]), op("dedup", "", &[0]), op("raw", "", &[])]);
}

fn program_case(seed: u64) -> Vec<Op> {
    let mut rng = Rng(seed);
    let count = 2 + rng.below(12);
    let program = Program::random(&mut rng, count);
    let mut ops = vec![op("new", "", &[])];
    let mut next = 1;
    for _ in 0..1 + rng.below(8) {
        next = program.unit(&mut rng, next, &mut ops);
    }
    ops.push(op("raw", "", &[]));
    finish(&mut ops);
    ops
}

#[test]
fn random_programs() {
    let cases: Vec<_> = (0..600).map(program_case).collect();
    assert_same(&cases, &BOTH_WAYS);
}

#[test]
fn random_tangles() {
    let cases: Vec<_> = (0..600)
        .map(|seed| {
            let mut rng = Rng(seed + 10_000);
            let (count, names) = (4 + rng.below(40), 1 + rng.below(3));
            let mut ops = vec![op("new", "", &[])];
            tangle(&mut rng, 1, count, names, &mut ops);
            finish(&mut ops);
            ops
        })
        .collect();
    assert_same(&cases, &BOTH_WAYS);
}

#[test]
fn large_programs_reach_table_growth() {
    let cases: Vec<_> = (0..6)
        .map(|seed| {
            let mut rng = Rng(seed + 20_000);
            let program = Program::random(&mut rng, 150);
            let mut ops = vec![op("new", "", &[])];
            let mut next = 1;
            for _ in 0..40 {
                next = program.unit(&mut rng, next, &mut ops);
            }
            finish(&mut ops);
            ops
        })
        .collect();
    assert_same(&cases, &BOTH_WAYS);
}

/// A base of some units, deduplicated, and a split BTF of others. The reference has no count of the base's types to tell us,
/// so ids come from our side.
///
/// The split BTF refers to one named type of the base: with an empty distilled base libbpf takes the split BTF for the base when
/// it places the other types, and leaves them out.
fn split_case(seed: u64, dedup_base: bool, tangled: bool) -> Vec<Op> {
    split_case_with(seed, dedup_base, tangled, true)
}

/// As [`split_case`]; without `anchored`, no type of the split BTF refers into the base before deduplication, as when a module is
/// encoded.
fn split_case_with(seed: u64, dedup_base: bool, tangled: bool, anchored: bool) -> Vec<Op> {
    let mut rng = Rng(seed + 30_000);
    let count = 2 + rng.below(10);
    let program = Program::random(&mut rng, count);
    let mut ops = vec![op("new", "", &[]), op("int", "anchor", &[4, 1])];
    let mut next = 2;
    for _ in 0..1 + rng.below(5) {
        next = if tangled { tangle(&mut rng, next, 12, 2, &mut ops) } else { program.unit(&mut rng, next, &mut ops) };
    }
    if dedup_base {
        ops.push(op("dedup", "", &[0]));
        ops.push(op("raw", "", &[]));
        let transcript = our_transcript(&ops, OurWay::default());
        let raw = &transcript[transcript.len() - 1];
        next = i64::from(Btf::parse(&raw[4..raw.len() - 4], None).unwrap().type_count());
    }
    ops.push(op("split", "", &[]));
    if anchored {
        ops.push(op("volatile", "", &[1]));
        next += 1;
    }
    for _ in 0..1 + rng.below(4) {
        next = if tangled { tangle(&mut rng, next, 12, 2, &mut ops) } else { program.unit(&mut rng, next, &mut ops) };
    }
    finish(&mut ops);
    if anchored {
        ops.push(op("distill", "", &[]));
    }
    ops
}

#[test]
fn random_split() {
    let mut cases: Vec<_> = (0..300).map(|seed| split_case(seed, true, false)).collect();
    cases.extend((300..400).map(|seed| split_case(seed, false, false)));
    cases.extend((400..600).map(|seed| split_case(seed, seed % 2 == 0, true)));
    assert_same(&cases, &BOTH_WAYS);
}

#[test]
fn random_split_without_references_into_the_base() {
    let cases: Vec<_> = (0..600).map(|seed| split_case_with(seed + 1000, seed % 4 != 0, seed % 3 == 0, false)).collect();
    assert_same(&cases, &BOTH_WAYS);
}

#[test]
fn other_byte_order() {
    let cases: Vec<_> = (0..40)
        .map(|seed| {
            let mut ops = program_case(seed + 40_000);
            ops.insert(1, op("endian", "", &[1]));
            ops
        })
        .collect();
    assert_same(&cases, &BOTH_WAYS);
}

fn with_dedup(ops: &[Op]) -> Vec<Op> {
    let mut all = vec![op("new", "", &[])];
    all.extend_from_slice(ops);
    finish(&mut all);
    all
}

#[test]
fn corner_cases() {
    let int = || op("int", "int", &[4, 1]);
    let cases = [
        // Nothing at all.
        vec![],
        // Enum forward declarations before and after the full enum, of both widths.
        vec![
            op("fwd", "e", &[2]),
            op("enum", "e", &[4]),
            op("enum_value", "A", &[1]),
            op("fwd", "e", &[2]),
            op("enum64", "e", &[8, 0]),
            op("enum64_value", "B", &[1 << 40]),
            op("ptr", "", &[1]),
            op("ptr", "", &[2]),
            op("ptr", "", &[3]),
            op("ptr", "", &[4]),
        ],
        // Two different full enums of one name, then a forward declaration.
        vec![
            op("enum", "e", &[4]),
            op("enum_value", "A", &[1]),
            op("enum", "e", &[4]),
            op("enum_value", "B", &[1]),
            op("enum", "e", &[8]),
            op("enum", "e", &[4]),
            op("const", "", &[3]),
            op("const", "", &[4]),
        ],
        // Forward declarations that only their name resolves; ambiguous ones; of the wrong kind.
        vec![
            op("fwd", "s", &[0]),
            op("ptr", "", &[1]),
            op("struct", "s", &[4]),
            op("fwd", "u", &[1]),
            op("ptr", "", &[4]),
            op("struct", "u", &[4]),
            op("fwd", "d", &[0]),
            op("struct", "d", &[4]),
            op("struct", "d", &[8]),
        ],
        // Arrays of different element types inside a struct that is compared by content.
        vec![
            int(),
            op("struct", "inner", &[4]),
            op("field", "x", &[1, 0, 0]),
            op("array", "", &[1, 1, 4]),
            op("array", "", &[1, 2, 4]),
            op("struct", "s", &[32]),
            op("field", "a", &[3, 0, 0]),
            op("field", "b", &[3, 128, 0]),
            int(),
            op("struct", "inner", &[4]),
            op("field", "x", &[6, 0, 0]),
            op("array", "", &[6, 6, 4]),
            op("array", "", &[6, 7, 4]),
            op("struct", "s", &[32]),
            op("field", "a", &[8, 0, 0]),
            op("field", "b", &[9, 128, 0]),
        ],
        // References in a circle without a struct.
        vec![op("ptr", "", &[2]), op("ptr", "", &[1])],
        vec![op("ptr", "", &[1])],
        vec![op("func_proto", "", &[0]), op("func_param", "", &[2]), op("ptr", "", &[1])],
        // A circle through a typedef, twice.
        vec![op("typedef", "t", &[2]), op("ptr", "", &[1]), op("typedef", "t", &[4]), op("ptr", "", &[3])],
        // A pointer to a variable.
        vec![int(), op("var", "v", &[0, 1]), op("ptr", "", &[2]), op("struct", "s", &[8]), op("field", "p", &[3, 0, 0])],
        // Two structs that hold pointers to variables are compared: an error.
        vec![
            int(),
            op("var", "v", &[0, 1]),
            op("var", "v", &[0, 1]),
            op("struct", "s", &[8]),
            op("field", "p", &[2, 0, 0]),
            op("struct", "s", &[8]),
            op("field", "p", &[3, 0, 0]),
        ],
        // Typedef of void, pointers to void, empty structs.
        vec![
            op("typedef", "v", &[0]),
            op("typedef", "v", &[0]),
            op("ptr", "", &[0]),
            op("ptr", "", &[0]),
            op("struct", "", &[0]),
            op("struct", "", &[0]),
            op("union", "", &[0]),
            op("const", "", &[1]),
            op("const", "", &[2]),
        ],
        // A long chain of pointers, deepest last.
        (1..3000).map(|i| op("ptr", "", &[i + 1])).chain([int()]).collect(),
    ];
    let cases: Vec<_> = cases.iter().map(|case| with_dedup(case)).collect();
    assert_same(&cases, &BOTH_WAYS);
}
