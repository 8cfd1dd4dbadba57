//! Questions about a tag that need the types it refers to.

use std::ffi::c_int;
use std::ptr;

use super::entry::{entry, non_null};
use crate::abi::{Cu, Enumerator, Ftype, Function, ListHead, Tag, TagCuNode, Type, TypeId, dw_tag};

/// How many references are followed before a chain counts as a loop.
const MAX_CHAIN: usize = 4096;

/// Follows references from the type of `tag` on, as long as `goes_on` says so; NULL at void, a missing type or a loop.
unsafe fn follow(tag: *const Tag, cu: *const Cu, goes_on: impl Fn(&Tag) -> bool) -> *mut Tag {
    // SAFETY: a tag of a valid unit.
    unsafe {
        let mut id = (*tag).r#type;
        for _ in 0..MAX_CHAIN {
            let ty = Cu::type_of(cu, id);
            if ty.is_null() || !goes_on(&*ty) {
                return ty;
            }
            id = (*ty).r#type;
        }
        ptr::null_mut()
    }
}

/// The tag itself, or what it leads to, past kinds that `passes` names.
unsafe fn resolve(tag: *const Tag, cu: *const Cu, passes: impl Fn(&Tag) -> bool) -> *const Tag {
    // SAFETY: a valid tag.
    unsafe { if passes(&*tag) { follow(tag, cu, passes).cast_const() } else { tag } }
}

/// The type of a tag, past typedefs; NULL for void and missing types.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tag__follow_typedef(tag: *const Tag, cu: *const Cu) -> *mut Tag {
    entry(|| {
        non_null!(tag, cu);
        // SAFETY: a tag of this unit.
        unsafe { follow(tag, cu, Tag::is_typedef) }
    })
}

/// The type of a tag, past typedefs and const, volatile, restrict, _Atomic; NULL for void and missing types.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tag__strip_typedefs_and_modifiers(tag: *const Tag, cu: *const Cu) -> *mut Tag {
    entry(|| {
        non_null!(tag, cu);
        // SAFETY: a tag of this unit.
        unsafe { follow(tag, cu, |tag| tag.is_typedef() || tag.is_modifier()) }
    })
}

/// Whether a tag is a base type, or a typedef of one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tag__is_base_type(tag: *const Tag, cu: *const Cu) -> c_int {
    entry(|| {
        if tag.is_null() || cu.is_null() {
            return 0;
        }
        // SAFETY: a tag of this unit.
        unsafe { resolve(tag, cu, Tag::is_typedef).as_ref().is_some_and(|tag| tag.tag == dw_tag::BASE_TYPE).into() }
    })
}

/// Whether a tag is an array, past typedefs and const.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tag__is_array(tag: *const Tag, cu: *const Cu) -> bool {
    entry(|| {
        non_null!(tag, cu);
        let passes = |tag: &Tag| tag.is_typedef() || tag.tag == dw_tag::CONST_TYPE;
        // SAFETY: a tag of this unit.
        unsafe { resolve(tag, cu, passes).as_ref().is_some_and(|tag| tag.tag == dw_tag::ARRAY_TYPE) }
    })
}

/// Whether a parameter is a pointer to the type with the id `target`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ftype__has_parm_of_type(ftype: *const Ftype, target: TypeId, cu: *const Cu) -> c_int {
    entry(|| {
        if ftype.is_null() || cu.is_null() {
            return 0;
        }
        // SAFETY: a function or function type of this unit. BTF functions refer to their prototype instead of having one.
        unsafe {
            let mut proto = ftype;
            if (*ftype).tag.is_function() && (*ftype.cast::<Function>()).btf() {
                proto = Cu::type_of(cu, (*ftype).tag.r#type).cast::<Ftype>();
                if proto.is_null() || (*proto).tag.tag != dw_tag::SUBROUTINE_TYPE {
                    return 0;
                }
            }
            ListHead::nodes(&raw const (*proto).parms)
                .any(|node| {
                    let ty = Cu::type_of(cu, (*node.cast::<Tag>()).r#type);
                    ty.as_ref().is_some_and(|ty| ty.is_pointer() && ty.r#type == target)
                })
                .into()
        }
    })
}

/// Computes, for each enumeration of a list of `struct tag_cu_node`, how long the common start of its enumerators' names is.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn enumerations__calc_prefix(enumerations: *mut ListHead) {
    entry(|| {
        non_null!(enumerations);
        // SAFETY: the list's nodes are the first fields of tag_cu_nodes.
        unsafe {
            for node in ListHead::nodes(enumerations) {
                calc_prefix((*node.cast::<TagCuNode>()).tc.tag.cast());
            }
        }
    })
}

/// Only neighbouring names are compared, and only the length counts: the prefix itself is an empty string that marks the
/// enumeration as done.
unsafe fn calc_prefix(ty: *mut Type) {
    // SAFETY: a valid enumeration; behind its enumerators there may be functions, which have no such name.
    unsafe {
        if ty.is_null() || !(*ty).member_prefix.is_null() {
            return;
        }
        let names: Vec<&[u8]> = ListHead::nodes(Type::enumerators_head(ty))
            .take_while(|&node| !(*node.cast::<Tag>()).is_function())
            .map(|node| super::stdio::text((*node.cast::<Enumerator>()).name))
            .collect();
        let common = |pair: &[&[u8]]| pair[0].iter().zip(pair[1]).take_while(|(a, b)| a == b).count();
        (*ty).member_prefix_len = 0;
        if let Some(shortest) = names.windows(2).map(common).min() {
            (*ty).member_prefix = libc::strdup(c"".as_ptr());
            if !(*ty).member_prefix.is_null() {
                (*ty).member_prefix_len = shortest as u16;
            }
        }
    }
}
