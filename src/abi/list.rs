//! The kernel-style circular list that C programs walk and relink with inline code of `list.h`.
//!
//! An empty head points at itself; a zeroed head is not a list, and C iteration over one dereferences NULL. Heads are therefore
//! initialised in place, never moved afterwards.

/// `struct list_head`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ListHead {
    pub next: *mut ListHead,
    pub prev: *mut ListHead,
}
layout! { ListHead: 16, 8 { next: 0, prev: 8 } }

/// `struct hlist_head`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct HlistHead {
    pub first: *mut HlistNode,
}
layout! { HlistHead: 8, 8 { first: 0 } }

/// `struct hlist_node`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct HlistNode {
    pub next: *mut HlistNode,
    pub pprev: *mut *mut HlistNode,
}
layout! { HlistNode: 16, 8 { next: 0, pprev: 8 } }
