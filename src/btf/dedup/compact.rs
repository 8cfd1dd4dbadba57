//! Compaction: survivors move to the front, and ids become those of the survivors.

use super::{BtfError, TypeId, Types};
use crate::btf::record::{INFO, id_slots};

/// What is left.
pub(super) struct Compacted {
    pub(super) starts: Vec<u32>,
    pub(super) words: Vec<u32>,
    /// The new id of the type that was asked about.
    pub(super) followed: Option<TypeId>,
}

impl Types {
    pub(super) fn compact(mut self, follow: Option<TypeId>) -> Result<Compacted, BtfError> {
        let starts = self.move_survivors();
        let mut words = std::mem::take(&mut self.words);
        for &start in &starts {
            let record = &mut words[start as usize..];
            for slot in id_slots(record[INFO]) {
                record[slot] = self.new_id(record[slot])?;
            }
        }
        let followed = follow.map(|TypeId(id)| self.new_id(id).map(TypeId)).transpose()?;
        Ok(Compacted { starts, words, followed })
    }

    /// Closes the gaps. From here on the hypothesis of an own type that stays is its new id.
    fn move_survivors(&mut self) -> Vec<u32> {
        let words_end = self.words.len();
        let mut starts = Vec::new();
        let mut kept_words = 0;
        // Neighbours that stay move as one run.
        let mut run = 0..0;
        for id in self.own_ids() {
            if self.map(id) != id {
                continue;
            }
            let start = self.start(id);
            let end = if id + 1 < self.type_count() { self.start(id + 1) } else { words_end };
            if start != run.end {
                self.words.copy_within(run.clone(), kept_words);
                kept_words += run.len();
                run = start..start;
            }
            run.end = end;
            self.nodes.set_hypothesis(id, self.start_id + starts.len() as u32);
            starts.push((kept_words + (start - run.start)) as u32);
        }
        self.words.copy_within(run.clone(), kept_words);
        self.words.truncate(kept_words + run.len());
        starts
    }

    #[inline]
    fn new_id(&self, old: u32) -> Result<u32, BtfError> {
        let mut id = old;
        while id < self.type_count() {
            let next = self.map(id);
            if next == id {
                return Ok(if id < self.start_id { id } else { self.nodes.hypothesis(id) });
            }
            id = next;
        }
        Err(BtfError::Record { id: old, what: "has no canonical type" })
    }
}
