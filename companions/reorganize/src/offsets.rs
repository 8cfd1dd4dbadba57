//! Moving everything behind a member.

use crate::abi::{Class, ClassMember, ListHead, Tag, dw_tag};
use crate::library;

/// The members and base classes behind `from`.
///
/// # Safety
/// A class and one of its members.
pub unsafe fn behind(class: *const Class, from: *const ClassMember) -> impl Iterator<Item = *mut ClassMember> {
    // SAFETY: the list is circular, and holds tags by their first field.
    unsafe {
        let head = (&raw const (*class).r#type.namespace.tags).cast_mut();
        let mut at: *mut ListHead = (*from).tag.node.next;
        std::iter::from_fn(move || {
            while !at.is_null() && at != head {
                let tag = at.cast::<Tag>();
                at = (*at).next;
                if matches!((*tag).tag, dw_tag::MEMBER | dw_tag::INHERITANCE) {
                    return Some(tag.cast());
                }
            }
            None
        })
    }
}

/// Lowers offsets, and sets the padding to what is left behind the last member if there was any.
///
/// # Safety
/// A class and one of its members.
pub unsafe fn lower(class: *mut Class, from: *const ClassMember, size: u32) {
    // SAFETY: members of this class.
    unsafe {
        for member in behind(class, from) {
            shift(member, size.wrapping_neg());
        }
        if (*class).padding != 0 {
            let last = library::type__last_member(&raw mut (*class).r#type);
            if let Some(last) = last.as_ref() {
                let end = i64::from(last.byte_offset) + last.byte_size as i64;
                let padding = i64::from((*class).r#type.size) - end;
                (*class).padding = padding.max(0) as u16;
            }
        }
    }
}

/// Raises offsets.
///
/// # Safety
/// A class and one of its members.
pub unsafe fn raise(class: *mut Class, from: *const ClassMember, size: u32) {
    // SAFETY: members of this class.
    unsafe {
        for member in behind(class, from) {
            shift(member, size);
        }
    }
}

/// Adds to a member's offset.
///
/// # Safety
/// A valid member.
pub unsafe fn shift(member: *mut ClassMember, by: u32) {
    // SAFETY: as above.
    unsafe {
        (*member).byte_offset = (*member).byte_offset.wrapping_add(by);
        (*member).bit_offset = (*member).bit_offset.wrapping_add(by.wrapping_mul(8));
    }
}
