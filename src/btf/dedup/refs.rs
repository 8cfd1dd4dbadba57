//! Reference types: pointers, qualifiers, type tags, functions, declaration tags, arrays, prototypes.
//!
//! What they lead to is a primitive type, struct, union or typedef in the end, all settled by now. So each has its references
//! replaced by canonical ones, deepest first, and is then equal to another exactly when all words are equal.

use super::compare::{hash_content, same_content};
use super::{BtfError, Dedup, IN_PROGRESS, MAX_ID};
use crate::btf::record::{INFO, Slots, id_slots, record_len};

/// A type on the path of the walk and the references still to settle.
struct Frame {
    id: u32,
    start: usize,
    /// The word whose type is being settled by the frames above.
    awaited: Option<usize>,
    slots: Slots,
}

impl Dedup {
    pub(super) fn ref_types(&mut self) -> Result<(), BtfError> {
        let mut path = Vec::new();
        for id in self.types.own_ids() {
            if !self.types.is_mapped(id) {
                self.enter(&mut path, id);
                self.walk(&mut path)?;
            }
        }
        Ok(())
    }

    fn enter(&mut self, path: &mut Vec<Frame>, id: u32) {
        self.types.set_map(id, IN_PROGRESS);
        let start = self.types.start(id);
        path.push(Frame { id, start, awaited: None, slots: id_slots(self.types.info(id)) });
    }

    fn walk(&mut self, path: &mut Vec<Frame>) -> Result<(), BtfError> {
        while let Some(frame) = path.last_mut() {
            let mut unsettled = None;
            while let Some(word) = frame.awaited.take().or_else(|| Some(frame.start + frame.slots.next()?)) {
                let target = self.types.words[word];
                match self.types.map(target) {
                    IN_PROGRESS => return Err(BtfError::ReferenceLoop { id: target }),
                    mapped if mapped <= MAX_ID => self.types.words[word] = self.types.resolve(target),
                    _ => {
                        frame.awaited = Some(word);
                        unsettled = Some(target);
                        break;
                    }
                }
            }
            if let Some(target) = unsettled {
                self.enter(path, target);
            } else {
                let (id, start) = (frame.id, frame.start);
                path.pop();
                self.settle(id, start);
            }
        }
        Ok(())
    }

    /// Finds the canonical type of one whose references are canonical.
    fn settle(&mut self, id: u32, start: usize) {
        let record = &self.types.words[start..];
        let len = record_len(record[INFO]).unwrap_or(0);
        let hash = hash_content(record, len);
        let mut cursor = self.table.candidates(hash);
        while let Some(candidate) = self.table.next(&mut cursor) {
            if same_content(record, self.types.record(candidate), len) {
                self.types.set_map(id, candidate);
                return;
            }
        }
        self.types.set_map(id, id);
        self.table.add(hash, id);
    }
}
