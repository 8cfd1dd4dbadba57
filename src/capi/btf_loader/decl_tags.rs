//! Declaration tags as attributes of what they are about: a type, a variable, a function, or a member or parameter of one.

use std::ffi::c_char;
use std::ptr;

use crate::abi::{Attributes, ClassMember, Cu, Ftype, Parameter, PtrTable, Tag, Type, dw_tag};
use crate::btf::{Btf, StrOff, TypeId};
use crate::capi::stdio;

/// Stores the declaration tags of `btf`, whose ids are `decl_tags`, with the tags they are about. Returns those tags; their attributes are in libc's memory.
///
/// # Safety
/// `cu` holds the tags of `btf` as `super::tags` makes them, and is nobody else's.
pub(super) unsafe fn attach(btf: &Btf, decl_tags: &[TypeId], cu: *mut Cu) -> Vec<*mut Tag> {
    let mut attributed = Vec::new();
    for &id in decl_tags {
        let Some(ty) = btf.get(id) else { continue };
        let (Some(about), Some(component)) = (ty.type_id(), ty.component_idx()) else { continue };
        let value = match btf.str_tail(ty.name()) {
            Some(tail) if ty.name() != StrOff::EMPTY => tail.as_ptr().cast(),
            _ => ptr::null(),
        };
        // SAFETY: passed on.
        unsafe {
            match find(cu, about.0, component) {
                Ok(tag) => {
                    if (*tag).attributes.is_null() {
                        attributed.push(tag);
                    }
                    add(tag, value);
                }
                Err(warning) => {
                    stdio::put(stdio::stderr(), &[b"WARNING: BTF_KIND_DECL_TAG for unknown ", warning.as_bytes(), b"\n"]);
                }
            }
        }
    }
    attributed
}

/// The tag that a declaration tag is about, or what there is none of.
unsafe fn find(cu: *mut Cu, id: u32, component: i32) -> Result<*mut Tag, String> {
    // SAFETY: passed on; the kind of a tag says what it is part of.
    unsafe {
        let tables = [&raw const (*cu).types_table, &raw const (*cu).functions_table, &raw const (*cu).tags_table];
        let tag = tables.into_iter().map(|table| PtrTable::get(table, id).cast::<Tag>()).find(|tag| !tag.is_null());
        let Some(tag) = tag else { return Err(format!("BTF id {id}")) };
        let Ok(component) = usize::try_from(component) else { return Ok(tag) };
        if (*tag).is_function() {
            let proto = Cu::type_of(cu, (*tag).r#type);
            return parameter(proto.cast(), component).ok_or_else(|| format!("parameter {component} in BTF id {id}"));
        }
        let ty = tag.cast::<Type>();
        let is_member = ((*tag).is_struct() || (*tag).is_union()) && component < usize::from((*ty).nr_members);
        // Members stand in a row.
        Ok(if is_member { (*ty).namespace.tags.next.cast::<ClassMember>().add(component).cast() } else { tag })
    }
}

unsafe fn parameter(proto: *const Ftype, index: usize) -> Option<*mut Tag> {
    // SAFETY: NULL or a type of this unit. Parameters stand in a row.
    unsafe {
        let has = !proto.is_null() && (*proto).tag.tag == dw_tag::SUBROUTINE_TYPE && index < usize::from((*proto).nr_parms);
        has.then(|| (*proto).parms.next.cast::<Parameter>().add(index).cast())
    }
}

/// Appends to the counted array of a tag's attributes, whose room doubles as it fills.
unsafe fn add(tag: *mut Tag, value: *const c_char) {
    // SAFETY: a tag of this unit; its attributes are NULL or made here.
    unsafe {
        let attributes = &raw mut (*tag).attributes;
        let count = attributes.read().as_ref().map_or(0, |attributes| attributes.cnt as usize);
        if count == 0 || count.is_power_of_two() {
            let bytes = size_of::<Attributes>() + (count * 2).max(1) * size_of::<*const c_char>();
            let grown = libc::realloc((*attributes).cast(), bytes).cast::<Attributes>();
            if grown.is_null() {
                return;
            }
            *attributes = grown;
        }
        (&raw mut (**attributes).values).cast::<*const c_char>().add(count).write(value);
        (**attributes).cnt = count as u64 + 1;
    }
}
