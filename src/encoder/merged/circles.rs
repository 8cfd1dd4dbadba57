//! Types that lead from unit to unit and back to themselves with no struct, union or typedef between: see [`crate::encoder::circles`], which cuts
//! those inside of a unit.
//!
//! Such a circle has a reference to a later unit, which was pending until now: a *step*. The walk starts behind steps alone, and the entry that
//! the last step on the way refers to is where the circle can be shown to be. Records know of no entries.

use super::{Assembly, Lost, ids_in};
use crate::btf::{Btf, Kind, TypeId};
use rustc_hash::FxHashMap;

/// References passed before a walk counts as one that may go in a circle.
const FEW: usize = 8;

/// A reference to a later unit.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Step {
    pub id: TypeId,
    /// Index of the word in the record.
    pub word: usize,
    /// Position in the list of places of what is referred to.
    pub target: u32,
}

/// A type on the path of the walk.
struct Frame<Links> {
    id: TypeId,
    links: Links,
    /// The target of the last step on the way.
    step: u32,
}

impl Assembly<'_> {
    /// Has references lead to void where they close a circle. `steps` are those of types that lead on, in order.
    pub(super) fn cut_circles(&mut self, steps: &[Step]) {
        let btf = &mut self.encoder.btf;
        // Of types on the path of the walk `true`, of those that are done `false`.
        let mut seen = FxHashMap::default();
        let mut path = Vec::new();
        for &Step { id, word, target } in steps {
            let Some(root) = btf.record(id).map(|words| TypeId(words[word])) else { continue };
            if !may_go_on(btf, root) || seen.contains_key(&root) {
                continue;
            }
            seen.insert(root, true);
            path.push(Frame { id: root, links: links(btf, root), step: target });
            while let Some(Frame { id, links: rest, step }) = path.last_mut() {
                let Some(word) = rest.next() else {
                    seen.insert(*id, false);
                    path.pop();
                    continue;
                };
                let (id, step) = (*id, *step);
                let Some(next) = btf.record(id).map(|words| TypeId(words[word])) else { continue };
                let own = steps.binary_search_by_key(&(id, word), |step| (step.id, step.word));
                let step = own.map_or(step, |at| steps[at].target);
                match seen.get(&next) {
                    Some(true) => {
                        if let Some(words) = btf.record_mut(id) {
                            words[word] = 0;
                        }
                        self.lost.borrow_mut().push((step, Lost::End));
                    }
                    Some(false) => {}
                    None => {
                        seen.insert(next, true);
                        path.push(Frame { id: next, links: links(btf, next), step });
                    }
                }
            }
        }
    }
}

/// Whether a few steps do not show that all that a type leads to ends every walk.
fn may_go_on(btf: &Btf, mut id: TypeId) -> bool {
    for _ in 0..FEW {
        let mut links = links(btf, id);
        let Some(word) = links.next() else { return false };
        match btf.record(id) {
            Some(words) if links.next().is_none() => id = TypeId(words[word]),
            _ => return true,
        }
    }
    true
}

/// Where the record of a type has references that deduplication follows to their end; of a type that ends every walk there are none.
fn links(btf: &Btf, id: TypeId) -> impl Iterator<Item = usize> + use<> {
    let words = btf.record(id).filter(|words| leads_on(words));
    ids_in(words.unwrap_or(&[0, 0]))
}

/// Whether a type is one of those whose references deduplication follows to their end.
pub(super) fn leads_on(words: &[u32]) -> bool {
    matches!(
        Kind::of_info(words[1]),
        Some(Kind::Ptr | Kind::Const | Kind::Volatile | Kind::Restrict | Kind::TypeTag | Kind::Array | Kind::FuncProto)
    )
}
