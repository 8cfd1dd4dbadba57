//! `gobuffer__*`: the growing buffer. The caller zeroes the structure and sets `index` to 1.

use std::ffi::{c_int, c_uint, c_void};
use std::ptr;

use super::entry::{entry, non_null};
use crate::abi::Gobuffer;

/// How much is asked for at a time, in bytes.
const STEP: c_uint = 8 * 1024;

/// Frees the content; the structure is the caller's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __gobuffer__delete(gb: *mut Gobuffer) {
    entry(|| {
        non_null!(gb);
        // SAFETY: entries is NULL or from realloc.
        unsafe {
            libc::free((*gb).entries.cast());
            (*gb).entries = ptr::null_mut();
        }
    })
}

/// Reserves `len` bytes; their offset, or `-ENOMEM`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gobuffer__allocate(gb: *mut Gobuffer, len: c_uint) -> c_int {
    entry(|| {
        non_null!(gb);
        // SAFETY: a valid buffer.
        unsafe {
            let start = (*gb).index;
            // Offsets are handed out as int.
            let Some(end) = start.checked_add(len).filter(|&end| end <= c_int::MAX as c_uint - STEP) else {
                return -libc::ENOMEM;
            };
            if end >= (*gb).allocated_size {
                let grown = (*gb).allocated_size.saturating_add(STEP);
                let size = if grown < end { end + STEP } else { grown };
                let entries = libc::realloc((*gb).entries.cast(), size as usize);
                if entries.is_null() {
                    return -libc::ENOMEM;
                }
                (*gb).entries = entries.cast();
                (*gb).allocated_size = size;
            }
            (*gb).index = end;
            start as c_int
        }
    })
}

/// Appends a copy of `len` bytes and counts an entry; the offset, or `-ENOMEM`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gobuffer__add(gb: *mut Gobuffer, s: *const c_void, len: c_uint) -> c_int {
    entry(|| {
        non_null!(gb, s);
        // SAFETY: `len` bytes are readable by the caller's word, and writable at the new offset.
        unsafe {
            let at = gobuffer__allocate(gb, len);
            if at >= 0 {
                (*gb).nr_entries += 1;
                ptr::copy_nonoverlapping(s.cast::<u8>(), (*gb).entries.cast::<u8>().add(at as usize), len as usize);
            }
            at
        }
    })
}

/// The address of an offset, NULL for offset 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gobuffer__ptr(gb: *const Gobuffer, s: c_uint) -> *mut c_void {
    entry(|| {
        non_null!(gb);
        // SAFETY: an offset that was handed out.
        unsafe { if s == 0 { ptr::null_mut() } else { (*gb).entries.add(s as usize).cast() } }
    })
}

/// Copies the content, `index` bytes, to `dest`. The byte at offset 0 belongs to no entry and may hold anything.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gobuffer__copy(gb: *const Gobuffer, dest: *mut c_void) {
    entry(|| {
        non_null!(gb, dest);
        // SAFETY: an empty buffer has index 0 or 1; dest has room by the caller's word.
        unsafe {
            if (*gb).entries.is_null() {
                ptr::write_bytes(dest.cast::<u8>(), 0, ((*gb).index as usize).min(1));
            } else {
                ptr::copy_nonoverlapping((*gb).entries.cast::<u8>(), dest.cast::<u8>(), (*gb).index as usize);
            }
        }
    })
}
