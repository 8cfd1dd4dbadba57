//! Sizes and natural alignments of the types of a BTF, each found once.
//!
//! The results are those of `tag__size` and `tag__natural_alignment`; those walk all the way for every member, and recurse. Loops,
//! which only damaged BTF has, end here, as do chains of any length.

use super::tags::{enum_bits, scalar_bits};
use crate::btf::{Btf, Kind, Type, TypeId};

/// A size that cannot be told.
pub(super) const UNKNOWN: usize = usize::MAX;

const UNSET: u32 = u32::MAX;
/// Of a struct whose members are being looked at; one that contains itself has no alignment of its own.
const OPEN: u32 = u32::MAX - 1;

pub(super) struct Measure<'a> {
    btf: &'a Btf,
    addr_size: u8,
    /// By id: what it is past typedefs and qualifiers, see [`Measure::strip`].
    stripped: Vec<u32>,
    /// By id, in bytes.
    sizes: Vec<Option<usize>>,
    /// Of structs and unions, by id, in bytes: 0 where there are no members.
    alignments: Vec<u32>,
}

/// Whether tags of this kind are in the table of types.
fn is_type(kind: Kind) -> bool {
    !matches!(kind, Kind::Func | Kind::Var | Kind::Datasec | Kind::DeclTag)
}

fn is_transparent(kind: Kind) -> bool {
    matches!(kind, Kind::Typedef | Kind::Const | Kind::Volatile | Kind::Restrict)
}

impl<'a> Measure<'a> {
    pub(super) fn new(btf: &'a Btf, addr_size: u8) -> Measure<'a> {
        let count = btf.type_count() as usize;
        Measure { btf, addr_size, stripped: vec![UNSET; count], sizes: vec![None; count], alignments: vec![UNSET; count] }
    }

    fn get(&self, id: u32) -> Option<Type<'a>> {
        self.btf.get(TypeId(id)).filter(|ty| is_type(ty.kind()))
    }

    /// The type past typedefs, const, volatile and restrict; 0 for void, loops and what is no type.
    pub(super) fn strip(&mut self, id: u32) -> u32 {
        let mut path = Vec::new();
        let mut at = id;
        let found = loop {
            match self.stripped.get(at as usize) {
                None => break 0,
                Some(&known) if known != UNSET => break known,
                _ => {}
            }
            let Some(ty) = self.get(at) else { break 0 };
            if !is_transparent(ty.kind()) {
                break at;
            }
            // Met again on the way, this ends a loop.
            self.stripped[at as usize] = 0;
            path.push(at);
            at = ty.type_id().map_or(0, |id| id.0);
        };
        for id in path {
            self.stripped[id as usize] = found;
        }
        found
    }

    /// The size of a type in bytes; [`UNKNOWN`] when a type on the way is missing.
    pub(super) fn size(&mut self, id: u32) -> usize {
        // What arrays and names lead to, and how many of it there are.
        let mut path: Vec<(u32, usize)> = Vec::new();
        let mut at = id;
        let mut size = loop {
            match self.sizes.get(at as usize) {
                None => break UNKNOWN,
                Some(&Some(known)) => break known,
                _ => {}
            }
            let Some(ty) = self.get(at) else { break UNKNOWN };
            let (next, count) = match ty.kind() {
                Kind::Ptr | Kind::FuncProto => break usize::from(self.addr_size),
                Kind::Int | Kind::Float => break usize::from(scalar_bits(&ty)) / 8,
                Kind::Enum | Kind::Enum64 => break enum_bits(&ty) as usize / 8,
                // An empty class has one byte, but takes no room where it is a base.
                Kind::Struct | Kind::Union if ty.size() == Some(1) && ty.vlen() == 0 => break 0,
                Kind::Struct | Kind::Union => break ty.size().unwrap_or(0) as usize,
                Kind::Fwd => break 0,
                _ => match ty.array() {
                    Some(array) => (array.elem.0, array.count as usize),
                    None => (ty.type_id().map_or(0, |id| id.0), 1),
                },
            };
            // Met again on the way, this ends a loop.
            self.sizes[at as usize] = Some(UNKNOWN);
            path.push((at, count));
            if next == 0 {
                break 0;
            }
            at = next;
        };
        for (id, count) in path.into_iter().rev() {
            size = size.wrapping_mul(count);
            self.sizes[id as usize] = Some(size);
        }
        size
    }

    /// The natural alignment of a type in bytes, at least 1.
    pub(super) fn alignment(&mut self, id: u32) -> u32 {
        let id = self.past_arrays(id);
        match self.own_alignment(id) {
            Some(alignment) => alignment.max(1),
            None => self.widest_member(id).max(1),
        }
    }

    /// The largest natural alignment of a struct's or union's members, in bytes; 0 without members.
    pub(super) fn widest_member(&mut self, id: u32) -> u32 {
        if !self.alignments.get(id as usize).is_some_and(|&known| known == UNSET) {
            return self.known_alignment(id);
        }
        self.alignments[id as usize] = OPEN;
        // Structs on the way down: each with the index of the member that is looked at and the widest so far.
        let mut open = vec![(id, 0_usize, 0_u32)];
        while let Some(&mut (id, ref mut next, ref mut widest)) = open.last_mut() {
            let member = self.btf.get(TypeId(id)).and_then(|ty| ty.member(*next));
            let Some(member) = member else {
                self.alignments[id as usize] = *widest;
                open.pop();
                continue;
            };
            let ty = self.strip(member.type_id.0);
            let ty = if ty == 0 { 0 } else { self.past_arrays(ty) };
            let alignment = match self.own_alignment(ty) {
                Some(alignment) => alignment,
                None if self.alignments[ty as usize] == UNSET => {
                    // The member is looked at again once its struct is known.
                    self.alignments[ty as usize] = OPEN;
                    open.push((ty, 0, 0));
                    continue;
                }
                None => self.known_alignment(ty),
            };
            // The field that this goes to has 16 bits, and C looks at what is left in it.
            if *widest < alignment.max(1) {
                *widest = u32::from(alignment.max(1) as u16);
            }
            *next += 1;
        }
        self.known_alignment(id)
    }

    fn known_alignment(&self, id: u32) -> u32 {
        self.alignments.get(id as usize).copied().filter(|&known| known < OPEN).unwrap_or(0)
    }

    /// The alignment of what is neither struct nor union; `None` for those.
    fn own_alignment(&self, id: u32) -> Option<u32> {
        let Some(ty) = self.get(id) else { return Some(1) };
        match ty.kind() {
            Kind::Struct | Kind::Union => None,
            Kind::Ptr => Some(u32::from(self.addr_size)),
            Kind::Int | Kind::Float => Some(u32::from(scalar_bits(&ty)) / 8),
            Kind::Enum | Kind::Enum64 => Some(enum_bits(&ty) / 8),
            _ => Some(1),
        }
    }

    /// What an array is an array of, past all names and dimensions; other types are left as they are. 0 for void.
    fn past_arrays(&mut self, id: u32) -> u32 {
        let mut at = id;
        // No way without a loop is longer than there are types.
        for _ in 0..self.btf.type_count() {
            match self.get(at).and_then(|ty| ty.array()) {
                Some(array) => at = self.strip(array.elem.0),
                None => return at,
            }
        }
        0
    }
}
