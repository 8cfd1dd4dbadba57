//! Where a struct wastes room, and what its layout tells about how it was declared.

use std::ffi::c_int;
use std::ptr;

use super::entry::{entry, non_null};
use super::find::type__last_member;
use super::kinds::tag__strip_typedefs_and_modifiers;
use super::names::__tag__id_not_found_fprintf;
use super::size::tag__natural_alignment;
use super::stdio::stderr;
use rustc_hash::FxHashMap;

use crate::abi::{ArrayType, BaseType, Class, ClassMember, Cu, ListHead, Tag, Type, dw_tag};

/// How deep types may be nested before the walk gives up.
const MAX_DEPTH: usize = 128;

/// The state of the walk over a struct's members, in bits from its start.
struct Walk {
    /// Up to where members were seen.
    seen: u32,
    /// Whether the member before was a bit-field, of which storage unit: its end and its size.
    in_bitfield: bool,
    unit_end: u32,
    unit_size: u32,
}

impl Walk {
    /// Bytes and bits left free in front of `member`; the walk goes on behind it.
    fn step(&mut self, member: &ClassMember) -> (i32, i32) {
        let start = member.bit_offset;
        let is_bitfield = member.bitfield_size != 0;
        let end = if is_bitfield {
            start.wrapping_add(u32::from(member.bitfield_size))
        } else {
            start.wrapping_add((member.byte_size as u32).wrapping_mul(8))
        };
        let (mut bytes, mut bits) = (0, 0);
        if self.in_bitfield {
            let unit_end = start.min(self.unit_end);
            bits = unit_end.wrapping_sub(self.seen) as i32;
            self.seen = unit_end;
        }
        if is_bitfield {
            let unit_start = member.byte_offset.wrapping_mul(8);
            // Whole bytes in front of the storage unit, unless the field reaches into a unit that was begun before.
            if self.seen < unit_start && unit_start <= start {
                bytes = member.byte_offset.wrapping_sub(self.seen / 8) as i32;
                self.seen = unit_start;
            }
            bits = bits.wrapping_add(start.wrapping_sub(self.seen) as i32);
        } else {
            bytes = (start / 8).wrapping_sub(self.seen / 8) as i32;
        }
        self.seen = end;
        self.in_bitfield = is_bitfield;
        if !is_bitfield {
            self.unit_size = 0;
            self.unit_end = end;
        } else if end > self.unit_end || member.bit_size > self.unit_size {
            self.unit_size = member.bit_size;
            self.unit_end = unit_end_of(member, end);
        }
        (bytes, bits)
    }
}

/// The end of a bit-field's storage unit; the next unit's when the field began in the one before.
fn unit_end_of(member: &ClassMember, end: u32) -> u32 {
    let unit_end = member.byte_offset.wrapping_mul(8).wrapping_add(member.bit_size);
    if end > unit_end { unit_end.wrapping_add(member.bit_size) } else { unit_end }
}

/// Fills in the holes of a struct and its members, once; does nothing for other types.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn class__find_holes(cls: *mut Class) {
    entry(|| {
        non_null!(cls);
        // SAFETY: a valid type; only structs are as large as a class.
        unsafe {
            let ty = &raw mut (*cls).r#type;
            if !(*ty).namespace.tag.is_struct() || (*cls).holes_searched {
                return;
            }
            let size_bits = (*ty).size.wrapping_mul(8);
            let mut walk = Walk { seen: 0, in_bitfield: false, unit_end: size_bits, unit_size: 0 };
            let mut last: *mut ClassMember = ptr::null_mut();
            (*cls).nr_holes = 0;
            (*cls).nr_bit_holes = 0;
            for member in Type::members(ty) {
                let empty_base = (*member).tag.tag == dw_tag::INHERITANCE && (*member).byte_size == 0;
                if (*member).is_virtual_base() || empty_base || (*member).is_static() {
                    continue;
                }
                (*member).hole = 0;
                (*member).bit_hole = 0;
                let (bytes, bits) = walk.step(&*member);
                // A hole belongs to the member in front of it.
                if last.is_null() {
                    (*cls).pre_hole = bytes as u16;
                    (*cls).pre_bit_hole = bits as u8;
                } else {
                    (*last).hole = bytes;
                    (*last).bit_hole = bits as u8;
                }
                (*cls).nr_bit_holes = (*cls).nr_bit_holes.wrapping_add(u8::from(bits != 0));
                (*cls).nr_holes = (*cls).nr_holes.wrapping_add(u8::from(bytes > 0));
                last = member;
            }
            (*cls).bit_padding = 0;
            if walk.in_bitfield {
                let end = size_bits.min(walk.unit_end);
                (*cls).bit_padding = end.wrapping_sub(walk.seen) as u8;
                walk.seen = end;
            }
            // Variants reach to the end, though they are not among the members.
            let has_variants = ListHead::nodes(&raw const (*ty).variant_parts).next().is_some();
            (*cls).padding = if has_variants { 0 } else { (*ty).size.wrapping_sub(walk.seen / 8) as u16 };
            (*cls).holes_searched = true;
        }
    })
}

/// Whether a data member is followed by a hole of at least `size` bytes. The holes have been searched.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn class__has_hole_ge(cls: *const Class, size: u16) -> c_int {
    entry(|| {
        if cls.is_null() {
            return 0;
        }
        // SAFETY: a valid struct.
        unsafe {
            let ty = &raw const (*cls).r#type;
            ((*cls).nr_holes != 0 && Type::data_members(ty).any(|member| (*member).hole >= c_int::from(size))).into()
        }
    })
}

/// Whether the last member is an array of no, or an unknown number of, elements; kept once found.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn class__has_flexible_array(cls: *mut Class, cu: *const Cu) -> bool {
    entry(|| {
        non_null!(cls, cu);
        // SAFETY: a struct of this unit.
        unsafe {
            if !(*cls).flexible_array_verified {
                (*cls).has_flexible_array = ends_in_open_array(cls, cu);
                (*cls).flexible_array_verified = true;
            }
            (*cls).has_flexible_array
        }
    })
}

unsafe fn ends_in_open_array(cls: *mut Class, cu: *const Cu) -> bool {
    // SAFETY: a struct of this unit.
    unsafe {
        let Some(last) = type__last_member(&raw mut (*cls).r#type).as_ref() else { return false };
        let Some(ty) = Cu::type_of(cu, last.tag.r#type).as_ref() else { return false };
        if ty.tag != dw_tag::ARRAY_TYPE {
            return false;
        }
        let array = ptr::from_ref(ty).cast::<ArrayType>();
        (*array).dimensions <= 1 && ((*array).nr_entries.is_null() || *(*array).nr_entries == 0)
    }
}

/// Whether a member is a struct with a flexible array, at any depth; kept once found.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn class__has_embedded_flexible_array(cls: *mut Class, cu: *const Cu) -> bool {
    entry(|| {
        non_null!(cls, cu);
        // SAFETY: a struct of this unit.
        unsafe { embeds_open_array(cls, cu) }
    })
}

unsafe fn embeds_open_array(cls: *mut Class, cu: *const Cu) -> bool {
    // SAFETY: types of this unit; only structs are as large as a class.
    unsafe {
        // Structs on the way down, each with the members that are still to be looked at. Nested as deep as the file says.
        let mut open = Vec::new();
        let enter = |cls: *mut Class, open: &mut Vec<_>| {
            if !(*cls).embedded_flexible_array_searched {
                // Met again, this ends a circle.
                (*cls).embedded_flexible_array_searched = true;
                (*cls).has_embedded_flexible_array = false;
                open.push((cls, ListHead::nodes(&raw const (*cls).r#type.namespace.tags)));
            }
        };
        if !(*cls).r#type.namespace.tag.is_struct() {
            return false;
        }
        enter(cls, &mut open);
        while let Some((outer, rest)) = open.last_mut() {
            let (outer, mut found) = (*outer, false);
            let Some(tag) = rest.next().map(|node| node.cast::<Tag>()) else {
                open.pop();
                continue;
            };
            if matches!((*tag).tag, dw_tag::MEMBER | dw_tag::INHERITANCE) {
                let member = tag.cast::<ClassMember>();
                let ty = tag__strip_typedefs_and_modifiers(tag, cu);
                let counts = !(*member).is_virtual_base() && !(*member).is_static();
                if counts && ty.as_ref().is_some_and(Tag::is_struct) {
                    let inner = ty.cast::<Class>();
                    found = class__has_flexible_array(inner, cu);
                    if !found && inner != outer {
                        enter(inner, &mut open);
                        found = (*inner).has_embedded_flexible_array;
                    }
                }
            }
            if found {
                // What holds it, at whatever depth, has it, too.
                for (holder, _) in open.drain(..) {
                    (*holder).has_embedded_flexible_array = true;
                }
            }
        }
        (*cls).has_embedded_flexible_array
    }
}

/// A struct's tag marked as packed, which is settled with that.
unsafe fn mark_packed(tag: *mut Tag) {
    // SAFETY: a struct.
    unsafe {
        let cls = tag.cast::<Class>();
        (*cls).is_packed = true;
        (*cls).r#type.set_packed_attributes_inferred(true);
    }
}

/// Marks as packed the structs among the members' types that stand at offsets which their alignment forbids.
///
/// Such an offset may be the only sign that a struct is packed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn type__check_structs_at_unnatural_alignments(ty: *mut Type, cu: *const Cu) {
    entry(|| {
        non_null!(ty, cu);
        // SAFETY: a struct or union of this unit.
        unsafe {
            for member in Type::members(ty) {
                let member_type = tag__strip_typedefs_and_modifiers(member.cast(), cu);
                if member_type.as_ref().is_some_and(Tag::is_struct)
                    && (*member).byte_offset as usize % tag__natural_alignment(member_type, cu) != 0
                {
                    mark_packed(member_type);
                }
            }
        }
    })
}

/// Whether a struct must have been declared packed, judged by its holes, offsets and size; kept once found.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn class__infer_packed_attributes(cls: *mut Class, cu: *const Cu) -> bool {
    entry(|| {
        non_null!(cls, cu);
        // SAFETY: a type of this unit; only structs are as large as a class.
        unsafe {
            let ty = &raw mut (*cls).r#type;
            if !(*ty).namespace.tag.is_struct() {
                return false;
            }
            if !(*ty).packed_attributes_inferred() {
                class__find_holes(cls);
                if (*cls).padding != 0 || (*cls).nr_holes != 0 {
                    type__check_structs_at_unnatural_alignments(ty, cu);
                    (*cls).is_packed = false;
                } else if is_tight(ty, cu) {
                    (*cls).is_packed = true;
                }
                (*ty).set_packed_attributes_inferred(true);
            }
            (*cls).is_packed
        }
    })
}

/// Whether a struct without holes is tighter than its members' alignments allow.
unsafe fn is_tight(ty: *const Type, cu: *const Cu) -> bool {
    // SAFETY: a struct of this unit.
    unsafe {
        let mut widest = 1;
        for member in Type::members(ty) {
            if (*member).is_virtual_base() || (*member).is_static() {
                continue;
            }
            let member_type = tag__strip_typedefs_and_modifiers(member.cast(), cu);
            let alignment = tag__natural_alignment(member_type, cu);
            widest = widest.max(alignment);
            if (*member).byte_offset as usize % alignment != 0 {
                return true;
            }
        }
        (widest != 1 && (*ty).alignment == 1) || (*ty).size as usize % widest != 0
    }
}

/// Marks as packed the structs in a union whose alignment does not divide the union's size.
///
/// In an array of such unions they would otherwise be misaligned.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn union__infer_packed_attributes(ty: *mut Type, cu: *const Cu) {
    entry(|| {
        non_null!(ty, cu);
        // SAFETY: a union of this unit.
        unsafe {
            if (*ty).packed_attributes_inferred() {
                return;
            }
            for member in Type::members(ty) {
                let member_type = tag__strip_typedefs_and_modifiers(member.cast(), cu);
                if member_type.as_ref().is_some_and(Tag::is_struct)
                    && (*ty).size as usize % tag__natural_alignment(member_type, cu) != 0
                {
                    mark_packed(member_type);
                }
            }
            (*ty).set_packed_attributes_inferred(true);
        }
    })
}

/// The member, at any depth, of the biggest basic size up to that of an address; the first one that is bigger ends the search.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn type__find_first_biggest_size_base_type_member(ty: *mut Type, cu: *const Cu) -> *mut ClassMember {
    entry(|| {
        non_null!(ty, cu);
        // SAFETY: a struct or union of this unit.
        unsafe { biggest_member(ty, cu, 0, &mut FxHashMap::default()) }
    })
}

/// The basic size of a member in bytes and, when its type is a struct or union, the member in there that has it.
unsafe fn basic_size(
    member: *const ClassMember,
    cu: *const Cu,
    depth: usize,
    known: &mut FxHashMap<*const Type, *mut ClassMember>,
) -> Option<(usize, *mut ClassMember)> {
    // SAFETY: a member of a type of this unit.
    unsafe {
        let address = usize::from((*cu).addr_size);
        let mut at: *const Tag = member.cast();
        for _ in 0..MAX_DEPTH {
            let id = (*at).r#type;
            at = Cu::type_of(cu, id);
            if at.is_null() {
                let function = c"type__find_first_biggest_size_base_type_member".as_ptr();
                __tag__id_not_found_fprintf(stderr(), id, function, line!() as c_int);
                return None;
            }
            match (*at).tag {
                dw_tag::BASE_TYPE => return Some((usize::from((*at.cast::<BaseType>()).bit_size) / 8, ptr::null_mut())),
                dw_tag::POINTER_TYPE | dw_tag::REFERENCE_TYPE | dw_tag::RVALUE_REFERENCE_TYPE => {
                    return Some((address, ptr::null_mut()));
                }
                dw_tag::ENUMERATION_TYPE => return Some(((*at.cast::<Type>()).size as usize / 8, ptr::null_mut())),
                dw_tag::CLASS_TYPE | dw_tag::UNION_TYPE | dw_tag::STRUCTURE_TYPE => {
                    let inner = biggest_member(at.cast(), cu, depth + 1, known);
                    return (!inner.is_null()).then(|| ((*inner).byte_size, inner));
                }
                dw_tag::ARRAY_TYPE | dw_tag::CONST_TYPE | dw_tag::TYPEDEF | dw_tag::VOLATILE_TYPE | dw_tag::ATOMIC_TYPE => {}
                _ => return Some((0, ptr::null_mut())),
            }
        }
        None
    }
}

/// `known` has the result for types met before; none, as long as they are looked at.
unsafe fn biggest_member(
    ty: *const Type,
    cu: *const Cu,
    depth: usize,
    known: &mut FxHashMap<*const Type, *mut ClassMember>,
) -> *mut ClassMember {
    if let Some(&member) = known.get(&ty) {
        return member;
    }
    if depth > MAX_DEPTH {
        return ptr::null_mut();
    }
    known.insert(ty, ptr::null_mut());
    // SAFETY: passed on.
    let member = unsafe { find_biggest(ty, cu, depth, known) };
    known.insert(ty, member);
    member
}

unsafe fn find_biggest(
    ty: *const Type,
    cu: *const Cu,
    depth: usize,
    known: &mut FxHashMap<*const Type, *mut ClassMember>,
) -> *mut ClassMember {
    // SAFETY: a struct or union of this unit.
    unsafe {
        let address = usize::from((*cu).addr_size);
        let (mut best, mut best_size) = (ptr::null_mut(), 0);
        for member in Type::data_members(ty) {
            if (*member).is_static() {
                continue;
            }
            let Some((size, inner)) = basic_size(member, cu, depth, known) else { continue };
            if size > address {
                return member;
            }
            // Sizes count by the power of two they reach, halving the address size down to the best so far.
            let mut power = address;
            while power > best_size {
                if size >= power {
                    best_size = power;
                    best = if inner.is_null() { member } else { inner };
                    if power == address {
                        return best;
                    }
                }
                power /= 2;
            }
        }
        best
    }
}
