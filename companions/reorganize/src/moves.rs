//! The rules by which members are moved.

use crate::abi::{Class, ClassMember, Cu, ListHead, Type};
use crate::library;
use crate::log::{Log, name};
use crate::offsets;
use crate::original::Original;
use crate::search::{before_hole, in_front, last_that_fits};

/// Moves members until no rule finds one to move.
///
/// # Safety
/// A class of this unit that is the caller's own.
pub unsafe fn reorganize(class: *mut Class, cu: *const Cu, log: &Log) {
    // SAFETY: as above.
    unsafe {
        library::class__find_holes(class);
        let original = Original::of(class);
        let members = usize::from((*class).r#type.nr_members);
        // Every move closes a hole; more of them than pairs of members go in circles.
        for _ in 0..=members.saturating_mul(members) {
            let last = library::type__last_member(&raw mut (*class).r#type);
            if last.is_null() {
                return;
            }
            settle_padding(class, cu, last);
            if !close_one_hole(class, cu, last, log) && !fill_from_the_end(class, cu, log) {
                break;
            }
        }
        if original.was_better_than(class) {
            log.line(&[b"no better than it was, left as it is"]);
            original.put_back(class);
            library::class__find_holes(class);
        }
    }
}

/// The padding that the widest run of member and hole asks for, which the size follows.
unsafe fn settle_padding(class: *mut Class, cu: *const Cu, last: *const ClassMember) {
    // SAFETY: a class of this unit and its last member.
    unsafe {
        let address = usize::from((*cu).addr_size);
        let runs = Type::data_members(&raw const (*class).r#type)
            .map(|member| (*member).byte_size.wrapping_add_signed((*member).hole as isize));
        let widest = runs.filter(|&run| run <= address).max().unwrap_or(0);
        if widest == 0 {
            return;
        }
        let alignment = if widest > 1 { widest.next_multiple_of(2) } else { widest };
        let end = (*last).byte_offset as usize + (*last).byte_size;
        let padding = match end % alignment {
            0 => 0,
            over => (address as u16).wrapping_sub(over as u16),
        };
        if padding != (*class).padding {
            (*class).padding = padding;
            (*class).r#type.size = (end as u32).wrapping_add(padding.into());
        }
    }
}

/// Moves into the first hole that has one: a later member in front of another hole, or the last one if there is padding.
unsafe fn close_one_hole(class: *mut Class, cu: *const Cu, last: *mut ClassMember, log: &Log) -> bool {
    // SAFETY: a class of this unit and its last member.
    unsafe {
        for member in Type::data_members(&raw const (*class).r#type) {
            let Some(room) = hole_behind(member) else { continue };
            if let Some(found) = before_hole(class, member, room) {
                // What is right behind a hole may have been aligned on purpose.
                if in_front(found) != member && relocate(class, cu, member, found, false, log) {
                    return true;
                }
            }
            let fits = (*last).byte_size != 0 && (*last).byte_size <= room;
            if (*class).padding > 0 && member != last && fits && relocate(class, cu, member, last, true, log) {
                return true;
            }
        }
        false
    }
}

/// Moves the last member that fits into the first hole that has one.
unsafe fn fill_from_the_end(class: *mut Class, cu: *const Cu, log: &Log) -> bool {
    // SAFETY: a class of this unit.
    unsafe {
        if (*class).nr_holes == 0 {
            return false;
        }
        for member in Type::data_members(&raw const (*class).r#type) {
            let Some(room) = hole_behind(member) else { continue };
            if let Some(found) = last_that_fits(class, member, room) {
                if in_front(found) != member && relocate(class, cu, member, found, false, log) {
                    return true;
                }
            }
        }
        false
    }
}

unsafe fn hole_behind(member: *const ClassMember) -> Option<usize> {
    // SAFETY: a valid member.
    usize::try_from(unsafe { (*member).hole }).ok().filter(|&hole| hole > 0)
}

/// Moves `from` behind `to`, into the hole there; false for bit-fields, which stay.
unsafe fn relocate(
    class: *mut Class,
    cu: *const Cu,
    to: *mut ClassMember,
    from: *mut ClassMember,
    into_padding: bool,
    log: &Log,
) -> bool {
    // SAFETY: two members of a class of this unit, `from` behind `to` and so not the first.
    unsafe {
        if (*from).bitfield_size != 0 {
            return false;
        }
        let address = u32::from((*cu).addr_size);
        let size = (*from).byte_size as u32;
        let tags = &raw const (*class).r#type.namespace.tags;
        let was_last = (*from).tag.node.next.cast_const() == tags;
        let before = in_front(from);
        let old_offset = (*from).byte_offset;
        let old_hole = (*from).hole as u32;
        let alignment = size.min(address).max(1);
        let offset = (*to).byte_offset + (*to).byte_size as u32 + (*to).hole as u32 % alignment;

        ListHead::unlink(&raw mut (*from).tag.node);
        link_behind(&raw mut (*to).tag.node, &raw mut (*from).tag.node);
        (*from).byte_offset = offset;
        (*from).bit_offset = offset.wrapping_mul(8).wrapping_add_signed((*from).bitfield_offset.into());
        log.line(&[b"Moving '", name(from), b"' from after '", name(before), b"' to after '", name(to), b"'"]);

        let (padding, own_size) = ((*class).padding, &raw mut (*class).r#type.size);
        if into_padding && old_offset % address.max(1) != 0 {
            log.line(&[b"adding ", size.to_string().as_bytes(), b" bytes from ", name(from), b" to the padding"]);
        } else if into_padding || was_last {
            *own_size = (*own_size).wrapping_sub(size.wrapping_add(padding.into()));
        } else if old_hole.wrapping_add(size) >= address {
            // It leaves a hole as wide as an address, which closes.
            *own_size = (*own_size).wrapping_sub(address);
            offsets::lower(class, before, address);
        }
        (*class).holes_searched = false;
        library::class__find_holes(class);
        log.show(class);
        true
    }
}

/// Links a node behind another.
unsafe fn link_behind(at: *mut ListHead, node: *mut ListHead) {
    // SAFETY: `at` is linked, `node` is not.
    unsafe {
        let next = (*at).next;
        node.write(ListHead { next, prev: at });
        (*next).prev = node;
        (*at).next = node;
    }
}
