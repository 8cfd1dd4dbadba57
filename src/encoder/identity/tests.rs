use super::*;
use crate::btf::info_word;
use crate::encoder::fragment::NameRef;

/// A type of a test fragment.
enum T<'a> {
    /// Name, size in bytes, types of the members.
    Struct(&'a str, u32, &'a [u32]),
    Fwd(&'a str),
    Ptr(u32),
    Proto(u32, &'a [u32]),
    Enum(&'a str, &'a [u32]),
}
use T::{Enum, Fwd, Proto, Ptr, Struct};

fn fragment(types: &[T<'_>]) -> Fragment {
    let mut f = Fragment::default();
    for t in types {
        f.starts.push(f.words.len() as u32);
        let mut name = |name: &str| if name.is_empty() { 0 } else { f.strings.push(name.as_bytes()).to_word() };
        match *t {
            Struct(n, size, members) => {
                f.words.extend([name(n), info_word(Kind::Struct, members.len() as u16, false), size]);
                f.words.extend(members.iter().flat_map(|&m| [0, m, 0]));
            }
            Fwd(n) => f.words.extend([name(n), info_word(Kind::Fwd, 0, false), 0]),
            Ptr(to) => f.words.extend([0, info_word(Kind::Ptr, 0, false), to]),
            Proto(result, params) => {
                f.words.extend([0, info_word(Kind::FuncProto, params.len() as u16, false), result]);
                f.words.extend(params.iter().flat_map(|&p| [0, p]));
            }
            Enum(n, values) => {
                f.words.extend([name(n), info_word(Kind::Enum, values.len() as u16, false), 4]);
                let rows = values.iter().flat_map(|&v| [NameRef::short(b"e").map_or(0, NameRef::to_word), v]);
                f.words.extend(rows);
            }
        }
    }
    f
}

fn identified(types: &[T<'_>]) -> Fragment {
    let mut f = fragment(types);
    identify(&mut f, &Ambiguous::default(), &mut IdentityScratch::default());
    f
}

fn hashes(types: &[T<'_>]) -> Vec<u128> {
    identified(types).take_hashes().split_off(1)
}

fn by_names(hash: u128) -> u64 {
    (hash >> 64) as u64
}

#[test]
fn equal_types_have_equal_hashes_wherever_they_are() {
    let a = hashes(&[Struct("list", 16, &[2, 4]), Ptr(1), Proto(0, &[2]), Ptr(3)]);
    let b = hashes(&[Struct("other", 8, &[4]), Ptr(5), Proto(0, &[6]), Ptr(3), Struct("list", 16, &[6, 4]), Ptr(5)]);
    assert_eq!(a, [b[4], b[5], b[2], b[3]]);
}

#[test]
fn own_words_and_names_of_children_count() {
    let all = hashes(&[
        Struct("a", 8, &[6]),
        Struct("a", 4, &[6]),
        Struct("a", 8, &[7]),
        Struct("b", 8, &[6]),
        Struct("a", 8, &[6, 6]),
        Ptr(4),
        Ptr(6),
        Enum("a", &[1]),
        Enum("a", &[2]),
    ]);
    for (i, a) in all.iter().enumerate() {
        assert!(all[i + 1..].iter().all(|b| a != b), "type {}", i + 1);
    }
}

#[test]
fn what_a_name_stands_for_does_not_count_but_whether_it_is_declared() {
    let types = |leaf| [Struct("top", 8, &[2]), Ptr(3), leaf];
    let (one, other, none) = (hashes(&types(Struct("x", 1, &[]))), hashes(&types(Struct("x", 2, &[]))), hashes(&types(Fwd("x"))));
    assert_eq!(one[..2], other[..2]);
    assert_ne!(one[2], other[2]);
    for i in 0..2 {
        assert_ne!(one[i], none[i]);
        assert_eq!(by_names(one[i]), by_names(none[i]));
    }
    let of_enum = |values: &[u32]| hashes(&[Struct("top", 8, &[2]), Enum("e", values)])[0];
    assert_eq!(of_enum(&[1]), of_enum(&[2]));
    assert_ne!(of_enum(&[1]), of_enum(&[]));
    assert_eq!(by_names(of_enum(&[1])), by_names(of_enum(&[])));
}

#[test]
fn a_declaration_far_below_what_has_no_name_counts() {
    let types = |leaf| [Struct("top", 8, &[2]), Proto(0, &[4, 3]), Ptr(5), Ptr(3), leaf];
    let (one, none) = (hashes(&types(Struct("x", 1, &[]))), hashes(&types(Fwd("x"))));
    assert_ne!(one[0], none[0]);
    assert_eq!(by_names(one[0]), by_names(none[0]));
}

#[test]
fn what_leads_to_nameless_types_in_a_circle_stays() {
    let f = identified(&[Struct("top", 8, &[2]), Ptr(3), Ptr(2), Ptr(1), Struct("other", 8, &[])]);
    assert_eq!(f.alone, [1, 2, 3, 4]);
}

#[test]
fn a_declared_enumeration_stays_with_what_leads_to_it_through_no_name() {
    let f = identified(&[Struct("top", 8, &[2]), Ptr(3), Ptr(4), Enum("e", &[]), Ptr(1), Enum("f", &[1])]);
    assert_eq!(f.alone, [2, 3, 4]);
}

#[test]
fn a_long_chain_needs_no_stack() {
    const COUNT: u32 = 200_000;
    let mut types: Vec<T<'_>> = (1..COUNT).map(|i| Ptr(i + 1)).collect();
    types.push(Struct("end", 8, &[1]));
    let all = hashes(&types);
    assert!(all.iter().all(|&hash| hash != 0));
    assert_ne!(all[0], all[1]);
}

#[test]
fn types_that_lead_to_a_name_the_unit_has_twice_are_apart() {
    let f = identified(&[Struct("top", 8, &[2]), Ptr(3), Struct("x", 8, &[]), Fwd("x"), Ptr(4), Struct("y", 8, &[7]), Ptr(6)]);
    assert_eq!(f.apart.list, [1, 2, 3, 4, 5]);
}

#[test]
fn what_is_apart_does_not_depend_on_when_it_was_found() {
    let types = [Struct("top", 8, &[2]), Ptr(3), Struct("x", 8, &[1]), Struct("y", 8, &[5]), Ptr(4)];
    let (ambiguous, mut scratch) = (Ambiguous::default(), IdentityScratch::default());
    let mut early = fragment(&types);
    identify(&mut early, &ambiguous, &mut scratch);
    assert!(early.apart.list.is_empty());
    assert!(ambiguous.add(early.named.iter().find(|named| named.id == 3).expect("x has a name").key));
    assert!(ambiguous.has_any_since(&early.named, early.apart.known, |_| true));
    let mut found = Apart::default();
    find_apart(&early, &ambiguous, ambiguous.count(), &mut scratch, &mut found);
    let mut late = fragment(&types);
    identify(&mut late, &ambiguous, &mut scratch);
    assert!(!ambiguous.has_any_since(&late.named, late.apart.known, |_| true));
    assert_eq!(late.apart.list, found.list);
    assert_eq!(found.list, [1, 2, 3]);
}
