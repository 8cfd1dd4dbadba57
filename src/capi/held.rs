//! Units whose tags stand in one block.
//!
//! Loaders of formats that are read as a whole know the size of all tags before they make the first one. The block, and whatever
//! names point into, live as long as both the unit and the set: tags of a deleted unit stay readable, as programs expect, and so do
//! those of a unit that the program took away and keeps when the set is gone.

use std::any::Any;
use std::ffi::c_void;
use std::ptr;
use std::sync::Arc;

use super::entry::{entry, non_null};
use super::memory;
use crate::abi::{ConfLoad, Cu, CuSide, Cus, LoadStealKind, Tag};

/// All tags start at a multiple of this, in bytes.
pub(super) const ALIGN: usize = 8;

/// Pages of a block are taken this many bytes at a time: a large page's.
const PART: usize = 2 << 20;

/// Blocks of so many bytes are made of large pages.
pub(super) const LARGE: usize = 2 * PART;

/// A block of fixed size that is handed out from its start on and freed as a whole.
pub(super) struct Block {
    start: *mut u8,
    size: usize,
    used: usize,
    /// How far pages have been taken.
    populated: usize,
}

impl Block {
    /// `None` when memory is short.
    pub(super) fn zeroed(size: usize) -> Option<Block> {
        let size = match size.max(1) {
            small @ ..LARGE => small,
            // The end is a large page, too.
            large => large.checked_next_multiple_of(PART)?,
        };
        let (protection, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: a new private mapping.
        unsafe {
            let start = libc::mmap(ptr::null_mut(), size, protection, flags, -1, 0);
            if start == libc::MAP_FAILED {
                return None;
            }
            if size >= LARGE {
                libc::madvise(start, size, libc::MADV_HUGEPAGE);
            }
            Some(Block { start: start.cast(), size, used: 0, populated: 0 })
        }
    }

    /// Room for `count` zeroed `T`s in a row. The caller made the block large enough.
    #[inline]
    pub(super) fn take<T>(&mut self, count: usize) -> *mut T {
        const { assert!(align_of::<T>() <= ALIGN) }
        let bytes = (size_of::<T>() * count).next_multiple_of(ALIGN);
        assert!(bytes <= self.size - self.used, "a block of tags is too small");
        // SAFETY: within the block, by the check above.
        let place = unsafe { self.start.add(self.used) };
        self.used += bytes;
        if self.used > self.populated {
            self.populate();
        }
        place.cast()
    }

    /// Takes the pages of the next part at once, which costs a third of getting them one by one as they are touched; a part and not the
    /// whole, so that the kernel's zeroes are still in the cache when tags are written over them. Where the kernel cannot do so, pages
    /// come as they are touched.
    #[cold]
    fn populate(&mut self) {
        // Up to a boundary of large pages.
        let end = (self.start.addr() + self.used).next_multiple_of(PART) - self.start.addr();
        let end = end.min(self.size);
        let from = self.populated;
        // SAFETY: a part of the mapping; its start is that of a page.
        unsafe {
            libc::madvise(self.start.add(from).cast(), end - from, libc::MADV_POPULATE_WRITE);
        }
        self.populated = end;
    }

    fn contains(&self, place: *const u8) -> bool {
        (self.start.addr()..self.start.addr() + self.size).contains(&place.addr())
    }
}

// SAFETY: the mapping belongs to this structure, and is changed through a mutable reference only.
unsafe impl Send for Block {}
// SAFETY: as above.
unsafe impl Sync for Block {}

impl Drop for Block {
    fn drop(&mut self) {
        // SAFETY: mapped with this size, unmapped once.
        unsafe {
            libc::munmap(self.start.cast(), self.size);
        }
    }
}

/// What the tags of a unit consist of and point into.
pub(super) struct Holding {
    block: Block,
    /// Tags whose attributes are in C memory.
    attributed: Vec<*mut Tag>,
    _names: Box<dyn Any + Send + Sync>,
}

// SAFETY: the pointers are into the block, which belongs to this structure.
unsafe impl Send for Holding {}
// SAFETY: nothing is changed through a shared reference.
unsafe impl Sync for Holding {}

impl Drop for Holding {
    fn drop(&mut self) {
        for &tag in &self.attributed {
            // SAFETY: the tag is in the block; attributes are NULL or of libc's memory, also after tag__delete.
            unsafe { libc::free((*tag).attributes.cast()) }
        }
    }
}

/// Gives a finished unit to the program, which may take it, or else to the set.
///
/// # Safety
/// `cu` is a unit of the library's that is in no set, and its tags are in `block`; `conf` is NULL or valid.
pub(super) unsafe fn hand_over(
    cus: *mut Cus,
    conf: *mut ConfLoad,
    cu: *mut Cu,
    block: Block,
    attributed: Vec<*mut Tag>,
    names: Box<dyn Any + Send + Sync>,
) {
    let holding = Arc::new(Holding { block, attributed, _names: names });
    // SAFETY: passed on.
    unsafe {
        if let Some(side) = CuSide::of(cu) {
            side.hook = Some(Box::new(holding.clone()));
        }
        Cus::keep(cus, Box::new(holding));
        let steal = conf.as_ref().and_then(|conf| conf.steal);
        if steal.is_some_and(|steal| steal(cu, conf) != LoadStealKind::KEEPIT) {
            // Whatever the program wants, the unit is its own now.
            return;
        }
        Cus::with_lock(cus, || Cus::add(cus, cu));
    }
}

/// `tag__free` of these formats: tags of the file stay where they are until the whole block goes; others, such as clones, are freed.
pub(super) unsafe extern "C" fn tag_free(tag: *mut Tag, cu: *mut Cu) {
    entry(|| {
        non_null!(tag, cu);
        // SAFETY: a unit of such a loader and one of its tags.
        unsafe {
            let hook = CuSide::of(cu).and_then(|side| side.hook.as_ref());
            let holding = hook.and_then(|hook| hook.downcast_ref::<Arc<Holding>>());
            if !holding.is_some_and(|holding| holding.block.contains(tag.cast())) {
                memory::cu__free(cu, tag.cast::<c_void>());
            }
        }
    })
}
