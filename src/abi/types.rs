//! Types: base types, arrays, enumerations, and what structs and unions consist of.
//!
//! Typedefs, unions, enumerations and rvalue references are a [`Type`]; structs, classes and interfaces a [`Class`]. Frontends
//! cast unions to `struct class` all the same, but look at nothing behind the [`Type`] part before checking the tag.

use std::ffi::{c_char, c_int, c_void};

use super::external::ClassMemberFilter;
use super::{ListHead, Namespace, Tag, TagCu, TemplateParameterPack, dw_tag};

/// `struct variant_part`: a Rust enumeration's discriminated part.
#[repr(C)]
pub struct VariantPart {
    pub tag: Tag,
    pub variants: ListHead,
}
layout! { VariantPart: 48, 8 { tag: 0, variants: 32 } }

/// `struct class_member`: a data member or a base class.
#[repr(C)]
pub struct ClassMember {
    pub tag: Tag,
    /// NULL for unnamed members and base classes.
    pub name: *const c_char,
    /// From the start of the struct, in bits.
    pub bit_offset: u32,
    /// Of the storage unit, in bits.
    pub bit_size: u32,
    /// Of the storage unit, in bytes.
    pub byte_offset: u32,
    /// Bytes free behind it; negative where a base class's padding is used.
    pub hole: c_int,
    /// Of the storage unit, in bytes.
    pub byte_size: usize,
    /// Bits from the least significant one of the storage unit.
    pub bitfield_offset: i8,
    /// In bits; 0 for members that are no bit-fields.
    pub bitfield_size: u8,
    /// Bits free behind it.
    pub bit_hole: u8,
    pub flags: u8,
    /// In bytes; 0 when it is not given.
    pub alignment: u32,
    pub const_value: u64,
}
layout! { ClassMember: 80, 8 {
    tag: 0, name: 32, bit_offset: 40, bit_size: 44, byte_offset: 48, hole: 52, byte_size: 56, bitfield_offset: 64,
    bitfield_size: 65, bit_hole: 66, flags: 67, alignment: 68, const_value: 72,
} }
bits! { ClassMember.flags {
    bitfield_end, set_bitfield_end: 0;
    visited, set_visited: 1;
    is_static, set_is_static: 2;
    has_bit_offset, set_has_bit_offset: 3;
    accessibility, set_accessibility: 4, 2;
    virtuality, set_virtuality: 6, 2;
} }

/// `struct type`.
#[repr(C)]
pub struct Type {
    pub namespace: Namespace,
    /// In the list of emitted definitions.
    pub node: ListHead,
    /// In bytes; for enumerations in bits.
    pub size: u32,
    /// What pahole's change of word size added, in bytes.
    pub size_diff: i32,
    pub nr_static_members: u16,
    pub nr_members: u16,
    /// In bytes; 0 when it is not given.
    pub alignment: u32,
    /// These, down to `type_enum`, are pahole's prettifier's.
    pub sizeof_member: *mut ClassMember,
    pub type_member: *mut ClassMember,
    pub filter: *mut ClassMemberFilter,
    pub type_enum: ListHead,
    /// Set once the common start of the enumerators' names was looked for.
    pub member_prefix: *mut c_char,
    /// In bytes.
    pub member_prefix_len: u16,
    pub max_tag_name_len: u16,
    /// In bytes; 0 until it was asked for.
    pub natural_alignment: u16,
    pub flags: u8,
    pub template_type_params: ListHead,
    pub template_value_params: ListHead,
    pub variant_parts: ListHead,
    pub template_parameter_pack: *mut TemplateParameterPack,
}
layout! { Type: 216, 8 {
    namespace: 0, node: 72, size: 88, size_diff: 92, nr_static_members: 96, nr_members: 98, alignment: 100, sizeof_member:
    104, type_member: 112, filter: 120, type_enum: 128, member_prefix: 144, member_prefix_len: 152, max_tag_name_len: 154,
    natural_alignment: 156, flags: 158, template_type_params: 160, template_value_params: 176, variant_parts: 192,
    template_parameter_pack: 208,
} }
bits! { Type.flags {
    suffix_disambiguation, set_suffix_disambiguation: 0;
    packed_attributes_inferred, set_packed_attributes_inferred: 1;
    declaration, set_declaration: 2;
    definition_emitted, set_definition_emitted: 3;
    fwd_decl_emitted, set_fwd_decl_emitted: 4;
    resized, set_resized: 5;
    is_signed_enum, set_is_signed_enum: 6;
} }

/// `struct class`.
#[repr(C)]
pub struct Class {
    pub r#type: Type,
    /// Through `vtable_node` of the functions.
    pub vtable: ListHead,
    pub nr_vtable_entries: u16,
    pub nr_holes: u8,
    pub nr_bit_holes: u8,
    /// Bytes free in front of the first member.
    pub pre_hole: u16,
    /// Bytes free at the end.
    pub padding: u16,
    /// In bits.
    pub pre_bit_hole: u8,
    /// In bits.
    pub bit_padding: u8,
    /// The hole and padding fields are filled in.
    pub holes_searched: bool,
    pub flexible_array_verified: bool,
    pub embedded_flexible_array_searched: bool,
    pub has_flexible_array: bool,
    pub has_embedded_flexible_array: bool,
    pub is_packed: bool,
    pub r#priv: *mut c_void,
}
layout! { Class: 256, 8 {
    r#type: 0, vtable: 216, nr_vtable_entries: 232, nr_holes: 234, nr_bit_holes: 235, pre_hole: 236, padding: 238,
    pre_bit_hole: 240, bit_padding: 241, holes_searched: 242, flexible_array_verified: 243,
    embedded_flexible_array_searched: 244, has_flexible_array: 245, has_embedded_flexible_array: 246, is_packed: 247,
    r#priv: 248,
} }

/// `struct base_type`.
#[repr(C)]
pub struct BaseType {
    pub tag: Tag,
    pub name: *const c_char,
    /// In the list of emitted definitions.
    pub node: ListHead,
    pub bit_size: u16,
    pub flags0: u8,
    pub flags1: u8,
}
layout! { BaseType: 64, 8 { tag: 0, name: 32, node: 40, bit_size: 56, flags0: 58, flags1: 59 } }
bits! { BaseType.flags0 {
    name_has_encoding, set_name_has_encoding: 0;
    is_signed, set_is_signed: 1;
    is_bool, set_is_bool: 2;
    is_varargs, set_is_varargs: 3;
    float_type, set_float_type: 4, 4;
} }
bits! { BaseType.flags1 {
    definition_emitted, set_definition_emitted: 0;
} }

/// `struct array_type`: the tag's type is the element.
#[repr(C)]
pub struct ArrayType {
    pub tag: Tag,
    /// One for each dimension; 0 when unknown.
    pub nr_entries: *mut u32,
    pub dimensions: u8,
    pub is_vector: bool,
}
layout! { ArrayType: 48, 8 { tag: 0, nr_entries: 32, dimensions: 40, is_vector: 41 } }

/// `struct string_type`: Fortran's.
#[repr(C)]
pub struct StringType {
    pub tag: Tag,
    pub nr_entries: u32,
}
layout! { StringType: 40, 8 { tag: 0, nr_entries: 32 } }

/// `struct enumerator`.
#[repr(C)]
pub struct Enumerator {
    pub tag: Tag,
    pub name: *const c_char,
    pub value: u64,
    pub type_enum: TagCu,
}
layout! { Enumerator: 64, 8 { tag: 0, name: 32, value: 40, type_enum: 48 } }

impl ArrayType {
    /// Where a count that needs more than 32 bits has its high half: in the padding behind the structure's last field, which C
    /// programs copy at most. Only arrays of one dimension have it.
    const HIGH_HALF: usize = 44;

    /// The number of elements of each dimension.
    ///
    /// # Safety
    /// `array` is valid: zeroed before its fields were set, with as many entries as dimensions.
    pub unsafe fn counts(array: *const ArrayType) -> impl Iterator<Item = u64> {
        // SAFETY: valid by the caller's word; the padding was zeroed with the rest.
        unsafe {
            let dimensions = if (*array).nr_entries.is_null() { 0 } else { usize::from((*array).dimensions) };
            let high = if dimensions == 1 { *array.byte_add(ArrayType::HIGH_HALF).cast::<u32>() } else { 0 };
            (0..dimensions).map(move |dim| u64::from(high) << 32 | u64::from(*(*array).nr_entries.add(dim)))
        }
    }

    /// Notes the high half of the only dimension's count.
    ///
    /// # Safety
    /// `array` is writable.
    pub unsafe fn set_high_half(array: *mut ArrayType, high: u32) {
        // SAFETY: within the structure, behind its last field.
        unsafe { *array.byte_add(ArrayType::HIGH_HALF).cast::<u32>() = high }
    }
}

const _: () = assert!(size_of::<ArrayType>() >= ArrayType::HIGH_HALF + size_of::<u32>());

/// `DW_VIRTUALITY_virtual`.
const VIRTUAL: u8 = 1;

impl ClassMember {
    /// A base class whose place is known at run time only.
    pub fn is_virtual_base(&self) -> bool {
        self.tag.tag == dw_tag::INHERITANCE && self.virtuality() == VIRTUAL
    }
}

impl Type {
    /// Data members and base classes, in order.
    ///
    /// # Safety
    /// `ty` is valid, its list of tags initialised and not changed by others during the walk.
    pub unsafe fn members(ty: *const Type) -> impl Iterator<Item = *mut ClassMember> {
        // SAFETY: tags are linked by their first field; the kind says that a tag is a member.
        unsafe {
            ListHead::nodes(&raw const (*ty).namespace.tags).filter_map(|node| {
                let tag = node.cast::<Tag>();
                matches!((*tag).tag, dw_tag::MEMBER | dw_tag::INHERITANCE).then_some(tag.cast::<ClassMember>())
            })
        }
    }

    /// As [`Type::members`], without base classes.
    ///
    /// # Safety
    /// As for [`Type::members`].
    pub unsafe fn data_members(ty: *const Type) -> impl Iterator<Item = *mut ClassMember> {
        // SAFETY: passed on.
        unsafe { Type::members(ty).filter(|&member| (*member).tag.tag == dw_tag::MEMBER) }
    }

    /// The list of an enumeration's enumerators, which may be another enumeration's.
    ///
    /// # Safety
    /// `ty` is a valid enumeration.
    pub unsafe fn enumerators_head(ty: *const Type) -> *const ListHead {
        // SAFETY: with shared tags, the head's next points at the owner's head.
        unsafe {
            let tags = &raw const (*ty).namespace.tags;
            if (*ty).namespace.tag.shared_tags() { (*tags).next.cast_const() } else { tags }
        }
    }
}
