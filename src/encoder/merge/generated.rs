//! Hostile programs of several units, made from a number: the BTF is the same whether types are dropped or not.
//!
//! Units share few names. What one of them defines another one only declares, or defines in another way: other members, another size, a member
//! that differs in a qualifier, in a typedef or in what is below a nameless struct. Reference types and nameless types come more than once in a
//! unit, as compilers write them; so do, rarely, definitions of one name (those of different functions).
//!
//! `DWARVES_PROGRAMS` is how many are made, `DWARVES_PROGRAM` the number of the first. One that fails is printed, reduced.
//!
//! Of three millions, six failed: see "Dropping" in DESIGN.md.

mod maker;
mod shown;

use super::*;
use crate::btf::{DedupOptions, Endian, info_word};
use crate::encoder::fragment::{NameRef, NameSource};
use crate::encoder::identity::identify;
use maker::program;
use shown::{dump, reduced, shown};

#[derive(Clone, Copy, PartialEq, Debug)]
struct Part {
    name: &'static str,
    of: u32,
    place: u32,
}

/// A type of a unit. Parts are members, enumerators and parameters; what refers to one type, and the result of a function, is a part, too.
#[derive(Clone, PartialEq, Debug)]
struct Made {
    kind: Kind,
    flag: bool,
    name: &'static str,
    /// Bytes, or elements.
    size: u32,
    parts: Vec<Part>,
}

type Unit = Vec<Made>;

/// Puts the types into the order of the positions given; references to others become void.
fn reorder(types: &mut Unit, order: &[usize]) {
    let mut ids = vec![0; types.len() + 1];
    order.iter().enumerate().for_each(|(new, &old)| ids[old + 1] = new as u32 + 1);
    *types = order.iter().map(|&old| types[old].clone()).collect();
    types.iter_mut().flat_map(|made| &mut made.parts).for_each(|part| part.of = ids[part.of as usize]);
}

fn fragment(unit: &Unit) -> Fragment {
    let mut f = Fragment::default();
    for made in unit {
        f.starts.push(f.words.len() as u32);
        let mut name = |name: &str| if name.is_empty() { 0 } else { f.strings.push(name.as_bytes()).to_word() };
        let head = |count: usize| info_word(made.kind, count as u16, made.flag);
        let of = made.parts.first().map_or(0, |part| part.of);
        f.words.push(name(made.name));
        match made.kind {
            Kind::Int => f.words.extend([head(0), made.size, 8 * made.size]),
            Kind::Fwd => f.words.extend([head(0), 0]),
            Kind::Array => {
                f.has_array = true;
                f.words.extend([head(0), 0, of, INDEX_TYPE, made.size]);
            }
            Kind::Struct | Kind::Union => {
                f.words.extend([head(made.parts.len()), made.size]);
                f.words.extend(made.parts.iter().flat_map(|part| [name(part.name), part.of, part.place]));
            }
            Kind::Enum => {
                f.words.extend([head(made.parts.len()), 4]);
                f.words.extend(made.parts.iter().flat_map(|part| [name(part.name), part.place]));
            }
            Kind::FuncProto => {
                f.words.extend([head(made.parts.len().saturating_sub(1)), of]);
                f.words.extend(made.parts.iter().skip(1).flat_map(|part| [name(part.name), part.of]));
            }
            _ => f.words.extend([head(0), of]),
        }
    }
    f.int_id = unit.iter().position(|made| made.name == "int").map(|at| at as u32 + 1);
    f
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Way {
    Keep,
    ByNames,
    /// With nothing known of ambiguous names when a unit is identified, as with many workers.
    LateNames,
}

fn text<'a>(f: &'a Fragment, name: &'a NameRef) -> &'a [u8] {
    match name.source() {
        NameSource::None => &[],
        NameSource::Local(index) => f.strings.get(index),
        _ => name.short_bytes(),
    }
}

/// The BTF, and how many types were in it before deduplication.
fn encoded(units: &[Unit], way: Way) -> (Btf, u32) {
    let (mut btf, mut merger, ambiguous, none) =
        (Btf::new(Endian::HOST), Merger::default(), Ambiguous::default(), Ambiguous::default());
    merger.next_file(0);
    let mut index = 0;
    for unit in units {
        let mut f = fragment(unit);
        match way {
            Way::Keep => {}
            Way::ByNames => identify(&mut f, &ambiguous, &mut IdentityScratch::default()),
            Way::LateNames => identify(&mut f, &none, &mut IdentityScratch::default()),
        }
        let first = btf.type_count();
        let end = merger.assign_ids(&btf, &f, &Dropping { on: way != Way::Keep, same: true, ambiguous: &ambiguous });
        let lacks_index = index == 0 && f.int_id.is_none() && f.has_array;
        if index == 0 {
            index = f.int_id.map_or(if lacks_index { end } else { 0 }, |id| merger.type_id(id).0);
        }
        for (at, &id) in merger.map.iter().enumerate().filter(|&(_, &id)| id >= first) {
            let end = f.starts.get(at + 1).map_or(f.words.len(), |&end| end as usize);
            let mut w = f.words[f.starts[at] as usize..end].to_vec();
            let names: Vec<usize> = match Kind::of_info(w[1]) {
                Some(Kind::Struct | Kind::Union) => [0].into_iter().chain((3..w.len()).step_by(3)).collect(),
                Some(Kind::Enum | Kind::FuncProto) => [0].into_iter().chain((3..w.len()).step_by(2)).collect(),
                _ => vec![0],
            };
            for at in names {
                w[at] = btf.add_str(text(&f, &NameRef::from_word(w[at]))).expect("room").0;
            }
            for at in crate::btf::id_words(w[1]) {
                w[at] = if w[at] == INDEX_TYPE { index } else { merger.type_id(w[at]).0 };
            }
            assert_eq!(btf.push_record(&w).expect("room").0, id);
        }
        if lacks_index {
            btf.add_int(b"int", 4, crate::btf::INT_SIGNED).expect("room");
        }
    }
    let count = btf.type_count();
    btf.dedup(&DedupOptions { cut_circles: true, ..DedupOptions::default() }).expect("types that can be compared");
    (btf, count)
}

fn differs(units: &[Unit], way: Way) -> bool {
    encoded(units, way).0.to_bytes() != encoded(units, Way::Keep).0.to_bytes()
}

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// Numbers of programs that came out otherwise under rules that were not enough.
const TELLING: [u64; 8] = [38_188, 45_686, 58_975, 71_532, 147_062, 1_026_004, 1_181_005, 2_232_258];

#[test]
fn dropping_changes_nothing_in_programs_that_nobody_wrote() {
    let (from, count) = (number("DWARVES_PROGRAM", 0), number("DWARVES_PROGRAMS", 5000));
    let (mut all, mut dropped, mut failed) = (0, 0, 0);
    for seed in TELLING.into_iter().chain(from..from + count) {
        let units = program(seed);
        let (expected, kept) = encoded(&units, Way::Keep);
        for way in [Way::ByNames, Way::LateNames] {
            let (found, fewer) = encoded(&units, way);
            all += kept;
            dropped += kept - fewer;
            if found.to_bytes() == expected.to_bytes() {
                continue;
            }
            failed += 1;
            let units = reduced(&units, |units| differs(units, way));
            let [kept, dropped] = [Way::Keep, way].map(|way| dump(&encoded(&units, way).0));
            println!("DWARVES_PROGRAM={seed}, {way:?}\n{}kept\n{kept}dropped\n{dropped}", shown(&units));
        }
    }
    println!("{count} programs: {dropped} of {all} types dropped");
    assert!(dropped > all / 4, "a test of nothing: {dropped} of {all} types dropped");
    assert_eq!(failed, 0, "programs of {count}");
}

/// A type as [`shown`] shows it, of members at 0.
fn made(kind: Kind, name: &'static str, size: u32, parts: &[(&'static str, u32)]) -> Made {
    Made { kind, flag: false, name, size, parts: parts.iter().map(|&(name, of)| Part { name, of, place: 0 }).collect() }
}

fn ptr(of: u32) -> Made {
    made(Kind::Ptr, "", 0, &[("", of)])
}

fn assert_same(units: &[Unit]) {
    for way in [Way::ByNames, Way::LateNames] {
        assert!(!differs(units, way), "{way:?}\n{}", shown(units));
    }
}

#[test]
fn a_declared_enumeration_goes_to_what_precedes_it() {
    let declared = || made(Kind::Enum, "e", 4, &[]);
    let defined = |value| made(Kind::Enum, "e", 4, &[(value, 0)]);
    assert_same(&[vec![defined("x")], vec![declared(), defined("y")], vec![ptr(2), declared()]]);
    assert_same(&[vec![declared()], vec![defined("x")], vec![declared(), ptr(1)], vec![defined("y")]]);
    // The definition that came first comes again, and takes the declaration over.
    assert_same(&[vec![declared(), ptr(1)], vec![defined("x")], vec![defined("y")], vec![defined("x")]]);
}

#[test]
fn an_enumeration_with_nothing_to_tell_it_by_goes_to_any() {
    let defined = |value| made(Kind::Enum, "", 4, &[(value, 0)]);
    let empty = || made(Kind::Enum, "", 4, &[]);
    assert_same(&[vec![empty()], vec![defined("x"), made(Kind::Struct, "", 4, &[("m", 3)]), empty()], vec![defined("y")]]);
}

#[test]
fn two_declarations_below_a_struct_do_not_cancel_each_other() {
    let unit = |kind| {
        let named = |name| made(kind, name, if kind == Kind::Fwd { 0 } else { 8 }, &[]);
        vec![made(Kind::Struct, "s", 16, &[("m", 2), ("n", 4)]), ptr(3), named("a"), ptr(5), ptr(6), named("b")]
    };
    assert_same(&[unit(Kind::Struct), unit(Kind::Fwd), vec![made(Kind::Struct, "b", 16, &[("m", 0)])]]);
}

#[test]
fn what_leads_to_a_name_with_two_definitions_has_two_itself() {
    let declared = |name| made(Kind::Fwd, name, 0, &[]);
    let typedef = |of| made(Kind::Typedef, "t", 0, &[("", of)]);
    let unit = |member: &'static str| {
        vec![typedef(2), made(Kind::Struct, "a", 8, &[("m", 3)]), ptr(4), made(Kind::Struct, "f", 8, &[(member, 0)])]
    };
    let again = || vec![declared("a"), typedef(1), made(Kind::Struct, "c", 8, &[("m", 2)])];
    assert_same(&[vec![typedef(2), declared("a")], unit("x"), unit("y"), again()]);
}

#[test]
fn of_two_definitions_in_a_unit_later_ones_have_the_choice() {
    let top = |of| made(Kind::Struct, "a", 8, &[("m", of)]);
    let one = || vec![top(2), ptr(3), made(Kind::Struct, "b", 8, &[("m", 0)])];
    let other = || vec![top(3), top(4), ptr(5), ptr(6), made(Kind::Struct, "b", 8, &[("m", 0)]), made(Kind::Fwd, "b", 0, &[])];
    assert_same(&[one(), other(), one()]);
}
