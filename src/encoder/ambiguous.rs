//! Names that stand for more than one definition in a file.

use super::fragment::Named;
use parking_lot::RwLock;
use rustc_hash::FxHashMap;
use std::sync::atomic::{AtomicU32, Ordering};

/// The ambiguous names met so far. The ordered stage adds to them; workers look some up early, so that the ordered stage need not.
#[derive(Default)]
pub struct Ambiguous {
    count: AtomicU32,
    /// Keys of names, each with the number of those known before.
    keys: RwLock<FxHashMap<u64, u32>>,
}

impl Ambiguous {
    /// How many there are.
    pub(super) fn count(&self) -> u32 {
        self.count.load(Ordering::Acquire)
    }

    /// Whether the name was not known to be one.
    pub(super) fn add(&self, key: u64) -> bool {
        let mut keys = self.keys.write();
        let known = keys.len() as u32;
        keys.entry(key).or_insert(known);
        self.count.store(keys.len() as u32, Ordering::Release);
        keys.len() as u32 > known
    }

    /// The positions of those types in the list whose names are among the first `known` ambiguous ones, given to `found`.
    pub(super) fn find(&self, named: &[Named], known: u32, mut found: impl FnMut(usize)) {
        if known == 0 {
            return;
        }
        let keys = self.keys.read();
        for (i, named) in named.iter().enumerate() {
            if keys.get(&named.key).is_some_and(|&before| before < known) {
                found(i);
            }
        }
    }

    /// Whether one of the names became ambiguous after `known` others, and `counts`.
    pub(super) fn has_any_since(&self, named: &[Named], known: u32, counts: impl Fn(&Named) -> bool) -> bool {
        if self.count() == known {
            return false;
        }
        let keys = self.keys.read();
        named.iter().any(|named| keys.get(&named.key).is_some_and(|&before| before >= known) && counts(named))
    }
}
