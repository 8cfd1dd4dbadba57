//! A struct as it was, to be put back when moving members made it worse.

use crate::abi::{Class, ClassMember, ListHead, Type, dw_tag};

/// The order of a class's tags, and where its members were.
pub struct Original {
    tags: Vec<*mut ListHead>,
    members: Vec<Place>,
    size: u32,
    padding: u16,
    tidy: bool,
}

struct Place {
    member: *mut ClassMember,
    byte_offset: u32,
    bit_offset: u32,
}

impl Original {
    /// # Safety
    /// A valid class, whose tags outlive the record.
    pub unsafe fn of(class: *const Class) -> Original {
        // SAFETY: as above.
        unsafe {
            let ty = &raw const (*class).r#type;
            let place =
                |member: *mut ClassMember| Place { member, byte_offset: (*member).byte_offset, bit_offset: (*member).bit_offset };
            Original {
                tags: ListHead::nodes(&raw const (*ty).namespace.tags).collect(),
                members: Type::members(ty).map(place).collect(),
                size: (*ty).size,
                padding: (*class).padding,
                tidy: is_tidy(ty),
            }
        }
    }

    /// Whether the class is larger than it was, or has members on each other that were not.
    ///
    /// # Safety
    /// The class of this record.
    pub unsafe fn was_better_than(&self, class: *const Class) -> bool {
        // SAFETY: as above.
        unsafe {
            let ty = &raw const (*class).r#type;
            (*ty).size > self.size || (self.tidy && !is_tidy(ty))
        }
    }

    /// # Safety
    /// The class of this record, with the same tags. Its holes have to be searched afterwards.
    pub unsafe fn put_back(&self, class: *mut Class) {
        // SAFETY: as above.
        unsafe {
            let head = &raw mut (*class).r#type.namespace.tags;
            ListHead::init(head);
            for &node in &self.tags {
                ListHead::add_tail(head, node);
            }
            for place in &self.members {
                (*place.member).byte_offset = place.byte_offset;
                (*place.member).bit_offset = place.bit_offset;
            }
            (*class).r#type.size = self.size;
            (*class).padding = self.padding;
            (*class).holes_searched = false;
        }
    }
}

/// Whether members follow each other within the struct. Bit-fields share storage and are only looked at by their start.
unsafe fn is_tidy(ty: *const Type) -> bool {
    // SAFETY: a valid type.
    unsafe {
        let mut end = 0_u64;
        for member in Type::members(ty) {
            let member = &*member;
            if member.is_static() || member.is_virtual_base() {
                continue;
            }
            let (start, size) = if member.bitfield_size != 0 {
                (u64::from(member.bit_offset), u64::from(member.bitfield_size))
            } else {
                (u64::from(member.byte_offset) * 8, (member.byte_size as u64).saturating_mul(8))
            };
            let empty_base = member.tag.tag == dw_tag::INHERITANCE && member.byte_size <= 1;
            if start < end && !empty_base {
                return false;
            }
            end = end.max(start.saturating_add(size));
        }
        end <= u64::from((*ty).size) * 8
    }
}
