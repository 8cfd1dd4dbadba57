//! Where a DWARF tag came from: a record in front of each tag of a DWARF unit that was asked for extra debugging information, and of those that
//! C code allocates, out of C's sight. C reads it through the getters of the unit's format descriptor only.

use std::ffi::c_char;

use super::Tag;

/// Where a tag is declared, and by which entry. Stands right in front of the tag.
#[repr(C)]
pub struct DeclOrigin {
    /// Offset of the DIE in its section, in bytes.
    pub offset: u64,
    /// NUL-terminated, living as long as the set of units; NULL when unknown.
    pub file: *const c_char,
    pub line: u32,
}

const _: () = assert!(size_of::<DeclOrigin>() == 24);

impl DeclOrigin {
    /// The record of a tag.
    ///
    /// # Safety
    /// `tag` is a tag of a DWARF unit with extra debugging information, or was allocated by C code.
    pub unsafe fn of(tag: *const Tag) -> *mut DeclOrigin {
        // SAFETY: the record stands in front of the tag, in the same allocation.
        unsafe { tag.cast_mut().cast::<DeclOrigin>().sub(1) }
    }
}
