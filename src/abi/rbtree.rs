//! The red-black tree node shared with C's inline `rb_link_node`, and the algorithms behind the exported `rb_*` functions.
//!
//! A node's first word is its parent's address with the colour in bit 0 (0 red, 1 black). The right child stands before the left
//! one.

use std::ffi::c_ulong;

/// `struct rb_node`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct RbNode {
    pub rb_parent_color: c_ulong,
    pub rb_right: *mut RbNode,
    pub rb_left: *mut RbNode,
}
layout! { RbNode: 24, 8 { rb_parent_color: 0, rb_right: 8, rb_left: 16 } }

/// `struct rb_root`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct RbRoot {
    pub rb_node: *mut RbNode,
}
layout! { RbRoot: 8, 8 { rb_node: 0 } }
