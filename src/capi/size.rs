//! Sizes and natural alignments, in bytes.

use std::ffi::c_int;
use std::ptr;

use super::entry::{entry, non_null};
use super::kinds::tag__strip_typedefs_and_modifiers;
use super::library::cacheline_size;
use super::names::{__tag__has_type_loop, __tag__id_not_found_fprintf};
use super::stdio::stderr;
use crate::abi::{ArrayType, BaseType, ClassMember, ConfFprintf, Cu, Ftype, ListHead, StringType, Tag, Type, dw_tag};

/// What stands for a size that cannot be told.
const UNKNOWN: usize = usize::MAX;

/// How many types may be nested in each other, or follow each other, before that counts as a loop.
const MAX_DEPTH: usize = 512;

/// How many elements an array has, all dimensions multiplied; one that says nothing of them has none.
unsafe fn nr_elements(array: *const ArrayType) -> usize {
    // SAFETY: a valid array type.
    unsafe {
        if (*array).nr_entries.is_null() {
            return usize::from((*array).dimensions == 0);
        }
        ArrayType::counts(array).map(|count| count as usize).fold(1, usize::wrapping_mul)
    }
}

/// The size of a pointer to a member: an offset, or for functions an address with what is added to `this`, as the C++ ABI has it.
unsafe fn member_pointer_size(tag: *const Tag, cu: *const Cu) -> usize {
    // SAFETY: a pointer to a member of this unit.
    unsafe {
        let target = tag__strip_typedefs_and_modifiers(tag, cu);
        let words = if target.as_ref().is_some_and(|target| target.tag == dw_tag::SUBROUTINE_TYPE) { 2 } else { 1 };
        usize::from((*cu).addr_size) * words
    }
}

/// The size of a tag that needs no other tag's; `None` for those that have their type's size.
unsafe fn own_size(tag: *const Tag, cu: *const Cu) -> Option<usize> {
    // SAFETY: the kind says what the tag is part of.
    unsafe {
        match (*tag).tag {
            dw_tag::STRING_TYPE => Some((*tag.cast::<StringType>()).nr_entries as usize),
            dw_tag::MEMBER => {
                let member = tag.cast::<ClassMember>();
                if (*member).is_static() { Some(0) } else { Some((*member).byte_size).filter(|&size| size != 0) }
            }
            dw_tag::POINTER_TYPE | dw_tag::REFERENCE_TYPE | dw_tag::RVALUE_REFERENCE_TYPE => Some(usize::from((*cu).addr_size)),
            dw_tag::PTR_TO_MEMBER_TYPE => Some(member_pointer_size(tag, cu)),
            dw_tag::BASE_TYPE => Some(usize::from((*tag.cast::<BaseType>()).bit_size) / 8),
            dw_tag::ENUMERATION_TYPE => Some((*tag.cast::<Type>()).size as usize / 8),
            dw_tag::SUBROUTINE_TYPE => {
                let size = (*tag.cast::<Ftype>()).byte_size;
                Some(if size == 0 { usize::from((*cu).addr_size) } else { size })
            }
            _ => None,
        }
    }
}

/// The size of a tag without a type: structs and unions have one of their own, everything else is void.
unsafe fn untyped_size(tag: *const Tag) -> usize {
    // SAFETY: the kind says whether the tag is a type.
    unsafe {
        if !(*tag).is_type() {
            return 0;
        }
        let ty = tag.cast::<Type>();
        // An empty class has one byte, but takes no room where it is a base.
        if (*ty).size == 1 && (*ty).nr_members == 0 { 0 } else { (*ty).size as usize }
    }
}

/// The size of any tag, of its type if it has none; `usize::MAX`, after a message, when a type is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tag__size(tag: *const Tag, cu: *const Cu) -> usize {
    entry(|| {
        non_null!(tag, cu);
        // SAFETY: a tag of this unit.
        unsafe {
            let mut at = tag;
            let mut elements = 1_usize;
            for _ in 0..MAX_DEPTH {
                if let Some(size) = own_size(at, cu) {
                    return size.wrapping_mul(elements);
                }
                if (*at).tag == dw_tag::ARRAY_TYPE {
                    elements = elements.wrapping_mul(nr_elements(at.cast()));
                }
                if (*at).r#type == 0 {
                    return untyped_size(at).wrapping_mul(elements);
                }
                let ty = Cu::type_of(cu, (*at).r#type).cast_const();
                if ty.is_null() {
                    __tag__id_not_found_fprintf(stderr(), (*at).r#type, c"tag__size".as_ptr(), line!() as c_int);
                    return UNKNOWN;
                }
                let function = c"tag__size".as_ptr();
                if __tag__has_type_loop(at, ty, ptr::null_mut(), 0, ptr::null_mut(), function, line!() as c_int) != 0 {
                    return UNKNOWN;
                }
                at = ty;
            }
            UNKNOWN
        }
    })
}

/// How many cache lines a tag takes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tag__nr_cachelines(conf: *const ConfFprintf, tag: *const Tag, cu: *const Cu) -> usize {
    entry(|| {
        non_null!(tag, cu);
        // SAFETY: passed on.
        unsafe { tag__size(tag, cu).wrapping_add(usize::from(cacheline_size(conf)) - 1) / usize::from(cacheline_size(conf)) }
    })
}

/// The alignment of the widest scalar in a type, at least 1; kept in structs and unions once found.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tag__natural_alignment(tag: *mut Tag, cu: *const Cu) -> usize {
    entry(|| {
        if tag.is_null() || cu.is_null() {
            return 1;
        }
        // SAFETY: a tag of this unit.
        unsafe { alignment_of(tag, cu).max(1) }
    })
}

unsafe fn alignment_of(tag: *mut Tag, cu: *const Cu) -> usize {
    // SAFETY: a tag of this unit.
    unsafe {
        let tag = past_arrays(tag, cu);
        own_alignment(tag, cu).unwrap_or_else(|| members_alignment(tag.cast(), cu))
    }
}

/// What an array's elements are; NULL for a type the loader does not know, and for an array of itself.
unsafe fn past_arrays(mut tag: *mut Tag, cu: *const Cu) -> *mut Tag {
    // SAFETY: a tag of this unit, or NULL.
    unsafe {
        for _ in 0..MAX_DEPTH {
            match tag.as_ref() {
                Some(array) if array.tag == dw_tag::ARRAY_TYPE => tag = tag__strip_typedefs_and_modifiers(tag, cu),
                _ => return tag,
            }
        }
        ptr::null_mut()
    }
}

/// The alignment of what has no members; `None` for structs and unions that have not been looked at.
unsafe fn own_alignment(tag: *mut Tag, cu: *const Cu) -> Option<usize> {
    // SAFETY: a tag of this unit, or NULL.
    unsafe {
        if tag.is_null() {
            return Some(1);
        }
        match (*tag).tag {
            dw_tag::POINTER_TYPE | dw_tag::PTR_TO_MEMBER_TYPE => Some(usize::from((*cu).addr_size)),
            dw_tag::BASE_TYPE => Some(usize::from((*tag.cast::<BaseType>()).bit_size) / 8),
            dw_tag::ENUMERATION_TYPE => Some((*tag.cast::<Type>()).size as usize / 8),
            _ if (*tag).is_struct() || (*tag).is_union() => {
                let known = usize::from((*tag.cast::<Type>()).natural_alignment);
                Some(known).filter(|&known| known != 0)
            }
            _ => Some(1),
        }
    }
}

/// The alignment of a struct or union that has not been looked at, 0 without members.
unsafe fn members_alignment(ty: *mut Type, cu: *const Cu) -> usize {
    // SAFETY: a struct or union of this unit.
    unsafe {
        // Structs on the way down, each with its members that are still to be looked at and the widest so far. Nested as deep as the file says.
        let enter = |ty: *mut Type| {
            // Met again, this ends a circle.
            (*ty).natural_alignment = 1;
            (ty, ListHead::nodes(&raw const (*ty).namespace.tags), 0)
        };
        let mut open = vec![enter(ty)];
        let mut widest_inside = None;
        while let Some((ty, rest, widest)) = open.last_mut() {
            if let Some(inside) = widest_inside.take() {
                *widest = usize::max(*widest, inside);
            }
            let Some(tag) = rest.next().map(|node| node.cast::<Tag>()) else {
                (**ty).natural_alignment = *widest as u16;
                widest_inside = Some(usize::from((**ty).natural_alignment).max(1));
                open.pop();
                continue;
            };
            let member = tag.cast::<ClassMember>();
            let is_member = matches!((*tag).tag, dw_tag::MEMBER | dw_tag::INHERITANCE);
            if !is_member || (*member).is_virtual_base() || (*member).is_static() {
                continue;
            }
            let member_type = tag__strip_typedefs_and_modifiers(tag, cu);
            if member_type.is_null() {
                continue;
            }
            let member_type = past_arrays(member_type, cu);
            match own_alignment(member_type, cu) {
                Some(alignment) => *widest = usize::max(*widest, alignment.max(1)),
                None => open.push(enter(member_type.cast())),
            }
        }
        usize::from((*ty).natural_alignment)
    }
}
