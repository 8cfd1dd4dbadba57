//! From the key of an entry to what it became.
//!
//! One word a byte of the unit, of which only the pages of keys that entries have are touched; cleared word by word. Where that array would
//! grow too large, a hash map serves instead.

use rustc_hash::FxHashMap;

/// Above this many bytes of entries, hash.
const DENSE_LIMIT: usize = 16 << 20;

/// See the module's description.
#[derive(Default)]
pub struct DieMap {
    dense: Vec<u32>,
    sparse: FxHashMap<u32, u32>,
    is_dense: bool,
}

impl DieMap {
    /// Makes room for keys below `size`; the map must be empty.
    pub fn prepare(&mut self, size: usize) {
        self.is_dense = size <= DENSE_LIMIT;
        if self.is_dense && self.dense.len() < size {
            // A fresh zeroed vector costs no page until it is used; growing in place would copy.
            self.dense = vec![0; size.next_power_of_two()];
        }
    }

    /// Forgets these keys, which must be all that were set.
    pub fn clear(&mut self, keys: impl Iterator<Item = u32>) {
        self.sparse.clear();
        if self.is_dense {
            keys.for_each(|key| self.set(key, 0));
        }
    }

    /// Key 0 stands for entries that nothing refers to.
    #[inline]
    pub fn set(&mut self, key: u32, value: u32) {
        if !self.is_dense {
            self.sparse.insert(key, value);
        } else if let Some(slot) = self.dense.get_mut(key as usize) {
            *slot = value;
        }
    }

    /// What was set last under `key`; 0 for nothing.
    #[inline]
    pub fn get(&self, key: u32) -> u32 {
        let found = if self.is_dense { self.dense.get(key as usize) } else { self.sparse.get(&key) };
        found.copied().unwrap_or(0)
    }
}
