//! Freeing tags with everything below them: `*__delete`, and `class__clone`, whose result is freed the same way.
//!
//! Children go from the last to the first, so that a unit's arena or the C allocator sees the reverse of how they were made.

use std::ffi::c_char;
use std::ptr;

use super::entry::{entry, non_null};
use super::link::type__add_member;
use super::memory::{cu__tag_alloc, cu__tag_free};
use crate::abi::{
    Class, ClassMember, Cu, FormalParameterPack, Ftype, Function, Lexblock, ListHead, Namespace, Tag, TemplateParameterPack,
    Type, dw_tag,
};

/// Unlinks every tag of a list, last one first, and hands it to `free`.
unsafe fn drain(head: *mut ListHead, mut free: impl FnMut(*mut Tag)) {
    // SAFETY: an initialised list (or a zeroed head, which has nothing in it).
    unsafe {
        for node in ListHead::nodes_reversed(head) {
            ListHead::unlink(node);
            free(node.cast());
        }
    }
}

unsafe fn drain_deeply(head: *mut ListHead, cu: *mut Cu) {
    // SAFETY: passed on.
    unsafe { drain(head, |tag| tag__delete(tag, cu)) }
}

/// Frees a tag and what hangs below it. The tag is in no list any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tag__delete(tag: *mut Tag, cu: *mut Cu) {
    entry(|| {
        non_null!(tag);
        // SAFETY: a tag of this unit; its kind says what it is part of.
        unsafe {
            libc::free((*tag).attributes.cast());
            (*tag).attributes = ptr::null_mut();
            match (*tag).tag {
                dw_tag::UNION_TYPE => type__delete(tag.cast(), cu),
                dw_tag::CLASS_TYPE | dw_tag::STRUCTURE_TYPE | dw_tag::INTERFACE_TYPE => class__delete(tag.cast(), cu),
                dw_tag::ENUMERATION_TYPE => enumeration__delete(tag.cast(), cu),
                dw_tag::SUBROUTINE_TYPE => ftype__delete(tag.cast(), cu),
                dw_tag::SUBPROGRAM => function__delete(tag.cast(), cu),
                dw_tag::LEXICAL_BLOCK => lexblock__delete(tag.cast(), cu),
                dw_tag::GNU_TEMPLATE_PARAMETER_PACK => template_parameter_pack__delete(tag.cast(), cu),
                dw_tag::GNU_FORMAL_PARAMETER_PACK => formal_parameter_pack__delete(tag.cast(), cu),
                dw_tag::NAMESPACE => namespace__delete(tag.cast(), cu),
                _ => cu__tag_free(cu, tag),
            }
        }
    })
}

/// Frees a member, which is in no list any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn class_member__delete(member: *mut ClassMember, cu: *mut Cu) {
    entry(|| {
        non_null!(member);
        // SAFETY: a member of this unit.
        unsafe { cu__tag_free(cu, member.cast()) }
    })
}

/// Frees a namespace and what is in it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn namespace__delete(nspace: *mut Namespace, cu: *mut Cu) {
    entry(|| {
        non_null!(nspace);
        // SAFETY: a namespace of this unit.
        unsafe {
            drain_deeply(&raw mut (*nspace).tags, cu);
            cu__tag_free(cu, nspace.cast());
        }
    })
}

unsafe fn free_members(ty: *mut Type, cu: *mut Cu) {
    // SAFETY: a struct or union of this unit. Variant parts own no variants: those are types of their own.
    unsafe {
        drain(&raw mut (*ty).namespace.tags, |tag| cu__tag_free(cu, tag));
        drain(&raw mut (*ty).variant_parts, |tag| cu__tag_free(cu, tag));
    }
}

unsafe fn free_made_up_name(ty: *mut Type) {
    // SAFETY: with this mark the name was allocated for the type alone.
    unsafe {
        if (*ty).suffix_disambiguation() {
            libc::free((*ty).namespace.name.cast_mut().cast());
            (*ty).namespace.name = ptr::null();
        }
    }
}

/// Frees a struct with its members.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn class__delete(cls: *mut Class, cu: *mut Cu) {
    entry(|| {
        non_null!(cls);
        // SAFETY: a struct of this unit.
        unsafe {
            free_members(&raw mut (*cls).r#type, cu);
            cu__tag_free(cu, cls.cast());
        }
    })
}

/// Frees a union, or another type that has no more than one, with its members.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn type__delete(ty: *mut Type, cu: *mut Cu) {
    entry(|| {
        non_null!(ty);
        // SAFETY: a type of this unit.
        unsafe {
            free_members(ty, cu);
            free_made_up_name(ty);
            template_parameter_pack__delete((*ty).template_parameter_pack, cu);
            (*ty).template_parameter_pack = ptr::null_mut();
            cu__tag_free(cu, ty.cast());
        }
    })
}

/// Frees an enumeration, and its enumerators unless they are another one's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn enumeration__delete(ty: *mut Type, cu: *mut Cu) {
    entry(|| {
        non_null!(ty);
        // SAFETY: an enumeration of this unit; member functions may stand behind its enumerators.
        unsafe {
            if !(*ty).namespace.tag.shared_tags() {
                drain_deeply(&raw mut (*ty).namespace.tags, cu);
            }
            free_made_up_name(ty);
            cu__tag_free(cu, ty.cast());
        }
    })
}

/// Frees a function type with its parameters.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ftype__delete(ftype: *mut Ftype, cu: *mut Cu) {
    entry(|| {
        non_null!(ftype);
        // SAFETY: a function type of this unit.
        unsafe {
            drain(&raw mut (*ftype).parms, |tag| cu__tag_free(cu, tag));
            template_parameter_pack__delete((*ftype).template_parameter_pack, cu);
            (*ftype).template_parameter_pack = ptr::null_mut();
            cu__tag_free(cu, ftype.cast());
        }
    })
}

/// Frees a function with its block and parameters.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn function__delete(func: *mut Function, cu: *mut Cu) {
    entry(|| {
        non_null!(func);
        // SAFETY: a function of this unit; its prototype is its first field.
        unsafe {
            drain_deeply(&raw mut (*func).lexblock.tags, cu);
            ftype__delete(&raw mut (*func).proto, cu);
        }
    })
}

/// Frees a block with what is in it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lexblock__delete(lexblock: *mut Lexblock, cu: *mut Cu) {
    entry(|| {
        non_null!(lexblock);
        // SAFETY: a block of this unit.
        unsafe {
            drain_deeply(&raw mut (*lexblock).tags, cu);
            cu__tag_free(cu, lexblock.cast());
        }
    })
}

/// Frees a template's parameter pack.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn template_parameter_pack__delete(pack: *mut TemplateParameterPack, cu: *mut Cu) {
    entry(|| {
        non_null!(pack);
        // SAFETY: a pack of this unit.
        unsafe {
            drain_deeply(&raw mut (*pack).params, cu);
            cu__tag_free(cu, pack.cast());
        }
    })
}

/// Frees a formal parameter pack.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn formal_parameter_pack__delete(pack: *mut FormalParameterPack, cu: *mut Cu) {
    entry(|| {
        non_null!(pack);
        // SAFETY: a pack of this unit.
        unsafe {
            drain_deeply(&raw mut (*pack).params, cu);
            cu__tag_free(cu, pack.cast());
        }
    })
}

/// A copy of a struct with copies of its members and base classes, under a new name if one is given.
///
/// What else is in the struct is not copied: the copy's other lists are empty. Names and attributes are shared. NULL when memory
/// is short.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn class__clone(from: *const Class, new_class_name: *const c_char, cu: *mut Cu) -> *mut Class {
    entry(|| {
        non_null!(from, cu);
        // SAFETY: a struct of this unit; copies start out of every list.
        unsafe {
            let clone = cu__tag_alloc(cu, size_of::<Class>()).cast::<Class>();
            non_null!(clone);
            ptr::copy_nonoverlapping(from, clone, 1);
            let ty = &raw mut (*clone).r#type;
            for head in [
                &raw mut (*ty).namespace.tag.node,
                &raw mut (*ty).namespace.tags,
                &raw mut (*ty).node,
                &raw mut (*ty).type_enum,
                &raw mut (*ty).template_type_params,
                &raw mut (*ty).template_value_params,
                &raw mut (*ty).variant_parts,
                &raw mut (*clone).vtable,
            ] {
                ListHead::init(head);
            }
            (*ty).template_parameter_pack = ptr::null_mut();
            (*clone).nr_vtable_entries = 0;
            (*ty).nr_members = 0;
            (*ty).nr_static_members = 0;
            if !new_class_name.is_null() {
                (*ty).namespace.name = libc::strdup(new_class_name);
                if (*ty).namespace.name.is_null() {
                    class__delete(clone, cu);
                    return ptr::null_mut();
                }
            }
            for member in Type::members(&raw const (*from).r#type) {
                let copy = cu__tag_alloc(cu, size_of::<ClassMember>()).cast::<ClassMember>();
                if copy.is_null() {
                    class__delete(clone, cu);
                    return ptr::null_mut();
                }
                ptr::copy_nonoverlapping(member, copy, 1);
                type__add_member(ty, copy);
            }
            clone
        }
    })
}
