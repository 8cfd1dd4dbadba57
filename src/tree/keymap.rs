//! From the key of an entry to its place in the list of entries.
//!
//! The entries of one unit come in the order of their keys. For each four bytes of the unit the map has the first of them, which most often is
//! the right one: so the map of a unit stays in the cache, where a word for each byte would not.
//! Several units may be taken in in any order, even twice; for them the map is a [`DieMap`].

use crate::dwarf::diemap::DieMap;

const SHIFT: u32 = 2;

/// See the module's description.
#[derive(Default)]
pub struct KeyMap {
    /// One higher than the index of the first entry of each four bytes, 0 for none.
    buckets: Vec<u32>,
    any_order: DieMap,
    /// Those in `any_order`.
    keys: Vec<u32>,
    in_order: bool,
}

impl KeyMap {
    /// Forgets everything and makes room for keys below `size`.
    pub fn prepare(&mut self, size: usize, in_order: bool) {
        self.any_order.clear(self.keys.drain(..));
        self.in_order = in_order;
        if in_order {
            self.buckets.clear();
            self.buckets.resize((size >> SHIFT) + 1, 0);
        } else {
            self.any_order.prepare(size);
        }
    }

    /// Takes in the key of the entry that will have this index, the next one.
    #[inline]
    pub fn push(&mut self, key: u32, index: usize) {
        if !self.in_order {
            self.keys.push(key);
            self.any_order.set(key, index as u32 + 1);
        } else if let Some(bucket) = self.buckets.get_mut((key >> SHIFT) as usize) {
            if *bucket == 0 {
                *bucket = index as u32 + 1;
            }
        }
    }

    /// From now on a key that was taken in leads to another entry. Only for units that refer to others: alone, none stands for another one.
    pub fn redirect(&mut self, key: u32, index: usize) {
        if !self.in_order {
            self.any_order.set(key, index as u32 + 1);
        }
    }

    /// The index of the entry with a key that is not 0. `key_of` tells the key of the entry of an index, `None` behind the last one;
    /// `is_in` whether it was taken in.
    #[inline(always)]
    pub fn get(&self, key: u32, key_of: impl Fn(usize) -> Option<u32>, is_in: impl Fn(usize) -> bool) -> Option<usize> {
        if !self.in_order {
            return self.get_in_any_order(key);
        }
        let mut index = self.buckets.get((key >> SHIFT) as usize)?.checked_sub(1)? as usize;
        loop {
            let found = key_of(index)?;
            if found == key {
                return Some(index);
            }
            // Entries that nobody looks for may stand between those of a bucket.
            if found >> SHIFT != key >> SHIFT && is_in(index) {
                return None;
            }
            index += 1;
        }
    }

    #[cold]
    fn get_in_any_order(&self, key: u32) -> Option<usize> {
        (self.any_order.get(key) as usize).checked_sub(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_was_taken_in() {
        let keys = [11u32, 12, 0, 15, 16, 40, 0, 0, 47, 1000];
        for in_order in [true, false] {
            let mut map = KeyMap::default();
            for round in 0..2 {
                map.prepare(1024, in_order);
                let keys = keys.map(|key| key + round * u32::from(key != 0));
                let taken = || keys.iter().copied().enumerate().filter(|&(_, key)| key != 0);
                taken().for_each(|(index, key)| map.push(key, index));
                let get = |key| map.get(key, |index| keys.get(index).copied(), |index| keys[index] != 0);
                taken().for_each(|(index, key)| assert_eq!(get(key), Some(index)));
                assert_eq!((get(14 + round * 4), get(990)), (None, None));
            }
        }
    }

    #[test]
    fn the_last_of_equal_keys_counts() {
        let mut map = KeyMap::default();
        map.prepare(64, false);
        [20, 30, 20].iter().enumerate().for_each(|(index, &key)| map.push(key, index));
        let get = |map: &KeyMap, key| map.get(key, |_| None, |_| true);
        assert_eq!((get(&map, 20), get(&map, 30)), (Some(2), Some(1)));
        map.redirect(30, 2);
        assert_eq!(get(&map, 30), Some(2));
    }
}
