//! Alignment after members were removed or resized.

use crate::abi::{Class, ClassMember, Cu, Type};
use crate::library;
use crate::offsets;

/// Moves each member to where its size allows it to be, keeping holes and size in step, then rounds the size up.
///
/// # Safety
/// A class of this unit that is the caller's own.
pub unsafe fn fixup(class: *mut Class, cu: *const Cu) {
    // SAFETY: as above.
    unsafe {
        let address = u32::from((*cu).addr_size);
        let mut last: Option<*mut ClassMember> = None;
        for member in Type::data_members(&raw const (*class).r#type) {
            match last {
                None if (*member).byte_offset != 0 => {
                    // What stood in front is gone.
                    let gap = (*member).byte_offset.wrapping_sub((*member).byte_size as u32) as u16;
                    offsets::lower(class, member, gap.into());
                    (*member).byte_offset = 0;
                    (*member).bit_offset = 0;
                }
                None => {}
                Some(last) if address != 0 && i64::from((*last).hole) >= i64::from(address) => {
                    let gap = (*last).hole as u32 / address * address;
                    // First, as the padding is counted from it.
                    (*class).r#type.size = (*class).r#type.size.wrapping_sub(gap);
                    close(class, last, member, gap);
                }
                Some(last) => align(class, last, member, address),
            }
            last = Some(member);
        }
        if let Some(last) = last {
            round_up(class, cu, last);
        }
    }
}

/// Takes `gap` bytes out of the hole between two members.
unsafe fn close(class: *mut Class, last: *mut ClassMember, member: *mut ClassMember, gap: u32) {
    // SAFETY: neighbours in this class.
    unsafe {
        (*last).hole = ((*last).hole as u32).wrapping_sub(gap) as i32;
        if (*last).hole == 0 {
            (*class).nr_holes = (*class).nr_holes.wrapping_sub(1);
        }
        offsets::shift(member, gap.wrapping_neg());
        offsets::lower(class, member, gap);
    }
}

/// Aligns a member of a basic size: backwards if the hole in front of it allows that, else forwards.
unsafe fn align(class: *mut Class, last: *mut ClassMember, member: *mut ClassMember, address: u32) {
    // SAFETY: neighbours in this class.
    unsafe {
        let size = (*member).byte_size;
        if size < 2 || size > address as usize || !size.is_power_of_two() {
            return;
        }
        let size = size as u32;
        let over = (*member).byte_offset % size;
        if over == 0 {
            return;
        }
        if (*last).hole as u32 >= over {
            close(class, last, member, over);
        } else {
            let gap = size - over;
            if (*last).hole == 0 {
                (*class).nr_holes = (*class).nr_holes.wrapping_add(1);
            }
            (*last).hole = (*last).hole.wrapping_add(gap as i32);
            offsets::shift(member, gap);
            (*class).r#type.size = (*class).r#type.size.wrapping_add(gap);
            offsets::raise(class, member, gap);
        }
    }
}

/// Pads the struct to a multiple of its widest basic member.
unsafe fn round_up(class: *mut Class, cu: *const Cu, last: *const ClassMember) {
    // SAFETY: a class of this unit and its last member.
    unsafe {
        let widest = library::type__find_first_biggest_size_base_type_member(&raw mut (*class).r#type, cu);
        let Some(width) = widest.as_ref().map(|member| member.byte_size).filter(|&size| size != 0) else { return };
        let end = (*last).byte_offset as usize + (*last).byte_size;
        let over = end % width;
        if over != 0 {
            (*class).padding = (width - over) as u16;
            (*class).r#type.size = (end + (width - over)) as u32;
        }
    }
}
