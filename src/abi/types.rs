//! Types: base types, arrays, enumerations, and what structs and unions consist of.
//!
//! Typedefs, unions, enumerations and rvalue references are a [`Type`]; structs, classes and interfaces a [`Class`]. Frontends
//! cast unions to `struct class` all the same, but look at nothing behind the [`Type`] part before checking the tag.

use std::ffi::{c_char, c_int, c_void};

use super::external::ClassMemberFilter;
use super::{ListHead, Namespace, Tag, TagCu, TemplateParameterPack, dw_tag};

/// `struct variant_part`.
#[repr(C)]
pub struct VariantPart {
    pub tag: Tag,
    pub variants: ListHead,
}
layout! { VariantPart: 48, 8 { tag: 0, variants: 32 } }

/// `struct class_member`.
#[repr(C)]
pub struct ClassMember {
    pub tag: Tag,
    pub name: *const c_char,
    pub bit_offset: u32,
    pub bit_size: u32,
    pub byte_offset: u32,
    pub hole: c_int,
    pub byte_size: usize,
    pub bitfield_offset: i8,
    pub bitfield_size: u8,
    pub bit_hole: u8,
    pub flags: u8,
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
    pub node: ListHead,
    pub size: u32,
    pub size_diff: i32,
    pub nr_static_members: u16,
    pub nr_members: u16,
    pub alignment: u32,
    pub sizeof_member: *mut ClassMember,
    pub type_member: *mut ClassMember,
    pub filter: *mut ClassMemberFilter,
    pub type_enum: ListHead,
    pub member_prefix: *mut c_char,
    pub member_prefix_len: u16,
    pub max_tag_name_len: u16,
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
    pub vtable: ListHead,
    pub nr_vtable_entries: u16,
    pub nr_holes: u8,
    pub nr_bit_holes: u8,
    pub pre_hole: u16,
    pub padding: u16,
    pub pre_bit_hole: u8,
    pub bit_padding: u8,
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

/// `struct array_type`.
#[repr(C)]
pub struct ArrayType {
    pub tag: Tag,
    pub nr_entries: *mut u32,
    pub dimensions: u8,
    pub is_vector: bool,
}
layout! { ArrayType: 48, 8 { tag: 0, nr_entries: 32, dimensions: 40, is_vector: 41 } }

/// `struct string_type`.
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
