//! The string section: NUL-terminated strings back to back, and a set of their offsets so that each is stored once.
//!
//! The set is an open-addressing table of (offset, hash) pairs: the stored hash lets a probe skip nearly every wrong slot without
//! touching the string bytes, and the table grow without reading them.

use super::{BtfError, MAX_ID};
use rustc_hash::FxHasher;
use std::hash::Hasher;

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
        let count = memchr::memchr_iter(0, &bytes).count();
        let mut set = StringSet { bytes, slots: Vec::new(), used: 0 };
        set.grow_for(count);
        let mut start = 0;
        while let Some(len) = memchr::memchr(0, &set.bytes[start..]) {
            let hash = hash_of(&set.bytes[start..start + len]);
            if let Err(free) = set.probe(hash, start, len) {
                set.slots[free] = Slot { offset: start as u32, hash };
                set.used += 1;
            }
            start += len + 1;
        }
        set
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

    pub(super) fn find(&self, s: &[u8]) -> Option<u32> {
        if self.slots.is_empty() {
            return None;
        }
        self.probe_bytes(hash_of(s), s).ok()
    }

    /// Offset of `s` (which must not contain NUL), appended when it is not there yet.
    pub(super) fn add(&mut self, s: &[u8]) -> Result<u32, BtfError> {
        let hash = hash_of(s);
        if (self.used + 1) * 8 > self.slots.len() * 5 {
            self.grow_for(self.used + 1);
        }
        match self.probe_bytes(hash, s) {
            Ok(offset) => Ok(offset),
            Err(free) => {
                let offset = self.bytes.len();
                if offset + s.len() + 1 > MAX_ID as usize {
                    return Err(BtfError::TooManyStrings);
                }
                self.bytes.reserve(s.len() + 1);
                self.bytes.extend_from_slice(s);
                self.bytes.push(0);
                self.slots[free] = Slot { offset: offset as u32, hash };
                self.used += 1;
                Ok(offset as u32)
            }
        }
    }

    /// `Ok(offset)` of an equal string, or `Err(index of the free slot)`. The table must not be empty.
    fn probe_bytes(&self, hash: u32, s: &[u8]) -> Result<u32, usize> {
        let mask = self.slots.len() - 1;
        let mut index = hash as usize & mask;
        loop {
            let slot = self.slots[index];
            if slot.offset == EMPTY {
                return Err(index);
            }
            if slot.hash == hash && self.holds(slot.offset as usize, s) {
                return Ok(slot.offset);
            }
            index = (index + 1) & mask;
        }
    }

    /// Like [`probe_bytes`](Self::probe_bytes) for a string that is part of the section.
    fn probe(&self, hash: u32, start: usize, len: usize) -> Result<u32, usize> {
        self.probe_bytes(hash, &self.bytes[start..start + len])
    }

    fn holds(&self, offset: usize, s: &[u8]) -> bool {
        self.bytes.get(offset..offset + s.len() + 1).is_some_and(|b| b[s.len()] == 0 && &b[..s.len()] == s)
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
