//! What BTF does not say about members: how large they are, where the storage unit of a bit-field is, and which alignment the
//! source asked for, as far as gaps between members tell.

use std::ffi::c_int;

use super::measure::{Measure, UNKNOWN};
use super::plan::Shape;
use crate::abi::{ClassMember, Type};
use crate::capi::names::__tag__id_not_found_fprintf;
use crate::capi::stdio;

/// Completes a member, and returns its natural alignment in bytes. `end`: where the member before ends, in bytes; where this one does,
/// afterwards.
pub(super) fn complete(measure: &mut Measure, member: &mut ClassMember, end: &mut u32, cacheline: u16) -> u32 {
    let id = measure.strip(member.tag.r#type);
    if id == 0 {
        return 1;
    }
    let natural = measure.alignment(id);
    let size = measure.size(id);
    if size == UNKNOWN {
        // SAFETY: stderr is open for as long as the program runs.
        unsafe {
            __tag__id_not_found_fprintf(stdio::stderr(), measure.missing(id), c"tag__size".as_ptr(), line!() as c_int);
        }
    }
    member.byte_size = size;
    member.bit_size = (size as u32).wrapping_mul(8);
    if size == 0 {
        member.alignment = asked_for(cacheline, member.byte_offset, natural, *end);
        return natural;
    }
    let is_bit_field = member.bitfield_size != 0;
    if is_bit_field && matches!(measure.shape(id), Shape::Scalar(_) | Shape::Enum(_)) {
        place_bit_field(member);
    }
    member.alignment = asked_for(cacheline, member.byte_offset, natural, *end);
    // A bit-field ends where its own bits do, not its storage unit: what is beyond them may be a hole.
    let taken = if is_bit_field {
        (i32::from(member.bitfield_offset) + i32::from(member.bitfield_size) + 7) as u32 / 8
    } else {
        size as u32
    };
    *end = member.byte_offset.wrapping_add(taken);
    natural
}

/// Completes a struct or union whose last member ends at `end`.
pub(super) fn complete_type(measure: &mut Measure, ty: &mut Type, id: u32, end: u32, cacheline: u16) {
    ty.natural_alignment = measure.widest_member(id) as u16;
    ty.alignment = asked_for(cacheline, ty.size, measure.alignment(id), end);
}

/// Bit-fields are taken to lie within aligned storage units of their type's size, packed or not.
fn place_bit_field(member: &mut ClassMember) {
    let unit = member.bit_size;
    if unit == 0 {
        return;
    }
    member.byte_offset = (member.bit_offset / unit).wrapping_mul(unit) / 8;
    let offset = member.bit_offset.wrapping_sub(member.byte_offset.wrapping_mul(8)) as i8;
    member.bitfield_offset = offset;
    // An offset beyond 127 bits, as in wider units, does not fit the field.
    if offset < 0 {
        member.bitfield_offset = (i32::from(offset)).wrapping_add(unit as i32) as i8;
        member.byte_offset = member.byte_offset.wrapping_sub(member.byte_size as u32);
        member.bit_offset = member.byte_offset.wrapping_mul(8).wrapping_add(member.bitfield_offset as u32);
    }
}

/// The alignment that explains a gap from `end` to `offset`, in bytes; 0 when the natural one does.
fn asked_for(cacheline: u16, offset: u32, natural: u32, end: u32) -> u32 {
    let gap = offset.wrapping_sub(end);
    if gap == 0 || offset % 2 != 0 {
        return 0;
    }
    // The power of two above the gap. Members of a union overlap, so that their gaps are negative and have none.
    let Some(alignment) = 1_u32.checked_shl(32 - gap.leading_zeros()) else { return 0 };
    if alignment <= natural || alignment == 1 {
        return 0;
    }
    let cacheline = u32::from(cacheline);
    // More of it explains the gap as well, and a cache line is what one usually asks for.
    if alignment < cacheline && cacheline % alignment == 0 && offset % cacheline == 0 { cacheline } else { alignment }
}
