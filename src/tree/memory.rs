//! Where tags and their names live.
//!
//! Millions of tags are made and none is freed before the set of units is: memory comes in large pieces from the system, zeroed, and
//! is handed out from front to end.

use std::ffi::c_char;
use std::ptr;
use std::sync::Arc;

use parking_lot::Mutex;
use rustc_hash::FxHashMap;

use super::supply::Supply;

/// Alignment of tags, in bytes.
const ALIGN: usize = 8;
/// So many bytes in front of what is written memory is called into the cache. It was cleared by another processor, or long ago.
const AHEAD: usize = 1024;
/// Of the cache, in bytes. Where lines are longer, some are called twice.
const LINE: usize = 64;
/// Size of the first piece, in bytes: most files are small.
const FIRST: usize = 256 << 10;

/// A piece of memory from the system.
pub(super) struct Piece {
    start: *mut u8,
    size: usize,
}

// SAFETY: nothing but an address, which its owner alone unmaps.
unsafe impl Send for Piece {}

impl Piece {
    /// Size of all but the first one, in bytes.
    pub const USUAL: usize = 1 << 20;

    pub fn new(size: usize) -> Option<Piece> {
        // SAFETY: a new private mapping.
        unsafe {
            let (protection, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
            // Without a wish for huge pages: looking for them costs more than all the small ones.
            let start = libc::mmap(ptr::null_mut(), size, protection, flags, -1, 0);
            if start == libc::MAP_FAILED {
                return None;
            }
            libc::madvise(start, size, libc::MADV_POPULATE_WRITE);
            Some(Piece { start: start.cast(), size })
        }
    }
}

impl Drop for Piece {
    fn drop(&mut self) {
        // SAFETY: mapped by new, with this size.
        unsafe {
            libc::munmap(self.start.cast(), self.size);
        }
    }
}

/// The memory that workers have taken.
#[derive(Clone, Default)]
pub struct Arenas(Arc<Shared>);

#[derive(Default)]
struct Shared {
    /// In order of addresses.
    pieces: Mutex<Vec<Piece>>,
    supply: Supply,
}

impl Arenas {
    /// Does `work`, which fills this memory on `jobs` threads. See [`super::supply`].
    pub fn supplied<T>(&self, jobs: usize, work: impl FnOnce() -> T) -> T {
        self.0.supply.during(jobs, work)
    }

    fn add(&self, piece: Piece) {
        let mut pieces = self.0.pieces.lock();
        let at = pieces.partition_point(|other| other.start < piece.start);
        pieces.insert(at, piece);
    }

    /// Whether something lies in this memory.
    pub fn contains(&self, place: *const u8) -> bool {
        let pieces = self.0.pieces.lock();
        let behind = pieces.partition_point(|piece| piece.start.cast_const() <= place);
        behind.checked_sub(1).is_some_and(|at| place.addr() - pieces[at].start.addr() < pieces[at].size)
    }
}

/// A worker's memory for tags, which belongs to the [`Arenas`].
pub struct Memory {
    next: *mut u8,
    left: usize,
    arenas: Arenas,
    strings: *mut u8,
    strings_left: usize,
    /// Names of up to seven bytes that were copied already, by their bytes.
    short: FxHashMap<u64, *const c_char>,
    /// Those that came last, each where its hash says.
    recent: Box<[(u64, *const c_char); RECENT]>,
}

// SAFETY: the pointers lead into pieces of which the worker alone hands out parts.
unsafe impl Send for Memory {}

/// The few names of up to three bytes that stand in entries, one member in twelve, come again and again.
const RECENT: usize = 1 << RECENT_BITS;
const RECENT_BITS: u32 = 10;

/// Names are copied into parts of this many bytes.
const STRINGS: usize = 4096;

impl Memory {
    pub fn new(arenas: Arenas) -> Memory {
        let recent = Box::new([(0, ptr::null()); RECENT]);
        Memory {
            next: ptr::null_mut(),
            left: 0,
            arenas,
            strings: ptr::null_mut(),
            strings_left: 0,
            short: FxHashMap::default(),
            recent,
        }
    }

    /// `size` zeroed bytes, aligned to 8.
    ///
    /// # Panics
    /// When memory is short: the load ends then.
    #[inline]
    pub fn zeroed(&mut self, size: usize) -> *mut u8 {
        let size = size.next_multiple_of(ALIGN);
        if size > self.left {
            self.grow(size);
        }
        let block = self.next;
        self.left -= size;
        for at in (0..size).step_by(LINE) {
            will_write(block.wrapping_add(AHEAD + at));
        }
        // SAFETY: the piece has that many bytes from there on.
        self.next = unsafe { block.add(size) };
        block
    }

    #[cold]
    fn grow(&mut self, size: usize) {
        let piece = if size > Piece::USUAL {
            Piece::new(size.next_multiple_of(4096))
        } else if self.next.is_null() {
            Piece::new(size.next_multiple_of(4096).max(FIRST))
        } else {
            self.arenas.0.supply.take().or_else(|| Piece::new(Piece::USUAL))
        };
        let Some(piece) = piece else { panic!("out of memory for {size} bytes of tags") };
        self.next = piece.start;
        self.left = piece.size;
        self.arenas.add(piece);
    }

    /// A NUL-terminated copy. Short ones are shared.
    pub fn string(&mut self, bytes: &[u8]) -> *const c_char {
        if bytes.len() >= 8 {
            return self.copy(bytes);
        }
        let word = word_of(bytes);
        const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
        let at = (word.wrapping_mul(FACTOR) >> (u64::BITS - RECENT_BITS)) as usize;
        let (recent, text) = self.recent[at];
        if recent == word && !text.is_null() {
            return text;
        }
        let text = self.short.get(&word).copied().unwrap_or_else(|| {
            let copy = self.copy(bytes);
            self.short.insert(word, copy);
            copy
        });
        self.recent[at] = (word, text);
        text
    }

    fn copy(&mut self, bytes: &[u8]) -> *const c_char {
        let size = bytes.len() + 1;
        let block = if size > STRINGS {
            self.zeroed(size)
        } else {
            if size > self.strings_left {
                self.strings = self.zeroed(STRINGS);
                self.strings_left = STRINGS;
            }
            let at = STRINGS - self.strings_left;
            self.strings_left -= size;
            // SAFETY: `size` bytes from there on lie in the part.
            unsafe { self.strings.add(at) }
        };
        // SAFETY: the block is new, zeroed, and one byte longer than the string.
        unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), block, bytes.len()) };
        block.cast_const().cast()
    }
}

/// Has the processor, if it can, fetch what will be written soon. Any address will do.
#[inline(always)]
pub(super) fn will_write<T>(place: *const T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_ET0, _mm_prefetch};
        // SAFETY: a hint, which reads nothing and is no fault at any address.
        unsafe { _mm_prefetch::<_MM_HINT_ET0>(place.cast()) }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = place;
}

/// Up to seven bytes, and zeroes. Without a way through memory, which is waited for when it is read in other pieces than it was written.
#[inline]
fn word_of(bytes: &[u8]) -> u64 {
    let half = |at: usize| bytes[at..].first_chunk().map_or(0, |&b| u64::from(u32::from_le_bytes(b)));
    let byte = |at: usize| u64::from(bytes[at]) << (8 * at);
    match bytes.len() {
        0 => 0,
        len @ 1..4 => byte(0) | byte(len / 2) | byte(len - 1),
        len => half(0) | half(len - 4) << (8 * (len - 4)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::CStr;

    #[test]
    fn short_names_are_words() {
        for len in 0..8 {
            let mut bytes = *b"abcdefgh";
            bytes[len..].fill(0);
            assert_eq!(word_of(&bytes[..len]), u64::from_le_bytes(bytes));
        }
    }

    #[test]
    fn blocks_are_zeroed_and_apart_and_strings_shared() {
        let arenas = Arenas::default();
        let mut memory = Memory::new(arenas.clone());
        let blocks: Vec<*mut u8> = (0..1000).map(|_| memory.zeroed(1001)).collect();
        for &block in &blocks {
            // SAFETY: each block has that many bytes.
            let bytes = unsafe { std::slice::from_raw_parts_mut(block, 1001) };
            assert!(bytes.iter().all(|&b| b == 0));
            bytes.fill(1);
            assert!(arenas.contains(block));
        }
        assert!(!arenas.contains((&raw const arenas).cast()) && !arenas.contains(ptr::null()));
        assert_eq!(memory.string(b"i"), memory.string(b"i"));
        let long = vec![b'x'; 10_000];
        for name in [&b""[..], b"list_head", &long] {
            // SAFETY: NUL-terminated by contract.
            assert_eq!(unsafe { CStr::from_ptr(memory.string(name)) }.to_bytes(), name);
        }
    }
}
