//! The string section: NUL-terminated strings back to back, and a set of their offsets so that each is stored once.
//!
//! The set is an open-addressing table of (offset, hash) pairs: the stored hash lets a probe skip nearly every wrong slot without
//! touching the string bytes, and the table grow without reading them.

use super::keys::Keys;
use super::{BtfError, MAX_ID};
use std::borrow::Cow;
use std::sync::OnceLock;

const EMPTY: u32 = u32::MAX;
/// Slots of a large table.
const LARGE: usize = 1 << 16;
/// Of a small one, fewer.
const SMALL: usize = 1 << 13;

#[derive(Clone, Copy)]
struct Slot {
    offset: u32,
    hash: u32,
}

/// Strings in first-add order and the set of their offsets.
#[derive(Clone, Default)]
pub(super) struct StringSet {
    bytes: Cow<'static, [u8]>,
    /// Made when a string is added or looked for first: whoever only reads BTF never needs it.
    table: OnceLock<Table>,
    /// For a section that many strings will be looked for in, once.
    keys: OnceLock<Keys>,
}

#[derive(Clone, Default)]
struct Table {
    /// At most three quarters full; empty until the first string.
    slots: Vec<Slot>,
    used: usize,
}

/// One more step of a hash.
#[inline]
fn mix(hash: u64, word: u64) -> u64 {
    (hash.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// The bytes of an incomplete chunk as a number, with `fill` above them.
#[inline]
fn partial(chunk: &[u8], fill: u64) -> u64 {
    chunk.iter().rev().fold(fill, |word, &byte| word << 8 | u64::from(byte))
}

/// Hash of a string without NUL.
#[inline]
pub(crate) fn hash_of(s: &[u8]) -> u64 {
    let chunks = s.chunks_exact(8);
    let rest = partial(chunks.remainder(), 0);
    let hash = chunks.fold(0, |hash, chunk| mix(hash, chunk.first_chunk().map_or(0, |chunk| u64::from_le_bytes(*chunk))));
    mix(mix(hash, rest), 0)
}

/// Length and hash of the string at the start of `bytes`, without the NUL that ends it; `None` when none does. Short as names are, both are
/// had in one pass.
#[inline]
pub(crate) fn measure(bytes: &[u8]) -> Option<(usize, u64)> {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let (mut hash, mut rest) = (0, bytes);
    loop {
        let word = match rest.first_chunk() {
            Some(chunk) => u64::from_le_bytes(*chunk),
            // As if more followed that ends no string.
            None => partial(rest, u64::MAX),
        };
        let ends = word.wrapping_sub(ONES) & !word & ONES << 7;
        if ends != 0 {
            let before = ends.trailing_zeros() / 8;
            let last = mix(hash, word & !(u64::MAX << (8 * before)));
            return Some((bytes.len() - rest.len() + before as usize, mix(last, 0)));
        }
        hash = mix(hash, word);
        rest = rest.get(8..)?;
    }
}

impl StringSet {
    /// Takes over an existing string section, which must be empty or end in NUL; of equal strings the first is the one found.
    pub(super) fn from_section(bytes: impl Into<Cow<'static, [u8]>>) -> StringSet {
        let bytes = bytes.into();
        debug_assert!(bytes.last().is_none_or(|&b| b == 0));
        StringSet { bytes, table: OnceLock::new(), keys: OnceLock::new() }
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.bytes.into_owned()
    }

    /// Length of the section in bytes.
    pub(super) fn len(&self) -> u32 {
        self.bytes.len() as u32
    }

    /// The string that starts at `offset`, which may be in the middle of a longer one.
    pub(super) fn get(&self, offset: u32) -> Option<&[u8]> {
        let tail = self.bytes.get(offset as usize..)?;
        Some(&tail[..memchr::memchr(0, tail)?])
    }

    /// The keys of all strings of the section, to which none is added any more. They are made when they are needed.
    pub(super) fn keys(&self) -> &Keys {
        self.keys.get_or_init(|| Keys::for_section(&self.bytes))
    }

    /// Where a string without NUL is; `hash` is its hash.
    #[inline]
    pub(super) fn find(&self, s: &[u8], hash: u64) -> Option<u32> {
        let table = self.table();
        if table.slots.is_empty() { None } else { table.probe(&self.bytes, hash as u32, s).ok() }
    }

    #[inline]
    fn table(&self) -> &Table {
        self.table.get_or_init(|| Table::of_section(&self.bytes))
    }

    /// Makes room for this many more bytes, and strings.
    pub(super) fn reserve(&mut self, bytes: usize, count: usize) {
        self.table();
        self.bytes.to_mut().reserve(bytes);
        if let Some(table) = self.table.get_mut() {
            table.make_room(count);
        }
    }

    /// Offset of `s` (which must not contain NUL), appended when it is not there yet; `hash` is its hash.
    pub(super) fn add(&mut self, s: &[u8], hash: u64) -> Result<u32, BtfError> {
        self.table();
        let Some(table) = self.table.get_mut() else { return Err(BtfError::TooManyStrings) };
        table.make_room(1);
        match table.probe(&self.bytes, hash as u32, s) {
            Ok(offset) => Ok(offset),
            Err(free) => {
                let offset = self.bytes.len();
                if offset + s.len() + 1 > MAX_ID as usize {
                    return Err(BtfError::TooManyStrings);
                }
                let bytes = self.bytes.to_mut();
                bytes.reserve(s.len() + 1);
                bytes.extend_from_slice(s);
                bytes.push(0);
                table.slots[free] = Slot { offset: offset as u32, hash: hash as u32 };
                table.used += 1;
                Ok(offset as u32)
            }
        }
    }
}

impl Table {
    fn of_section(bytes: &[u8]) -> Table {
        let count = memchr::memchr_iter(0, bytes).count();
        let mut table = Table::default();
        table.grow_for(count);
        let mut start = 0;
        while let Some((len, hash)) = bytes.get(start..).and_then(measure) {
            let s = &bytes[start..start + len];
            let hash = hash as u32;
            if let Err(free) = table.probe(bytes, hash, s) {
                table.slots[free] = Slot { offset: start as u32, hash };
                table.used += 1;
            }
            start += len + 1;
        }
        table
    }

    /// `Ok(offset)` of an equal string, or `Err(index of the free slot)`. The table must not be empty.
    fn probe(&self, bytes: &[u8], hash: u32, s: &[u8]) -> Result<u32, usize> {
        let mut index = home(self.slots.len(), hash);
        loop {
            let slot = self.slots[index];
            if slot.offset == EMPTY {
                return Err(index);
            }
            if slot.hash == hash && holds(bytes, slot.offset as usize, s) {
                return Ok(slot.offset);
            }
            index = next(self.slots.len(), index);
        }
    }

    /// For so many more strings.
    #[inline]
    fn make_room(&mut self, more: usize) {
        let count = self.used + more;
        if count * 4 > self.slots.len() * 3 {
            self.grow_for(count);
        }
    }

    fn grow_for(&mut self, count: usize) {
        let size = self.slots.len();
        // A large one grows by half: it is most of what strings take beside their bytes, and for a moment there are two. A small one soon grows again.
        let more = match size {
            0..SMALL => 3 * size,
            SMALL..LARGE => size,
            _ => size / 2,
        };
        let size = (size + more).max(count + count / 2).max(256);
        let old = std::mem::replace(&mut self.slots, vec![Slot { offset: EMPTY, hash: 0 }; size]);
        for slot in old.into_iter().filter(|s| s.offset != EMPTY) {
            let mut index = home(size, slot.hash);
            while self.slots[index].offset != EMPTY {
                index = next(size, index);
            }
            self.slots[index] = slot;
        }
    }
}

/// Where the search for a hash starts in a table of `size` slots.
#[inline]
fn home(size: usize, hash: u32) -> usize {
    ((u64::from(hash) * size as u64) >> 32) as usize
}

#[inline]
fn next(size: usize, index: usize) -> usize {
    if index + 1 == size { 0 } else { index + 1 }
}

fn holds(bytes: &[u8], offset: usize, s: &[u8]) -> bool {
    bytes.get(offset..offset + s.len() + 1).is_some_and(|b| b[s.len()] == 0 && &b[..s.len()] == s)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn add(set: &mut StringSet, s: &[u8]) -> Result<u32, BtfError> {
        set.add(s, hash_of(s))
    }

    fn find(set: &StringSet, s: &[u8]) -> Option<u32> {
        set.find(s, hash_of(s))
    }

    #[test]
    fn offsets_are_first_add_order_and_stable_under_growth() {
        let mut set = StringSet::default();
        assert_eq!(add(&mut set, b""), Ok(0));
        let mut offsets = Vec::new();
        for i in 0..5000 {
            offsets.push(add(&mut set, format!("name{i}").as_bytes()).unwrap());
        }
        assert!(offsets.is_sorted());
        for (i, &offset) in offsets.iter().enumerate() {
            let name = format!("name{i}");
            assert_eq!(find(&set, name.as_bytes()), Some(offset));
            assert_eq!(add(&mut set, name.as_bytes()), Ok(offset));
            assert_eq!(set.get(offset), Some(name.as_bytes()));
        }
        assert_eq!(find(&set, b"name"), None);
        assert_eq!(set.get(set.len()), None);
    }

    #[test]
    fn of_equal_strings_in_a_section_the_first_counts() {
        let set = StringSet::from_section(b"\0ab\0b\0ab\0".to_vec());
        check(&set);
        let mut set = set;
        assert_eq!(add(&mut set, b"new"), Ok(9));
        check(&set);
        assert_eq!(find(&set, b"new"), Some(9));
    }

    fn check(set: &StringSet) {
        assert_eq!(find(set, b"ab"), Some(1));
        assert_eq!(find(set, b"b"), Some(4));
        assert_eq!(set.get(2), Some(&b"b"[..]));
        assert_eq!(find(set, b""), Some(0));
    }

    #[test]
    fn strings_of_every_length_at_every_distance_from_the_end() {
        for len in 0..20 {
            for behind in 0..10 {
                let section = [vec![b'x'; len], vec![0], vec![b'y'; behind]].concat();
                assert_eq!(measure(&section), Some((len, hash_of(&section[..len]))));
                assert_eq!(measure(&section[len + 1..]), None);
            }
        }
        assert_ne!(hash_of(b"a"), hash_of(b"b"));
    }
}
