//! A number for each type that equal types have in common, and few others: what tells of most types that they are equal to none of some other ones.
//!
//! The name is one for types that have a name. For the others it is made of what stands first of: the names in the first and the last row, the
//! number of what a type refers to. Where a type without a name is equal to all that there is of its kind, the number is 0, and so is that
//! of what refers to it.

use crate::btf::Kind;
use crate::btf::record::{HEAD, INFO, NAME, SIZE_OR_TYPE, kind_number, vlen_of};
use crate::system;

/// Larger than all heads: the rest is a type whose head is needed first.
const WAITS: u32 = 1 << 31;

/// The heads of types that follow each other, void among them where they are the first.
pub(super) struct Heads {
    /// The id of the first.
    first: u32,
    heads: Vec<u32>,
}

impl Heads {
    /// Those of types from an id on, with room for so many.
    pub(super) fn from(first: u32, room: usize) -> Heads {
        let mut heads = Vec::with_capacity(room);
        system::take_pages(&mut heads, room);
        Heads { first, heads }
    }

    pub(super) fn end(&self) -> u32 {
        self.first + self.heads.len() as u32
    }

    /// All of them, once they are complete.
    pub(super) fn all(&self) -> &[u32] {
        &self.heads
    }

    #[inline]
    fn index(&self, id: u32) -> Option<usize> {
        id.checked_sub(self.first).map(|index| index as usize).filter(|&index| index < self.heads.len())
    }

    /// The head of a type, or what it waits for; 0 for void and what does not exist.
    #[inline]
    fn get(&self, id: u32) -> u32 {
        self.index(id).map_or(0, |index| self.heads[index])
    }

    /// Takes types that follow, whole records of `words` that begin at `starts`, and tells `note` of each: its id, its name and its info word.
    /// Those that wait for types to come are completed later.
    ///
    /// Kinds come in no order that a processor foresees. So first all get the head of those with names, and the ones without are listed: those that
    /// only refer to another type, and those of which more has to be looked at. Then each list is gone through by itself.
    pub(super) fn extend(&mut self, words: &[u32], starts: &[u32], mut note: impl FnMut(u32, u32, u32)) {
        /// Types that are looked at together.
        const TOGETHER: usize = 1024;
        const REFERS: u32 = set(Kind::Ptr) | set(Kind::Const) | set(Kind::Volatile) | set(Kind::Restrict);
        let (mut referring, mut others) = ([0; TOGETHER], [0; TOGETHER]);
        let word = |at: usize| words.get(at).copied().unwrap_or(0);
        for (number, chunk) in starts.chunks(TOGETHER).enumerate() {
            let begin = self.heads.len();
            let (mut refer, mut other) = (0, 0);
            self.heads.extend(chunk.iter().zip(0..).map(|(&start, index)| {
                let (name, info) = (word(start as usize + NAME), word(start as usize + INFO));
                let kind = kind_number(info);
                note(self.first + begin as u32 + index, name, info);
                let refers = REFERS >> kind & 1 != 0;
                referring[refer % TOGETHER] = index;
                others[other % TOGETHER] = index;
                refer += usize::from((name == 0) & refers);
                other += usize::from((name == 0) & !refers);
                // Types of other kinds have names that functions have, too.
                let head = name ^ u32::from(kind == Kind::Func as u32) << 30;
                if name == 0 { WAITS } else { head }
            }));
            let next = starts.get((number + 1) * TOGETHER).map_or(words.len(), |&start| start as usize);
            for &index in &others[..other] {
                let index = index as usize;
                let end = chunk.get(index + 1).map_or(next, |&end| end as usize);
                let record = words.get(chunk[index] as usize..end).unwrap_or(&[]);
                let info = record.get(INFO).copied().unwrap_or(0);
                let Told { names, mix, to } = Told::of(record, info);
                self.heads[begin + index] = if names == 0 { self.of_target(to, mix) } else { mixed(names, info) };
            }
            for &index in &referring[..refer] {
                let start = chunk[index as usize] as usize;
                self.heads[begin + index as usize] = self.of_target(word(start + SIZE_OR_TYPE), word(start + INFO));
            }
        }
    }

    /// The head of a type that is told from others by what it refers to, and by `mix`; or what it waits for.
    #[inline]
    fn of_target(&self, to: u32, mix: u32) -> u32 {
        let head = match self.index(to) {
            Some(index) => self.heads[index],
            None if to == 0 => 0,
            None => WAITS,
        };
        if head & WAITS == 0 { derived(head, mix) } else { WAITS | to }
    }

    /// Works out what waits; `record` gives the types. `false` if some wait for themselves, and count as equal to anything.
    pub(super) fn complete<'a>(&mut self, record: impl Fn(u32) -> Option<&'a [u32]>) -> bool {
        /// A way that is longer is a circle, or as good as one.
        const LONGEST: usize = 1 << 10;
        let mut path = Vec::new();
        let mut is_complete = true;
        for index in 0..self.heads.len() {
            if self.heads[index] & WAITS == 0 {
                continue;
            }
            let mut id = self.first + index as u32;
            while self.get(id) & WAITS != 0 && path.len() < LONGEST {
                path.push(id);
                id = self.get(id) & !WAITS;
            }
            let mut head = self.get(id);
            if head & WAITS != 0 {
                (head, is_complete) = (0, false);
            }
            for id in path.drain(..).rev() {
                let mix = record(id).map_or(0, |record| Told::of(record, record.get(INFO).copied().unwrap_or(0)).mix);
                head = derived(head, mix);
                if let Some(index) = self.index(id) {
                    self.heads[index] = head;
                }
            }
        }
        is_complete
    }
}

/// A set of one kind.
pub(super) const fn set(kind: Kind) -> u32 {
    1 << kind as u32
}

/// The head of what refers to a type with this one.
#[inline]
fn derived(head: u32, mix: u32) -> u32 {
    if head == 0 { 0 } else { mixed(u64::from(head) << 32, mix) }
}

/// A head, which is not 0.
#[inline]
fn mixed(number: u64, info: u32) -> u32 {
    ((number ^ u64::from(info) << 27).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33) as u32 | 1
}

/// What a type without a name is told by.
struct Told {
    /// Names in its first and last row.
    names: u64,
    /// What distinguishes it from others that refer to the same type.
    mix: u32,
    /// The type that it refers to; 0 for none.
    to: u32,
}

impl Told {
    #[inline]
    fn of(record: &[u32], info: u32) -> Told {
        let word = |at: usize| record.get(at).copied().unwrap_or(0);
        let by_target = |to: u32, mix: u32| Told { names: 0, mix, to };
        let by_rows = |words: usize| {
            let last = record.len().wrapping_sub(words);
            Told { names: u64::from(word(HEAD)) << 32 | u64::from(word(last)), mix: info, to: word(last.wrapping_add(1)) }
        };
        match Kind::of_info(info) {
            Some(Kind::FuncProto) if vlen_of(info) != 0 => by_rows(2),
            Some(Kind::Struct | Kind::Union) if vlen_of(info) != 0 => by_rows(3),
            Some(Kind::Array) => by_target(word(HEAD), info ^ word(HEAD + 2).rotate_left(16)),
            // Enumerations without names may be equal to one without enumerators.
            None
            | Some(
                Kind::Int | Kind::Float | Kind::Fwd | Kind::Enum | Kind::Enum64 | Kind::Datasec | Kind::Struct | Kind::Union,
            ) => by_target(0, info),
            Some(_) => by_target(word(SIZE_OR_TYPE), info),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::btf::info_word;

    fn heads_of(first: u32, records: &[Vec<u32>]) -> (Vec<u32>, bool) {
        let mut heads = Heads::from(first, records.len());
        let starts: Vec<u32> =
            records.iter().scan(0, |end, record| Some(std::mem::replace(end, *end + record.len() as u32))).collect();
        heads.extend(&records.concat(), &starts, |_, _, _| ());
        let complete = heads.complete(|id| records.get(id.checked_sub(first)? as usize).map(Vec::as_slice));
        (heads.all().to_vec(), complete)
    }

    /// Eleven types that refer to each other by their place in this list; the numbers are ids where they stand in `places`. Between them are others.
    fn types(first: u32, places: &[u32]) -> Vec<Vec<u32>> {
        let id = |number: u32| first + places[number as usize];
        let info = |kind, vlen| info_word(kind, vlen, false);
        let records = [
            vec![10, info(Kind::Struct, 1), 8, 20, id(1), 0],
            vec![0, info(Kind::Ptr, 0), id(2)],
            vec![0, info(Kind::Const, 0), id(0)],
            vec![0, info(Kind::Array, 0), 0, id(1), id(4), 7],
            vec![30, info(Kind::Int, 0), 4, 32],
            vec![0, info(Kind::Struct, 2), 8, 0, id(1), 0, 0, id(3), 32],
            vec![0, info(Kind::FuncProto, 2), id(4), 0, id(1), 0, id(3)],
            vec![0, info(Kind::FuncProto, 0), id(1)],
            vec![0, info(Kind::FuncProto, 1), id(1), 20, id(4)],
            vec![0, info(Kind::Ptr, 0), id(7)],
            vec![0, info(Kind::Array, 0), 0, id(1), id(4), 8],
        ];
        let last = places.iter().max().map_or(0, |&last| last as usize);
        let mut ordered = vec![vec![40, info(Kind::Int, 0), 4, 32]; last + 1];
        for (record, &place) in records.into_iter().zip(places) {
            ordered[place as usize] = record;
        }
        ordered
    }

    #[test]
    fn heads_do_not_depend_on_the_order() {
        let count = 11;
        let forth: Vec<u32> = (0..count).collect();
        let back: Vec<u32> = (0..count).rev().collect();
        let mixed: Vec<u32> = (0..count).map(|number| number * 7 % count).collect();
        let (expected, complete) = heads_of(1, &types(1, &forth));
        assert!(complete && expected.iter().all(|&head| head != 0 && head & WAITS == 0));
        let different: std::collections::HashSet<_> = expected.iter().collect();
        assert_eq!(different.len(), expected.len());
        let far = |places: &[u32]| places.iter().map(|&place| place * 317).collect::<Vec<u32>>();
        for places in [far(&forth), far(&back), far(&mixed), back, mixed] {
            for first in [1, 1000] {
                let (heads, complete) = heads_of(first, &types(first, &places));
                assert!(complete);
                assert_eq!(places.iter().map(|&place| heads[place as usize]).collect::<Vec<_>>(), expected);
            }
        }
    }

    #[test]
    fn declarations_have_the_head_of_what_they_declare_and_functions_another() {
        let head = |kind| heads_of(1, &[vec![5, info_word(kind, 0, false), 0]]).0[0];
        assert_eq!((head(Kind::Fwd), head(Kind::Struct), head(Kind::Union)), (5, 5, 5));
        assert_eq!((head(Kind::Enum), head(Kind::Enum64)), (5, 5));
        assert_ne!(head(Kind::Func), 5);
    }

    #[test]
    fn circles_and_what_is_not_there_are_anything() {
        let ptr = |to| vec![0, info_word(Kind::Ptr, 0, false), to];
        assert_eq!(heads_of(1, &[ptr(2), ptr(1), ptr(3)]), (vec![0; 3], false));
        assert_eq!(heads_of(1, &[ptr(0), ptr(9), ptr(u32::MAX), vec![], vec![0, u32::MAX]]), (vec![0; 5], true));
    }
}
