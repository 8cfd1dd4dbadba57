//! Own strings that a base has, too, become the base's.
//!
//! A module has a few thousand strings and its kernel a hundred thousand. To look up each own one as it comes, all of the base's would have to
//! be put into a table first. So own strings are collected by themselves, and in the end the base's are gone through once: what few bytes of each
//! tell is asked of a small filter, and nearly all are none of the own ones.

use super::Btf;
use super::record::{INFO, name_slots};
use super::strings::{StringSet, hash_of};

/// Not found in a base.
const OWN: u32 = u32::MAX;

impl Btf {
    /// Has names that a base has refer to the base's strings: the first of equal ones, the lowest base first. The other strings move together and
    /// stay in their order, so that in the end all is as if each string had been looked for in the base when it was added. Of own strings that are
    /// equal only the first is looked for.
    pub(super) fn share_strings(&mut self) {
        self.unshared = false;
        let own = self.strs.bytes();
        if self.base.is_none() || own.is_empty() {
            return;
        }
        let places = Places::of(own);
        let mut filter = Filter::for_strings(places.starts.len());
        for (start, end) in strings(own) {
            filter.add(key(own, start, end));
        }
        let mut in_base = vec![OWN; places.starts.len()];
        let mut chain: Vec<&Btf> = std::iter::successors(self.base.as_deref(), |btf| btf.base.as_deref()).collect();
        chain.reverse();
        for base in chain {
            let bytes = base.strs.bytes();
            for (start, end) in strings(bytes) {
                if !filter.has(key(bytes, start, end)) {
                    continue;
                }
                let s = &bytes[start..end];
                if let Some(found) = self.strs.find(s, hash_of(s)) {
                    let place = &mut in_base[places.index(found)];
                    if *place == OWN {
                        *place = base.start_str + start as u32;
                    }
                }
            }
        }
        if in_base.iter().any(|&place| place != OWN) {
            self.move_names(&places, in_base);
        }
    }

    /// `in_base` says of each own string where a base has it.
    fn move_names(&mut self, places: &Places, in_base: Vec<u32>) {
        let mut bytes = std::mem::take(&mut self.strs).into_bytes();
        let mut end = 0;
        let ends = places.starts.iter().skip(1).copied().chain([bytes.len() as u32]);
        let moves: Vec<u32> = in_base
            .into_iter()
            .zip(places.starts.iter().zip(ends))
            .map(|(place, (&start, next))| {
                let new = if place == OWN {
                    bytes.copy_within(start as usize..next as usize, end);
                    end += (next - start) as usize;
                    self.start_str + end as u32 - (next - start)
                } else {
                    place
                };
                new.wrapping_sub(self.start_str + start)
            })
            .collect();
        bytes.truncate(end);
        self.strs = StringSet::from_section(bytes);
        let words = self.words.to_mut();
        for &start in &self.starts {
            let Some(record) = words.get_mut(start as usize..) else { continue };
            for slot in record.get(INFO).map(|&info| name_slots(info)).into_iter().flatten() {
                let Some(name) = record.get_mut(slot) else { break };
                if let Some(&by) = name.checked_sub(self.start_str).and_then(|own| moves.get(places.index(own))) {
                    *name = name.wrapping_add(by);
                }
            }
        }
    }
}

/// Where the strings of a section begin and where the NUL of each is.
fn strings(section: &[u8]) -> impl Iterator<Item = (usize, usize)> {
    let mut start = 0;
    memchr::memchr_iter(0, section).map(move |end| (std::mem::replace(&mut start, end + 1), end))
}

/// What tells strings apart well enough: the length and the last eight bytes, fewer of a shorter string. Names have their beginnings in common.
#[inline]
fn key(section: &[u8], start: usize, end: usize) -> u64 {
    let len = end - start;
    let last = match section[..end].last_chunk() {
        Some(bytes) => u64::from_le_bytes(*bytes).checked_shr(64 - 8 * len.min(8) as u32).unwrap_or(0),
        None => section[start..end].iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte)),
    };
    (last ^ (len as u64) << 56).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// A set of keys that takes one in sixteen, at most, for one that it has.
struct Filter {
    bits: Vec<u64>,
    shift: u32,
}

impl Filter {
    fn for_strings(count: usize) -> Filter {
        // Sixteen bits for each, as far as they stay in the processor's nearest cache.
        let log = (16 * count).next_power_of_two().trailing_zeros().clamp(6, 18);
        Filter { bits: vec![0; 1 << (log - 6)], shift: 64 - log }
    }

    fn add(&mut self, key: u64) {
        let bit = key >> self.shift;
        self.bits[(bit / 64) as usize] |= 1 << (bit % 64);
    }

    #[inline]
    fn has(&self, key: u64) -> bool {
        let bit = key >> self.shift;
        self.bits[(bit / 64) as usize] >> (bit % 64) & 1 != 0
    }
}

/// Where the strings of a section start, and which of them an offset is in.
struct Places {
    starts: Vec<u32>,
    /// For each 64 bytes of the section, which of them begin strings, and how many strings begin before.
    blocks: Vec<(u64, u32)>,
}

impl Places {
    fn of(section: &[u8]) -> Places {
        let starts: Vec<u32> = strings(section).map(|(start, _)| start as u32).collect();
        let mut blocks = vec![(0, 0); section.len().div_ceil(64)];
        for &start in &starts {
            blocks[start as usize / 64].0 |= 1 << (start % 64);
        }
        let mut before = 0;
        for (begins, first) in &mut blocks {
            *first = before;
            before += u64::count_ones(*begins);
        }
        Places { starts, blocks }
    }

    /// The number of the string that the byte at `offset` is of; of none when it is beyond the section.
    #[inline]
    fn index(&self, offset: u32) -> usize {
        let Some(&(begins, before)) = self.blocks.get(offset as usize / 64) else { return usize::MAX };
        // The first string begins with the section.
        (before + (begins << (63 - offset % 64)).count_ones()) as usize - 1
    }
}
