//! Questions about types by their records, be they a fragment's (with local ids) or the BTF's own.
//!
//! Both have the same shape: name, info and size or target, then members, with ids and names of their kind. Of a type that the
//! records do not have (one of another unit, see [`Fragment`](super::fragment::Fragment)) nothing is known.

use super::fragment::{Fragment, NameRef};
use crate::btf::{Btf, Kind, TypeId};

/// References through more records than this lead in a circle.
const MAX_HOPS: usize = 1 << 16;

pub(super) trait Records {
    /// The record of a type and whatever stands behind it; `None` for void and unknown types.
    fn words(&self, id: u32) -> Option<&[u32]>;

    /// Size of a pointer, in bytes.
    fn addr_size(&self) -> u8;

    /// Ids, ascending, of base types whose record does not have their size, with that size.
    fn odd_sizes(&self) -> &[(u32, u32)];

    /// Size in bytes of a base type with its record.
    fn base_size(&self, id: u32, words: &[u32]) -> u32 {
        let odd = self.odd_sizes();
        match odd.binary_search_by_key(&id, |&(id, _)| id) {
            Ok(at) => odd[at].1,
            Err(_) => words[2],
        }
    }

    /// The type behind typedefs and modifiers; 0 for void and for a circle.
    fn strip(&self, mut id: u32) -> u32 {
        for _ in 0..MAX_HOPS {
            let Some(words) = self.words(id) else { return id };
            match Kind::of_info(words[1]) {
                Some(Kind::Typedef | Kind::Const | Kind::Volatile | Kind::Restrict | Kind::TypeTag) => id = words[2],
                _ => return id,
            }
        }
        0
    }

    /// Size of a type in bytes. An array's is that of all its elements; an empty C++ class counts 0.
    fn size_of(&self, id: u32) -> Size {
        let mut id = self.strip(id);
        let mut count = 1u64;
        for _ in 0..MAX_HOPS {
            if id == 0 {
                return Size::None;
            }
            let Some(words) = self.words(id) else { return Size::Unknown };
            let size = match Kind::of_info(words[1]) {
                Some(Kind::Array) => {
                    count = count.saturating_mul(u64::from(words[5]));
                    id = self.strip(words[3]);
                    continue;
                }
                Some(Kind::Ptr | Kind::FuncProto) => u64::from(self.addr_size()),
                Some(Kind::Struct | Kind::Union) if words[2] == 1 && words[1] & 0xffff == 0 => 0,
                Some(Kind::Int) => u64::from(self.base_size(id, words)),
                Some(Kind::Float | Kind::Struct | Kind::Union | Kind::Enum | Kind::Enum64) => u64::from(words[2]),
                _ => 0,
            };
            return Size::Bytes(count.saturating_mul(size));
        }
        Size::None
    }

    /// A struct, typedefs and const aside: it may take several registers or none, so that registers prove nothing.
    fn is_struct(&self, mut id: u32) -> bool {
        for _ in 0..MAX_HOPS {
            let Some(words) = self.words(id) else { return false };
            match Kind::of_info(words[1]) {
                Some(Kind::Struct) => return true,
                // A declaration of a struct is a FWD record; that of a union has its flag set.
                Some(Kind::Fwd) => return words[1] >> 31 == 0,
                Some(Kind::Typedef | Kind::Const) => id = words[2],
                _ => return false,
            }
        }
        false
    }
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
}

/// A fragment's records.
#[derive(Clone, Copy)]
pub(super) struct LocalRecords<'a> {
    pub words: &'a [u32],
    pub starts: &'a [u32],
    pub odd_sizes: &'a [(u32, u32)],
    pub addr_size: u8,
}

impl<'a> LocalRecords<'a> {
    pub fn of(fragment: &'a Fragment, addr_size: u8) -> LocalRecords<'a> {
        LocalRecords { words: &fragment.words, starts: &fragment.starts, odd_sizes: &fragment.odd_sizes, addr_size }
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
}

/// The BTF's records.
pub(super) struct BtfRecords<'a> {
    pub btf: &'a Btf,
    pub odd_sizes: &'a [(u32, u32)],
    pub addr_size: u8,
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
