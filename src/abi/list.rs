//! The kernel-style circular list that C programs walk and relink with inline code of `list.h`.
//!
//! An empty head points at itself; a zeroed head is not a list, and C iteration over one dereferences NULL. Heads are therefore
//! initialised in place, never moved afterwards.

/// `struct list_head`: a node, or the head of a circular list.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ListHead {
    pub next: *mut ListHead,
    pub prev: *mut ListHead,
}
layout! { ListHead: 16, 8 { next: 0, prev: 8 } }

/// `struct hlist_head`: the head of a list that ends in NULL.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct HlistHead {
    pub first: *mut HlistNode,
}
layout! { HlistHead: 8, 8 { first: 0 } }

/// `struct hlist_node`: `pprev` is where the pointer to this node stands.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct HlistNode {
    pub next: *mut HlistNode,
    pub pprev: *mut *mut HlistNode,
}
layout! { HlistNode: 16, 8 { next: 0, pprev: 8 } }

impl ListHead {
    /// Makes an empty list of the head at `head`.
    ///
    /// # Safety
    /// `head` is writable.
    pub unsafe fn init(head: *mut ListHead) {
        // SAFETY: writable by the caller's word.
        unsafe { head.write(ListHead { next: head, prev: head }) }
    }

    /// Whether a head, or a node taken out with [`ListHead::unlink`], has no neighbours.
    ///
    /// # Safety
    /// `head` is initialised.
    pub unsafe fn is_empty(head: *const ListHead) -> bool {
        // SAFETY: readable by the caller's word.
        unsafe { (*head).next.cast_const() == head }
    }

    /// Links `node` as the last of `head`'s list.
    ///
    /// # Safety
    /// `head` is an initialised head, `node` is writable and in no list.
    pub unsafe fn add_tail(head: *mut ListHead, node: *mut ListHead) {
        // SAFETY: the neighbours of an initialised head are valid nodes.
        unsafe {
            let last = (*head).prev;
            node.write(ListHead { next: head, prev: last });
            (*last).next = node;
            (*head).prev = node;
        }
    }

    /// Takes `node` out of its list and leaves it pointing at itself.
    ///
    /// # Safety
    /// `node` is linked, or points at itself.
    pub unsafe fn unlink(node: *mut ListHead) {
        // SAFETY: the neighbours of a linked node are valid nodes.
        unsafe {
            let ListHead { next, prev } = *node;
            (*next).prev = prev;
            (*prev).next = next;
            ListHead::init(node);
        }
    }

    /// The nodes after `head`, in order. The node last returned may be unlinked or freed meanwhile.
    ///
    /// # Safety
    /// `head` is an initialised head, and nobody else changes the list during the walk. A zeroed head counts as empty.
    pub unsafe fn nodes(head: *const ListHead) -> Nodes {
        // SAFETY: readable by the caller's word.
        Nodes { head, at: unsafe { (*head).next }, backwards: false }
    }

    /// As [`ListHead::nodes`], from the last to the first.
    ///
    /// # Safety
    /// As for [`ListHead::nodes`].
    pub unsafe fn nodes_reversed(head: *const ListHead) -> Nodes {
        // SAFETY: readable by the caller's word.
        Nodes { head, at: unsafe { (*head).prev }, backwards: true }
    }
}

/// Iterator over the nodes of a list.
pub struct Nodes {
    head: *const ListHead,
    at: *mut ListHead,
    backwards: bool,
}

impl Iterator for Nodes {
    type Item = *mut ListHead;

    fn next(&mut self) -> Option<*mut ListHead> {
        if self.at.is_null() || self.at.cast_const() == self.head {
            return None;
        }
        let node = self.at;
        // SAFETY: a node of a list whose walker promised that it stays intact.
        self.at = unsafe { if self.backwards { (*node).prev } else { (*node).next } };
        Some(node)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ptr;

    #[test]
    fn walks_both_ways_while_nodes_leave() {
        let mut nodes = [ListHead { next: ptr::null_mut(), prev: ptr::null_mut() }; 4];
        let nodes = nodes.as_mut_ptr();
        // SAFETY: the nodes stay where they are.
        unsafe {
            let head = nodes;
            ListHead::init(head);
            assert!(ListHead::is_empty(head));
            for index in 1..4 {
                ListHead::add_tail(head, nodes.add(index));
            }
            let index = |node: *mut ListHead| node.offset_from(nodes);
            assert_eq!(ListHead::nodes(head).map(index).collect::<Vec<_>>(), [1, 2, 3]);
            ListHead::unlink(nodes.add(2));
            assert_eq!(ListHead::nodes_reversed(head).map(index).collect::<Vec<_>>(), [3, 1]);
            ListHead::nodes(head).for_each(|node| ListHead::unlink(node));
            assert!(ListHead::is_empty(head));
        }
    }

    #[test]
    fn a_zeroed_head_has_no_nodes() {
        let head = ListHead { next: ptr::null_mut(), prev: ptr::null_mut() };
        // SAFETY: a zeroed head is allowed.
        assert_eq!(unsafe { ListHead::nodes(&head) }.count(), 0);
    }
}
