//! A set of strings that keeps insertion order: every node is in a tree and in a list.

use std::ffi::{c_char, c_void};

use super::{ListHead, RbNode, RbRoot};

/// `struct str_node`: a string and a pointer of the caller's.
#[repr(C)]
pub struct StrNode {
    pub rb_node: RbNode,
    pub node: ListHead,
    pub s: *const c_char,
    pub r#priv: *mut c_void,
}
layout! { StrNode: 56, 8 { rb_node: 0, node: 24, s: 40, r#priv: 48 } }

/// `struct strlist`.
#[repr(C)]
pub struct Strlist {
    pub entries: RbRoot,
    pub list_entries: ListHead,
    pub dupstr: bool,
}
layout! { Strlist: 32, 8 { entries: 0, list_entries: 8, dupstr: 24 } }
