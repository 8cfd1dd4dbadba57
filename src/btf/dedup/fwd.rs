//! Forward declarations that no comparison of structs resolved, because nothing compared with anything led to them: they go to
//! the struct or union of their name when there is just one.

use super::{Kind, Types};
use crate::btf::record::{NAME, kflag_of};
use rustc_hash::FxHashMap;

/// How many canonical structs and unions have a name.
enum Bearer {
    None,
    One(u32),
    Many,
}

impl Types {
    pub(super) fn resolve_fwds(&mut self) {
        // Few names are asked for, so they are collected first and not those of all structs.
        let mut bearers: FxHashMap<u32, Bearer> = FxHashMap::default();
        let mut unresolved = Vec::new();
        for id in self.own_ids() {
            if self.kind(id) == Some(Kind::Fwd) && self.map(id) == id {
                bearers.insert(self.record(id)[NAME], Bearer::None);
                unresolved.push(id);
            }
        }
        if unresolved.is_empty() {
            return;
        }
        for id in 1..self.type_count() {
            if self.map(id) != id || !self.kind(id).is_some_and(Kind::is_composite) {
                continue;
            }
            if let Some(bearer) = bearers.get_mut(&self.record(id)[NAME]) {
                *bearer = if let Bearer::None = bearer { Bearer::One(id) } else { Bearer::Many };
            }
        }
        for id in unresolved {
            let wanted = if kflag_of(self.info(id)) { Kind::Union } else { Kind::Struct };
            if let Some(&Bearer::One(found)) = bearers.get(&self.record(id)[NAME]) {
                if self.kind(found) == Some(wanted) {
                    self.set_map(id, found);
                }
            }
        }
    }
}
