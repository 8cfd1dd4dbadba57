//! Where tags and their names live.

use std::ffi::c_char;
use std::ptr;
use std::sync::Arc;

use parking_lot::Mutex;
use rustc_hash::FxHashMap;

use crate::abi::Arena;

/// The arenas of workers that have ended.
#[derive(Clone, Default)]
pub struct Arenas(Arc<Mutex<Vec<Arena>>>);

/// A worker's memory for tags. When the worker ends, the memory goes to the [`Arenas`].
pub struct Memory {
    arena: Arena,
    arenas: Arenas,
    strings: *mut u8,
    strings_left: usize,
    /// Names of up to seven bytes that were copied already, by their bytes.
    short: FxHashMap<u64, *const c_char>,
}

// SAFETY: the pointers lead into the arena, which is the worker's own.
unsafe impl Send for Memory {}

/// Names are copied into pieces of this many bytes.
const STRINGS: usize = 4096;

impl Memory {
    pub fn new(arenas: Arenas) -> Memory {
        Memory { arena: Arena::default(), arenas, strings: ptr::null_mut(), strings_left: 0, short: FxHashMap::default() }
    }

    /// `size` zeroed bytes, aligned to 16.
    ///
    /// # Panics
    /// When memory is short: the load ends then.
    pub fn zeroed(&mut self, size: usize) -> *mut u8 {
        let block = self.arena.alloc(size);
        assert!(!block.is_null(), "out of memory for {size} bytes");
        // SAFETY: the block has that many bytes.
        unsafe { ptr::write_bytes(block, 0, size) };
        block
    }

    /// A NUL-terminated copy. Short ones are shared.
    pub fn string(&mut self, bytes: &[u8]) -> *const c_char {
        if bytes.len() >= 8 {
            return self.copy(bytes);
        }
        let mut word = [0u8; 8];
        word[..bytes.len()].copy_from_slice(bytes);
        let word = u64::from_ne_bytes(word);
        if let Some(&known) = self.short.get(&word) {
            return known;
        }
        let copy = self.copy(bytes);
        self.short.insert(word, copy);
        copy
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
            // SAFETY: `size` bytes from there on lie in the piece.
            unsafe { self.strings.add(at) }
        };
        // SAFETY: the block is new, zeroed, and one byte longer than the string.
        unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), block, bytes.len()) };
        block.cast_const().cast()
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        self.arenas.0.lock().push(std::mem::take(&mut self.arena));
    }
}
