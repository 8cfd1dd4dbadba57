//! The getters and the allocator of DWARF tags: see [`crate::abi::origin`] for the record that they deal with.

use std::ffi::{c_char, c_ulonglong, c_void};
use std::ptr;

use super::dwarf_loader::is_loaded;
use super::entry::entry;
use super::memory;
use crate::abi::origin::DeclOrigin;
use crate::abi::{Cu, Tag};

/// Whether the tag's record may be asked: C leaves them alone without extra debugging information.
unsafe fn has_record(tag: *const Tag, cu: *const Cu) -> bool {
    // SAFETY: the caller hands over a unit of this format and one of its tags.
    !tag.is_null() && !cu.is_null() && unsafe { (*cu).extra_dbg_info() }
}

pub(super) unsafe extern "C" fn decl_file(tag: *const Tag, cu: *const Cu) -> *const c_char {
    // SAFETY: has_record says that the record is there.
    entry(|| unsafe { if has_record(tag, cu) { (*DeclOrigin::of(tag)).file } else { ptr::null() } })
}

pub(super) unsafe extern "C" fn decl_line(tag: *const Tag, cu: *const Cu) -> u32 {
    // SAFETY: as above.
    entry(|| unsafe { if has_record(tag, cu) { (*DeclOrigin::of(tag)).line } else { 0 } })
}

pub(super) unsafe extern "C" fn orig_id(tag: *const Tag, cu: *const Cu) -> c_ulonglong {
    // SAFETY: as above.
    entry(|| unsafe { if has_record(tag, cu) { (*DeclOrigin::of(tag)).offset } else { 0 } })
}

const RECORD: usize = size_of::<DeclOrigin>();

pub(super) unsafe extern "C" fn tag_alloc(cu: *mut Cu, size: usize) -> *mut c_void {
    entry(|| {
        let Some(size) = size.checked_add(RECORD) else { return ptr::null_mut() };
        // SAFETY: passed on; the block starts with room for the record.
        unsafe {
            let block = memory::cu__zalloc(cu, size).cast::<u8>();
            if block.is_null() { ptr::null_mut() } else { block.add(RECORD).cast() }
        }
    })
}

pub(super) unsafe extern "C" fn tag_free(tag: *mut Tag, cu: *mut Cu) {
    entry(|| {
        // SAFETY: a unit and a tag of this format; what tag_alloc made starts with the record.
        unsafe {
            if !tag.is_null() && !is_loaded(cu, tag) {
                memory::cu__free(cu, DeclOrigin::of(tag).cast());
            }
        }
    })
}
