//! The string section: NUL-terminated strings back to back, and a set of their offsets so that each is stored once.
//!
//! The set is an open-addressing table of (offset, hash) pairs: the stored hash lets a probe skip nearly every wrong slot without
//! touching the string bytes, and the table grow without reading them.

use super::{BtfError, MAX_ID};
use rustc_hash::FxHasher;
use std::hash::Hasher;
use std::sync::OnceLock;

const EMPTY: u32 = u32::MAX;

#[derive(Clone, Copy)]
struct Slot {
    offset: u32,
    hash: u32,
}

/// Strings in first-add order and the set of their offsets.
#[derive(Clone, Default)]
pub(super) struct StringSet {
    bytes: Vec<u8>,
    /// Made when a string is looked for first: whoever only reads BTF never needs it.
    table: OnceLock<Table>,
}

#[derive(Clone, Default)]
struct Table {
    /// Power-of-two sized, at most 5/8 full; empty until the first string.
    slots: Vec<Slot>,
    used: usize,
}

fn hash_of(s: &[u8]) -> u32 {
    let mut hasher = FxHasher::default();
    hasher.write(s);
    (hasher.finish() >> 32) as u32 ^ hasher.finish() as u32
}

impl StringSet {
    /// Takes over an existing string section, which must be empty or end in NUL; of equal strings the first is the one found.
    pub(super) fn from_section(bytes: Vec<u8>) -> StringSet {
        debug_assert!(bytes.last().is_none_or(|&b| b == 0));
        StringSet { bytes, table: OnceLock::new() }
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
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

    fn table(&self) -> &Table {
        self.table.get_or_init(|| Table::of_section(&self.bytes))
    }

    pub(super) fn find(&self, s: &[u8]) -> Option<u32> {
        let table = self.table();
        if table.slots.is_empty() {
            return None;
        }
        table.probe(&self.bytes, hash_of(s), s).ok()
    }

    /// Offset of `s` (which must not contain NUL), appended when it is not there yet.
    pub(super) fn add(&mut self, s: &[u8]) -> Result<u32, BtfError> {
        let hash = hash_of(s);
        self.table();
        let Some(table) = self.table.get_mut() else { return Err(BtfError::TooManyStrings) };
        if (table.used + 1) * 8 > table.slots.len() * 5 {
            table.grow_for(table.used + 1);
        }
        match table.probe(&self.bytes, hash, s) {
            Ok(offset) => Ok(offset),
            Err(free) => {
                let offset = self.bytes.len();
                if offset + s.len() + 1 > MAX_ID as usize {
                    return Err(BtfError::TooManyStrings);
                }
                self.bytes.reserve(s.len() + 1);
                self.bytes.extend_from_slice(s);
                self.bytes.push(0);
                table.slots[free] = Slot { offset: offset as u32, hash };
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
        while let Some(len) = memchr::memchr(0, &bytes[start..]) {
            let s = &bytes[start..start + len];
            let hash = hash_of(s);
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
        let mask = self.slots.len() - 1;
        let mut index = hash as usize & mask;
        loop {
            let slot = self.slots[index];
            if slot.offset == EMPTY {
                return Err(index);
            }
            if slot.hash == hash && holds(bytes, slot.offset as usize, s) {
                return Ok(slot.offset);
            }
            index = (index + 1) & mask;
        }
    }

    fn grow_for(&mut self, count: usize) {
        let size = (count * 2).next_power_of_two().max(64);
        if size <= self.slots.len() {
            return;
        }
        let old = std::mem::replace(&mut self.slots, vec![Slot { offset: EMPTY, hash: 0 }; size]);
        let mask = size - 1;
        for slot in old.into_iter().filter(|s| s.offset != EMPTY) {
            let mut index = slot.hash as usize & mask;
            while self.slots[index].offset != EMPTY {
                index = (index + 1) & mask;
            }
            self.slots[index] = slot;
        }
    }
}

fn holds(bytes: &[u8], offset: usize, s: &[u8]) -> bool {
    bytes.get(offset..offset + s.len() + 1).is_some_and(|b| b[s.len()] == 0 && &b[..s.len()] == s)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_are_first_add_order_and_stable_under_growth() {
        let mut set = StringSet::default();
        assert_eq!(set.add(b""), Ok(0));
        let mut offsets = Vec::new();
        for i in 0..5000 {
            offsets.push(set.add(format!("name{i}").as_bytes()).unwrap());
        }
        assert!(offsets.is_sorted());
        for (i, &offset) in offsets.iter().enumerate() {
            let name = format!("name{i}");
            assert_eq!(set.find(name.as_bytes()), Some(offset));
            assert_eq!(set.add(name.as_bytes()), Ok(offset));
            assert_eq!(set.get(offset), Some(name.as_bytes()));
        }
        assert_eq!(set.find(b"name"), None);
        assert_eq!(set.get(set.len()), None);
    }

    #[test]
    fn of_equal_strings_in_a_section_the_first_counts() {
        let set = StringSet::from_section(b"\0ab\0b\0ab\0".to_vec());
        assert_eq!(set.find(b"ab"), Some(1));
        assert_eq!(set.find(b"b"), Some(4));
        assert_eq!(set.get(2), Some(&b"b"[..]));
        assert_eq!(set.find(b""), Some(0));
    }
}
