//! The getters and the allocator of DWARF tags: see [`crate::abi::origin`] for the records that they deal with.

use std::ffi::{c_char, c_ulonglong, c_void};
use std::ptr;

use super::entry::entry;
use super::memory;
use crate::abi::origin::{DeclOrigin, TagOrigin};
use crate::abi::{Cu, Tag};

/// Whether the tag's records may be asked: C leaves them alone without extra debugging information.
unsafe fn has_records(tag: *const Tag, cu: *const Cu) -> bool {
    // SAFETY: the caller hands over a unit of this format and one of its tags.
    !tag.is_null() && !cu.is_null() && unsafe { (*cu).extra_dbg_info() }
}

pub(super) unsafe extern "C" fn decl_file(tag: *const Tag, cu: *const Cu) -> *const c_char {
    // SAFETY: has_records says that the record is there.
    entry(|| unsafe { if has_records(tag, cu) { (*TagOrigin::decl_of(tag)).file } else { ptr::null() } })
}

pub(super) unsafe extern "C" fn decl_line(tag: *const Tag, cu: *const Cu) -> u32 {
    // SAFETY: as above.
    entry(|| unsafe { if has_records(tag, cu) { (*TagOrigin::decl_of(tag)).line } else { 0 } })
}

pub(super) unsafe extern "C" fn orig_id(tag: *const Tag, cu: *const Cu) -> c_ulonglong {
    // SAFETY: as above.
    entry(|| unsafe { if has_records(tag, cu) { (*TagOrigin::decl_of(tag)).offset } else { 0 } })
}

const RECORDS: usize = size_of::<DeclOrigin>() + size_of::<TagOrigin>();

pub(super) unsafe extern "C" fn tag_alloc(cu: *mut Cu, size: usize) -> *mut c_void {
    entry(|| {
        let Some(size) = size.checked_add(RECORDS) else { return ptr::null_mut() };
        // SAFETY: passed on; the block starts with room for both records.
        unsafe {
            let block = memory::cu__zalloc(cu, size).cast::<u8>();
            if block.is_null() { ptr::null_mut() } else { block.add(RECORDS).cast() }
        }
    })
}

pub(super) unsafe extern "C" fn tag_free(tag: *mut Tag, cu: *mut Cu) {
    entry(|| {
        // SAFETY: a tag of this format; what tag_alloc made starts with both records.
        unsafe {
            if !tag.is_null() && !(*TagOrigin::of(tag)).in_arena {
                memory::cu__free(cu, TagOrigin::decl_of(tag).cast());
            }
        }
    })
}
