//! Which types earlier units had.

/// How many types are looked up together.
const BATCH: usize = 32;

/// The hashes of the types added so far, with their ids: open addressing, 96 bits of each hash.
#[derive(Default)]
pub(super) struct Seen {
    slots: Vec<Slot>,
    len: usize,
    /// Slots to start with, once there is a hash.
    at_first: usize,
}

#[derive(Clone, Copy, Default)]
struct Slot {
    high: u64,
    low: u32,
    /// 0 for an empty slot.
    id: u32,
}

/// The bits of a hash that count. Its halves have some in common, which must not cancel: the lower one says in all bits what is declared only.
#[inline]
fn split(hash: u128) -> (u64, u32) {
    ((hash >> 64) as u64 ^ (hash as u64).rotate_left(32), hash as u32)
}

impl Seen {
    /// An empty table, to have room for what `info_size` bytes of `.debug_info` are likely to bring: growing means to move everything.
    pub(super) fn for_file(info_size: u64) -> Seen {
        const BYTES_A_SLOT: u64 = 800;
        let size = (info_size / BYTES_A_SLOT).clamp(1 << 12, 1 << 24) as usize;
        Seen { slots: Vec::new(), len: 0, at_first: size }
    }

    /// Grows by half: what the table takes is most of what the merge takes.
    fn reserve(&mut self, more: usize) {
        let size = self.slots.len();
        if (self.len + more) * 6 <= size * 5 {
            return;
        }
        let size = (size + size / 2).max((self.len + more) * 2).max(self.at_first);
        let old = std::mem::replace(&mut self.slots, vec![Slot::default(); size]);
        for slot in old {
            if slot.id != 0 {
                let at = self.place(slot.high, slot.low);
                self.slots[at] = slot;
            }
        }
    }

    /// Where the search for a hash starts.
    #[inline]
    fn home(&self, high: u64) -> usize {
        ((u128::from(high) * self.slots.len() as u128) >> 64) as usize
    }

    /// The slot of a hash, or the empty one where it belongs.
    #[inline]
    fn place(&self, high: u64, low: u32) -> usize {
        let size = self.slots.len();
        let mut at = self.home(high);
        loop {
            let slot = &self.slots[at];
            if slot.id == 0 || (slot.high == high && slot.low == low) {
                return at;
            }
            at += 1;
            if at == size {
                at = 0;
            }
        }
    }
}

impl Seen {
    /// Fills in the ids of a unit's types; 0 for those that no earlier unit had.
    pub(super) fn find(&mut self, hashes: &[u128], map: &mut Vec<u32>) {
        self.reserve(hashes.len());
        map.clear();
        for batch in hashes.chunks(BATCH) {
            // Touching the slots first lets the loads from memory overlap.
            let touched = batch.iter().fold(0, |x, hash| x ^ self.slots[self.home(split(*hash).0)].id);
            std::hint::black_box(touched);
            map.extend(batch.iter().map(|hash| {
                let (high, low) = split(*hash);
                self.slots[self.place(high, low)].id
            }));
        }
    }

    /// Gives ids, from `first` on, to the types that have none in the map, and returns the id behind the last. Types that are equal stay, but the
    /// first of them is what later units find.
    pub(super) fn insert(&mut self, hashes: &[u128], map: &mut [u32], first: u32) -> u32 {
        let mut next = first;
        for (hash, id) in hashes.iter().zip(map).filter(|(_, id)| **id == 0) {
            let (high, low) = split(*hash);
            let at = self.place(high, low);
            if self.slots[at].id == 0 {
                self.slots[at] = Slot { high, low, id: next };
                self.len += 1;
            }
            *id = next;
            next += 1;
        }
        next
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assign(seen: &mut Seen, first: u32, hashes: &[u128]) -> Vec<u32> {
        let mut map = Vec::new();
        seen.find(hashes, &mut map);
        let end = seen.insert(hashes, &mut map, first);
        assert_eq!(end, map.iter().copied().max().map_or(first, |max| first.max(max + 1)));
        map
    }

    fn hash(n: u32) -> u128 {
        u128::from(n + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835)
    }

    #[test]
    fn known_types_are_found_wherever_they_are() {
        let mut seen = Seen::for_file(0);
        let all: Vec<u128> = (0..5000).map(hash).collect();
        assert_eq!(assign(&mut seen, 10, &all), (10..5010).collect::<Vec<_>>());
        // Ids between units are not the table's.
        assert_eq!(assign(&mut seen, 5100, &[hash(7), hash(4000), hash(4003), hash(9999), hash(8)]), [17, 4010, 4013, 5100, 18]);
        assert_eq!(assign(&mut seen, 5101, &[hash(9999), hash(4999)]), [5100, 5009]);
        let reversed: Vec<u128> = (0..5000).rev().map(hash).collect();
        assert_eq!(assign(&mut seen, 5101, &reversed), (10..5010).rev().collect::<Vec<_>>());
    }

    #[test]
    fn repetitions_inside_a_unit_stay_and_the_first_counts() {
        let mut seen = Seen::for_file(0);
        assert_eq!(assign(&mut seen, 1, &[hash(1), hash(2), hash(1), hash(3)]), [1, 2, 3, 4]);
        assert_eq!(assign(&mut seen, 5, &[hash(1), hash(2), hash(1), hash(3)]), [1, 2, 1, 4]);
    }

    #[test]
    fn grows() {
        let mut seen = Seen::for_file(0);
        for unit in 0..50 {
            let hashes: Vec<u128> = (unit * 100..unit * 100 + 200).map(hash).collect();
            let first = if unit == 0 { 1 } else { unit * 100 + 101 };
            assert_eq!(assign(&mut seen, first, &hashes), (unit * 100 + 1..unit * 100 + 201).collect::<Vec<_>>());
        }
    }
}
