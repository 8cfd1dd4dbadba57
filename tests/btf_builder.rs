//! The `add_*` functions against the reference: the same ids, the same errors, the same bytes.

mod btf_support;

use btf_support::generate::Rng;
use btf_support::{Op, OurWay, assert_same, build, op};
use dwarves::btf::{Btf, BtfError, Endian, Kind, StrOff, TypeId};

const NAMES: [&str; 5] = ["", "a", "b", "int", "a_rather_long_name"];
const NUMBERS: [i64; 18] = [-2, -1, 0, 1, 2, 3, 4, 7, 8, 12, 16, 24, 32, 255, 256, 0x100_0000, 0x7fff_ffff, 0x1_0000_0000 - 1];
/// Sizes and counts are unsigned; the reference would cut larger numbers down before it looks at them.
const KINDS: [&str; 27] = [
    "int",
    "float",
    "ptr",
    "const",
    "volatile",
    "restrict",
    "typedef",
    "type_tag",
    "type_attr",
    "func",
    "fwd",
    "array",
    "struct",
    "union",
    "field",
    "enum",
    "enum_value",
    "enum64",
    "enum64_value",
    "func_proto",
    "func_param",
    "var",
    "datasec",
    "secinfo",
    "decl_tag",
    "decl_attr",
    "add_str",
];

fn random_op(rng: &mut Rng) -> Op {
    let what = KINDS[rng.below(KINDS.len())];
    let name = NAMES[rng.below(NAMES.len())];
    let mut args: Vec<i64> = (0..3).map(|_| NUMBERS[rng.below(NUMBERS.len())]).collect();
    match what {
        "func" | "fwd" | "var" => args[0] = rng.below(3) as i64,
        "enum_value" if rng.chance(30) => args[0] = [i64::from(i32::MIN) - 1, 1 << 32, -5][rng.below(3)],
        "enum64" => args[1] = rng.below(2) as i64,
        _ => {}
    }
    op(what, name, &args)
}

#[test]
fn every_argument() {
    let cases: Vec<Vec<Op>> = (0..300)
        .map(|seed| {
            let mut rng = Rng(seed);
            let mut ops = vec![op("new", "", &[])];
            for _ in 0..60 {
                ops.push(random_op(&mut rng));
                // Elements follow their type far too rarely by chance alone.
                let follower = match ops.last().map(|op| op.what) {
                    Some("struct" | "union") => "field",
                    Some("enum") => "enum_value",
                    Some("enum64") => "enum64_value",
                    Some("func_proto") => "func_param",
                    Some("datasec") => "secinfo",
                    _ => continue,
                };
                for _ in 0..rng.below(4) {
                    ops.push(Op { what: follower, ..random_op(&mut rng) });
                }
            }
            ops.push(op("raw", "", &[]));
            ops.push(op("endian", "", &[1]));
            ops.push(op("raw", "", &[]));
            ops.push(op("endian", "", &[0]));
            ops.push(op("split", "", &[]));
            ops.extend((0..20).map(|_| random_op(&mut rng)));
            ops.push(op("raw", "", &[]));
            ops
        })
        .collect();
    assert_same(&cases, &[OurWay::default()]);
}

#[test]
fn elements_without_a_type() {
    let cases = ["field", "enum_value", "enum64_value", "func_param", "secinfo"].map(|what| {
        vec![
            op("new", "", &[]),
            op(what, "x", &[1, 0, 0]),
            op("int", "int", &[4, 1]),
            op(what, "x", &[1, 0, 0]),
            op("raw", "", &[]),
        ]
    });
    assert_same(&cases, &[OurWay::default()]);
}

#[test]
fn the_element_count_does_not_overflow() {
    let mut btf = Btf::new(Endian::HOST);
    let id = btf.add_enum(b"e", 4).unwrap();
    for i in 0..0xffff {
        btf.add_enum_value(b"v", i).unwrap();
    }
    assert_eq!(btf.add_enum_value(b"v", 1), Err(BtfError::VlenOverflow { id: id.0 }));
    assert_eq!(btf.vlen(id), 0xffff);
}

#[test]
fn strings_must_not_hold_nul() {
    let mut btf = Btf::new(Endian::HOST);
    assert_eq!(btf.add_str(b"a\0b").map_err(|err| err.errno()), Err(22));
    assert_eq!(btf.to_bytes().len(), 25);
}

#[test]
fn records_in_bulk() {
    let piece = build(&[op("int", "int", &[4, 1]), op("ptr", "", &[1]), op("struct", "s", &[8]), op("field", "p", &[2, 0, 0])]);
    let mut words = Vec::new();
    let mut starts = Vec::new();
    for (_, ty) in piece.own_types() {
        starts.push(words.len() as u32);
        words.extend_from_slice(ty.words());
    }
    let mut btf = Btf::new(Endian::HOST);
    for name in [&b"int"[..], b"s", b"p"] {
        btf.add_str(name).unwrap();
    }
    btf.push_run(&words, starts.iter().copied()).unwrap();
    assert_eq!(btf.to_bytes(), piece.to_bytes());

    let (placed, mut strings) = btf.push_run(&words, starts.iter().copied()).unwrap();
    assert_eq!(placed, words);
    assert_eq!(strings.add(b"s").unwrap(), StrOff(placed[words.len() - 6]));
    assert_eq!(btf.type_count(), 7);
    let (blank, record) = btf.push_blank(3).unwrap();
    record.copy_from_slice(piece.record(TypeId(2)).unwrap());
    assert_eq!((blank, btf.kind(blank), btf.name(TypeId(6))), (TypeId(7), Some(Kind::Ptr), &b"s"[..]));
    btf.dedup(&Default::default()).unwrap();
    assert_eq!(btf.to_bytes(), piece.to_bytes());
}

#[test]
fn look_ups() {
    let btf = build(&[
        op("int", "long", &[8, 1]),
        op("struct", "s", &[24]),
        op("field", "a", &[1, 0, 0]),
        op("typedef", "t", &[2]),
        op("array", "", &[1, 3, 5]),
        op("ptr", "", &[4]),
        op("func_proto", "", &[0]),
        op("array", "", &[1, 4, -1]),
        op("typedef", "s", &[1]),
    ]);
    assert_eq!(btf.pointer_size(), Some(8));
    assert_eq!(btf.find_by_name(b"s", None), Some(TypeId(2)));
    assert_eq!(btf.find_by_name(b"s", Some(Kind::Typedef)), Some(TypeId(8)));
    assert_eq!(btf.find_by_name(b"none", None), None);
    assert_eq!(btf.resolve_size(TypeId(4), 8), Ok(120));
    assert_eq!(btf.resolve_size(TypeId(5), 4), Ok(4));
    assert_eq!(btf.resolve_size(TypeId(6), 8).map_err(|err| err.errno()), Err(22));
    assert_eq!(btf.resolve_size(TypeId(7), 8).map_err(|err| err.errno()), Err(7));
    assert_eq!(btf.resolve_size(TypeId(0), 8).map_err(|err| err.errno()), Err(22));
}
