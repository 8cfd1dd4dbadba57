//! What was written already.
//!
//! The lists are the caller's, and C searches them from their start for every type of every unit. Here names are looked up in an
//! index beside each list, made when the list is first searched and kept up by the functions that add to it, the only ones that do.
//! A list that is emptied starts anew.

use std::collections::HashMap;
use std::ffi::c_char;
use std::mem::offset_of;
use std::ptr;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::abi::{BaseType, ListHead, Type, TypeEmissions};
use crate::library;
use crate::print::bytes;

/// What is put behind the name of a type that another kind has.
pub const SUFFIX: &[u8] = b"__1";

/// By name, what is in a list, in the list's order. Addresses, so that it may stand in a static.
type Index = HashMap<Vec<u8>, Vec<usize>>;

/// The indexes, by the address of the list's head.
static INDEXES: Mutex<Option<HashMap<usize, Index>>> = Mutex::new(None);

fn indexes() -> MutexGuard<'static, Option<HashMap<usize, Index>>> {
    INDEXES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Forgets what is known of a list that is about to be emptied.
pub fn forget(head: *const ListHead) {
    if let Some(indexes) = indexes().as_mut() {
        indexes.remove(&head.addr());
    }
}

/// Lets `work` use the index of a list of types.
unsafe fn with_index<R>(head: *const ListHead, work: impl FnOnce(&mut Index) -> R) -> R {
    let mut indexes = indexes();
    let indexes = indexes.get_or_insert_with(HashMap::new);
    // SAFETY: an initialised list that holds types by their node.
    unsafe {
        let stale = ListHead::is_empty(head) && indexes.get(&head.addr()).is_some_and(|index| !index.is_empty());
        if stale {
            indexes.remove(&head.addr());
        }
        let index = indexes.entry(head.addr()).or_insert_with(|| {
            let mut index = Index::new();
            for ty in types(head) {
                enter(&mut index, ty);
            }
            index
        });
        work(index)
    }
}

unsafe fn enter(index: &mut Index, ty: *const Type) {
    // SAFETY: a valid type.
    unsafe {
        if !(*ty).namespace.name.is_null() {
            index.entry(bytes((*ty).namespace.name).to_vec()).or_default().push(ty.expose_provenance());
        }
    }
}

/// Takes a type out, under the name that it has or had before it was told apart from another one.
unsafe fn leave(index: &mut Index, ty: *const Type) {
    // SAFETY: a valid type.
    unsafe {
        if (*ty).namespace.name.is_null() {
            return;
        }
        let name = bytes((*ty).namespace.name);
        let before = if (*ty).suffix_disambiguation() { name.strip_suffix(SUFFIX) } else { None };
        for name in [Some(name), before].into_iter().flatten() {
            if let Some(named) = index.get_mut(name) {
                named.retain(|&other| other != ty.addr());
            }
        }
    }
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
    if name.is_null() {
        return ptr::null_mut();
    }
    // SAFETY: as above; what was written outlives the lists' use.
    unsafe {
        with_index(&raw const (*emissions).definitions, |index| {
            let named = index.get(bytes(name)).map_or(&[][..], Vec::as_slice);
            let found = named.iter().map(|&ty| ptr::with_exposed_provenance_mut::<Type>(ty)).find(|&ty| fits(ty));
            found.unwrap_or(ptr::null_mut())
        })
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
        let head = &raw mut (*emissions).definitions;
        if !ListHead::is_empty(&raw const (*ty).node) {
            // From either list.
            with_index(head, |index| leave(index, ty));
            with_index(&raw const (*emissions).fwd_decls, |index| leave(index, ty));
            ListHead::unlink(&raw mut (*ty).node);
        }
        with_index(head, |index| enter(index, ty));
        ListHead::add_tail(head, &raw mut (*ty).node);
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
        let head = &raw mut (*emissions).fwd_decls;
        let name = bytes((*ty).namespace.name);
        (*ty).set_fwd_decl_emitted(true);
        if with_index(head, |index| index.get(name).is_some_and(|named| !named.is_empty())) {
            return false;
        }
        if ListHead::is_empty(&raw const (*ty).node) {
            with_index(head, |index| enter(index, ty));
            ListHead::add_tail(head, &raw mut (*ty).node);
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
        let name = bytes(library::__base_type__name(base));
        let known = ListHead::nodes(&raw const (*emissions).base_type_definitions)
            .map(|node| node.byte_sub(offset_of!(BaseType, node)).cast::<BaseType>())
            .any(|other| bytes(library::__base_type__name(other)) == name);
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
