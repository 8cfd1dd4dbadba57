//! What members learn when all types are known: the size of their storage, the place of bit-fields in it, and their order.

use super::builder::{Builder, Role};
use crate::abi::*;

const DW_LANG_RUST: u16 = 0x1c;
const MAX_CHAIN: usize = 512;
const MAX_QUICK_CHAIN: usize = 8;

// SAFETY of the blocks below: as in [`super::resolve`].
impl Builder<'_, '_> {
    pub(super) fn finish_members(&mut self) {
        // SAFETY: see above the impl.
        unsafe {
            if self.options.recode_bitfields {
                // What this adds to the table has no members.
                for id in 1..(*self.cu).types_table.nr_entries {
                    self.recode_bitfields(Cu::type_of(self.cu, id));
                }
            }
            for i in 0..self.s.sized.len() {
                let entry = &self.s.entries[self.s.sized[i] as usize];
                self.size_member(entry.tag.cast(), entry.ty);
            }
            if (*self.cu).language == DW_LANG_RUST {
                for (_, tag) in Cu::types(self.cu) {
                    if (*tag).is_struct() || (*tag).is_union() {
                        sort_members(tag.cast());
                    }
                }
            }
        }
    }

    /// Type and size of a member that is no entry; the key of a type that is not there.
    #[inline]
    pub(super) unsafe fn finish_quick_member(&mut self, member: *mut ClassMember) -> Result<(), u32> {
        // SAFETY: see above the impl.
        unsafe {
            let m = &mut *member;
            let key = std::mem::take(&mut m.tag.r#type);
            let mut ty = 0;
            if key != 0 {
                let found = self.find(key, Role::Type).ok_or(key)?;
                m.tag.r#type = self.s.entries[found].id;
                ty = found as u32 + 1;
            }
            if !m.is_static() {
                let size = self.size_of_type(member.cast(), ty);
                (*member).byte_size = size;
                (*member).bit_size = (size as u32).wrapping_mul(8);
            }
            Ok(())
        }
    }

    unsafe fn recode_bitfields(&self, ty: *mut Tag) {
        // SAFETY: see above the impl.
        unsafe {
            if ty.is_null() || !((*ty).is_struct() || (*ty).is_union()) {
                return;
            }
            for member in Type::data_members(ty.cast()) {
                if (*member).bitfield_size != 0 {
                    // What cannot be done was said.
                    (self.options.library.recode_bitfield)(member, self.cu);
                }
            }
        }
    }

    unsafe fn size_member(&mut self, member: *mut ClassMember, ty: u32) {
        // SAFETY: see above the impl.
        unsafe {
            if (*member).tag.tag == dw_tag::MEMBER && (*member).is_static() {
                return;
            }
            if (*member).bitfield_size == 0 {
                if (*member).byte_size == 0 || (*member).tag.tag != dw_tag::MEMBER {
                    (*member).byte_size = self.size_of_type(member.cast(), ty);
                }
                (*member).bit_size = ((*member).byte_size as u32).wrapping_mul(8);
                return;
            }
            if (*member).byte_size == 0 {
                (*member).byte_size = self.storage_size(member.cast());
            }
            let little_endian = (*self.cu).little_endian();
            place_bitfield(&mut *member, little_endian, self.options.fixup_silly_bitfields);
        }
    }

    /// The size in bytes of the type, whose entry is `ty`, of a tag without a size. Common kinds are done here, without touching their tags.
    #[inline]
    unsafe fn size_of_type(&mut self, tag: *const Tag, ty: u32) -> usize {
        match ty.checked_sub(1).map(|index| self.s.entries[index as usize].size) {
            // SAFETY: passed on.
            None | Some(0) => unsafe { self.size_behind(tag, ty) },
            Some(size) => size as usize,
        }
    }

    unsafe fn size_behind(&mut self, tag: *const Tag, ty: u32) -> usize {
        let mut at = ty;
        let mut found = None;
        for _ in 0..MAX_QUICK_CHAIN {
            let Some(entry) = at.checked_sub(1).map(|index| &self.s.entries[index as usize]) else { break };
            if entry.size != 0 {
                found = Some(entry.size as usize);
                break;
            }
            if !matches!(entry.kind, dw_tag::TYPEDEF | dw_tag::CONST_TYPE | dw_tag::VOLATILE_TYPE) {
                break;
            }
            at = entry.ty;
        }
        // SAFETY: see above the impl.
        let size = found.unwrap_or_else(|| unsafe { (self.options.library.tag_size)(tag, self.cu) });
        // The next one who asks need not go there. What cannot be told is told of each time.
        if let (Some(index), Ok(size)) = (ty.checked_sub(1), u32::try_from(size)) {
            self.s.entries[index as usize].size = size;
        }
        size
    }

    /// Size in bytes of the type that a bit-field is declared with.
    unsafe fn storage_size(&self, member: *const Tag) -> usize {
        // SAFETY: see above the impl.
        unsafe {
            let mut ty = Cu::type_of(self.cu, (*member).r#type);
            for _ in 0..MAX_CHAIN {
                if ty.is_null() || !((*ty).is_typedef() || (*ty).is_modifier()) {
                    break;
                }
                ty = Cu::type_of(self.cu, (*ty).r#type);
            }
            if ty.is_null() {
                return 0;
            }
            let size = (self.options.library.tag_size)(ty, self.cu);
            if size != 0 {
                return size;
            }
            let bits = if (*ty).is_enumeration() {
                (*ty.cast::<Type>()).size as usize
            } else if (*ty).tag == dw_tag::BASE_TYPE {
                match (*ty.cast::<BaseType>()).bit_size {
                    0 => (self.options.library.name_to_size)(ty.cast(), self.cu),
                    bits => usize::from(bits),
                }
            } else {
                0
            };
            bits.wrapping_add(7) / 8 * 8
        }
    }
}

/// Puts a bit-field of known storage size where C programs expect it: at a non-negative offset from the least significant bit of a storage
/// unit that is aligned to its own size. The widths of the fields are C's, and so is what does not fit.
fn place_bitfield(m: &mut ClassMember, little_endian: bool, fixup: bool) {
    m.bit_size = (m.byte_size as u32).wrapping_mul(8);
    if m.byte_size == 0 || m.bit_size == 0 {
        m.bitfield_offset = 0;
        return;
    }
    if m.has_bit_offset() {
        m.byte_offset = m.bit_offset / 8;
        m.bitfield_offset = (m.bit_offset - m.byte_offset * 8) as i8;
    } else {
        // DW_AT_bit_offset counts from the most significant bit.
        if little_endian {
            let from_top = m.bitfield_offset as u32;
            m.bitfield_offset = m.bit_size.wrapping_sub(from_top).wrapping_sub(u32::from(m.bitfield_size)) as i8;
        }
        m.bit_offset = m.byte_offset.wrapping_mul(8).wrapping_add(m.bitfield_offset as u32);
    }
    if m.bitfield_offset < 0 {
        m.bitfield_offset = (m.bitfield_offset as u32).wrapping_add(m.bit_size) as i8;
        m.byte_offset = m.byte_offset.wrapping_sub(m.byte_size as u32);
        m.bit_offset = m.byte_offset.wrapping_mul(8).wrapping_add(m.bitfield_offset as u32);
    }
    let into_unit = (m.byte_offset as usize % m.byte_size).wrapping_mul(8);
    m.bitfield_offset = (m.bitfield_offset as usize).wrapping_add(into_unit) as i8;
    m.byte_offset = (m.bit_offset / m.bit_size).wrapping_mul(m.bit_size) / 8;
    if m.bitfield_offset as u32 >= m.bit_size {
        m.bitfield_offset = (m.bitfield_offset as u32).wrapping_sub(m.bit_size) as i8;
        m.byte_offset = m.byte_offset.wrapping_add(m.byte_size as u32);
    }
    if fixup && m.byte_size.wrapping_mul(8) == usize::from(m.bitfield_size) {
        m.bitfield_size = 0;
        m.bitfield_offset = 0;
    }
}

/// Sorts neighbouring members by their offset; other tags stay where they are. Rust lists fields as declared, not as laid out.
unsafe fn sort_members(ty: *mut Type) {
    // SAFETY: see above the impl: all nodes are linked in this list.
    unsafe {
        let head = &raw mut (*ty).namespace.tags;
        let mut run: Vec<*mut ClassMember> = Vec::new();
        let mut node = (*head).next;
        loop {
            let is_member = node != head && (*node.cast::<Tag>()).tag == dw_tag::MEMBER;
            if is_member {
                run.push(node.cast());
            } else {
                if run.windows(2).any(|pair| (*pair[0]).byte_offset > (*pair[1]).byte_offset) {
                    run.sort_by_key(|&member| (*member).byte_offset);
                    for &member in &run {
                        ListHead::unlink(member.cast());
                        ListHead::add_tail(node, member.cast());
                    }
                }
                run.clear();
            }
            if node == head {
                return;
            }
            node = (*node).next;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(byte_size: usize, bitfield_size: u8) -> ClassMember {
        // SAFETY: zeroes are a valid member.
        let mut m: ClassMember = unsafe { std::mem::zeroed() };
        m.byte_size = byte_size;
        m.bitfield_size = bitfield_size;
        m
    }

    #[test]
    fn both_ways_to_say_it_lead_to_the_same_place() {
        // Bits 5..8 of an int at byte 4: from the top in DWARF 3, from the start of the struct in DWARF 4.
        let mut old = member(4, 3);
        old.byte_offset = 4;
        old.bitfield_offset = 24;
        place_bitfield(&mut old, true, false);
        let mut new = member(4, 3);
        new.set_has_bit_offset(true);
        new.bit_offset = 37;
        place_bitfield(&mut new, true, false);
        for m in [&old, &new] {
            assert_eq!((m.byte_offset, m.bitfield_offset, m.bit_offset, m.bit_size), (4, 5, 37, 32));
        }
    }

    #[test]
    fn storage_units_are_aligned() {
        let mut m = member(4, 2);
        m.set_has_bit_offset(true);
        m.bit_offset = 8 * 6 + 1;
        place_bitfield(&mut m, true, false);
        assert_eq!((m.byte_offset, m.bitfield_offset), (4, 17));
    }

    #[test]
    fn whole_units_are_no_bitfields_when_asked() {
        let mut m = member(4, 32);
        m.set_has_bit_offset(true);
        place_bitfield(&mut m, true, true);
        assert_eq!((m.bitfield_size, m.bitfield_offset), (0, 0));
    }
}
