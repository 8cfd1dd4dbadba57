//! Memory that crosses the boundary: always libc's, so that either side may free it, except what comes from a unit's arena.

use std::ffi::{c_char, c_void};
use std::ptr;

use super::entry::{entry, non_null};
use crate::abi::{Cu, CuSide, Tag};

/// Zeroed memory of at least one byte; NULL when there is none left.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zalloc(size: usize) -> *mut c_void {
    // SAFETY: calloc takes any sizes.
    unsafe { libc::calloc(1, size) }
}

/// Frees `*ptr` and clears it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __zfree(ptr: *mut *mut c_void) {
    entry(|| {
        non_null!(ptr);
        // SAFETY: the caller owns what *ptr points at.
        unsafe {
            libc::free(*ptr);
            *ptr = ptr::null_mut();
        }
    })
}

/// A copy of a string in libc's memory; NULL for NULL and when memory is short.
pub(crate) unsafe fn strdup_or_null(s: *const c_char) -> *mut c_char {
    // SAFETY: a string by the caller's word.
    if s.is_null() { ptr::null_mut() } else { unsafe { libc::strdup(s) } }
}

/// Uninitialised memory for a tag's parts: the unit's arena when it has one, else libc's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cu__malloc(cu: *mut Cu, size: usize) -> *mut c_void {
    entry(|| {
        non_null!(cu);
        // SAFETY: a unit made by cu__new; foreign ones have no arena and get libc memory.
        unsafe {
            match CuSide::of(cu) {
                Some(side) if (*cu).use_obstack => side.arena.alloc(size).cast(),
                _ => libc::malloc(size),
            }
        }
    })
}

/// Zeroed memory, from where [`cu__malloc`] takes it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cu__zalloc(cu: *mut Cu, size: usize) -> *mut c_void {
    entry(|| {
        non_null!(cu);
        // SAFETY: as for cu__malloc; the arena hands out `size` writable bytes.
        unsafe {
            match CuSide::of(cu) {
                Some(side) if (*cu).use_obstack => {
                    let block = side.arena.alloc(size);
                    if !block.is_null() {
                        ptr::write_bytes(block, 0, size);
                    }
                    block.cast()
                }
                _ => libc::calloc(1, size),
            }
        }
    })
}

/// Gives back what [`cu__malloc`] returned; arena memory lives until the unit goes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cu__free(cu: *mut Cu, ptr: *mut c_void) {
    entry(|| {
        // SAFETY: the caller passes the unit the memory came from.
        unsafe {
            if cu.is_null() || !(*cu).use_obstack || CuSide::of(cu).is_none() {
                libc::free(ptr);
            }
        }
    })
}

/// A zeroed tag, made by the format's own allocator when it has one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cu__tag_alloc(cu: *mut Cu, size: usize) -> *mut c_void {
    entry(|| {
        non_null!(cu);
        // SAFETY: dfops is NULL or a descriptor.
        unsafe {
            match (*cu).dfops.as_ref().and_then(|ops| ops.tag__alloc) {
                Some(alloc) => alloc(cu, size),
                None => cu__zalloc(cu, size),
            }
        }
    })
}

/// Gives back a tag of [`cu__tag_alloc`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cu__tag_free(cu: *mut Cu, tag: *mut Tag) {
    entry(|| {
        // SAFETY: dfops is NULL or a descriptor.
        unsafe {
            match cu.as_ref().and_then(|cu| cu.dfops.as_ref()).and_then(|ops| ops.tag__free) {
                Some(free) => free(tag, cu),
                None => cu__free(cu, tag.cast()),
            }
        }
    })
}
