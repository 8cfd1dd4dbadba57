//! What a scope holds beside types: namespaces, labels, inline expansions, variables, constants and lexical blocks.

use std::ffi::c_char;

use super::external::DwarfOp;
use super::{HlistNode, ListHead, Tag};

/// `struct namespace`: whatever has named things in it.
#[repr(C)]
pub struct Namespace {
    pub tag: Tag,
    /// NULL when it has none. Not owned: it lives as long as the set of units.
    pub name: *const c_char,
    /// What is in it. With shared tags, `next` points at the head of another enumeration's list and `prev` means nothing.
    pub tags: ListHead,
    /// Declaration tags of DWARF.
    pub annots: ListHead,
}
layout! { Namespace: 72, 8 { tag: 0, name: 32, tags: 40, annots: 56 } }

/// `struct ip_tag`: a tag with an address.
#[repr(C)]
pub struct IpTag {
    pub tag: Tag,
    pub addr: u64,
}
layout! { IpTag: 40, 8 { tag: 0, addr: 32 } }

/// `struct inline_expansion`: the code of a function inlined in another.
#[repr(C)]
pub struct InlineExpansion {
    pub ip: IpTag,
    /// In bytes.
    pub size: usize,
    /// End address.
    pub high_pc: u64,
}
layout! { InlineExpansion: 56, 8 { ip: 0, size: 40, high_pc: 48 } }

/// `struct label`.
#[repr(C)]
pub struct Label {
    pub ip: IpTag,
    pub name: *const c_char,
}
layout! { Label: 48, 8 { ip: 0, name: 40 } }

/// `struct location`: a location expression.
#[repr(C)]
pub struct Location {
    pub expr: *mut DwarfOp,
    /// Number of operations.
    pub exprlen: usize,
}
layout! { Location: 16, 8 { expr: 0, exprlen: 8 } }

/// `struct variable`.
#[repr(C)]
pub struct Variable {
    pub ip: IpTag,
    pub name: *const c_char,
    pub flags: u8,
    pub scope: Vscope,
    pub location: Location,
    pub tool_hnode: HlistNode,
    pub annots: ListHead,
    /// The declaration this defines.
    pub spec: *mut Variable,
}
layout! { Variable: 112, 8 {
    ip: 0, name: 40, flags: 48, scope: 49, location: 56, tool_hnode: 72, annots: 88, spec: 104,
} }
bits! { Variable.flags {
    external, set_external: 0;
    declaration, set_declaration: 1;
    has_specification, set_has_specification: 2;
    artificial, set_artificial: 3;
    top_level, set_top_level: 4;
} }

/// `struct constant`.
#[repr(C)]
pub struct Constant {
    pub tag: Tag,
    pub name: *const c_char,
    pub value: u64,
}
layout! { Constant: 48, 8 { tag: 0, name: 32, value: 40 } }

/// `struct lexblock`: a block, or the body of a function.
#[repr(C)]
pub struct Lexblock {
    pub ip: IpTag,
    pub tags: ListHead,
    /// In bytes.
    pub size: u32,
    pub nr_inline_expansions: u16,
    pub nr_labels: u16,
    pub nr_variables: u16,
    pub nr_lexblocks: u16,
    /// In bytes.
    pub size_inline_expansions: u32,
}
layout! { Lexblock: 72, 8 {
    ip: 0, tags: 40, size: 56, nr_inline_expansions: 60, nr_labels: 62, nr_variables: 64, nr_lexblocks: 66,
    size_inline_expansions: 68,
} }

/// `enum vscope`, one byte: 0 unknown, 1 local, 2 global, 3 register, 4 optimized.
///
/// cbindgen:ignore
pub type Vscope = u8;
