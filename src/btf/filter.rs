//! A small set that may take for its own what it has not: asked first, it spares most look-ups in what is large.

/// A set of hashes, of which the highest bits count.
pub(super) struct Filter {
    bits: Vec<u64>,
    shift: u32,
}

/// The hash of a number.
#[inline]
pub(super) fn spread(number: u32) -> u64 {
    u64::from(number).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

impl Filter {
    /// With up to so many hashes it takes one in thirty-two in error.
    pub(super) fn with_room(count: usize) -> Filter {
        let log = (32 * count).next_power_of_two().trailing_zeros().clamp(6, 20);
        Filter { bits: vec![0; 1 << (log - 6)], shift: 64 - log }
    }

    /// Of numbers, to be asked for by their [hashes](spread).
    pub(super) fn of_numbers(numbers: &[u32]) -> Filter {
        let mut filter = Filter::with_room(numbers.len());
        numbers.iter().for_each(|&number| filter.add(spread(number)));
        filter
    }

    pub(super) fn add(&mut self, hash: u64) {
        let bit = hash >> self.shift;
        self.bits[(bit / 64) as usize] |= 1 << (bit % 64);
    }

    #[inline]
    pub(super) fn has(&self, hash: u64) -> bool {
        let bit = hash >> self.shift;
        self.bits[(bit / 64) as usize] >> (bit % 64) & 1 != 0
    }
}
