//! What BTF does not say about members: how large they are, where the storage unit of a bit-field is, and which alignment the
//! source asked for, as far as gaps between members tell.

use super::measure::{Measure, UNKNOWN};
use super::plan::{Plan, Shape};
use crate::abi::{ClassMember, Cu, Type};
use crate::btf::{Btf, TypeId};
use crate::capi::size::tag__size;

/// Completes the members of all structs and unions.
///
/// # Safety
/// `cu` holds the tags of `btf` as `super::tags` makes them, and is nobody else's.
pub(super) unsafe fn members(btf: &Btf, plan: &Plan, cu: *mut Cu, addr_size: u8, cacheline: u16) {
    let mut measure = Measure::new(btf, &plan.shapes, addr_size);
    for &TypeId(id) in &plan.composites {
        // SAFETY: passed on; the members of a type stand in a row.
        unsafe {
            let ty = Cu::type_of(cu, id).cast::<Type>();
            let mut end = 0;
            if (*ty).nr_members > 0 {
                let first = (*ty).namespace.tags.next.cast::<ClassMember>();
                for index in 0..usize::from((*ty).nr_members) {
                    complete(&mut measure, cu, &mut *first.add(index), &mut end, cacheline);
                }
                (*ty).natural_alignment = measure.widest_member(id) as u16;
            }
            (*ty).alignment = asked_for(cacheline, (*ty).size, measure.alignment(id), end);
        }
    }
}

/// `end`: where the member before ends, in bytes; where this one does, afterwards.
unsafe fn complete(measure: &mut Measure, cu: *const Cu, member: &mut ClassMember, end: &mut u32, cacheline: u16) {
    let id = measure.strip(member.tag.r#type);
    if id == 0 {
        return;
    }
    let mut size = measure.size(id);
    if size == UNKNOWN {
        // Says which type is missing.
        // SAFETY: the type is in the table, as it was stripped to it.
        size = unsafe { tag__size(Cu::type_of(cu, id), cu) };
    }
    member.byte_size = size;
    member.bit_size = (size as u32).wrapping_mul(8);
    if size == 0 {
        member.alignment = asked_for(cacheline, member.byte_offset, measure.alignment(id), *end);
        return;
    }
    let is_bit_field = member.bitfield_size != 0;
    if is_bit_field && matches!(measure.shape(id), Shape::Scalar(_) | Shape::Enum(_)) {
        place_bit_field(member);
    }
    member.alignment = asked_for(cacheline, member.byte_offset, measure.alignment(id), *end);
    // A bit-field ends where its own bits do, not its storage unit: what is beyond them may be a hole.
    let taken = if is_bit_field {
        (i32::from(member.bitfield_offset) + i32::from(member.bitfield_size) + 7) as u32 / 8
    } else {
        size as u32
    };
    *end = member.byte_offset.wrapping_add(taken);
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
