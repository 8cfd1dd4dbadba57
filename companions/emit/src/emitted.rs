//! What was written already.

use std::ffi::c_char;
use std::mem::offset_of;
use std::ptr;

use crate::abi::{BaseType, ListHead, Type, TypeEmissions};
use crate::library;

unsafe fn same(a: *const c_char, b: *const c_char) -> bool {
    // SAFETY: NULL or strings.
    !a.is_null() && !b.is_null() && unsafe { libc::strcmp(a, b) == 0 }
}

unsafe fn types(head: *const ListHead) -> impl Iterator<Item = *mut Type> {
    // SAFETY: the list holds types by their node.
    unsafe { ListHead::nodes(head).map(|node| node.byte_sub(offset_of!(Type, node)).cast::<Type>()) }
}

/// The first definition of that name which `fits`; NULL if there is none or no name.
///
/// # Safety
/// Initialised lists, NULL or a string.
pub unsafe fn definition(emissions: *const TypeEmissions, name: *const c_char, fits: impl Fn(*const Type) -> bool) -> *mut Type {
    // SAFETY: as above.
    unsafe {
        types(&raw const (*emissions).definitions)
            .find(|&ty| fits(ty) && same((*ty).namespace.name, name))
            .unwrap_or(ptr::null_mut())
    }
}

/// The first definition that `fits`; NULL if there is none.
///
/// # Safety
/// Initialised lists.
pub unsafe fn first(emissions: *const TypeEmissions, fits: impl Fn(*const Type) -> bool) -> *mut Type {
    // SAFETY: as above.
    unsafe { types(&raw const (*emissions).definitions).find(|&ty| fits(ty)).unwrap_or(ptr::null_mut()) }
}

/// Whether C has one name space for the type and others: a struct, union or enumeration.
///
/// # Safety
/// A valid type.
pub unsafe fn shares_names(ty: *const Type) -> bool {
    // SAFETY: as above.
    unsafe {
        let tag = &(*ty).namespace.tag;
        tag.is_struct() || tag.is_union() || tag.is_enumeration()
    }
}

/// A definition of the same name but of another kind, that C would take for a redefinition.
///
/// # Safety
/// As for [`definition`].
pub unsafe fn shadow(emissions: *const TypeEmissions, tag: u16, name: *const c_char) -> *mut Type {
    // SAFETY: passed on.
    unsafe { definition(emissions, name, |ty| (*ty).namespace.tag.tag != tag && shares_names(ty)) }
}

/// Enters a type that is about to be written; it may have been declared before.
///
/// # Safety
/// Initialised lists, a type that is in one of them or in none.
pub unsafe fn add(emissions: *mut TypeEmissions, ty: *mut Type) {
    // SAFETY: as above.
    unsafe {
        (*ty).set_definition_emitted(true);
        if !ListHead::is_empty(&raw const (*ty).node) {
            ListHead::unlink(&raw mut (*ty).node);
        }
        ListHead::add_tail(&raw mut (*emissions).definitions, &raw mut (*ty).node);
    }
}

/// Enters a type that is about to be declared; false if that name was declared before.
///
/// # Safety
/// As for [`add`].
pub unsafe fn add_declaration(emissions: *mut TypeEmissions, ty: *mut Type) -> bool {
    // SAFETY: as above.
    unsafe {
        if (*ty).fwd_decl_emitted() || (*ty).namespace.name.is_null() {
            return false;
        }
        let known = types(&raw const (*emissions).fwd_decls).any(|other| same((*other).namespace.name, (*ty).namespace.name));
        (*ty).set_fwd_decl_emitted(true);
        if known {
            return false;
        }
        if ListHead::is_empty(&raw const (*ty).node) {
            ListHead::add_tail(&raw mut (*emissions).fwd_decls, &raw mut (*ty).node);
        }
        true
    }
}

/// Enters a base type that is about to be written; false if that name was written before.
///
/// # Safety
/// As for [`add`].
pub unsafe fn add_base_type(emissions: *mut TypeEmissions, base: *mut BaseType) -> bool {
    // SAFETY: the list holds base types by their node.
    unsafe {
        let name = library::__base_type__name(base);
        let known = ListHead::nodes(&raw const (*emissions).base_type_definitions)
            .map(|node| node.byte_sub(offset_of!(BaseType, node)).cast::<BaseType>())
            .any(|other| same(library::__base_type__name(other), name));
        (*base).set_definition_emitted(true);
        if known {
            return false;
        }
        if !ListHead::is_empty(&raw const (*base).node) {
            ListHead::unlink(&raw mut (*base).node);
        }
        ListHead::add_tail(&raw mut (*emissions).base_type_definitions, &raw mut (*base).node);
        true
    }
}
