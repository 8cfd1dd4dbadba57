//! How far the references of a record reach: with the greatest of them in range, all are.

use super::Kind;

/// The greatest name and the greatest id that something refers to; 0 for none.
#[derive(Clone, Copy, Default)]
pub(super) struct Reach {
    pub name: u32,
    pub id: u32,
}

impl Reach {
    /// That of a record, but for its own name and, with prototypes, the result, which nobody checks. `rows` are the words behind the head.
    #[inline]
    pub(super) fn of(kind: Option<Kind>, size_or_type: u32, rows: &[u32]) -> Reach {
        // Half of a kernel's types.
        if rows.is_empty() {
            use Kind::{Const, Func, Ptr, Restrict, TypeTag, Typedef, Volatile};
            let refers = matches!(kind, Some(Ptr | Typedef | Volatile | Const | Restrict | Func | TypeTag));
            return Reach { name: 0, id: if refers { size_or_type } else { 0 } };
        }
        let reach = Reach::default();
        match kind {
            Some(Kind::Struct | Kind::Union) => {
                rows.chunks_exact(3).fold(reach, |reach, row| reach.or(Reach { name: row[0], id: row[1] }))
            }
            Some(Kind::FuncProto) => rows.chunks_exact(2).fold(reach, |reach, row| reach.or(Reach { name: row[0], id: row[1] })),
            Some(Kind::Enum) => rows.chunks_exact(2).fold(reach, |reach, row| reach.or(Reach { name: row[0], id: 0 })),
            Some(Kind::Enum64) => rows.chunks_exact(3).fold(reach, |reach, row| reach.or(Reach { name: row[0], id: 0 })),
            Some(Kind::Datasec) => rows.chunks_exact(3).fold(reach, |reach, row| reach.or(Reach { name: 0, id: row[0] })),
            Some(Kind::Array) => Reach { name: 0, id: rows[0].max(rows[1]) },
            None | Some(Kind::Int | Kind::Fwd | Kind::Float) => reach,
            Some(_) => Reach { name: 0, id: size_or_type },
        }
    }

    #[inline]
    pub(super) fn or(self, other: Reach) -> Reach {
        Reach { name: self.name.max(other.name), id: self.id.max(other.id) }
    }
}
