//! Circles among entries or types that each lead to one other. Nobody writes them on purpose, and no walk may go on forever.

use rustc_hash::FxHashMap;

/// Tells when a walk goes in a circle, at the latest after three rounds (Brent's algorithm).
pub struct Circle {
    mark: u32,
    steps: u64,
    next_mark: u64,
}

impl Circle {
    /// A walk that starts at `id`.
    pub fn from(id: u32) -> Circle {
        Circle { mark: id, steps: 0, next_mark: 1 }
    }

    /// The walk goes on to `id`: whether it has been there.
    pub fn is_closed_by(&mut self, id: u32) -> bool {
        if id == self.mark {
            return true;
        }
        self.steps += 1;
        if self.steps == self.next_mark {
            self.mark = id;
            self.next_mark *= 2;
        }
        false
    }
}

/// What a type that leads to one other type is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Link {
    Pointer,
    /// A typedef: programs that follow pointers stop there.
    Name,
    /// A qualifier or an array.
    Other,
}

/// The types, in order, whose link closes a circle that no program should be led into: one of typedefs, qualifiers and arrays, or one of
/// pointers without a typedef. No language has such types; a pointer type that leads to its own typedef is legal in Go.
///
/// `next` tells what a type leads to, `None` for those that end every walk. `firsts` are the types to start at, in order: all, or at least those
/// that lead to themselves or to one behind them.
pub fn closing_links(firsts: impl IntoIterator<Item = u32>, next: impl Fn(u32) -> Option<(Link, u32)>) -> Vec<u32> {
    /// References passed before a walk counts as one that may go in a circle.
    const FEW: u32 = 8;
    let may_close = |mut id| {
        for _ in 0..FEW {
            match next(id) {
                Some((_, target)) => id = target,
                None => return false,
            }
        }
        true
    };
    let mut closing = Vec::new();
    // On which walk a type was met.
    let mut seen = FxHashMap::default();
    for first in firsts {
        // A circle has a type that leads to one behind it, or to itself.
        let starts = next(first).is_some_and(|(_, target)| target >= first) && may_close(first);
        if !starts || seen.contains_key(&first) {
            continue;
        }
        seen.insert(first, first);
        let mut last = first;
        while let Some((_, target)) = next(last) {
            match seen.get(&target) {
                Some(&walk) => {
                    if walk == first && !is_go(target, last, &next) {
                        closing.push(last);
                    }
                    break;
                }
                None => {
                    seen.insert(target, first);
                    last = target;
                }
            }
        }
    }
    closing.sort_unstable();
    closing
}

/// Whether both a pointer and a typedef are in the circle from `first` to `last`.
fn is_go(first: u32, last: u32, next: &impl Fn(u32) -> Option<(Link, u32)>) -> bool {
    let (mut id, mut pointer, mut name) = (first, false, false);
    while let Some((link, target)) = next(id) {
        pointer |= link == Link::Pointer;
        name |= link == Link::Name;
        if id == last {
            break;
        }
        id = target;
    }
    pointer && name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn circles_are_closed_once_and_go_types_stay() {
        let types = [
            Some((Link::Other, 0)),
            Some((Link::Name, 2)),
            Some((Link::Pointer, 1)),
            Some((Link::Pointer, 4)),
            Some((Link::Other, 3)),
            Some((Link::Pointer, 6)),
            None,
            Some((Link::Name, 8)),
            Some((Link::Name, 7)),
            Some((Link::Other, 8)),
        ];
        assert_eq!(closing_links(0..types.len() as u32, |id| types[id as usize]), [0, 4, 8]);
    }

    #[test]
    fn a_walk_in_a_circle_ends() {
        let mut circle = Circle::from(0);
        assert!((1..=1000).cycle().take(5000).any(|id| circle.is_closed_by(id)));
        let mut straight = Circle::from(0);
        assert!(!(1..100_000).any(|id| straight.is_closed_by(id)));
    }
}
