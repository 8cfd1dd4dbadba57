//! What printing has to know about a tag: the one place that asks the exported functions.

use std::ffi::{CStr, c_char, c_ulonglong};
use std::ptr;

use crate::abi::{BaseType, Cu, Function, PtrTable, Tag, Type, TypeId, Variable, dw_tag};

pub use crate::capi::holes::{
    class__find_holes, class__has_embedded_flexible_array, class__has_flexible_array, class__infer_packed_attributes,
    type__find_first_biggest_size_base_type_member, union__infer_packed_attributes,
};
pub use crate::capi::kinds::tag__follow_typedef;
pub(super) use crate::capi::library::cacheline_size;
pub use crate::capi::size::{tag__nr_cachelines, tag__size};

/// What printf makes of a NULL string.
pub const NULL_TEXT: &[u8] = b"(null)";

/// The bytes of a C string; `None` for NULL.
///
/// # Safety
/// NULL, or a string that lives during `'a`.
pub unsafe fn string<'a>(s: *const c_char) -> Option<&'a [u8]> {
    // SAFETY: a string by the caller's word.
    (!s.is_null()).then(|| unsafe { CStr::from_ptr(s) }.to_bytes())
}

/// The name of a DW_TAG number without its prefix.
pub fn kind_name(tag: u16) -> &'static [u8] {
    crate::capi::names::tag_name(tag.into()).map_or(NULL_TEXT, CStr::to_bytes)
}

/// Where a variable lives, in words.
///
/// # Safety
/// A valid variable.
pub unsafe fn scope<'a>(variable: *const Variable) -> &'a [u8] {
    // SAFETY: as above; the words are static.
    unsafe { string(crate::capi::names::variable__scope_str(variable)).unwrap_or(NULL_TEXT) }
}

/// The name of a struct, union, enumeration, typedef or namespace.
///
/// # Safety
/// `ty` is valid.
pub unsafe fn type_name<'a>(ty: *const Type) -> Option<&'a [u8]> {
    // SAFETY: names live as long as their unit.
    unsafe { string((*ty).namespace.name) }
}

/// The name of a base type, composed with its encoding where it needs that, in a C buffer's 63 bytes.
///
/// # Safety
/// `base` is valid.
pub unsafe fn base_name(base: *const BaseType, bf: &mut [c_char; 64]) -> &[u8] {
    // SAFETY: a valid base type and a buffer of that length.
    unsafe {
        if (*base).name.is_null() {
            return b"nameless base type!";
        }
        string(crate::capi::names::base_type__name(base, bf.as_mut_ptr(), bf.len())).unwrap_or(NULL_TEXT)
    }
}

/// Struct, union or enumeration: a type that may be defined where it is used.
pub fn is_aggregate(tag: &Tag) -> bool {
    tag.is_struct() || tag.is_union() || tag.is_enumeration()
}

/// A struct, union or enumeration without a name.
///
/// # Safety
/// `tag` is valid.
pub unsafe fn is_nameless_aggregate(tag: *const Tag) -> bool {
    // SAFETY: aggregates are types.
    unsafe { is_aggregate(&*tag) && (*tag.cast::<Type>()).namespace.name.is_null() }
}

pub fn is_annotation(tag: &Tag) -> bool {
    matches!(tag.tag, dw_tag::LLVM_ANNOTATION | dw_tag::GNU_ANNOTATION)
}

/// The function of an id; NULL when there is none.
///
/// # Safety
/// `cu` is NULL or valid.
pub unsafe fn function_of(cu: *const Cu, id: TypeId) -> *mut Function {
    // SAFETY: the table of functions holds functions.
    unsafe { if cu.is_null() { ptr::null_mut() } else { PtrTable::get(&raw const (*cu).functions_table, id).cast() } }
}

/// The variable, constant, namespace and so on of an id; NULL when there is none.
///
/// # Safety
/// `cu` is NULL or valid.
pub unsafe fn other_of(cu: *const Cu, id: TypeId) -> *mut Tag {
    // SAFETY: the table holds tags.
    unsafe { if cu.is_null() { ptr::null_mut() } else { PtrTable::get(&raw const (*cu).tags_table, id).cast() } }
}

/// Where a tag was declared, as far as its unit's format knows.
pub struct Declared<'a> {
    pub id: c_ulonglong,
    pub file: Option<&'a [u8]>,
    pub line: u32,
}

/// # Safety
/// A tag of this unit.
pub unsafe fn declared<'a>(tag: *const Tag, cu: *const Cu) -> Declared<'a> {
    // SAFETY: the unit's format descriptor is NULL or valid, its getters take any tag of the unit.
    unsafe {
        let Some(ops) = cu.as_ref().and_then(|cu| cu.dfops.as_ref()) else { return Declared { id: 0, file: None, line: 0 } };
        Declared {
            id: ops.tag__orig_id.map_or(0, |get| get(tag, cu)),
            file: ops.tag__decl_file.and_then(|get| string(get(tag, cu))),
            line: ops.tag__decl_line.map_or(0, |get| get(tag, cu)),
        }
    }
}

/// Only the line; asked for every line of a function's body.
///
/// # Safety
/// A tag of this unit.
pub unsafe fn declared_line(tag: *const Tag, cu: *const Cu) -> u32 {
    // SAFETY: as for `declared`.
    unsafe { cu.as_ref().and_then(|cu| cu.dfops.as_ref()).and_then(|ops| ops.tag__decl_line).map_or(0, |get| get(tag, cu)) }
}
