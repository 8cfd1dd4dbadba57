//! Hashes and comparisons of single records. "Shallow" ones leave out the ids of other types, which are compared by walking.

use super::Types;
use super::equiv::ends_of;
use crate::btf::Kind;
use crate::btf::record::{HEAD, INFO, NAME, SIZE_OR_TYPE, record_len, vlen_of};

/// A running hash over words.
#[derive(Clone, Copy)]
pub(super) struct Mix(u64);

impl Default for Mix {
    fn default() -> Mix {
        Mix(0x243f_6a88_85a3_08d3)
    }
}

impl Mix {
    #[inline]
    fn over(words: &[u32]) -> Mix {
        words.iter().fold(Mix::default(), |mix, &word| mix.with(word))
    }

    /// A struct or union but for its members' types.
    #[inline]
    pub(super) fn composite(self, record: &[u32]) -> Mix {
        let members = &record[HEAD..HEAD + vlen_of(record[INFO]) * 3];
        let head = record[..HEAD].iter().fold(self, |mix, &word| mix.with(word));
        members.chunks_exact(3).fold(head, |mix, member| mix.with(member[0]).with(member[2]))
    }

    #[inline]
    pub(super) fn with(self, word: u32) -> Mix {
        Mix((self.0.rotate_left(5) ^ u64::from(word)).wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    #[inline]
    pub(super) fn finish(self) -> u32 {
        (self.0 >> 32) as u32
    }
}

/// Hash of everything in a record: for kinds whose references are settled, or that have none.
#[inline]
pub(super) fn hash_content(record: &[u32], len: usize) -> u32 {
    Mix::over(&record[..len]).finish()
}

/// Enums are looked up by name alone, so that a forward declaration finds the full enum.
#[inline]
pub(super) fn hash_enum(record: &[u32]) -> u32 {
    Mix::over(&record[NAME..=NAME]).finish()
}

#[inline]
pub(super) fn hash_typedef(record: &[u32]) -> u32 {
    Mix::over(&record[..=INFO]).finish()
}

/// Leaves out the members' types but for what `ends` says of them.
#[inline]
pub(super) fn hash_composite(record: &[u32], ends: u32) -> u32 {
    Mix::default().with(ends).composite(record).finish()
}

/// The hash under which own types look for a type of the base; `None` for what is never found: libbpf files the base's typedefs under a hash that
/// includes what they refer to, and looks typedefs up by one that does not.
pub(super) fn hash_in_base(types: &Types, record: &[u32]) -> Option<u32> {
    Some(match Kind::of_info(record[INFO])? {
        Kind::Var | Kind::Datasec | Kind::Typedef => return None,
        Kind::Enum | Kind::Enum64 => hash_enum(record),
        Kind::Struct | Kind::Union => hash_composite(record, ends_of(types, record)),
        _ => hash_content(record, record_len(record[INFO])?),
    })
}

/// Equal in all words, given the length of one of them.
#[inline]
pub(super) fn same_content(a: &[u32], b: &[u32], len: usize) -> bool {
    // Nearly all are short: calling a function that compares memory takes longer than comparing.
    let (Some(a), Some(b)) = (a.get(..len), b.get(..len)) else { return false };
    a.iter().zip(b).all(|(a, b)| a == b)
}

/// Equal name, info, and size or type.
#[inline]
pub(super) fn same_head(a: &[u32], b: &[u32]) -> bool {
    a[..HEAD] == b[..HEAD]
}

/// Equal name and info.
#[inline]
pub(super) fn same_name_info(a: &[u32], b: &[u32]) -> bool {
    a[..SIZE_OR_TYPE] == b[..SIZE_OR_TYPE]
}

/// Equal integers.
#[inline]
pub(super) fn same_int(a: &[u32], b: &[u32]) -> bool {
    same_head(a, b) && a[HEAD] == b[HEAD]
}

pub(super) fn is_any_enum(record: &[u32]) -> bool {
    Kind::of_info(record[INFO]).is_some_and(Kind::is_any_enum)
}

pub(super) fn is_enum_fwd(record: &[u32]) -> bool {
    is_any_enum(record) && vlen_of(record[INFO]) == 0
}

/// Equal enums, enumerators included. `a` must be an enum.
pub(super) fn same_enum(a: &[u32], b: &[u32]) -> bool {
    same_head(a, b) && record_len(a[INFO]).is_some_and(|len| same_content(a, b, len))
}

/// Equal enums, or one of them a forward declaration and the name the same: then neither size nor width of the values counts.
/// `a` must be an enum.
pub(super) fn compatible_enum(a: &[u32], b: &[u32]) -> bool {
    if !is_enum_fwd(a) && !is_enum_fwd(b) { same_enum(a, b) } else { a[NAME] == b[NAME] && is_any_enum(b) }
}

/// Equal structs or unions but for the members' types.
#[inline]
pub(super) fn same_composite(a: &[u32], b: &[u32]) -> bool {
    if !same_head(a, b) {
        return false;
    }
    let words = vlen_of(a[INFO]) * 3;
    let (a, b) = (&a[HEAD..HEAD + words], &b[HEAD..HEAD + words]);
    a.chunks_exact(3).zip(b.chunks_exact(3)).all(|(a, b)| a[0] == b[0] && a[2] == b[2])
}

/// Equal arrays but for the types of elements and index.
#[inline]
pub(super) fn same_array(a: &[u32], b: &[u32]) -> bool {
    same_head(a, b) && a[HEAD + 2] == b[HEAD + 2]
}

/// Equal prototypes but for the types of result and parameters.
#[inline]
pub(super) fn same_proto(a: &[u32], b: &[u32]) -> bool {
    if !same_name_info(a, b) {
        return false;
    }
    let words = vlen_of(a[INFO]) * 2;
    let (a, b) = (&a[HEAD..HEAD + words], &b[HEAD..HEAD + words]);
    a.chunks_exact(2).zip(b.chunks_exact(2)).all(|(a, b)| a[0] == b[0])
}
