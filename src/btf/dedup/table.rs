//! The table of types that others may turn out to be equal to.
//!
//! Which of several candidates is tried first decides which type survives, and thereby the output, so the order has to be
//! libbpf's: its chained hash map puts an entry at the head of its chain, and moves chains entry by entry to the heads of new
//! chains whenever it doubles, which reverses the order of entries with equal keys. What matters is only the order among equal
//! types, and those share a chain under any hash function; so this table may use a cheaper hash, and fewer buckets, as long as it turns
//! its chains around at the same number of entries.

const END: u32 = u32::MAX;

/// A type, and the word index of its record when it is none of the base's: looking at a candidate should not cost two cache misses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Candidate {
    pub id: u32,
    pub start: u32,
}

struct Entry {
    hash: u32,
    candidate: Candidate,
    next: u32,
}

/// Candidates by hash.
pub(super) struct Table {
    /// Empty until candidates are looked for: what is [filed](Table::file) before is put into chains all at once.
    buckets: Vec<u32>,
    /// Binary logarithm of the number of buckets.
    bits: u32,
    /// The same of libbpf's table.
    doublings: u32,
    entries: Vec<Entry>,
    /// How many entries were filed at each doubling so far.
    turns: Vec<usize>,
    /// Entries as libbpf counts them: those that can never be found are counted but not kept.
    counted: usize,
    /// With so many counted, the next makes libbpf's table double.
    limit: usize,
    /// What counts of a hash.
    mask: u32,
}

/// Position in a chain.
#[derive(Clone, Copy)]
pub(super) struct Cursor {
    at: u32,
    hash: u32,
}

impl Table {
    /// A table whose hashes are cut to `mask`: all bits, unless hashes are to collide.
    pub(super) fn new(mask: u32) -> Table {
        Table { buckets: Vec::new(), bits: 0, doublings: 0, entries: Vec::new(), turns: Vec::new(), counted: 0, limit: 0, mask }
    }

    #[inline]
    fn effective(&self, hash: u32) -> u32 {
        hash & self.mask
    }

    #[inline]
    fn bucket(&self, hash: u32) -> usize {
        (u64::from(hash) << self.bits >> 32) as usize
    }

    /// A cursor before the first candidate with this hash.
    #[inline]
    pub(super) fn candidates(&self, hash: u32) -> Cursor {
        let hash = self.effective(hash);
        Cursor { at: self.buckets.get(self.bucket(hash)).copied().unwrap_or(END), hash }
    }

    /// The next candidate.
    #[inline]
    pub(super) fn next(&self, cursor: &mut Cursor) -> Option<Candidate> {
        while let Some(entry) = self.entries.get(cursor.at as usize) {
            cursor.at = entry.next;
            if entry.hash == cursor.hash {
                return Some(entry.candidate);
            }
        }
        None
    }

    pub(super) fn add(&mut self, hash: u32, candidate: Candidate) {
        self.count(1);
        if self.entries.len() >= self.buckets.len() {
            self.grow();
        }
        let hash = self.effective(hash);
        self.entries.push(Entry { hash, candidate, next: END });
        self.link(self.entries.len() - 1);
    }

    /// Adds a type of the base, before the first own one.
    pub(super) fn file(&mut self, hash: u32, id: u32) {
        self.count(1);
        let (hash, candidate) = (self.effective(hash), Candidate { id, start: 0 });
        self.entries.push(Entry { hash, candidate, next: END });
    }

    /// Puts what is filed into chains, in the order that turning around at each doubling would have given: an entry comes to stand in front of those
    /// before it when an even number of doublings follows, and otherwise behind them.
    pub(super) fn open(&mut self) {
        let turns = std::mem::take(&mut self.turns);
        let starts = [0].into_iter().chain(turns.iter().copied());
        let runs: Vec<_> = starts.zip(turns.iter().copied().chain([self.entries.len()])).map(|(from, to)| from..to).collect();
        self.bits = (2 * self.entries.len()).next_power_of_two().trailing_zeros().max(2);
        self.buckets = vec![END; 1 << self.bits];
        for run in runs.iter().rev().skip(1).step_by(2) {
            run.clone().rev().for_each(|at| self.link(at));
        }
        for run in runs.iter().skip(turns.len() % 2).step_by(2) {
            run.clone().for_each(|at| self.link(at));
        }
    }

    /// Puts an entry at the head of its chain.
    #[inline]
    fn link(&mut self, at: usize) {
        let bucket = self.bucket(self.entries[at].hash);
        self.entries[at].next = std::mem::replace(&mut self.buckets[bucket], at as u32);
    }

    /// Counts entries, to begin with those that no look-up would find.
    #[inline]
    pub(super) fn count(&mut self, more: u32) {
        let counted = self.counted + more as usize;
        while self.limit < counted {
            self.double();
        }
        self.counted = counted;
    }

    /// What libbpf does when its table doubles. Here there need not be more buckets for it than entries to fill them: it is for the order.
    fn double(&mut self) {
        self.doublings = (self.doublings + 1).max(2);
        // libbpf doubles when four thirds of the entries, the new one among them, are more than there are buckets.
        self.limit = (3 * ((1 << self.doublings) + 1) as usize).div_ceil(4) - 1;
        if self.buckets.is_empty() {
            self.turns.push(self.entries.len());
            return;
        }
        let bits = (2 * self.entries.len()).next_power_of_two().trailing_zeros().clamp(2, self.doublings);
        self.move_to(bits.max(self.bits), &mut Vec::new());
    }

    /// Makes room for entries whose number has caught up with what is counted beside them.
    fn grow(&mut self) {
        // Turned around here and once more.
        let mut turned = Vec::new();
        self.move_to(self.bits, &mut turned);
        self.move_to((self.bits + 2).min(31), &mut turned);
    }

    /// Moves chains entry by entry to the heads of new ones.
    fn move_to(&mut self, bits: u32, old: &mut Vec<u32>) {
        self.bits = bits;
        std::mem::swap(&mut self.buckets, old);
        self.buckets.clear();
        self.buckets.resize(1 << bits, END);
        for &mut mut at in old {
            while at != END {
                let next = self.entries[at as usize].next;
                let bucket = self.bucket(self.entries[at as usize].hash);
                self.entries[at as usize].next = self.buckets[bucket];
                self.buckets[bucket] = at;
                at = next;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chain(table: &Table, hash: u32) -> Vec<u32> {
        let mut cursor = table.candidates(hash);
        std::iter::from_fn(|| Some(table.next(&mut cursor)?.id)).collect()
    }

    #[test]
    fn newest_first_and_reversed_by_growth() {
        for mask in [u32::MAX, 0] {
            let mut table = Table::new(mask);
            assert_eq!(chain(&table, 7), []);
            for id in 1..=6 {
                table.add(7, Candidate { id, start: 0 });
            }
            // The fourth entry made four buckets eight, which turned the first three around.
            assert_eq!(chain(&table, 7), [6, 5, 4, 1, 2, 3]);
            table.add(7, Candidate { id: 7, start: 0 });
            assert_eq!(chain(&table, 7), [7, 3, 2, 1, 4, 5, 6]);
        }
    }

    #[test]
    fn what_is_filed_ends_up_in_the_order_of_what_is_added() {
        for count in 0..200 {
            let (mut filed, mut added) = (Table::new(u32::MAX), Table::new(u32::MAX));
            for id in 0..count {
                if id % 7 == 3 {
                    filed.count(id % 5);
                    added.count(id % 5);
                }
                filed.file(id % 3, id);
                added.add(id % 3, Candidate { id, start: 0 });
            }
            filed.open();
            for id in count..count + 100 {
                assert_eq!(chain(&filed, id % 3), chain(&added, id % 3));
                filed.add(id % 3, Candidate { id, start: 0 });
                added.add(id % 3, Candidate { id, start: 0 });
            }
            assert_eq!(filed.doublings, added.doublings);
        }
    }

    #[test]
    fn what_is_only_counted_turns_chains_around_and_takes_no_room() {
        let (mut counted, mut filled) = (Table::new(u32::MAX), Table::new(u32::MAX));
        for id in 0..40_000u32 {
            let (hash, candidate) = (id.wrapping_mul(0x9e37_79b9), Candidate { id, start: 0 });
            if id % 1000 < 3 || id > 30_000 {
                counted.add(hash, candidate);
                counted.add(7, candidate);
                filled.add(hash, candidate);
                filled.add(7, candidate);
            } else {
                counted.count(2);
                filled.add(hash, candidate);
                filled.add(!hash, candidate);
            }
            if id == 30_000 {
                assert!(counted.buckets.len() < 1024);
            }
            if id % 777 == 0 {
                assert_eq!(chain(&counted, 7), chain(&filled, 7));
            }
        }
        assert_eq!(chain(&counted, 7), chain(&filled, 7));
        assert_eq!(counted.doublings, filled.doublings);
    }
}
