//! Where a DWARF tag came from: a record in front of each tag of a DWARF unit, out of C's sight.
//!
//! C reaches it through the getters of the unit's format descriptor only, and only when extra debugging information was asked for.

use std::ffi::{c_char, c_ulonglong, c_void};
use std::ptr;

use super::entry::entry;
use super::memory;
use crate::abi::{Cu, Tag};

/// What stands right in front of a tag made by [`tag_alloc`].
#[repr(C, align(16))]
pub struct TagOrigin {
    /// Offset of the DIE in its section, in bytes.
    pub offset: u64,
    /// NUL-terminated, living as long as the set of units; NULL when unknown.
    pub decl_file: *const c_char,
    pub decl_line: u32,
}

const _: () = assert!(size_of::<TagOrigin>() == 32);

/// The record of a tag.
///
/// # Safety
/// `tag` comes from [`tag_alloc`].
pub unsafe fn origin_of(tag: *mut Tag) -> *mut TagOrigin {
    // SAFETY: tag_alloc puts the record in front of the tag, in the same allocation.
    unsafe { tag.cast::<TagOrigin>().sub(1) }
}

unsafe fn wanted<T>(tag: *const Tag, cu: *const Cu, none: T, get: impl FnOnce(&TagOrigin) -> T) -> T {
    if tag.is_null() || cu.is_null() {
        return none;
    }
    // SAFETY: the caller hands over a unit of this format and one of its tags.
    unsafe { if (*cu).extra_dbg_info() { get(&*origin_of(tag.cast_mut())) } else { none } }
}

pub(super) unsafe extern "C" fn decl_file(tag: *const Tag, cu: *const Cu) -> *const c_char {
    // SAFETY: passed on.
    entry(|| unsafe { wanted(tag, cu, ptr::null(), |origin| origin.decl_file) })
}

pub(super) unsafe extern "C" fn decl_line(tag: *const Tag, cu: *const Cu) -> u32 {
    // SAFETY: passed on.
    entry(|| unsafe { wanted(tag, cu, 0, |origin| origin.decl_line) })
}

pub(super) unsafe extern "C" fn orig_id(tag: *const Tag, cu: *const Cu) -> c_ulonglong {
    // SAFETY: passed on.
    entry(|| unsafe { wanted(tag, cu, 0, |origin| origin.offset) })
}

pub(super) unsafe extern "C" fn tag_alloc(cu: *mut Cu, size: usize) -> *mut c_void {
    entry(|| {
        let Some(size) = size.checked_add(size_of::<TagOrigin>()) else { return ptr::null_mut() };
        // SAFETY: passed on; the block starts with room for one record.
        unsafe {
            let origin = memory::cu__zalloc(cu, size).cast::<TagOrigin>();
            if origin.is_null() { ptr::null_mut() } else { origin.add(1).cast() }
        }
    })
}

pub(super) unsafe extern "C" fn tag_free(tag: *mut Tag, cu: *mut Cu) {
    entry(|| {
        if !tag.is_null() {
            // SAFETY: the allocation starts at the record.
            unsafe { memory::cu__free(cu, origin_of(tag).cast()) }
        }
    })
}
