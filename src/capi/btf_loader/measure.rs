//! Sizes and natural alignments of the types of a BTF, each found once.
//!
//! The results are those of `tag__size` and `tag__natural_alignment`; those walk all the way for every member, and recurse. Loops,
//! which only damaged BTF has, end here, as do chains of any length.

use rustc_hash::FxHashMap;

use super::plan::Shape;
use crate::btf::{Btf, Type, TypeId};

/// A size that cannot be told.
pub(super) const UNKNOWN: usize = usize::MAX;

/// In both vectors below, which start as zeroes: not looked at yet.
const UNSET: u32 = 0;
/// Of a struct whose members are being looked at; one that contains itself has no alignment of its own.
const OPEN: u32 = 1;
/// What stored alignments are increased by.
const KNOWN: u32 = 2;

pub(super) struct Measure<'a> {
    btf: &'a Btf,
    shapes: &'a [Shape],
    addr_size: u8,
    /// By id, one more than what it is past typedefs and qualifiers, see [`Measure::strip`].
    stripped: Vec<u32>,
    /// Of arrays and type tags, in bytes.
    sizes: FxHashMap<u32, usize>,
    /// Of structs and unions, by id, in bytes and increased by [`KNOWN`]: 0 where there are no members.
    alignments: Vec<u32>,
}

/// The largest natural alignment so far, in bytes.
#[derive(Default)]
pub(super) struct Widest(u32);

impl Widest {
    /// The field that this goes to has 16 bits, and C looks at what is left in it.
    #[inline]
    pub(super) fn take(&mut self, alignment: u32) {
        if self.0 < alignment {
            self.0 = u32::from(alignment as u16);
        }
    }
}

impl<'a> Measure<'a> {
    /// `shapes` are those of the types of `btf`, by id.
    pub(super) fn new(btf: &'a Btf, shapes: &'a [Shape], addr_size: u8) -> Measure<'a> {
        let count = shapes.len();
        let (stripped, alignments) = (vec![UNSET; count], vec![UNSET; count]);
        Measure { btf, shapes, addr_size, stripped, sizes: FxHashMap::default(), alignments }
    }

    pub(super) fn shape(&self, id: u32) -> Shape {
        self.shapes.get(id as usize).copied().unwrap_or(Shape::None)
    }

    /// The type past typedefs, const, volatile and restrict; 0 for void, loops and what is no type.
    #[inline]
    pub(super) fn strip(&mut self, id: u32) -> u32 {
        match self.shape(id) {
            Shape::Transparent(_) => self.strip_name(id),
            Shape::None => 0,
            _ => id,
        }
    }

    fn strip_name(&mut self, id: u32) -> u32 {
        const NOTHING: u32 = 1;
        let mut at = id;
        let found = loop {
            let next = match self.shape(at) {
                Shape::Transparent(next) => next,
                Shape::None => break NOTHING,
                _ => break at + 1,
            };
            if self.stripped[at as usize] != UNSET {
                break self.stripped[at as usize];
            }
            // Met again on the way, this ends a loop.
            self.stripped[at as usize] = NOTHING;
            at = next;
        };
        // The same way again, to leave what was found.
        at = id;
        while let Shape::Transparent(next) = self.shape(at) {
            if self.stripped[at as usize] == found {
                break;
            }
            self.stripped[at as usize] = found;
            at = next;
        }
        found - 1
    }

    /// The size of a type in bytes; [`UNKNOWN`] when a type on the way is missing.
    pub(super) fn size(&mut self, id: u32) -> usize {
        // Arrays and tags on the way, and how many there are of what follows.
        let mut path: Vec<(u32, usize)> = Vec::new();
        let mut at = id;
        let mut size = loop {
            let (next, count) = match self.shape(at) {
                Shape::None => break UNKNOWN,
                Shape::Pointer | Shape::Prototype => break usize::from(self.addr_size),
                Shape::Scalar(bits) => break usize::from(bits) / 8,
                Shape::Enum(bits) => break bits as usize / 8,
                Shape::Empty => break 0,
                Shape::Composite(size) => break size as usize,
                Shape::Array(elem) => (elem, self.count(at)),
                Shape::Tag(next) => (next, 1),
                Shape::Transparent(_) => {
                    at = match self.strip(at) {
                        0 => break self.size_of_nothing(at),
                        found => found,
                    };
                    continue;
                }
            };
            // Met again on the way, this ends a loop.
            if let Some(known) = self.sizes.insert(at, UNKNOWN) {
                self.sizes.insert(at, known);
                break known;
            }
            path.push((at, count));
            if next == 0 {
                break 0;
            }
            at = next;
        };
        for (id, count) in path.into_iter().rev() {
            if size != UNKNOWN {
                size = size.wrapping_mul(count);
            }
            self.sizes.insert(id, size);
        }
        size
    }

    /// Of an array.
    fn count(&self, id: u32) -> usize {
        self.btf.get(TypeId(id)).and_then(|ty| ty.array()).map_or(0, |array| array.count as usize)
    }

    /// The type that is missing on the way to a size that is [`UNKNOWN`].
    pub(super) fn missing(&self, id: u32) -> u32 {
        let mut at = id;
        for _ in 0..self.shapes.len() {
            match self.shape(at) {
                Shape::Array(next) | Shape::Tag(next) | Shape::Transparent(next) => at = next,
                _ => break,
            }
        }
        at
    }

    /// Of a name that leads to no type: void has the size 0, the others are missing.
    fn size_of_nothing(&self, id: u32) -> usize {
        let mut at = id;
        for _ in 0..self.shapes.len() {
            match self.shape(at) {
                Shape::Transparent(0) => return 0,
                Shape::Transparent(next) => at = next,
                _ => break,
            }
        }
        UNKNOWN
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
        match self.alignments.get(id as usize) {
            Some(&UNSET) => {}
            _ => return self.known_alignment(id),
        }
        // Structs on the way down: each with the index of the member that is looked at and the widest so far.
        let mut open = Vec::new();
        self.open(id, &mut open);
        while let Some(&mut (id, ty, ref mut next, ref mut widest)) = open.last_mut() {
            let Some(member) = ty.member(*next) else {
                self.alignments[id as usize] = widest.0 + KNOWN;
                open.pop();
                continue;
            };
            let ty = match self.strip(member.type_id.0) {
                0 => 0,
                ty => self.past_arrays(ty),
            };
            let alignment = match self.own_alignment(ty) {
                Some(alignment) => alignment,
                None if self.alignments[ty as usize] == UNSET => {
                    // The member is looked at again once its struct is known.
                    self.open(ty, &mut open);
                    continue;
                }
                None => self.known_alignment(ty),
            };
            widest.take(alignment.max(1));
            *next += 1;
        }
        self.known_alignment(id)
    }

    /// Enters the largest natural alignment of the members of a type, as [`Measure::alignment`] tells them, in order, so that nobody has to
    /// look at them again. What is known already stays.
    pub(super) fn set_widest(&mut self, id: u32, widest: Widest) {
        if self.alignments[id as usize] == UNSET {
            self.alignments[id as usize] = widest.0 + KNOWN;
        }
    }

    fn open(&mut self, id: u32, open: &mut Vec<(u32, Type<'a>, usize, Widest)>) {
        self.alignments[id as usize] = OPEN;
        if let Some(ty) = self.btf.get(TypeId(id)) {
            open.push((id, ty, 0, Widest::default()));
        }
    }

    fn known_alignment(&self, id: u32) -> u32 {
        self.alignments.get(id as usize).map_or(0, |known| known.saturating_sub(KNOWN))
    }

    /// The alignment of what is neither struct nor union; `None` for those.
    fn own_alignment(&self, id: u32) -> Option<u32> {
        match self.shape(id) {
            Shape::Composite(_) | Shape::Empty => None,
            Shape::Pointer => Some(u32::from(self.addr_size)),
            Shape::Scalar(bits) => Some(u32::from(bits) / 8),
            Shape::Enum(bits) => Some(bits / 8),
            _ => Some(1),
        }
    }

    /// What an array is an array of, past all names and dimensions; other types are left as they are. 0 for void.
    fn past_arrays(&mut self, id: u32) -> u32 {
        let mut at = id;
        // No way without a loop is longer than there are types.
        for _ in 0..self.shapes.len() {
            match self.shape(at) {
                Shape::Array(elem) => at = self.strip(elem),
                _ => return at,
            }
        }
        0
    }
}
