//! Types of exactly a bit-field's width, for programs that clear `no_bitfield_type_recode`.

use std::ffi::c_int;
use std::ptr;

use super::cu::cu__add_tag;
use super::entry::{entry, non_null};
use super::find::{cu__find_base_type_by_name_and_size, cu__find_enumeration_by_name_and_size};
use super::link::__type__init;
use super::memory::cu__tag_alloc;
use super::names::tag_name;
use super::stdio;
use crate::abi::{BaseType, ClassMember, Cu, ListHead, Tag, Type, TypeId, dw_tag};

/// As many typedefs and modifiers as may stand in front of a bit-field's type.
const MAX_CHAIN: usize = 512;

/// Makes the member's type one of exactly its width, adding it to the unit if it is not there. 0, or a negative error number.
///
/// cbindgen:ignore
#[unsafe(no_mangle)]
pub unsafe extern "C" fn class_member__dwarf_recode_bitfield(member: *mut ClassMember, cu: *mut Cu) -> c_int {
    entry(|| {
        non_null!(member, cu);
        // SAFETY: a member of this unit.
        unsafe {
            let ty = Cu::type_of(cu, (*member).tag.r#type);
            match recode(ty, cu, (*member).bitfield_size.into()) {
                Ok(id) => {
                    (*member).tag.r#type = id;
                    0
                }
                Err(error) => -error,
            }
        }
    })
}

/// The id of a type like `ty` with this many bits.
unsafe fn recode(ty: *mut Tag, cu: *mut Cu, bits: u16) -> Result<TypeId, c_int> {
    // SAFETY: passed on by class_member__dwarf_recode_bitfield; kinds say what tags are part of.
    unsafe {
        let mut layers = Vec::new();
        let mut at = ty;
        while !at.is_null() && ((*at).is_typedef() || is_recoded_modifier(at)) && layers.len() < MAX_CHAIN {
            layers.push(at);
            at = Cu::type_of(cu, (*at).r#type);
        }
        if at.is_null() {
            return Err(libc::ENOENT);
        }
        let mut id = innermost(at, cu, bits)?;
        for &layer in layers.iter().rev() {
            if (*layer).is_typedef() {
                let made = new_type(cu, dw_tag::TYPEDEF)?;
                (*made).namespace.name = (*layer.cast::<Type>()).namespace.name;
                (*made).namespace.tag.r#type = id;
                id = add(cu, made.cast())?;
            } else if id != (*layer).r#type {
                let made = cu__tag_alloc(cu, size_of::<Tag>()).cast::<Tag>();
                if made.is_null() {
                    return Err(libc::ENOMEM);
                }
                ListHead::init(&raw mut (*made).node);
                // Whatever the modifier was, as C has it.
                (*made).tag = dw_tag::VOLATILE_TYPE;
                (*made).r#type = id;
                id = add(cu, made)?;
            }
        }
        Ok(id)
    }
}

unsafe fn is_recoded_modifier(tag: *const Tag) -> bool {
    // SAFETY: a valid tag.
    unsafe { matches!((*tag).tag, dw_tag::CONST_TYPE | dw_tag::VOLATILE_TYPE | dw_tag::ATOMIC_TYPE) }
}

unsafe fn innermost(tag: *mut Tag, cu: *mut Cu, bits: u16) -> Result<TypeId, c_int> {
    // SAFETY: as in recode.
    unsafe {
        let mut id = 0;
        match (*tag).tag {
            dw_tag::BASE_TYPE => {
                let name = (*tag.cast::<BaseType>()).name;
                if !cu__find_base_type_by_name_and_size(cu, name, bits, &raw mut id).is_null() {
                    return Ok(id);
                }
                let made = cu__tag_alloc(cu, size_of::<BaseType>()).cast::<BaseType>();
                if made.is_null() {
                    return Err(libc::ENOMEM);
                }
                ListHead::init(&raw mut (*made).tag.node);
                ListHead::init(&raw mut (*made).node);
                (*made).tag.tag = dw_tag::BASE_TYPE;
                (*made).tag.set_top_level(true);
                (*made).name = name;
                (*made).bit_size = bits;
                add(cu, made.cast())
            }
            dw_tag::ENUMERATION_TYPE => {
                let like = tag.cast::<Type>();
                let name = (*like).namespace.name;
                if !name.is_null() && !cu__find_enumeration_by_name_and_size(cu, name, bits, &raw mut id).is_null() {
                    return Ok(id);
                }
                let made = new_type(cu, dw_tag::ENUMERATION_TYPE)?;
                (*made).namespace.tag.set_top_level(true);
                (*made).nr_members = (*like).nr_members;
                // The enumerators stay with the one that they were read for.
                (*made).namespace.tags = ListHead { next: &raw mut (*like).namespace.tags, prev: ptr::null_mut() };
                (*made).namespace.tag.set_shared_tags(true);
                (*made).namespace.name = name;
                (*made).size = bits.into();
                add(cu, made.cast())
            }
            kind => {
                let kind = tag_name(kind.into()).map_or("(null)".into(), |name| name.to_string_lossy().into_owned());
                let text = format!("tag__recode_dwarf_bitfield: tag={kind}, bit_size={bits}\n");
                stdio::put(stdio::stderr(), &[text.as_bytes()]);
                Err(libc::EINVAL)
            }
        }
    }
}

/// A type with its lists empty.
unsafe fn new_type(cu: *mut Cu, kind: u16) -> Result<*mut Type, c_int> {
    // SAFETY: a valid unit; zeroes are a valid type.
    unsafe {
        let made = cu__tag_alloc(cu, size_of::<Type>()).cast::<Type>();
        if made.is_null() {
            return Err(libc::ENOMEM);
        }
        __type__init(made);
        for head in [&raw mut (*made).namespace.tag.node, &raw mut (*made).namespace.tags, &raw mut (*made).namespace.annots] {
            ListHead::init(head);
        }
        (*made).namespace.tag.tag = kind;
        Ok(made)
    }
}

unsafe fn add(cu: *mut Cu, tag: *mut Tag) -> Result<TypeId, c_int> {
    let mut id = 0;
    // SAFETY: a tag that is in no table yet.
    if unsafe { cu__add_tag(cu, tag, &raw mut id) } == 0 { Ok(id) } else { Err(libc::ENOMEM) }
}
