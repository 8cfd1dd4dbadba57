//! Sizes of members, and which of them are bit-fields: those whose type has fewer bits than its name stands for.

use std::ffi::c_int;

use crate::abi::{BaseType, ClassMember, Cu, ListHead, Tag, Type, dw_tag};
use crate::capi::kinds::tag__strip_typedefs_and_modifiers;
use crate::capi::names::{base_type__name, base_type__name_to_size};
use crate::capi::size::tag__size;
use crate::capi::stdio;

const INT_BITS: usize = c_int::BITS as usize;

/// Completes the members of all structs and unions.
///
/// # Safety
/// `cu` is valid and nobody else's.
pub(super) unsafe fn members(cu: *mut Cu) {
    // SAFETY: passed on.
    unsafe {
        for node in ListHead::nodes(&raw const (*cu).tags) {
            let tag = node.cast::<Tag>();
            if (*tag).is_struct() || (*tag).is_union() {
                for member in Type::data_members(tag.cast()) {
                    complete(&mut *member, cu);
                }
            }
        }
    }
}

unsafe fn complete(member: &mut ClassMember, cu: *mut Cu) {
    // SAFETY: a member of this unit; the kind of a tag says what it is part of.
    unsafe {
        let ty = tag__strip_typedefs_and_modifiers(&raw const member.tag, cu);
        if ty.is_null() {
            return;
        }
        member.byte_offset = member.bit_offset / 8;
        let (bits, whole) = match (*ty).tag {
            dw_tag::ENUMERATION_TYPE => {
                let bits = (*ty.cast::<Type>()).size as u16;
                // A packed one has a size of its own.
                (bits, if bits.is_power_of_two() { usize::from(bits).next_multiple_of(8) } else { INT_BITS })
            }
            dw_tag::BASE_TYPE => ((*ty.cast::<BaseType>()).bit_size, named_bits(ty.cast(), cu)),
            _ => {
                member.byte_size = tag__size(ty, cu);
                member.bit_size = (member.byte_size as u32).wrapping_mul(8);
                return;
            }
        };
        member.byte_size = whole / 8;
        member.bit_size = whole as u32;
        if whole == 0 || usize::from(bits) == whole {
            return;
        }
        let whole = whole as u32;
        member.bitfield_offset = (member.bit_offset % whole) as i8;
        member.bitfield_size = bits as u8;
        member.bit_size = u32::from(bits);
        member.byte_offset = member.bit_offset / whole * whole / 8;
    }
}

unsafe fn named_bits(ty: *mut BaseType, cu: *mut Cu) -> usize {
    // SAFETY: a base type of this unit, and a buffer of that length.
    unsafe {
        let bits = base_type__name_to_size(ty, cu);
        if bits == 0 {
            let mut buffer = [0; 256];
            let name = stdio::text(base_type__name(ty, buffer.as_mut_ptr(), buffer.len()));
            let message = [b"class__fixup_ctf_bitfields: unknown base type name \"", name, b"\"!\n"];
            stdio::put(stdio::stderr(), &message);
        }
        bits
    }
}
