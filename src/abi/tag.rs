//! `struct tag`, with which every described thing starts, and its small companions.
//!
//! Specialised structures begin with a tag (directly or through another structure that does), so C casts between them freely;
//! [`Tag::tag`] says which one is meant.

use std::ffi::c_char;

use super::{Cu, ListHead, TypeId};

/// `struct tag`.
#[repr(C)]
pub struct Tag {
    /// In the list of its owner.
    pub node: ListHead,
    /// Id of its type; 0 is `void`, or none.
    pub r#type: TypeId,
    /// DW_TAG number.
    pub tag: u16,
    pub flags: u8,
    /// Printer's guard against printing a type within itself.
    pub recursivity_level: u8,
    /// NULL, or declaration tags of BTF.
    pub attributes: *mut Attributes,
}
layout! { Tag: 32, 8 { node: 0, r#type: 16, tag: 20, flags: 22, recursivity_level: 23, attributes: 24 } }
bits! { Tag.flags {
    visited, set_visited: 0;
    top_level, set_top_level: 1;
    has_btf_type_tag, set_has_btf_type_tag: 2;
    shared_tags, set_shared_tags: 3;
} }

/// `struct attributes`: texts of BTF declaration tags, in one malloc-ed block.
#[repr(C)]
pub struct Attributes {
    pub cnt: u64,
    /// `cnt` strings.
    pub values: [*const c_char; 0],
}
layout! { Attributes: 8, 8 { cnt: 0, values: 8 } }

/// `struct tag_cu`: a tag and the unit it belongs to.
#[repr(C)]
pub struct TagCu {
    pub tag: *mut Tag,
    pub cu: *mut Cu,
}
layout! { TagCu: 16, 8 { tag: 0, cu: 8 } }

/// `struct tag_cu_node`.
#[repr(C)]
pub struct TagCuNode {
    pub node: ListHead,
    pub tc: TagCu,
}
layout! { TagCuNode: 32, 8 { node: 0, tc: 16 } }

/// `struct ptr_to_member_type`.
#[repr(C)]
pub struct PtrToMemberType {
    pub tag: Tag,
    pub containing_type: TypeId,
}
layout! { PtrToMemberType: 40, 8 { tag: 0, containing_type: 32 } }

/// `struct llvm_annotation`: a declaration tag as DWARF has it.
#[repr(C)]
pub struct LlvmAnnotation {
    pub value: *const c_char,
    /// Member or parameter, -1 for the whole.
    pub component_idx: i16,
    pub node: ListHead,
}
layout! { LlvmAnnotation: 32, 8 { value: 0, component_idx: 8, node: 16 } }

/// `struct btf_type_tag_type`: a link of a chain of type tags.
#[repr(C)]
pub struct BtfTypeTagType {
    pub tag: Tag,
    pub value: *const c_char,
    pub node: ListHead,
}
layout! { BtfTypeTagType: 56, 8 { tag: 0, value: 32, node: 40 } }

/// `struct btf_type_tag_ptr_type`: a pointer and the type tags on it.
#[repr(C)]
pub struct BtfTypeTagPtrType {
    pub tag: Tag,
    pub tags: ListHead,
}
layout! { BtfTypeTagPtrType: 48, 8 { tag: 0, tags: 32 } }

/// The DW_TAG numbers that decide how a tag is treated (DWARF 5, section 7.5.3, and the GNU and LLVM vendor ranges).
pub mod dw_tag {
    pub const ARRAY_TYPE: u16 = 0x01;
    pub const CLASS_TYPE: u16 = 0x02;
    pub const ENUMERATION_TYPE: u16 = 0x04;
    pub const LEXICAL_BLOCK: u16 = 0x0b;
    pub const MEMBER: u16 = 0x0d;
    pub const POINTER_TYPE: u16 = 0x0f;
    pub const REFERENCE_TYPE: u16 = 0x10;
    pub const STRING_TYPE: u16 = 0x12;
    pub const STRUCTURE_TYPE: u16 = 0x13;
    pub const SUBROUTINE_TYPE: u16 = 0x15;
    pub const TYPEDEF: u16 = 0x16;
    pub const UNION_TYPE: u16 = 0x17;
    pub const INHERITANCE: u16 = 0x1c;
    pub const INLINED_SUBROUTINE: u16 = 0x1d;
    pub const PTR_TO_MEMBER_TYPE: u16 = 0x1f;
    pub const BASE_TYPE: u16 = 0x24;
    pub const CONST_TYPE: u16 = 0x26;
    pub const SUBPROGRAM: u16 = 0x2e;
    pub const VARIABLE: u16 = 0x34;
    pub const VOLATILE_TYPE: u16 = 0x35;
    pub const RESTRICT_TYPE: u16 = 0x37;
    pub const INTERFACE_TYPE: u16 = 0x38;
    pub const NAMESPACE: u16 = 0x39;
    pub const UNSPECIFIED_TYPE: u16 = 0x3b;
    pub const RVALUE_REFERENCE_TYPE: u16 = 0x42;
    pub const ATOMIC_TYPE: u16 = 0x47;
    pub const GNU_TEMPLATE_PARAMETER_PACK: u16 = 0x4107;
    pub const GNU_FORMAL_PARAMETER_PACK: u16 = 0x4108;
    pub const LLVM_ANNOTATION: u16 = 0x6000;
    pub const GNU_ANNOTATION: u16 = 0x6001;
}

/// Kinds of tags, as the inline predicates of `dwarves.h` see them.
impl Tag {
    pub fn is_struct(&self) -> bool {
        matches!(self.tag, dw_tag::STRUCTURE_TYPE | dw_tag::INTERFACE_TYPE | dw_tag::CLASS_TYPE)
    }

    pub fn is_union(&self) -> bool {
        self.tag == dw_tag::UNION_TYPE
    }

    pub fn is_enumeration(&self) -> bool {
        self.tag == dw_tag::ENUMERATION_TYPE
    }

    pub fn is_typedef(&self) -> bool {
        self.tag == dw_tag::TYPEDEF
    }

    pub fn is_pointer(&self) -> bool {
        self.tag == dw_tag::POINTER_TYPE
    }

    pub fn is_function(&self) -> bool {
        self.tag == dw_tag::SUBPROGRAM
    }

    /// const, volatile, restrict, _Atomic.
    pub fn is_modifier(&self) -> bool {
        use dw_tag::*;
        matches!(self.tag, CONST_TYPE | VOLATILE_TYPE | RESTRICT_TYPE | ATOMIC_TYPE)
    }

    /// Whether the tag is a [`super::Type`].
    pub fn is_type(&self) -> bool {
        self.is_struct()
            || self.is_union()
            || self.is_typedef()
            || self.is_enumeration()
            || self.tag == dw_tag::RVALUE_REFERENCE_TYPE
    }

    /// Whether the tag gets its id from the table of types.
    pub fn is_tag_type(&self) -> bool {
        use dw_tag::*;
        self.is_type()
            || self.is_modifier()
            || matches!(
                self.tag,
                ARRAY_TYPE
                    | STRING_TYPE
                    | BASE_TYPE
                    | POINTER_TYPE
                    | PTR_TO_MEMBER_TYPE
                    | REFERENCE_TYPE
                    | SUBROUTINE_TYPE
                    | UNSPECIFIED_TYPE
                    | LLVM_ANNOTATION
                    | GNU_ANNOTATION
            )
    }

    /// Whether the tag is a [`super::Namespace`].
    pub fn has_namespace(&self) -> bool {
        self.is_struct() || self.is_union() || self.is_enumeration() || self.tag == dw_tag::NAMESPACE
    }
}
