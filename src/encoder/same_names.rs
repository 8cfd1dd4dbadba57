//! Equal names at one offset: for files in whose `.debug_str` each unit has strings of its own.
//!
//! A linked program has each string once, so that equal offsets stand for equal names. A relocatable file of many units, such as a kernel
//! module, has the strings of each unit one after the other, and nothing of a unit would look like anything of the others. Here the first
//! offset that anybody met stands for all with the same text.
//!
//! Which one that is depends on which worker was first. Nothing else does: offsets are compared with each other and become text, the
//! same one for all.
//!
//! A unit's names are replaced when it has been walked, all at once, each different one looked up once: the cache has neither its text nor that
//! of the first one, and many misses at a time take little longer than one.

use super::fragment::{Fragment, NameRef};
use crate::btf::name_words;
use crate::btf::strings::measure;
use std::hint::black_box;
use std::sync::atomic::{AtomicU64, Ordering};

/// Slots that a string may be in, from the first on. One that finds them taken keeps its own offset, whoever asks: types with
/// such names are told apart, and left to deduplication.
const TRIES: usize = 16;

/// How many names are looked up side by side.
const SIDE_BY_SIDE: usize = 32;

/// The first offsets of all strings met so far, for all workers.
pub struct SameNames {
    /// Open addressing, a power of two: upper half of the hash, and the offset plus one; 0 is free.
    slots: Vec<AtomicU64>,
}

/// What a worker keeps from unit to unit: memory.
#[derive(Default)]
pub struct NameMemory {
    /// Where in the list of names a name is: direct-mapped, the name's word and the position from 1.
    slots: Vec<(u32, u32)>,
    /// The different names of the unit, more than once where two share a slot; then the ones that stand for them.
    names: Vec<u32>,
    /// Where in the fragment's words names stand.
    places: Vec<u32>,
}

/// A string on its way to the first equal one.
#[derive(Clone, Copy, Default)]
struct Lookup {
    offset: u32,
    /// Without the terminator, in bytes.
    len: u32,
    hash: u64,
    /// What the slot of the hash has.
    found: u64,
}

impl SameNames {
    /// For a string section of `len` bytes.
    pub fn for_section(len: usize) -> SameNames {
        const BYTES_A_SLOT: usize = 64;
        let size = (len / BYTES_A_SLOT).next_power_of_two().clamp(1 << 8, 1 << 20);
        SameNames { slots: std::iter::repeat_with(|| AtomicU64::new(0)).take(size).collect() }
    }

    /// Replaces the names in a fragment's types by the first ones with their text. `section` is `.debug_str`.
    pub fn unify(&self, section: &[u8], fragment: &mut Fragment, memory: &mut NameMemory) {
        memory.collect(fragment);
        for names in memory.names.chunks_mut(SIDE_BY_SIDE) {
            self.find(section, names);
        }
        for &place in &memory.places {
            let word = &mut fragment.words[place as usize];
            *word = memory.names[*word as usize - 1];
        }
    }

    /// Replaces names, words of offsets, by those that stand for them.
    fn find(&self, section: &[u8], names: &mut [u32]) {
        let offset = |name: u32| name - 1;
        let text = |offset: u32| section.get(offset as usize..).unwrap_or(&[]);
        let slot = |hash: u64| &self.slots[hash as usize & (self.slots.len() - 1)];
        let mut lookups = [Lookup::default(); SIDE_BY_SIDE];
        let lookups = &mut lookups[..names.len()];
        // Each is loaded before any is waited for.
        black_box(names.iter().fold(0, |all, &name| all ^ text(offset(name)).first().copied().unwrap_or(0)));
        for (lookup, &name) in lookups.iter_mut().zip(&*names) {
            // A string without an end is its own first one: the table has none of its length.
            let (len, hash) = measure(text(offset(name))).unwrap_or((usize::MAX, 0));
            *lookup = Lookup { offset: offset(name), len: len as u32, hash, found: 0 };
        }
        for lookup in &mut *lookups {
            lookup.found = slot(lookup.hash).load(Ordering::Relaxed);
        }
        black_box(lookups.iter().fold(0, |all, lookup| {
            let there = (lookup.found as u32).wrapping_sub(1);
            all ^ text(there).first().copied().unwrap_or(0)
        }));
        for (name, lookup) in names.iter_mut().zip(&*lookups) {
            *name = self.first(section, lookup) + 1;
        }
    }

    /// The first offset of a string.
    fn first(&self, section: &[u8], &Lookup { offset, len, hash, found }: &Lookup) -> u32 {
        // With its terminator, so that no longer string is taken for it.
        let Some(text) = section.get(offset as usize..).and_then(|rest| rest.get(..(len as usize).checked_add(1)?)) else {
            return offset;
        };
        let own = hash & !u64::from(u32::MAX) | (u64::from(offset) + 1);
        let mask = self.slots.len() - 1;
        let mut known = Some(found).filter(|&found| found != 0);
        for at in (hash as usize..).take(TRIES) {
            let slot = &self.slots[at & mask];
            let mut found = known.take().unwrap_or_else(|| slot.load(Ordering::Relaxed));
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

    /// Lists the different offsets among the names of a fragment's types, and replaces them by their positions, from 1.
    fn collect(&mut self, fragment: &mut Fragment) {
        self.slots.clear();
        self.slots.resize(1 << Self::BITS, (0, 0));
        self.names.clear();
        self.places.clear();
        for &start in &fragment.starts {
            let Some(&info) = fragment.words.get(start as usize + 1) else { continue };
            for slot in name_words(info) {
                let place = start as usize + slot;
                let Some(word) = fragment.words.get_mut(place) else { break };
                if NameRef::is_offset(*word) {
                    *word = self.position(*word);
                    self.places.push(place as u32);
                }
            }
        }
    }

    #[inline]
    fn position(&mut self, word: u32) -> u32 {
        let slot = &mut self.slots[(word.wrapping_mul(0x9e37_79b1) >> (32 - Self::BITS)) as usize];
        if slot.0 != word {
            self.names.push(word);
            *slot = (word, self.names.len() as u32);
        }
        slot.1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::btf::{Kind, info_word};

    /// A fragment with a declaration for each offset, and a struct that has all of them as members.
    fn fragment(offsets: &[u32]) -> Fragment {
        let mut fragment = Fragment::default();
        let word = |offset: u32| NameRef::debug_str(offset.into()).unwrap().to_word();
        let mut push = |record: &[u32]| {
            fragment.starts.push(fragment.words.len() as u32);
            fragment.words.extend_from_slice(record);
        };
        for &offset in offsets {
            push(&[word(offset), info_word(Kind::Fwd, 0, false), 0]);
        }
        let mut all = vec![NameRef::short(b"s").unwrap().to_word(), info_word(Kind::Struct, offsets.len() as u16, false), 4];
        offsets.iter().for_each(|&offset| all.extend([word(offset), 7, 32]));
        push(&all);
        fragment
    }

    fn unified(all: &SameNames, memory: &mut NameMemory, section: &[u8], offsets: &[u32]) -> Vec<u32> {
        let mut fragment = fragment(offsets);
        let shape = super::tests::fragment(offsets);
        all.unify(section, &mut fragment, memory);
        let found: Vec<u32> = fragment.words.chunks(3).take(offsets.len()).map(|record| record[0] - 1).collect();
        let mut expected = shape;
        for (at, first) in found.iter().enumerate() {
            expected.words[3 * at] = first + 1;
            expected.words[3 * (offsets.len() + 1 + at)] = first + 1;
        }
        assert_eq!(fragment.words, expected.words);
        found
    }

    #[test]
    fn equal_strings_have_the_first_offset() {
        let section = b"\0one\0two\0one\0none\0two";
        let (all, mut memory) = (SameNames::for_section(section.len()), NameMemory::default());
        for _ in 0..2 {
            let found = unified(&all, &mut memory, section, &[1, 5, 9, 14, 13, 0, 4, 12]);
            assert_eq!(found, [1, 5, 1, 1, 13, 0, 0, 0]);
        }
        // Without an end, and outside: no strings.
        assert_eq!(unified(&all, &mut memory, section, &[18, 99]), [18, 99]);
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
        let (all, mut memory) = (SameNames::for_section(0), NameMemory::default());
        let said = unified(&all, &mut memory, &section, &offsets);
        assert!(said[..4000] == offsets[..4000]);
        let shared = (0..4000).filter(|&i| said[4000 + i] == offsets[i]).count();
        let own = (0..4000).filter(|&i| said[4000 + i] == offsets[4000 + i]).count();
        assert!(shared > 100 && shared + own == 4000, "{shared} {own}");
        assert_eq!(unified(&all, &mut memory, &section, &offsets), said);
    }
}
