//! `struct tag`, with which every described thing starts, and its small companions.
//!
//! Specialised structures begin with a tag (directly or through another structure that does), so C casts between them freely;
//! [`Tag::tag`] says which one is meant.

use std::ffi::c_char;

use super::{Cu, ListHead, TypeId};

/// `struct tag`.
#[repr(C)]
pub struct Tag {
    pub node: ListHead,
    pub r#type: TypeId,
    pub tag: u16,
    pub flags: u8,
    pub recursivity_level: u8,
    pub attributes: *mut Attributes,
}
layout! { Tag: 32, 8 { node: 0, r#type: 16, tag: 20, flags: 22, recursivity_level: 23, attributes: 24 } }
bits! { Tag.flags {
    visited, set_visited: 0;
    top_level, set_top_level: 1;
    has_btf_type_tag, set_has_btf_type_tag: 2;
    shared_tags, set_shared_tags: 3;
} }

/// `struct attributes`.
#[repr(C)]
pub struct Attributes {
    pub cnt: u64,
    pub values: [*const c_char; 0],
}
layout! { Attributes: 8, 8 { cnt: 0, values: 8 } }

/// `struct tag_cu`.
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

/// `struct llvm_annotation`.
#[repr(C)]
pub struct LlvmAnnotation {
    pub value: *const c_char,
    pub component_idx: i16,
    pub node: ListHead,
}
layout! { LlvmAnnotation: 32, 8 { value: 0, component_idx: 8, node: 16 } }

/// `struct btf_type_tag_type`.
#[repr(C)]
pub struct BtfTypeTagType {
    pub tag: Tag,
    pub value: *const c_char,
    pub node: ListHead,
}
layout! { BtfTypeTagType: 56, 8 { tag: 0, value: 32, node: 40 } }

/// `struct btf_type_tag_ptr_type`.
#[repr(C)]
pub struct BtfTypeTagPtrType {
    pub tag: Tag,
    pub tags: ListHead,
}
layout! { BtfTypeTagPtrType: 48, 8 { tag: 0, tags: 32 } }
