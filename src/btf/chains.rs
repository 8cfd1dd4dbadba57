//! Where the records of a long type section start.
//!
//! Where a record ends is known when its head has been read, and there the next begins: a chain that the processor waits for. Who has an
//! index of the types already can tell where to begin in the middle, and several chains are followed in the time of one.

use super::record::{INFO, record_len};
use crate::system;

/// Of whoever has the BTF: the number of types, void and a base's included, and the address of a type's record. Both are believed only
/// as far as the records are found so.
pub struct Index<'a> {
    pub types: u32,
    pub address: &'a dyn Fn(u32) -> usize,
}

const CHAINS: usize = 4;

impl Index<'_> {
    /// Where the records of `words` start, of types from `first` on; `None` where they do not lie as the index says.
    pub(super) fn starts(&self, words: &[u32], first: u32) -> Option<Vec<u32>> {
        let count = self.types.checked_sub(first)? as usize;
        // A record has three words and more.
        if count < CHAINS || count > words.len() / 3 {
            return None;
        }
        let part = count / CHAINS;
        let place = |chain: usize| {
            let bytes = (self.address)(first + (chain * part) as u32).checked_sub(words.as_ptr().addr())?;
            (bytes % size_of::<u32>() == 0).then_some(bytes / size_of::<u32>())
        };
        let begin = [0, place(1)?, place(2)?, place(3)?];
        let mut starts = Vec::with_capacity(count);
        system::take_pages(&mut starts, count);
        starts.resize(count, 0);
        let mut at = begin;
        {
            let (a, rest) = starts.split_at_mut(part);
            let (b, rest) = rest.split_at_mut(part);
            let (c, d) = rest.split_at_mut(part);
            for (((a, b), c), d) in a.iter_mut().zip(b).zip(c).zip(&mut *d) {
                step(words, &mut at[0], a)?;
                step(words, &mut at[1], b)?;
                step(words, &mut at[2], c)?;
                step(words, &mut at[3], d)?;
            }
            d[part..].iter_mut().try_for_each(|start| step(words, &mut at[3], start))?;
        }
        (at == [begin[1], begin[2], begin[3], words.len()]).then_some(starts)
    }
}

/// Notes where a record starts, and goes on to the next.
#[inline]
fn step(words: &[u32], at: &mut usize, start: &mut u32) -> Option<()> {
    *start = *at as u32;
    *at += record_len(*words.get(*at + INFO)?)?;
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::btf::{Kind, info_word};

    /// Records of some lengths, and where they start.
    fn records(count: u32) -> (Vec<u32>, Vec<u32>) {
        let (mut words, mut starts) = (Vec::new(), Vec::new());
        for number in 0..count {
            starts.push(words.len() as u32);
            let kind = [Kind::Ptr, Kind::Struct, Kind::Int, Kind::FuncProto][number as usize % 4];
            let info = info_word(kind, if number % 2 == 0 { 0 } else { number as u16 % 7 }, false);
            words.extend([0, info, 0]);
            words.resize(starts[number as usize] as usize + record_len(info).expect("a known kind"), 0);
        }
        (words, starts)
    }

    #[test]
    fn all_are_found_from_several_places() {
        for count in 0..50 {
            for first in [1, 1000] {
                let (words, starts) = records(count);
                let address = |id: u32| words.as_ptr().addr() + 4 * starts[(id - first) as usize] as usize;
                let found = Index { types: first + count, address: &address }.starts(&words, first);
                assert_eq!(found, (count >= CHAINS as u32).then_some(starts));
            }
        }
    }

    #[test]
    fn a_wrong_index_is_not_believed() {
        let (mut words, starts) = records(41);
        let sound = |id: u32| words.as_ptr().addr() + 4 * starts[id as usize - 1] as usize;
        assert!(Index { types: 42, address: &sound }.starts(&words, 1).is_some());
        for types in [0, 1, 2, 41, 43, 1000, u32::MAX] {
            let address = |id: u32| sound(id.min(41));
            assert_eq!(Index { types, address: &address }.starts(&words, 1), None);
        }
        for wrong in [11, 21, 31] {
            for moved in [1, 3, 4, 12, usize::MAX / 2, usize::MAX - 3, 0usize.wrapping_sub(sound(wrong))] {
                let address = |id: u32| if id == wrong { sound(id).wrapping_add(moved) } else { sound(id) };
                assert_eq!(Index { types: 42, address: &address }.starts(&words, 1), None);
            }
        }
        words[1] = u32::MAX;
        let address = |id: u32| words.as_ptr().addr() + 4 * starts[id as usize - 1] as usize;
        assert_eq!(Index { types: 42, address: &address }.starts(&words, 1), None);
    }
}
