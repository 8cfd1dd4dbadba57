//! Compaction: survivors move to the front, and ids become those of the survivors.

use super::{BtfError, Dedup, UNMAPPED};
use crate::btf::record::{INFO, id_slots};

impl Dedup {
    /// Returns the new id of each old one when asked to, else nothing.
    pub(super) fn compact(&mut self, want_map: bool) -> Result<Vec<u32>, BtfError> {
        let mut new_ids = self.move_survivors();
        let words = &mut self.types.words;
        for &start in &self.types.starts {
            let record = &mut words[start as usize..];
            for slot in id_slots(record[INFO]) {
                record[slot] = new_id(&self.map, &new_ids, record[slot])?;
            }
        }
        if !want_map {
            return Ok(Vec::new());
        }
        for id in 0..self.map.len() {
            if new_ids[id] == UNMAPPED {
                new_ids[id] = new_id(&self.map, &new_ids, id as u32)?;
            }
        }
        Ok(new_ids)
    }

    /// Closes the gaps; returns the new ids of survivors, base types and void, [`UNMAPPED`] for the others.
    fn move_survivors(&mut self) -> Vec<u32> {
        let types = &mut self.types;
        let start_id = types.start_id;
        let mut new_ids = vec![UNMAPPED; self.map.len()];
        for id in 0..start_id {
            new_ids[id as usize] = id;
        }
        let (mut kept, mut kept_words) = (0, 0);
        // Neighbours that stay move as one run.
        let mut run = 0..0;
        for index in 0..types.starts.len() {
            let id = start_id + index as u32;
            if self.map[id as usize] != id {
                continue;
            }
            let start = types.starts[index] as usize;
            let end = types.starts.get(index + 1).map_or(types.words.len(), |&s| s as usize);
            if start != run.end {
                types.words.copy_within(run.clone(), kept_words);
                kept_words += run.len();
                run = start..start;
            }
            run.end = end;
            types.starts[kept] = (kept_words + (start - run.start)) as u32;
            new_ids[id as usize] = start_id + kept as u32;
            kept += 1;
        }
        types.words.copy_within(run.clone(), kept_words);
        types.words.truncate(kept_words + run.len());
        types.starts.truncate(kept);
        new_ids
    }
}

#[inline]
fn new_id(map: &[u32], new_ids: &[u32], old: u32) -> Result<u32, BtfError> {
    let mut id = old;
    while let Some(&next) = map.get(id as usize).filter(|&&next| next != id && next != UNMAPPED) {
        id = next;
    }
    new_ids
        .get(id as usize)
        .copied()
        .filter(|&new| new != UNMAPPED)
        .ok_or(BtfError::Record { id: old, what: "has no canonical type" })
}
