//! Forward declarations that no comparison of structs resolved, because nothing compared with anything led to them: they go to
//! the struct or union of their name when there is just one.

use super::{Dedup, Kind};
use crate::btf::record::{INFO, NAME, kflag_of};
use rustc_hash::FxHashMap;

/// How many canonical structs and unions have a name.
enum Bearer {
    None,
    One(u32),
    Many,
}

impl Dedup {
    pub(super) fn resolve_fwds(&mut self) {
        // Few names are asked for, so they are collected first and not those of all structs.
        let mut bearers: FxHashMap<u32, Bearer> = FxHashMap::default();
        let mut unresolved = Vec::new();
        for id in self.types.own_ids() {
            let record = &self.types.words[self.types.start(id)..];
            if Kind::of_info(record[INFO]) == Some(Kind::Fwd) && self.map[id as usize] == id {
                bearers.insert(record[NAME], Bearer::None);
                unresolved.push(id);
            }
        }
        if unresolved.is_empty() {
            return;
        }
        for id in 1..self.types.type_count() {
            let record = self.types.record(id);
            if self.map[id as usize] != id || !Kind::of_info(record[INFO]).is_some_and(Kind::is_composite) {
                continue;
            }
            if let Some(bearer) = bearers.get_mut(&record[NAME]) {
                *bearer = if let Bearer::None = bearer { Bearer::One(id) } else { Bearer::Many };
            }
        }
        for id in unresolved {
            let record = self.types.record(id);
            let wanted = if kflag_of(record[INFO]) { Kind::Union } else { Kind::Struct };
            if let Some(&Bearer::One(found)) = bearers.get(&record[NAME]) {
                if self.types.kind(found) == Some(wanted) {
                    self.map[id as usize] = found;
                }
            }
        }
    }
}
