//! From the key of an entry to what it became.
//!
//! One word a byte of the unit, never cleared: who looks up checks that the entry found has the key asked for. The pages of keys that no entry
//! has are never touched. Where that array would grow too large, a hash map serves instead.

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
    /// Makes room for keys below `size`.
    pub fn prepare(&mut self, size: usize) {
        self.is_dense = size <= DENSE_LIMIT;
        if !self.is_dense {
            self.sparse.clear();
        } else if self.dense.len() < size {
            // A fresh zeroed vector costs no page until it is used; growing in place would copy.
            self.dense = vec![0; size.next_power_of_two()];
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

    /// What was set last under `key`, perhaps in an earlier unit.
    #[inline]
    pub fn get(&self, key: u32) -> Option<u32> {
        if self.is_dense { self.dense.get(key as usize).copied() } else { self.sparse.get(&key).copied() }
    }
}
