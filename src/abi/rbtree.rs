//! The red-black tree node shared with C's inline `rb_link_node`, and the algorithms behind the exported `rb_*` functions.
//!
//! A node's first word is its parent's address with the colour in bit 0 (0 red, 1 black). The right child stands before the left
//! one.

#![allow(clippy::missing_safety_doc)]

use std::ffi::c_ulong;
use std::ptr;

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

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Left,
    Right,
}

impl Side {
    fn other(self) -> Side {
        if self == Side::Left { Side::Right } else { Side::Left }
    }
}

const BLACK: c_ulong = 1;
const FLAGS: c_ulong = 3;

/// Every method takes nodes that are NULL or linked in one well-formed tree; that is the one safety condition here.
impl RbNode {
    unsafe fn parent(node: *const RbNode) -> *mut RbNode {
        // SAFETY: see above.
        unsafe { ((*node).rb_parent_color & !FLAGS) as *mut RbNode }
    }

    unsafe fn set_parent(node: *mut RbNode, parent: *mut RbNode) {
        // SAFETY: see above.
        unsafe { (*node).rb_parent_color = (*node).rb_parent_color & FLAGS | parent as c_ulong }
    }

    /// NULL counts as black.
    unsafe fn is_red(node: *const RbNode) -> bool {
        // SAFETY: see above.
        !node.is_null() && unsafe { (*node).rb_parent_color & BLACK == 0 }
    }

    unsafe fn paint(node: *mut RbNode, red: bool) {
        // SAFETY: see above.
        unsafe { (*node).rb_parent_color = (*node).rb_parent_color & !BLACK | if red { 0 } else { BLACK } }
    }

    unsafe fn child(node: *const RbNode, side: Side) -> *mut RbNode {
        // SAFETY: see above.
        unsafe { if side == Side::Left { (*node).rb_left } else { (*node).rb_right } }
    }

    unsafe fn set_child(node: *mut RbNode, side: Side, child: *mut RbNode) {
        // SAFETY: see above.
        unsafe { if side == Side::Left { (*node).rb_left = child } else { (*node).rb_right = child } }
    }

    /// The last node reached by going to `side` all the time.
    unsafe fn outermost(mut node: *mut RbNode, side: Side) -> *mut RbNode {
        // SAFETY: see above.
        unsafe {
            while !node.is_null() && !RbNode::child(node, side).is_null() {
                node = RbNode::child(node, side);
            }
        }
        node
    }

    /// The in-order neighbour of `node` on `side`; NULL at the end, and for a node cleared by pointing at itself.
    unsafe fn neighbour(node: *const RbNode, side: Side) -> *mut RbNode {
        // SAFETY: see above.
        unsafe {
            let mut at = node.cast_mut();
            if RbNode::parent(at) == at {
                return ptr::null_mut();
            }
            let below = RbNode::child(at, side);
            if !below.is_null() {
                return RbNode::outermost(below, side.other());
            }
            loop {
                let parent = RbNode::parent(at);
                if parent.is_null() || RbNode::child(parent, side) != at {
                    return parent;
                }
                at = parent;
            }
        }
    }

    pub unsafe fn next(node: *const RbNode) -> *mut RbNode {
        // SAFETY: see above.
        unsafe { RbNode::neighbour(node, Side::Right) }
    }

    pub unsafe fn prev(node: *const RbNode) -> *mut RbNode {
        // SAFETY: see above.
        unsafe { RbNode::neighbour(node, Side::Left) }
    }

    /// Hangs a new red node at `*link`, a child pointer of `parent` or the root's.
    pub unsafe fn link(node: *mut RbNode, parent: *mut RbNode, link: *mut *mut RbNode) {
        // SAFETY: see above.
        unsafe {
            node.write(RbNode { rb_parent_color: parent as c_ulong, rb_right: ptr::null_mut(), rb_left: ptr::null_mut() });
            *link = node;
        }
    }
}

/// The safety condition of [`RbNode`] holds for the nodes of the tree; `root` is valid.
impl RbRoot {
    pub unsafe fn first(root: *const RbRoot) -> *mut RbNode {
        // SAFETY: see above.
        unsafe { RbNode::outermost((*root).rb_node, Side::Left) }
    }

    pub unsafe fn last(root: *const RbRoot) -> *mut RbNode {
        // SAFETY: see above.
        unsafe { RbNode::outermost((*root).rb_node, Side::Right) }
    }

    /// Lets `parent` (NULL: the root) point at `new` where it pointed at `old`.
    unsafe fn relink(root: *mut RbRoot, parent: *mut RbNode, old: *mut RbNode, new: *mut RbNode) {
        // SAFETY: see above.
        unsafe {
            if parent.is_null() {
                (*root).rb_node = new;
            } else if (*parent).rb_left == old {
                (*parent).rb_left = new;
            } else {
                (*parent).rb_right = new;
            }
        }
    }

    /// Moves `pivot` down to `side`, and its child of the other side up in its place.
    unsafe fn rotate(root: *mut RbRoot, pivot: *mut RbNode, side: Side) {
        // SAFETY: see above; callers rotate only where that child exists.
        unsafe {
            let up = RbNode::child(pivot, side.other());
            let parent = RbNode::parent(pivot);
            let inner = RbNode::child(up, side);
            RbNode::set_child(pivot, side.other(), inner);
            if !inner.is_null() {
                RbNode::set_parent(inner, pivot);
            }
            RbNode::set_child(up, side, pivot);
            RbNode::set_parent(up, parent);
            RbRoot::relink(root, parent, pivot, up);
            RbNode::set_parent(pivot, up);
        }
    }

    /// Restores the colours after `node`, red, was linked as a leaf.
    pub unsafe fn insert_color(root: *mut RbRoot, mut node: *mut RbNode) {
        // SAFETY: see above; a red node is never the root, so a red parent has a parent.
        unsafe {
            loop {
                let mut parent = RbNode::parent(node);
                if !RbNode::is_red(parent) {
                    break;
                }
                let grand = RbNode::parent(parent);
                let side = if (*grand).rb_left == parent { Side::Left } else { Side::Right };
                let uncle = RbNode::child(grand, side.other());
                if RbNode::is_red(uncle) {
                    RbNode::paint(uncle, false);
                    RbNode::paint(parent, false);
                    RbNode::paint(grand, true);
                    node = grand;
                    continue;
                }
                if RbNode::child(parent, side.other()) == node {
                    RbRoot::rotate(root, parent, side);
                    parent = node;
                }
                RbNode::paint(parent, false);
                RbNode::paint(grand, true);
                RbRoot::rotate(root, grand, side.other());
                break;
            }
            RbNode::paint((*root).rb_node, false);
        }
    }

    /// Takes `node` out of the tree.
    pub unsafe fn erase(root: *mut RbRoot, node: *mut RbNode) {
        // SAFETY: see above.
        unsafe {
            let RbNode { rb_left: left, rb_right: right, .. } = *node;
            let above = RbNode::parent(node);
            // Where a node disappears: what moves up there, below whom, and whether it was a red one.
            let (moved, below, was_red);
            if left.is_null() || right.is_null() {
                moved = if left.is_null() { right } else { left };
                below = above;
                was_red = RbNode::is_red(node);
                if !moved.is_null() {
                    RbNode::set_parent(moved, above);
                }
                RbRoot::relink(root, above, node, moved);
            } else {
                // The successor takes the node's place and colour.
                let heir = RbNode::outermost(right, Side::Left);
                moved = (*heir).rb_right;
                was_red = RbNode::is_red(heir);
                if heir == right {
                    below = heir;
                } else {
                    below = RbNode::parent(heir);
                    (*below).rb_left = moved;
                    if !moved.is_null() {
                        RbNode::set_parent(moved, below);
                    }
                    (*heir).rb_right = right;
                    RbNode::set_parent(right, heir);
                }
                (*heir).rb_left = left;
                RbNode::set_parent(left, heir);
                (*heir).rb_parent_color = (*node).rb_parent_color;
                RbRoot::relink(root, above, node, heir);
            }
            if !was_red {
                RbRoot::restore_depth(root, moved, below);
            }
        }
    }

    /// Paths through `node`, a possibly missing child of `parent`, have one black node too few: repairs that.
    unsafe fn restore_depth(root: *mut RbRoot, mut node: *mut RbNode, mut parent: *mut RbNode) {
        // SAFETY: see above; the missing black node guarantees a sibling.
        unsafe {
            while !parent.is_null() && !RbNode::is_red(node) {
                let side = if (*parent).rb_left == node { Side::Left } else { Side::Right };
                let mut sibling = RbNode::child(parent, side.other());
                if RbNode::is_red(sibling) {
                    RbNode::paint(sibling, false);
                    RbNode::paint(parent, true);
                    RbRoot::rotate(root, parent, side);
                    sibling = RbNode::child(parent, side.other());
                }
                let near = RbNode::child(sibling, side);
                let far = RbNode::child(sibling, side.other());
                if !RbNode::is_red(near) && !RbNode::is_red(far) {
                    RbNode::paint(sibling, true);
                    node = parent;
                    parent = RbNode::parent(node);
                    continue;
                }
                if !RbNode::is_red(far) {
                    RbNode::paint(near, false);
                    RbNode::paint(sibling, true);
                    RbRoot::rotate(root, sibling, side.other());
                    sibling = near;
                }
                RbNode::paint(sibling, RbNode::is_red(parent));
                RbNode::paint(parent, false);
                RbNode::paint(RbNode::child(sibling, side.other()), false);
                RbRoot::rotate(root, parent, side);
                return;
            }
            if !node.is_null() {
                RbNode::paint(node, false);
            }
        }
    }

    /// Puts `new` exactly where `victim` is.
    pub unsafe fn replace(root: *mut RbRoot, victim: *mut RbNode, new: *mut RbNode) {
        // SAFETY: see above.
        unsafe {
            RbRoot::relink(root, RbNode::parent(victim), victim, new);
            for child in [(*victim).rb_left, (*victim).rb_right] {
                if !child.is_null() {
                    RbNode::set_parent(child, new);
                }
            }
            new.write(*victim);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn empty() -> RbNode {
        RbNode { rb_parent_color: 0, rb_right: ptr::null_mut(), rb_left: ptr::null_mut() }
    }

    /// Orders nodes by address.
    unsafe fn insert(root: *mut RbRoot, node: *mut RbNode) {
        // SAFETY: a node that is in no tree.
        unsafe {
            let mut link = &raw mut (*root).rb_node;
            let mut parent = ptr::null_mut();
            while !(*link).is_null() {
                parent = *link;
                link = if node < parent { &raw mut (*parent).rb_left } else { &raw mut (*parent).rb_right };
            }
            RbNode::link(node, parent, link);
            RbRoot::insert_color(root, node);
        }
    }

    /// The number of black nodes on every path down.
    unsafe fn black_height(node: *mut RbNode, parent: *mut RbNode) -> usize {
        // SAFETY: a node of the tree, or NULL.
        unsafe {
            if node.is_null() {
                return 0;
            }
            assert_eq!(RbNode::parent(node), parent);
            assert!(!(RbNode::is_red(node) && RbNode::is_red(parent)));
            let left = black_height((*node).rb_left, node);
            assert_eq!(left, black_height((*node).rb_right, node));
            left + usize::from(!RbNode::is_red(node))
        }
    }

    #[test]
    fn keeps_order_and_balance() {
        let mut nodes: Vec<RbNode> = (0..200).map(|_| empty()).collect();
        let mut linked = vec![false; nodes.len()];
        let mut root = RbRoot { rb_node: ptr::null_mut() };
        let (root, nodes) = (&raw mut root, nodes.as_mut_ptr());
        let mut state = 1_u32;
        for _ in 0..2000 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let index = (state >> 8) as usize % linked.len();
            // SAFETY: the nodes stay where they are, and each is erased only while it is linked.
            unsafe {
                let node = nodes.add(index);
                if linked[index] {
                    RbRoot::erase(root, node)
                } else {
                    insert(root, node)
                }
                linked[index] = !linked[index];
                black_height((*root).rb_node, ptr::null_mut());

                let mut expected = (0..linked.len()).filter(|&index| linked[index]).map(|index| nodes.add(index));
                let mut node = RbRoot::first(root);
                while !node.is_null() {
                    assert_eq!(Some(node), expected.next());
                    node = RbNode::next(node);
                }
                assert_eq!(expected.next(), None);
            }
        }
    }
}
