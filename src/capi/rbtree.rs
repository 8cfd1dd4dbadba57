//! `rb_*`: the red-black tree of which C compiles the node layout and the linking into itself.

use super::entry::{entry, non_null};
use crate::abi::{RbNode, RbRoot};

/// Rebalances after `rb_link_node`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rb_insert_color(node: *mut RbNode, root: *mut RbRoot) {
    entry(|| {
        non_null!(node, root);
        // SAFETY: a well-formed tree with a freshly linked node.
        unsafe { RbRoot::insert_color(root, node) }
    })
}

/// Removes a node and rebalances.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rb_erase(node: *mut RbNode, root: *mut RbRoot) {
    entry(|| {
        non_null!(node, root);
        // SAFETY: a well-formed tree that holds the node.
        unsafe { RbRoot::erase(root, node) }
    })
}

/// In-order successor; NULL at the end and for a cleared node.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rb_next(node: *const RbNode) -> *mut RbNode {
    entry(|| {
        non_null!(node);
        // SAFETY: a node of a well-formed tree, or a cleared one.
        unsafe { RbNode::next(node) }
    })
}

/// In-order predecessor; NULL at the start and for a cleared node.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rb_prev(node: *const RbNode) -> *mut RbNode {
    entry(|| {
        non_null!(node);
        // SAFETY: as above.
        unsafe { RbNode::prev(node) }
    })
}

/// Leftmost node, NULL for an empty tree.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rb_first(root: *const RbRoot) -> *mut RbNode {
    entry(|| {
        non_null!(root);
        // SAFETY: a well-formed tree.
        unsafe { RbRoot::first(root) }
    })
}

/// Rightmost node, NULL for an empty tree.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rb_last(root: *const RbRoot) -> *mut RbNode {
    entry(|| {
        non_null!(root);
        // SAFETY: a well-formed tree.
        unsafe { RbRoot::last(root) }
    })
}

/// Puts `new` in the place of `victim` without rebalancing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rb_replace_node(victim: *mut RbNode, new: *mut RbNode, root: *mut RbRoot) {
    entry(|| {
        non_null!(victim, new, root);
        // SAFETY: a well-formed tree that holds the victim, and a node that is in none.
        unsafe { RbRoot::replace(root, victim, new) }
    })
}
