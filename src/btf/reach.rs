//! How far the references of a record reach: with the greatest of them in range, all are.

use super::Kind;
use super::record::{by_kind, kind_number};

/// The greatest name and the greatest id that something refers to; 0 for none.
#[derive(Clone, Copy, Default)]
pub(super) struct Reach {
    pub name: u32,
    pub id: u32,
}

/// Which words of a record are names and ids: all ones for those that are, to be masked with. No processor foresees the next kind, so that there
/// is one way for all.
#[derive(Clone, Copy)]
struct Words {
    /// Words of a row.
    stride: usize,
    size_or_type: u32,
    /// The first word of a row as a name, and as an id.
    name: u32,
    first: u32,
    /// The second one as an id.
    second: u32,
}

impl Words {
    const fn of(kind: Kind) -> Words {
        const ALL: u32 = u32::MAX;
        // Longer than what kinds have that are not named here.
        let none = Words { stride: 3, size_or_type: 0, name: 0, first: 0, second: 0 };
        match kind {
            Kind::Struct | Kind::Union => Words { name: ALL, second: ALL, ..none },
            Kind::FuncProto => Words { stride: 2, name: ALL, second: ALL, ..none },
            Kind::Enum => Words { stride: 2, name: ALL, ..none },
            Kind::Enum64 => Words { name: ALL, ..none },
            Kind::Datasec => Words { first: ALL, ..none },
            Kind::Array => Words { first: ALL, second: ALL, ..none },
            Kind::Int | Kind::Fwd | Kind::Float => none,
            _ => Words { size_or_type: ALL, ..none },
        }
    }
}

/// Numbers without a kind have no rows.
static WORDS: [Words; 32] = by_kind!(Words::of, Words::of(Kind::Int));

impl Reach {
    /// That of a record, but for its own name and, with prototypes, the result, which nobody checks. `rows` are the words behind the head.
    #[inline]
    pub(super) fn of(info: u32, size_or_type: u32, rows: &[u32]) -> Reach {
        let words = &WORDS[kind_number(info) as usize];
        let mut reach = Reach { name: 0, id: size_or_type & words.size_or_type };
        let mut rest = rows;
        while let (Some(&[first, second]), true) = (rest.first_chunk(), rest.len() >= words.stride) {
            reach.name = reach.name.max(first & words.name);
            reach.id = reach.id.max(first & words.first).max(second & words.second);
            rest = &rest[words.stride..];
        }
        reach
    }

    #[inline]
    pub(super) fn or(self, other: Reach) -> Reach {
        Reach { name: self.name.max(other.name), id: self.id.max(other.id) }
    }
}
