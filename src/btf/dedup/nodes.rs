//! What deduplication knows of each type, kept together because the walks jump from type to type: this way each costs one cache miss here and one in
//! the record.
//!
//! Of a base's hundred thousand types a module meets few. What is known of the others to begin with is all zeros in memory, which the system
//! hands out page by page, when one is looked at.

/// Not looked at yet. All values above [`MAX_ID`](super::MAX_ID) mean that there is no canonical type so far.
pub(super) const UNMAPPED: u32 = u32::MAX;

/// By id, void and base types included.
pub(super) struct Nodes(Vec<Node>);

/// A plain array, of which a vector of zeros is made without writing any.
type Node = [u32; 4];

/// The type that this one is replaced by, exclusive or its own id: 0 for survivors. Chains are allowed.
const MAP: usize = 0;
/// During a comparison of graphs: the type that this one, of the candidate's graph, would correspond to. All bits inverted: 0 for none.
const HYPOTHESIS: usize = 1;
/// Word index of an own record.
const START: usize = 2;
/// The info word of an own record.
const INFO: usize = 3;

impl Nodes {
    /// As many types that stay.
    pub(super) fn staying(count: u32) -> Nodes {
        Nodes(vec![[0; 4]; count as usize])
    }

    #[inline]
    pub(super) fn count(&self) -> u32 {
        self.0.len() as u32
    }

    /// Sets all that is known of an own type before anything is compared.
    #[inline]
    pub(super) fn set(&mut self, id: u32, map: u32, start: u32, info: u32) {
        self.0[id as usize] = [map ^ id, 0, start, info];
    }

    /// Its own id for a type that there is not: what a base refers to is not looked at before.
    #[inline]
    pub(super) fn map(&self, id: u32) -> u32 {
        self.0.get(id as usize).map_or(0, |node| node[MAP]) ^ id
    }

    #[inline]
    pub(super) fn set_map(&mut self, id: u32, to: u32) {
        if let Some(node) = self.0.get_mut(id as usize) {
            node[MAP] = to ^ id;
        }
    }

    /// [`UNMAPPED`] where there is none.
    #[inline]
    pub(super) fn hypothesis(&self, id: u32) -> u32 {
        !self.0.get(id as usize).map_or(0, |node| node[HYPOTHESIS])
    }

    #[inline]
    pub(super) fn set_hypothesis(&mut self, id: u32, to: u32) {
        if let Some(node) = self.0.get_mut(id as usize) {
            node[HYPOTHESIS] = !to;
        }
    }

    /// Beyond all words for a type that there is not.
    #[inline]
    pub(super) fn start(&self, id: u32) -> u32 {
        self.0.get(id as usize).map_or(u32::MAX, |node| node[START])
    }

    #[inline]
    pub(super) fn info(&self, id: u32) -> u32 {
        self.0.get(id as usize).map_or(0, |node| node[INFO])
    }
}
