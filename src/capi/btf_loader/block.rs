//! One block of zeroed memory that tags are laid out in.

/// All tags of a unit start at a multiple of this, in bytes.
pub(super) const ALIGN: usize = 8;

/// A block of fixed size that is handed out from its start on and freed as a whole.
pub(super) struct Block {
    start: *mut u8,
    size: usize,
    used: usize,
}

impl Block {
    /// `None` when memory is short.
    pub(super) fn zeroed(size: usize) -> Option<Block> {
        // SAFETY: calloc takes any size; large blocks come from the kernel as zero pages and cost nothing until used.
        let start = unsafe { libc::calloc(size.max(1), 1) }.cast::<u8>();
        (!start.is_null()).then_some(Block { start, size, used: 0 })
    }

    /// Room for `count` zeroed `T`s in a row. The caller made the block large enough.
    pub(super) fn take<T>(&mut self, count: usize) -> *mut T {
        const { assert!(align_of::<T>() <= ALIGN) }
        let bytes = (size_of::<T>() * count).next_multiple_of(ALIGN);
        assert!(bytes <= self.size - self.used, "a block of tags is too small");
        // SAFETY: within the block, by the check above.
        let place = unsafe { self.start.add(self.used) };
        self.used += bytes;
        place.cast()
    }

    pub(super) fn contains(&self, place: *const u8) -> bool {
        (self.start.addr()..self.start.addr() + self.size).contains(&place.addr())
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        // SAFETY: from calloc, freed once.
        unsafe { libc::free(self.start.cast()) }
    }
}
