//! Where a DWARF tag came from: records in front of each tag of a DWARF unit, out of C's sight.
//!
//! Each tag has a [`TagOrigin`] right in front of it. In front of that stands a [`DeclOrigin`] for tags of a unit that was asked for extra
//! debugging information, and for those that C code allocates; C reads it through the getters of the unit's format descriptor only.

use std::ffi::c_char;

use super::Tag;

/// Where a tag is declared, and by which entry.
#[repr(C)]
pub struct DeclOrigin {
    /// Offset of the DIE in its section, in bytes.
    pub offset: u64,
    /// NUL-terminated, living as long as the set of units; NULL when unknown.
    pub file: *const c_char,
    pub line: u32,
}

/// What stands right in front of a tag.
#[repr(C, align(8))]
pub struct TagOrigin {
    /// The loader's index of the tag, for as long as the unit is being built.
    pub index: u32,
    /// Whether the memory belongs to the set of units and must not be freed tag by tag.
    pub in_arena: bool,
}

const _: () = assert!(size_of::<TagOrigin>() == 8 && size_of::<DeclOrigin>() == 24);

impl TagOrigin {
    /// The record of a tag.
    ///
    /// # Safety
    /// `tag` is a tag of a DWARF unit.
    pub unsafe fn of(tag: *const Tag) -> *mut TagOrigin {
        // SAFETY: the record stands in front of the tag, in the same allocation.
        unsafe { tag.cast_mut().cast::<TagOrigin>().sub(1) }
    }

    /// Where the tag is declared.
    ///
    /// # Safety
    /// `tag` is a tag of a DWARF unit with extra debugging information, or was allocated by C code.
    pub unsafe fn decl_of(tag: *const Tag) -> *mut DeclOrigin {
        // SAFETY: passed on; that record stands in front of the other.
        unsafe { TagOrigin::of(tag).cast::<DeclOrigin>().sub(1) }
    }
}
