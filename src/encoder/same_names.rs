//! Equal names at one offset: for files in whose `.debug_str` each unit has strings of its own.
//!
//! A linked program has each string once, so that equal offsets stand for equal names. A relocatable file of many units, such as a kernel
//! module, has the strings of each unit one after the other, and nothing of a unit would look like anything of the others. Here the first
//! offset that anybody met stands for all with the same text.
//!
//! Which one that is depends on which worker was first. Nothing else does: offsets are compared with each other and become text, the
//! same one for all.

use super::fragment::NameRef;
use crate::btf::strings::measure;
use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};

/// Slots that a string may be in, from the first on. One that finds them taken keeps its own offset, whoever asks: types with
/// such names are told apart, and left to deduplication.
const TRIES: usize = 16;

/// The first offsets of all strings met so far, for all workers.
pub struct SameNames {
    /// Open addressing, a power of two: upper half of the hash, and the offset plus one; 0 is free.
    slots: Vec<AtomicU64>,
}

/// What a worker remembers: the offsets that its unit has asked for, direct-mapped.
#[derive(Default)]
pub struct NameMemory {
    slots: Vec<Cell<(NameRef, NameRef)>>,
}

impl SameNames {
    /// For a string section of `len` bytes.
    pub fn for_section(len: usize) -> SameNames {
        const BYTES_A_SLOT: usize = 64;
        let size = (len / BYTES_A_SLOT).next_power_of_two().clamp(1 << 8, 1 << 20);
        SameNames { slots: std::iter::repeat_with(|| AtomicU64::new(0)).take(size).collect() }
    }

    /// The first offset of the string that is at `offset` of `section`.
    fn first(&self, section: &[u8], offset: u32) -> u32 {
        let rest = section.get(offset as usize..).unwrap_or(&[]);
        let Some((len, hash)) = measure(rest) else { return offset };
        // With its terminator, so that no longer string is taken for it.
        let text = &rest[..len + 1];
        let own = hash & !u64::from(u32::MAX) | (u64::from(offset) + 1);
        let mask = self.slots.len() - 1;
        for at in (hash as usize..).take(TRIES) {
            let slot = &self.slots[at & mask];
            let mut found = slot.load(Ordering::Relaxed);
            if found == 0 {
                match slot.compare_exchange(0, own, Ordering::Relaxed, Ordering::Relaxed) {
                    Ok(_) => return offset,
                    Err(other) => found = other,
                }
            }
            let there = (found as u32).wrapping_sub(1);
            if (found ^ own) >> 32 == 0 && section.get(there as usize..).is_some_and(|rest| rest.starts_with(text)) {
                return there;
            }
        }
        offset
    }
}

impl NameMemory {
    const BITS: u32 = 13;

    /// Makes room, once somebody needs it.
    pub fn prepare(&mut self) {
        self.slots.resize(1 << Self::BITS, Cell::default());
    }

    /// The name that stands for `name`, an offset in `section`. Without room, nothing is remembered.
    #[inline]
    pub fn first(&self, all: &SameNames, section: &[u8], name: NameRef) -> NameRef {
        let at = name.to_word().wrapping_mul(0x9e37_79b1) >> (32 - Self::BITS);
        let slot = self.slots.get(at as usize);
        match slot.map(Cell::get) {
            Some((asked, first)) if asked == name => first,
            _ => {
                let first = match name.source() {
                    super::fragment::NameSource::DebugStr(offset) => {
                        NameRef::debug_str(all.first(section, offset).into()).unwrap_or(name)
                    }
                    _ => name,
                };
                if let Some(slot) = slot {
                    slot.set((name, first));
                }
                first
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_strings_have_the_first_offset() {
        let section = b"\0one\0two\0one\0none\0two";
        let (all, mut memory) = (SameNames::for_section(section.len()), NameMemory::default());
        let at = |memory: &NameMemory, offset| memory.first(&all, section, NameRef::debug_str(offset).unwrap());
        for round in 0..2 {
            for (offset, first) in [(1, 1), (5, 5), (9, 1), (14, 1), (13, 13), (0, 0), (4, 0), (12, 0)] {
                assert_eq!(at(&memory, offset), NameRef::debug_str(first).unwrap(), "{offset} in round {round}");
            }
            memory.prepare();
        }
        // Without an end, and outside: no strings.
        assert_eq!([at(&memory, 18), at(&memory, 99)], [18, 99].map(|offset| NameRef::debug_str(offset).unwrap()));
    }

    #[test]
    fn a_full_table_keeps_to_what_it_said() {
        let mut section = vec![0];
        let mut offsets = Vec::new();
        for _ in 0..2 {
            for i in 0..4000 {
                offsets.push(section.len() as u32);
                section.extend_from_slice(format!("name{i}\0").as_bytes());
            }
        }
        let all = SameNames::for_section(0);
        let said: Vec<u32> = offsets.iter().map(|&offset| all.first(&section, offset)).collect();
        assert!(said[..4000] == offsets[..4000]);
        let shared = (0..4000).filter(|&i| said[4000 + i] == offsets[i]).count();
        let own = (0..4000).filter(|&i| said[4000 + i] == offsets[4000 + i]).count();
        assert!(shared > 100 && shared + own == 4000, "{shared} {own}");
        assert!(offsets.iter().zip(&said).all(|(&offset, &first)| all.first(&section, offset) == first));
    }
}
