//! `cu__*`: making and freeing a unit, its tables, and looking up ids.

use std::ffi::{CStr, c_char, c_int};
use std::ptr;

use libc::FILE;

use super::dwarf_loader::need_tags;
use super::entry::{entry, non_null};
use super::stdio::{put, text};
use crate::abi::{Cu, ListHead, NewCu, PtrTable, Tag, TypeId};

/// A unit in no set; NULL when a name is missing or memory is short.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cu__new(
    name: *const c_char,
    addr_size: u8,
    build_id: *const u8,
    build_id_len: c_int,
    filename: *const c_char,
    use_obstack: bool,
) -> *mut Cu {
    entry(|| {
        non_null!(name, filename);
        // SAFETY: strings, and as many bytes of build id as the caller says.
        unsafe {
            let build_id = match usize::try_from(build_id_len) {
                Ok(len @ 1..) if !build_id.is_null() => std::slice::from_raw_parts(build_id, len),
                _ => &[],
            };
            Cu::create(&NewCu {
                name: CStr::from_ptr(name),
                filename: CStr::from_ptr(filename),
                addr_size,
                build_id,
                use_obstack,
            })
        }
    })
}

/// Frees a unit that is in no set. Tags that were allocated one by one stay.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cu__delete(cu: *mut Cu) {
    entry(|| {
        non_null!(cu);
        // SAFETY: a unit of cu__new, given up by the caller.
        unsafe { Cu::destroy(cu) }
    })
}

unsafe fn enter(cu: *mut Cu, tag: *mut Tag, id: Option<u32>) -> Option<u32> {
    // SAFETY: a valid unit, and a tag that is in no table.
    unsafe {
        if (*tag).is_function() {
            Cu::insert_function(cu, tag.cast(), ptr::null_mut());
        }
        let table = Cu::table_of(cu, tag);
        match id {
            Some(id) => PtrTable::put(table, id, tag.cast()).then_some(id),
            None => PtrTable::push(table, tag.cast()),
        }
    }
}

/// Appends a tag to the table of its kind; its index goes to `*id`. 0 or `-ENOMEM`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cu__table_add_tag(cu: *mut Cu, tag: *mut Tag, id: *mut u32) -> c_int {
    entry(|| {
        non_null!(cu, tag, id);
        // SAFETY: passed on.
        unsafe {
            match enter(cu, tag, None) {
                Some(index) => {
                    *id = index;
                    0
                }
                None => -libc::ENOMEM,
            }
        }
    })
}

/// Puts a tag at an index of the caller's choice in the table of its kind. 0 or `-ENOMEM`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cu__table_add_tag_with_id(cu: *mut Cu, tag: *mut Tag, id: u32) -> c_int {
    entry(|| {
        non_null!(cu, tag);
        // SAFETY: passed on.
        unsafe { if enter(cu, tag, Some(id)).is_some() { 0 } else { -libc::ENOMEM } }
    })
}

/// Empties a slot of the table of types, which grows as needed. 0 or `-ENOMEM`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cu__table_nullify_type_entry(cu: *mut Cu, id: u32) -> c_int {
    entry(|| {
        non_null!(cu);
        // SAFETY: a valid unit.
        unsafe { if PtrTable::put(&raw mut (*cu).types_table, id, ptr::null_mut()) { 0 } else { -libc::ENOMEM } }
    })
}

/// [`cu__table_add_tag`], and the tag becomes the last of the unit's top-level tags.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cu__add_tag(cu: *mut Cu, tag: *mut Tag, id: *mut u32) -> c_int {
    entry(|| {
        non_null!(cu, tag, id);
        // SAFETY: passed on.
        unsafe {
            let result = cu__table_add_tag(cu, tag, id);
            if result == 0 {
                ListHead::add_tail(&raw mut (*cu).tags, &raw mut (*tag).node);
            }
            result
        }
    })
}

/// [`cu__table_add_tag_with_id`], and the tag becomes the last of the unit's top-level tags.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cu__add_tag_with_id(cu: *mut Cu, tag: *mut Tag, id: u32) -> c_int {
    entry(|| {
        non_null!(cu, tag);
        // SAFETY: passed on.
        unsafe {
            let result = cu__table_add_tag_with_id(cu, tag, id);
            if result == 0 {
                ListHead::add_tail(&raw mut (*cu).tags, &raw mut (*tag).node);
            }
            result
        }
    })
}

/// The type of an id; NULL for `void` and unknown ids.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cu__type(cu: *const Cu, id: TypeId) -> *mut Tag {
    // SAFETY: NULL or a valid unit.
    entry(|| unsafe {
        need_tags(cu);
        Cu::type_of(cu, id)
    })
}

/// The function of an id, NULL for unknown ones.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cu__function(cu: *const Cu, id: u32) -> *mut Tag {
    entry(|| {
        non_null!(cu);
        // SAFETY: a valid unit.
        unsafe {
            need_tags(cu);
            PtrTable::get(&raw const (*cu).functions_table, id).cast()
        }
    })
}

/// The tag that is neither type nor function of an id, NULL for unknown ones.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cu__tag(cu: *const Cu, id: u32) -> *mut Tag {
    entry(|| {
        non_null!(cu);
        // SAFETY: a valid unit.
        unsafe {
            need_tags(cu);
            PtrTable::get(&raw const (*cu).tags_table, id).cast()
        }
    })
}

unsafe fn build_id<'a>(cu: *const Cu) -> &'a [u8] {
    // SAFETY: build_id_len bytes follow the structure.
    unsafe {
        let len = usize::try_from((*cu).build_id_len).unwrap_or(0);
        std::slice::from_raw_parts((&raw const (*cu).build_id).cast(), len)
    }
}

/// Whether both units come from files of the same build id; false without one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cu__same_build_id(cu: *const Cu, other: *const Cu) -> bool {
    entry(|| {
        non_null!(cu, other);
        // SAFETY: valid units.
        unsafe { !build_id(cu).is_empty() && build_id(cu) == build_id(other) }
    })
}

/// Prints the heading of the table statistics; the bytes printed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cus__fprintf_ptr_table_stats_csv_header(fp: *mut FILE) -> c_int {
    entry(|| {
        non_null!(fp);
        // SAFETY: an open stream.
        unsafe { put(fp, &[b"# cu,tags,allocated_tags,types,allocated_types,functions,allocated_functions\n"]) as c_int }
    })
}

/// Prints the unit's table statistics; the bytes printed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cu__fprintf_ptr_table_stats_csv(cu: *mut Cu, fp: *mut FILE) -> c_int {
    entry(|| {
        non_null!(cu, fp);
        // SAFETY: a valid unit and an open stream.
        unsafe {
            let mut line = String::new();
            for table in [&raw const (*cu).tags_table, &raw const (*cu).types_table, &raw const (*cu).functions_table] {
                line += &format!(",{},{}", (*table).nr_entries, (*table).allocated_entries);
            }
            put(fp, &[text((*cu).name), line.as_bytes(), b"\n"]) as c_int
        }
    })
}
