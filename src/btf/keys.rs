//! Keys of a section's strings: a number for each that tells nearly all of them apart, and is made without reading most of their bytes.

use super::filter::Filter;
use crate::system;
use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// Parts of a section's keys.
const PARTS: usize = 8;

/// Bytes of strings of which it does not pay to make parts.
const SMALL: usize = 1 << 16;

/// The low byte of a key is the length of its string; this and longer ones have to be measured.
const LONG: u32 = 0xff;

/// Those of all strings of a section, in order. They are made in parts: two threads can make them, one from each end.
pub(super) struct Keys(Vec<Part>);

struct Part {
    section: Range<usize>,
    /// Somebody makes them, or has.
    taken: AtomicBool,
    keys: OnceLock<Vec<u32>>,
}

impl Keys {
    /// Nothing is made yet.
    pub(super) fn for_section(section: &[u8]) -> Keys {
        let parts = if section.len() < SMALL { 1 } else { PARTS };
        let mut start = 0;
        let part = |number: usize| {
            let least = section.len() * number / parts;
            // Parts end with strings; what is behind the last string is none.
            let rest = section.get(least.max(start)..).unwrap_or(&[]);
            let end = match memchr::memchr(0, rest) {
                Some(nul) if number < parts => section.len() - rest.len() + nul + 1,
                _ => section.len(),
            };
            let part = Part::new(start..end);
            start = end;
            part
        };
        Keys((1..=parts).map(part).collect())
    }

    /// Makes all that nobody else makes.
    pub(super) fn make(&self, section: &[u8], from_the_end: bool) {
        let make = |part: &Part| {
            if !part.taken.swap(true, Ordering::Relaxed) {
                part.keys(section);
            }
        };
        if from_the_end { self.0.iter().rev().for_each(make) } else { self.0.iter().for_each(make) }
    }

    /// Calls `pass` with the strings of the section whose keys the filter has, in order: each's key, and where it begins. Few pass, far from each
    /// other: the processor is told ahead which bytes will be looked at.
    pub(super) fn for_each_passing(&self, section: &[u8], filter: &KeyFilter, mut pass: impl FnMut(u32, u32)) {
        /// Keys that are looked at together.
        const TOGETHER: usize = 256;
        let mut passing = [(0, 0); TOGETHER];
        for part in &self.0 {
            let mut start = part.section.start;
            for keys in part.keys(section).chunks(TOGETHER) {
                let mut count = 0;
                for &key in keys {
                    passing[count % TOGETHER] = (key, start as u32);
                    count += usize::from(filter.has(key));
                    let len = match key & LONG {
                        LONG => section.get(start..).and_then(|rest| memchr::memchr(0, rest)).unwrap_or(0),
                        len => len as usize,
                    };
                    start += len + 1;
                }
                let passing = &passing[..count];
                passing.iter().for_each(|&(_, start)| system::prefetch(section, start as usize));
                passing.iter().for_each(|&(key, start)| pass(key, start));
            }
        }
    }
}

impl Clone for Keys {
    /// The copy's are made when it needs them.
    fn clone(&self) -> Keys {
        Keys(self.0.iter().map(|part| Part::new(part.section.clone())).collect())
    }
}

impl Part {
    fn new(section: Range<usize>) -> Part {
        Part { section, taken: AtomicBool::new(false), keys: OnceLock::new() }
    }

    fn keys(&self, section: &[u8]) -> &[u32] {
        self.keys.get_or_init(|| {
            let section = &section[self.section.clone()];
            // Names of types, members and parameters are of ten bytes and more on the average.
            let mut keys = Vec::with_capacity(section.len() / 8);
            system::take_pages(&mut keys, section.len() / 17);
            for_each_string(section, |start, end| keys.push(key(section, start, end)));
            keys
        })
    }
}

/// The keys of some strings, or a little more.
pub(super) struct KeyFilter(Filter);

impl KeyFilter {
    pub(super) fn of(keys: &[u32]) -> KeyFilter {
        let mut filter = KeyFilter(Filter::with_room(keys.len()));
        keys.iter().for_each(|&key| filter.0.add(u64::from(key) << 32));
        filter
    }

    #[inline]
    fn has(&self, key: u32) -> bool {
        self.0.has(u64::from(key) << 32)
    }
}

/// Where the strings of a section begin, and their keys.
pub(super) fn starts_and_keys(section: &[u8]) -> (Vec<u32>, Vec<u32>) {
    let (mut starts, mut keys) = (Vec::new(), Vec::new());
    for_each_string(section, |start, end| {
        starts.push(start as u32);
        keys.push(key(section, start, end));
    });
    (starts, keys)
}

/// Calls `pass` for each string of a section: where it begins, and where its NUL is.
///
/// Strings are short, and one search for each would begin anew all the time. Here NULs are found in 64 bytes at a time.
#[inline(always)]
fn for_each_string(section: &[u8], mut pass: impl FnMut(usize, usize)) {
    let chunks = section.chunks_exact(64);
    let rest = chunks.remainder();
    let mut start = 0;
    for (chunk, at) in chunks.zip((0..).step_by(64)) {
        let mut ends = nuls(chunk);
        while ends != 0 {
            let end = at + ends.trailing_zeros() as usize;
            ends &= ends - 1;
            pass(start, end);
            start = end + 1;
        }
    }
    for end in memchr::memchr_iter(0, rest).map(|end| section.len() - rest.len() + end) {
        pass(start, end);
        start = end + 1;
    }
}

/// A bit for each of 64 bytes: whether it is 0.
#[cfg(target_arch = "x86_64")]
#[inline]
fn nuls(bytes: &[u8]) -> u64 {
    use std::arch::x86_64::{_mm_cmpeq_epi8, _mm_loadu_si128, _mm_movemask_epi8, _mm_setzero_si128};
    bytes.chunks_exact(16).rev().fold(0, |all, part| {
        // SAFETY: all processors of the architecture have these, and there are sixteen bytes.
        let zero = unsafe { _mm_movemask_epi8(_mm_cmpeq_epi8(_mm_loadu_si128(part.as_ptr().cast()), _mm_setzero_si128())) };
        all << 16 | u64::from(zero as u16)
    })
}

#[cfg(not(target_arch = "x86_64"))]
use nuls_by_words as nuls;

/// As `nuls`, for any processor.
#[cfg(any(test, not(target_arch = "x86_64")))]
#[inline]
fn nuls_by_words(bytes: &[u8]) -> u64 {
    const LOW: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    bytes.chunks_exact(8).rev().fold(0, |all, word| {
        let word = word.first_chunk().map_or(0, |word| u64::from_le_bytes(*word));
        // The highest bit of each byte: whether none of its bits is set.
        let zero = !(((word & LOW) + LOW) | word | LOW);
        all << 8 | (zero >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56
    })
}

/// The key of the string between: above its length a hash of that and of the last eight bytes, fewer of a shorter string. Names have their
/// beginnings in common.
#[inline]
fn key(section: &[u8], start: usize, end: usize) -> u32 {
    let len = end - start;
    let last = match section[..end].last_chunk() {
        Some(bytes) => u64::from_le_bytes(*bytes).checked_shr(64 - 8 * len.min(8) as u32).unwrap_or(0),
        None => section[start..end].iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte)),
    };
    // The last characters, which differ most, are the highest bytes: multiplied, they would reach the highest bits only.
    let word = last ^ (len as u64).wrapping_mul(0xd6e8_feb8_6659_fd93);
    let hash = (word ^ word >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
    hash as u32 & !LONG | len.min(LONG as usize) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passing(section: &[u8], filter: &KeyFilter) -> Vec<u32> {
        let mut starts = Vec::new();
        Keys::for_section(section).for_each_passing(section, filter, |_, start| starts.push(start));
        starts
    }

    fn filter_of(section: &[u8]) -> KeyFilter {
        KeyFilter::of(&starts_and_keys(section).1)
    }

    #[test]
    fn keys_do_not_depend_on_what_stands_around() {
        for len in 0..20 {
            let s: Vec<u8> = (1..=len as u8).collect();
            for before in 0..10 {
                let section = [vec![b'y'; before], s.clone(), vec![0]].concat();
                assert_eq!(key(&section, before, before + len), key(&s, 0, len));
            }
        }
    }

    #[test]
    fn each_string_of_every_length_is_found() {
        let mut section = Vec::new();
        let mut expected = Vec::new();
        // Bytes that a borrow could take for 0 beside one.
        for len in (0..300usize).chain((0..300).map(|n| n % 3)) {
            let start = section.len();
            section.extend((0..len).map(|n| if n % 2 == 0 { 1 } else { 0x80 }));
            expected.push((start, section.len()));
            section.push(0);
        }
        for cut in 0..70 {
            let section = &section[..section.len() - cut];
            let mut found = Vec::new();
            for_each_string(section, |start, end| found.push((start, end)));
            let whole = expected.iter().filter(|(_, end)| *end < section.len()).count();
            assert_eq!(found, expected[..whole]);
            let filter = filter_of(section);
            let starts = passing(section, &filter);
            assert_eq!(starts, found.iter().map(|&(start, _)| start as u32).collect::<Vec<_>>());
        }
    }

    #[test]
    fn parts_made_from_both_ends_are_all_there_is() {
        let names = (0..10_000).flat_map(|n| format!("name_{n}\0").into_bytes());
        let long = vec![b'x'; 2 * SMALL];
        // Some have no string, as one goes beyond them, and some sections do not end with one.
        for section in [names.clone().collect(), [&long[..], b"\0a\0b\0"].concat(), names.chain(long).collect(), vec![0; SMALL]] {
            let count = section.iter().filter(|&&byte| byte == 0).count();
            let filter = filter_of(&section);
            let expected = passing(&section, &filter);
            assert_eq!(expected.len(), count);
            let keys = Keys::for_section(&section);
            assert_eq!(keys.0.len(), PARTS);
            std::thread::scope(|scope| {
                scope.spawn(|| keys.make(&section, false));
                keys.make(&section, true);
            });
            assert!(keys.0.iter().all(|part| part.keys.get().is_some()));
            for keys in [keys.clone(), keys] {
                let mut starts = Vec::new();
                keys.for_each_passing(&section, &filter, |_, start| starts.push(start));
                assert_eq!(starts, expected);
            }
        }
    }

    #[test]
    fn nuls_are_found_among_all_neighbours() {
        let mut bytes = [1u8; 64];
        for at in 0..64 {
            for value in 0..=255 {
                for other in [0, 1, 0x7f, 0x80, 0xff] {
                    bytes[at] = value;
                    bytes[(at + 1) % 64] = other;
                    let expected = bytes.iter().rev().fold(0, |all, &byte| all << 1 | u64::from(byte == 0));
                    assert_eq!((nuls(&bytes), nuls_by_words(&bytes)), (expected, expected));
                }
            }
            bytes = [1; 64];
        }
    }

    #[test]
    fn few_strings_pass_that_are_none_of_those() {
        let section = |kind: &str| (0..10_000).flat_map(|n| format!("{kind}_name_{n}\0").into_bytes()).collect::<Vec<u8>>();
        let passing = passing(&section("other"), &filter_of(&section("own"))).len();
        assert!(passing < 1000, "{passing} of 10000");
    }
}
