//! Types that lead back to themselves with no struct, union or typedef between: a pointer to itself, an array of itself, a function that returns
//! its own type. C cannot declare them, and deduplication has no order for them, so that one damaged entry would cost the whole file. They are
//! cut where the circle closes.
//!
//! Only a circle has an entry that refers to one behind it and is led back from there. So the walk starts at such references alone, which lead
//! to a struct in most sources.

use super::builder::{Builder, Die};
use crate::btf::Kind;
use crate::dwarf::source::OUTER;
use rustc_hash::FxHashMap;
use std::ops::Range;

/// References passed before a walk counts as one that may go in a circle.
const FEW: usize = 8;

impl Builder<'_> {
    /// Cuts the circles that the unit's own types make. References are local ids by now.
    pub(super) fn cut_circles(&mut self) {
        let mut starts = std::mem::take(&mut self.s.forward);
        for i in 0..self.s.aliases.len() {
            let (key, target) = self.s.aliases[i];
            if target >= key && target < OUTER {
                if let Some(Die::Type(id)) = self.s.lookup(target) {
                    starts.push(id);
                }
            }
        }
        // Of types on the path of the walk `true`, of those that are done `false`.
        let mut seen = FxHashMap::default();
        for &id in &starts {
            if self.may_close(id) && !seen.contains_key(&id) {
                self.cut_from(id, &mut seen);
            }
        }
        starts.clear();
        self.s.forward = starts;
    }

    /// The words of a record that lead to further types.
    fn links(&self, id: u32) -> Range<usize> {
        let Some(&start) = self.out.starts.get((id as usize).wrapping_sub(1)) else { return 0..0 };
        let start = start as usize;
        let info = self.out.words[start + 1];
        match Kind::of_info(info) {
            Some(Kind::Ptr | Kind::Const | Kind::Volatile | Kind::Restrict | Kind::TypeTag) => start + 2..start + 3,
            Some(Kind::Array) => start + 3..start + 4,
            // Between the types of the parameters stand their names.
            Some(Kind::FuncProto) => start + 2..start + 3 + 2 * (info & 0xffff) as usize,
            _ => 0..0,
        }
    }

    /// Whether a few steps do not show that all that a type refers to ends every walk.
    fn may_close(&self, id: u32) -> bool {
        self.links(id).step_by(2).any(|word| self.may_go_on(self.out.words[word]))
    }

    fn may_go_on(&self, mut id: u32) -> bool {
        for _ in 0..FEW {
            let links = self.links(id);
            match links.len() {
                0 => return false,
                1 => id = self.out.words[links.start],
                _ => return true,
            }
        }
        true
    }

    fn cut_from(&mut self, id: u32, seen: &mut FxHashMap<u32, bool>) {
        let mut path = vec![(id, self.links(id))];
        seen.insert(id, true);
        while let Some((id, links)) = path.last_mut() {
            let Some(word) = links.next() else {
                seen.insert(*id, false);
                path.pop();
                continue;
            };
            links.start = (word + 2).min(links.end);
            let (id, next) = (*id, self.out.words[word]);
            match seen.get(&next) {
                Some(true) => {
                    self.out.words[word] = 0;
                    self.say_circle(id);
                }
                Some(false) => {}
                None => {
                    seen.insert(next, true);
                    path.push((next, self.links(next)));
                }
            }
        }
    }

    #[cold]
    fn say_circle(&mut self, id: u32) {
        // What has no entry of its own (inner dimensions, tags) comes before what it is of.
        let keys = &self.s.types[id as usize - 1..];
        let key = keys.iter().copied().find(|&key| key != 0).unwrap_or(0);
        self.say(key, "type that leads back to itself with no struct or typedef between: taken for void there");
    }
}
