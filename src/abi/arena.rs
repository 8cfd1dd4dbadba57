//! A bump allocator: many small blocks, given back all at once.

use std::alloc::{Layout, alloc, dealloc};
use std::ptr;

const CHUNK: usize = 64 * 1024;
const ALIGN: usize = 16;

/// Blocks aligned to 16 bytes whose addresses stay valid until the arena is dropped, wherever it moves.
#[derive(Default)]
pub struct Arena {
    chunks: Vec<(*mut u8, Layout)>,
    /// Unused bytes at the end of the last chunk.
    free: usize,
}

// SAFETY: the chunks belong to the arena alone.
unsafe impl Send for Arena {}

impl Arena {
    /// `size` uninitialised bytes, or NULL when memory is short.
    pub fn alloc(&mut self, size: usize) -> *mut u8 {
        let Some(size) = size.max(1).checked_next_multiple_of(ALIGN) else { return ptr::null_mut() };
        if size > self.free && !self.grow(size) {
            return ptr::null_mut();
        }
        let Some(&(chunk, layout)) = self.chunks.last() else { return ptr::null_mut() };
        let at = layout.size() - self.free;
        self.free -= size;
        // SAFETY: `at + size` lies within the chunk.
        unsafe { chunk.add(at) }
    }

    fn grow(&mut self, size: usize) -> bool {
        let Ok(layout) = Layout::from_size_align(size.max(CHUNK), ALIGN) else { return false };
        // SAFETY: the layout's size is not zero.
        let chunk = unsafe { alloc(layout) };
        if chunk.is_null() {
            return false;
        }
        self.chunks.push((chunk, layout));
        self.free = layout.size();
        true
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        for &(chunk, layout) in &self.chunks {
            // SAFETY: allocated with this layout, given back once.
            unsafe { dealloc(chunk, layout) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_aligned_and_apart() {
        let mut arena = Arena::default();
        let sizes = [1, 16, 17, 0, CHUNK, 3 * CHUNK, 5];
        let blocks: Vec<(*mut u8, usize)> = sizes.iter().cycle().take(100).map(|&size| (arena.alloc(size), size)).collect();
        for (index, &(block, size)) in blocks.iter().enumerate() {
            assert!(!block.is_null() && block.addr() % ALIGN == 0);
            // SAFETY: `size` bytes are the block's.
            unsafe { ptr::write_bytes(block, index as u8, size) };
        }
        for (index, &(block, size)) in blocks.iter().enumerate() {
            // SAFETY: as above.
            assert!(unsafe { std::slice::from_raw_parts(block, size) }.iter().all(|&byte| byte == index as u8));
        }
        assert!(arena.alloc(usize::MAX).is_null());
    }
}
