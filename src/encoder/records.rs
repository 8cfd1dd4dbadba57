//! Questions about types by their records, be they a fragment's (with local ids) or the BTF's own.
//!
//! Both have the same shape: name, info and size or target, then members, with ids and names of their kind. Of a type that the
//! records do not have (one of another unit, see [`Fragment`](super::fragment::Fragment)) nothing is known.

use super::fragment::{Fragment, NameRef};
use crate::btf::{Btf, Kind, TypeId};
use crate::dwarf::circle::Circle;
use rustc_hash::FxHashMap;
use std::cell::RefCell;

/// Longer chains of references are remembered: nobody has them but those who make them to see what happens.
const LONG: usize = 64;

/// Where long chains end, for every [`LONG`]th of their types, so that many ways into one take no time in the square of its length. Valid as long
/// as the records are.
#[derive(Default, Debug)]
pub struct LongChains {
    stripped: RefCell<FxHashMap<u32, u32>>,
    structs: RefCell<FxHashMap<u32, u32>>,
    sizes: RefCell<FxHashMap<u32, Size>>,
}

impl LongChains {
    pub fn clear(&mut self) {
        self.stripped.get_mut().clear();
        self.structs.get_mut().clear();
        self.sizes.get_mut().clear();
    }
}

pub(super) trait Records {
    /// The record of a type and whatever stands behind it; `None` for void and unknown types.
    fn words(&self, id: u32) -> Option<&[u32]>;

    /// Size of a pointer, in bytes.
    fn addr_size(&self) -> u8;

    /// Ids, ascending, of base types whose record does not have their size, with that size.
    fn odd_sizes(&self) -> &[(u32, u32)];

    fn long_chains(&self) -> &LongChains;

    /// Size in bytes of a base type with its record.
    fn base_size(&self, id: u32, words: &[u32]) -> u32 {
        let odd = self.odd_sizes();
        match odd.binary_search_by_key(&id, |&(id, _)| id) {
            Ok(at) => odd[at].1,
            Err(_) => words[2],
        }
    }

    /// The type behind typedefs and modifiers; 0 for void and for a circle.
    fn strip(&self, id: u32) -> u32 {
        self.end_of_chain(id, is_transparent, &self.long_chains().stripped)
    }

    /// Where a chain of types whose kinds `passes` lets through ends; 0 for void and for a circle.
    #[inline]
    fn end_of_chain(&self, id: u32, passes: impl Fn(Kind) -> bool, memory: &RefCell<FxHashMap<u32, u32>>) -> u32 {
        let next = |id| {
            let words = self.words(id)?;
            Kind::of_info(words[1]).filter(|&kind| passes(kind)).map(|_| words[2])
        };
        let mut at = id;
        for _ in 0..LONG {
            match next(at) {
                Some(target) => at = target,
                None => return at,
            }
        }
        end_of_long_chain(at, next, memory)
    }

    /// Size of a type in bytes. An array's is that of all its elements; an empty C++ class counts 0.
    fn size_of(&self, id: u32) -> Size {
        let mut id = self.strip(id);
        let mut count = 1u64;
        for _ in 0..LONG {
            match self.own_size(id) {
                Ok(size) => return size.times(count),
                Err((elements, element)) => {
                    count = count.saturating_mul(elements);
                    id = self.strip(element);
                }
            }
        }
        self.size_of_deep_array(id).times(count)
    }

    /// Size of a type that has one of its own; of an array the number of elements, and their type.
    #[inline]
    fn own_size(&self, id: u32) -> Result<Size, (u64, u32)> {
        if id == 0 {
            return Ok(Size::None);
        }
        let Some(words) = self.words(id) else { return Ok(Size::Unknown) };
        Ok(Size::Bytes(match Kind::of_info(words[1]) {
            Some(Kind::Array) => return Err((u64::from(words[5]), words[3])),
            Some(Kind::Ptr | Kind::FuncProto) => u64::from(self.addr_size()),
            Some(Kind::Struct | Kind::Union) if words[2] == 1 && words[1] & 0xffff == 0 => 0,
            Some(Kind::Int) => u64::from(self.base_size(id, words)),
            Some(Kind::Float | Kind::Struct | Kind::Union | Kind::Enum | Kind::Enum64) => u64::from(words[2]),
            _ => 0,
        }))
    }

    #[cold]
    fn size_of_deep_array(&self, mut id: u32) -> Size {
        let mut memory = self.long_chains().sizes.borrow_mut();
        let (mut path, mut circle) = (Vec::new(), Circle::from(id));
        let mut size = loop {
            if let Some(&known) = memory.get(&id) {
                break known;
            }
            match self.own_size(id) {
                Ok(size) => break size,
                Err((elements, element)) => {
                    path.push((id, elements));
                    id = self.strip(element);
                    if circle.is_closed_by(id) {
                        break Size::None;
                    }
                }
            }
        };
        for (depth, &(id, elements)) in path.iter().enumerate().rev() {
            size = size.times(elements);
            if depth % LONG == 0 {
                memory.insert(id, size);
            }
        }
        size
    }

    /// A struct, typedefs and const aside: it may take several registers or none, so that registers prove nothing.
    fn is_struct(&self, id: u32) -> bool {
        let end = self.end_of_chain(id, |kind| matches!(kind, Kind::Typedef | Kind::Const), &self.long_chains().structs);
        self.words(end).is_some_and(|words| match Kind::of_info(words[1]) {
            Some(Kind::Struct) => true,
            // A declaration of a struct is a FWD record; that of a union has its flag set.
            Some(Kind::Fwd) => words[1] >> 31 == 0,
            _ => false,
        })
    }
}

fn is_transparent(kind: Kind) -> bool {
    matches!(kind, Kind::Typedef | Kind::Const | Kind::Volatile | Kind::Restrict | Kind::TypeTag)
}

#[cold]
fn end_of_long_chain(mut id: u32, next: impl Fn(u32) -> Option<u32>, memory: &RefCell<FxHashMap<u32, u32>>) -> u32 {
    let mut memory = memory.borrow_mut();
    let (mut path, mut steps, mut circle) = (Vec::new(), 0, Circle::from(id));
    let end = loop {
        if let Some(&known) = memory.get(&id) {
            break known;
        }
        if steps % LONG == 0 {
            path.push(id);
        }
        steps += 1;
        match next(id) {
            None => break id,
            Some(target) if circle.is_closed_by(target) => break 0,
            Some(target) => id = target,
        }
    };
    memory.extend(path.into_iter().map(|id| (id, end)));
    end
}

/// See [`Records::size_of`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Size {
    Bytes(u64),
    /// Void, or a circle.
    None,
    /// It depends on a type that the records do not have.
    Unknown,
}

impl Size {
    /// 0 where there is none.
    pub fn bytes(self) -> u64 {
        match self {
            Size::Bytes(n) => n,
            Size::None | Size::Unknown => 0,
        }
    }

    /// That of so many in a row.
    fn times(self, count: u64) -> Size {
        match self {
            Size::Bytes(n) => Size::Bytes(n.saturating_mul(count)),
            other => other,
        }
    }
}

/// A fragment's records.
#[derive(Clone, Copy)]
pub(super) struct LocalRecords<'a> {
    pub words: &'a [u32],
    pub starts: &'a [u32],
    pub odd_sizes: &'a [(u32, u32)],
    pub addr_size: u8,
    pub long_chains: &'a LongChains,
}

impl<'a> LocalRecords<'a> {
    pub fn of(fragment: &'a Fragment, addr_size: u8, long_chains: &'a LongChains) -> LocalRecords<'a> {
        LocalRecords { words: &fragment.words, starts: &fragment.starts, odd_sizes: &fragment.odd_sizes, addr_size, long_chains }
    }
}

impl Records for LocalRecords<'_> {
    #[inline]
    fn words(&self, id: u32) -> Option<&[u32]> {
        let start = *self.starts.get((id as usize).wrapping_sub(1))?;
        Some(&self.words[start as usize..])
    }

    fn addr_size(&self) -> u8 {
        self.addr_size
    }

    fn odd_sizes(&self) -> &[(u32, u32)] {
        self.odd_sizes
    }

    fn long_chains(&self) -> &LongChains {
        self.long_chains
    }
}

/// The BTF's records.
pub(super) struct BtfRecords<'a> {
    pub btf: &'a Btf,
    pub odd_sizes: &'a [(u32, u32)],
    pub addr_size: u8,
    pub long_chains: &'a LongChains,
}

impl Records for BtfRecords<'_> {
    fn words(&self, id: u32) -> Option<&[u32]> {
        if id == 0 { None } else { self.btf.get(TypeId(id)).map(|t| t.words()) }
    }

    fn addr_size(&self) -> u8 {
        self.addr_size
    }

    fn odd_sizes(&self) -> &[(u32, u32)] {
        self.odd_sizes
    }

    fn long_chains(&self) -> &LongChains {
        self.long_chains
    }
}

/// Name and type of the member at a byte offset of a struct's record; `None` also for a member without name or type.
pub(super) fn member_at(words: &[u32], byte_offset: u32) -> Option<(NameRef, u32)> {
    let vlen = (words[1] & 0xffff) as usize;
    let kflag = words[1] >> 31 != 0;
    let wanted = byte_offset.checked_mul(8)?;
    let member = words[3..].chunks_exact(3).take(vlen).find(|m| {
        let offset = if kflag { m[2] & 0x00ff_ffff } else { m[2] };
        offset == wanted && m[1] != 0
    })?;
    (member[0] != 0).then(|| (NameRef::from_word(member[0]), member[1]))
}
