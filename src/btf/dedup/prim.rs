//! Primitive types: those that refer to no other.

use super::compare::{compatible_enum, hash_content, hash_enum, is_enum_fwd, same_content, same_enum};
use super::{Dedup, Kind};
use crate::btf::record::HEAD;

impl Dedup {
    pub(super) fn prim_types(&mut self) {
        for at in 0..self.prims.len() {
            let id = self.prims[at];
            match self.types.kind(id) {
                Some(Kind::Int) => self.plain_type(id, HEAD + 1),
                Some(Kind::Fwd | Kind::Float) => self.plain_type(id, HEAD),
                Some(Kind::Enum | Kind::Enum64) => self.enum_type(id),
                _ => {}
            }
        }
    }

    /// A type that is equal to another when all its words are.
    fn plain_type(&mut self, id: u32, len: usize) {
        let record = self.types.record(id);
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

    /// A full enum takes over the forward declarations of its name, and a forward declaration goes to whatever comes first.
    fn enum_type(&mut self, id: u32) {
        let hash = hash_enum(self.types.record(id));
        let mut cursor = self.table.candidates(hash);
        while let Some(candidate) = self.table.next(&mut cursor) {
            let (record, other) = (self.types.record(id), self.types.candidate(candidate));
            if same_enum(record, other) {
                self.types.set_map(id, candidate.id);
                return;
            }
            if compatible_enum(record, other) {
                if is_enum_fwd(record) {
                    self.types.set_map(id, candidate.id);
                    return;
                }
                self.types.set_map(candidate.id, id);
            }
        }
        self.types.set_map(id, id);
        self.add(hash, id);
    }
}
