//! Which member may go into a hole.

use crate::abi::{Class, ClassMember, ListHead, Tag, dw_tag};
use crate::offsets::behind;

/// The member in front of another, as the list has it.
///
/// # Safety
/// A member of a class that is not its first.
pub unsafe fn in_front(member: *const ClassMember) -> *mut ClassMember {
    // SAFETY: as above.
    unsafe { (*member).tag.node.prev.cast() }
}

/// Behind `from`, the first member in front of a hole that fits into `size`; of a group of bit-fields, its first.
///
/// # Safety
/// A class whose holes were searched, and one of its members.
pub unsafe fn before_hole(class: *const Class, from: *const ClassMember, size: usize) -> Option<*mut ClassMember> {
    // SAFETY: as above.
    unsafe {
        let mut group: Option<*mut ClassMember> = None;
        for member in behind(class, from) {
            group = if (*member).bitfield_size != 0 { group.or(Some(member)) } else { None };
            if (*member).hole != 0 && (*member).byte_size != 0 && (*member).byte_size <= size {
                return group.or(Some(member));
            }
        }
        None
    }
}

/// The last member behind `to` that fits into `size` and is not inside a group of bit-fields.
///
/// # Safety
/// A class and one of its members.
pub unsafe fn last_that_fits(class: *const Class, to: *const ClassMember, size: usize) -> Option<*mut ClassMember> {
    // SAFETY: as above.
    unsafe {
        for node in ListHead::nodes_reversed(&raw const (*class).r#type.namespace.tags) {
            if (*node.cast::<Tag>()).tag != dw_tag::MEMBER {
                continue;
            }
            let member = node.cast::<ClassMember>();
            if member.cast_const() == to {
                break;
            }
            let in_group = (*member).bitfield_size != 0
                && (*member).byte_offset != 0
                && (*in_front(member)).tag.tag == dw_tag::MEMBER
                && (*in_front(member)).bitfield_size != 0;
            if !in_group && (*member).byte_size != 0 && (*member).byte_size <= size {
                return Some(member);
            }
        }
        None
    }
}
