//! Compaction: survivors move to the front, and ids become those of the survivors.

use super::{BtfError, Node, Types, UNMAPPED};
use crate::btf::record::{INFO, id_slots};

/// What is left.
pub(super) struct Compacted {
    pub(super) starts: Vec<u32>,
    pub(super) words: Vec<u32>,
    /// The new id of each old one, if it was asked for.
    pub(super) map: Vec<u32>,
}

impl Types {
    pub(super) fn compact(mut self, want_map: bool) -> Result<Compacted, BtfError> {
        let starts = self.move_survivors();
        let Types { nodes, mut words, .. } = self;
        for &start in &starts {
            let record = &mut words[start as usize..];
            for slot in id_slots(record[INFO]) {
                record[slot] = new_id(&nodes, record[slot])?;
            }
        }
        let map =
            if want_map { (0..nodes.len() as u32).map(|id| new_id(&nodes, id)).collect::<Result<_, _>>()? } else { Vec::new() };
        Ok(Compacted { starts, words, map })
    }

    /// Closes the gaps. From here on `hypothesis` is the new id of survivors, base types and void.
    fn move_survivors(&mut self) -> Vec<u32> {
        let words_end = self.words.len();
        for id in 0..self.start_id {
            self.nodes[id as usize].hypothesis = id;
        }
        let mut starts = Vec::new();
        let mut kept_words = 0;
        // Neighbours that stay move as one run.
        let mut run = 0..0;
        for id in self.own_ids() {
            let node = self.nodes[id as usize];
            if node.map != id {
                continue;
            }
            let start = node.start as usize;
            let end = self.nodes.get(id as usize + 1).map_or(words_end, |next| next.start as usize);
            if start != run.end {
                self.words.copy_within(run.clone(), kept_words);
                kept_words += run.len();
                run = start..start;
            }
            run.end = end;
            self.nodes[id as usize].hypothesis = self.start_id + starts.len() as u32;
            starts.push((kept_words + (start - run.start)) as u32);
        }
        self.words.copy_within(run.clone(), kept_words);
        self.words.truncate(kept_words + run.len());
        starts
    }
}

#[inline]
fn new_id(nodes: &[Node], old: u32) -> Result<u32, BtfError> {
    let mut id = old;
    loop {
        match nodes.get(id as usize) {
            Some(node) if node.map == id => return Ok(node.hypothesis),
            Some(node) if node.map != UNMAPPED => id = node.map,
            _ => return Err(BtfError::Record { id: old, what: "has no canonical type" }),
        }
    }
}
