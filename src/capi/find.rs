//! `cu__find_*` and `type__find_member_by_name`: linear searches by name, in id order.

use std::ffi::{c_char, c_int};
use std::ptr;

use super::dwarf_loader::need_tags;
use super::entry::{entry, non_null};
use super::names::is_base_type_named;
use super::stdio::same;
use crate::abi::{BaseType, ClassMember, Cu, Function, PtrTable, Tag, Type, TypeId, dw_tag};

/// The first type that fits; its id goes to `*id`.
unsafe fn first_type(cu: *const Cu, id: *mut TypeId, fits: impl Fn(*mut Tag) -> bool) -> *mut Tag {
    // SAFETY: a valid unit; id is NULL or writable.
    unsafe {
        need_tags(cu);
        match Cu::types(cu).find(|&(_, tag)| fits(tag)) {
            Some((found, tag)) => {
                if !id.is_null() {
                    *id = found;
                }
                tag
            }
            None => ptr::null_mut(),
        }
    }
}

/// Whether a type has that name, and is a declaration only if those count.
unsafe fn is_named(tag: *mut Tag, name: *const c_char, include_decls: bool) -> bool {
    // SAFETY: callers looked at the kind: it is a Type.
    unsafe {
        let ty = tag.cast::<Type>();
        same((*ty).namespace.name, name) && (include_decls || !(*ty).declaration())
    }
}

/// The first typedef of the type with that id.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cu__find_first_typedef_of_type(cu: *const Cu, ty: TypeId) -> *mut Tag {
    entry(|| {
        non_null!(cu);
        if ty == 0 {
            return ptr::null_mut();
        }
        // SAFETY: a valid unit.
        unsafe { first_type(cu, ptr::null_mut(), |tag| (*tag).is_typedef() && (*tag).r#type == ty) }
    })
}

/// The first base type whose composed name is `name`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cu__find_base_type_by_name(cu: *const Cu, name: *const c_char, id: *mut TypeId) -> *mut Tag {
    entry(|| {
        non_null!(cu, name);
        // SAFETY: a valid unit and a string.
        unsafe { first_type(cu, id, |tag| (*tag).tag == dw_tag::BASE_TYPE && is_base_type_named(tag.cast::<BaseType>(), name)) }
    })
}

/// The first base type with that composed name and size in bits.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cu__find_base_type_by_name_and_size(
    cu: *const Cu,
    name: *const c_char,
    bit_size: u16,
    idp: *mut TypeId,
) -> *mut Tag {
    entry(|| {
        non_null!(cu, name);
        // SAFETY: a valid unit and a string.
        unsafe {
            first_type(cu, idp, |tag| {
                let base = tag.cast::<BaseType>();
                (*tag).tag == dw_tag::BASE_TYPE && (*base).bit_size == bit_size && is_base_type_named(base, name)
            })
        }
    })
}

/// The first enumeration of that name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cu__find_enumeration_by_name(cu: *const Cu, name: *const c_char, idp: *mut TypeId) -> *mut Tag {
    entry(|| {
        non_null!(cu, name);
        // SAFETY: a valid unit and a string.
        unsafe { first_type(cu, idp, |tag| (*tag).is_enumeration() && is_named(tag, name, true)) }
    })
}

/// The first enumeration with that name and size in bits.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cu__find_enumeration_by_name_and_size(
    cu: *const Cu,
    name: *const c_char,
    bit_size: u16,
    idp: *mut TypeId,
) -> *mut Tag {
    entry(|| {
        non_null!(cu, name);
        // SAFETY: a valid unit and a string.
        unsafe {
            first_type(cu, idp, |tag| {
                (*tag).is_enumeration() && (*tag.cast::<Type>()).size == u32::from(bit_size) && is_named(tag, name, true)
            })
        }
    })
}

/// The first struct, union, enumeration, typedef or rvalue reference of that name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cu__find_type_by_name(
    cu: *const Cu,
    name: *const c_char,
    include_decls: c_int,
    idp: *mut TypeId,
) -> *mut Tag {
    entry(|| {
        non_null!(cu, name);
        // SAFETY: a valid unit and a string.
        unsafe { first_type(cu, idp, |tag| (*tag).is_type() && is_named(tag, name, include_decls != 0)) }
    })
}

/// The first struct, class or interface of that name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cu__find_struct_by_name(
    cu: *const Cu,
    name: *const c_char,
    include_decls: c_int,
    id: *mut TypeId,
) -> *mut Tag {
    entry(|| {
        non_null!(cu, name);
        // SAFETY: a valid unit and a string.
        unsafe { first_type(cu, id, |tag| (*tag).is_struct() && is_named(tag, name, include_decls != 0)) }
    })
}

/// The first function of that name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cu__find_function_by_name(cu: *const Cu, name: *const c_char) -> *mut Tag {
    entry(|| {
        non_null!(cu);
        // SAFETY: a valid unit and a string or NULL; the table holds functions.
        unsafe {
            need_tags(cu);
            // codiff looks up every function of a unit in its pair, and takes it for granted that a nameless one is found.
            let is_wanted = |other: *const c_char| same(other, name) || (name.is_null() && other.is_null());
            PtrTable::tags(&raw const (*cu).functions_table, 0)
                .find(|&(_, tag)| is_wanted((*tag.cast::<Function>()).name))
                .map_or(ptr::null_mut(), |(_, tag)| tag)
        }
    })
}

/// The function whose code holds an address.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cu__find_function_at_addr(cu: *const Cu, addr: u64) -> *mut Function {
    entry(|| {
        non_null!(cu);
        // SAFETY: the tree's nodes are those of functions.
        unsafe {
            need_tags(cu);
            let mut node = (*cu).functions.rb_node;
            while !node.is_null() {
                let function = Function::of_node(node);
                let start = (*function).lexblock.ip.addr;
                node = if addr < start {
                    (*node).rb_left
                } else if addr - start >= u64::from((*function).lexblock.size) {
                    (*node).rb_right
                } else {
                    return function;
                };
            }
            ptr::null_mut()
        }
    })
}

/// The first data member of that name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn type__find_member_by_name(ty: *const Type, name: *const c_char) -> *mut ClassMember {
    entry(|| {
        non_null!(ty, name);
        // SAFETY: a valid struct or union, and a string.
        unsafe { Type::data_members(ty).find(|&member| same((*member).name, name)).unwrap_or(ptr::null_mut()) }
    })
}

/// The last data member.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn type__last_member(ty: *mut Type) -> *mut ClassMember {
    entry(|| {
        non_null!(ty);
        // SAFETY: a valid struct or union.
        unsafe { Type::data_members(ty).last().unwrap_or(ptr::null_mut()) }
    })
}

/// How many members and base classes are of the type with that id.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn type__nr_members_of_type(ty: *const Type, oftype: TypeId) -> u32 {
    entry(|| {
        non_null!(ty);
        // SAFETY: a valid struct or union.
        unsafe { Type::members(ty).filter(|&member| (*member).tag.r#type == oftype).count() as u32 }
    })
}
