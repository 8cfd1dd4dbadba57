//! Reference types: pointers, qualifiers, type tags, functions, declaration tags, arrays, prototypes.
//!
//! What they lead to is a primitive type, struct, union or typedef in the end, all settled by now. So each has its references
//! replaced by canonical ones, deepest first, and is then equal to another exactly when all words are equal.

use super::compare::{hash_content, same_content};
use super::{BtfError, Dedup, IN_PROGRESS, Kind, MAX_ID, Types};
use crate::btf::record::{HEAD, INFO, SIZE_OR_TYPE, Slots, id_slots, record_len};

/// A type on the path of the walk and the references still to settle.
struct Frame {
    id: u32,
    start: usize,
    /// The word whose type is being settled by the frames above.
    awaited: Option<usize>,
    slots: Slots,
}

impl Types {
    /// Replaces what the own type refers to by canonical types; `false` when one of them is not settled yet.
    #[inline]
    fn replace_settled(&mut self, id: u32) -> bool {
        let (start, info) = (self.start(id), self.nodes.info(id));
        match Kind::of_info(info) {
            Some(Kind::FuncProto) => {
                let rows = start + HEAD..start + record_len(info).unwrap_or(HEAD);
                self.replace_word(start + SIZE_OR_TYPE) && (rows.start + 1..rows.end).step_by(2).all(|at| self.replace_word(at))
            }
            Some(Kind::Array) => self.replace_word(start + HEAD) && self.replace_word(start + HEAD + 1),
            _ => self.replace_word(start + SIZE_OR_TYPE),
        }
    }

    #[inline]
    fn replace_word(&mut self, at: usize) -> bool {
        let target = self.words[at];
        let map = self.map(target);
        if map != target {
            if map > MAX_ID {
                return false;
            }
            self.words[at] = self.resolve(map);
        }
        true
    }
}

impl Dedup {
    /// Returns how many circles were cut.
    pub(super) fn ref_types(&mut self, cut_circles: bool) -> Result<u32, BtfError> {
        let mut circles = 0;
        let mut path = Vec::new();
        for id in self.types.own_ids() {
            if self.types.is_mapped(id) {
                continue;
            }
            // Most types refer to what came before.
            if self.types.replace_settled(id) {
                self.settle(id, self.types.start(id));
            } else {
                self.enter(&mut path, id);
                while let Err(error) = self.walk(&mut path) {
                    let word = path.last().and_then(|frame| frame.awaited).filter(|_| cut_circles).ok_or(error)?;
                    self.types.words[word] = 0;
                    circles += 1;
                }
            }
        }
        Ok(circles)
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
                if !self.types.replace_word(word) {
                    let target = self.types.words[word];
                    frame.awaited = Some(word);
                    if self.types.map(target) == IN_PROGRESS {
                        return Err(BtfError::ReferenceLoop { id: target });
                    }
                    unsettled = Some(target);
                    break;
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
    #[inline]
    fn settle(&mut self, id: u32, start: usize) {
        let record = &self.types.words[start..];
        let len = record_len(record[INFO]).unwrap_or(0);
        let record = &record[..len];
        let hash = hash_content(record, len);
        let mut cursor = self.table.candidates(hash);
        while let Some(candidate) = self.table.next(&mut cursor) {
            if same_content(record, self.types.candidate(candidate), len) {
                self.types.set_map(id, candidate.id);
                return;
            }
        }
        self.types.set_map(id, id);
        self.add(hash, id);
    }
}
