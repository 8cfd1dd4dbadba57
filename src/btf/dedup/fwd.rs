//! Forward declarations that no comparison of structs resolved, because nothing compared with anything led to them: they go to
//! the struct or union of their name when there is just one.

use super::base::Facts;
use super::{Dedup, Kind};
use crate::btf::record::{NAME, kflag_of};
use rustc_hash::FxHashMap;

/// How many canonical structs and unions have a name.
enum Bearer {
    None,
    One(u32),
    Many,
}

impl Dedup {
    pub(super) fn resolve_fwds(&mut self, base: &Facts) {
        // Few names are asked for, so they are collected first and not those of all structs.
        let mut bearers: FxHashMap<u32, Bearer> = FxHashMap::default();
        let mut unresolved = Vec::new();
        let types = &mut self.types;
        for &id in &self.prims {
            if types.kind(id) == Some(Kind::Fwd) && types.map(id) == id {
                bearers.insert(types.record(id)[NAME], Bearer::None);
                unresolved.push(id);
            }
        }
        if unresolved.is_empty() {
            return;
        }
        let names: Vec<u32> = bearers.keys().copied().collect();
        let in_base = base.bearers(&names).filter(|&id| types.kind(id).is_some_and(Kind::is_composite));
        for id in in_base.chain(self.composites.iter().copied()) {
            if let Some(bearer) = bearers.get_mut(&types.record(id)[NAME]) {
                *bearer = if let Bearer::None = bearer { Bearer::One(id) } else { Bearer::Many };
            }
        }
        for id in unresolved {
            let wanted = if kflag_of(types.info(id)) { Kind::Union } else { Kind::Struct };
            if let Some(&Bearer::One(found)) = bearers.get(&types.record(id)[NAME]) {
                if types.kind(found) == Some(wanted) {
                    types.set_map(id, found);
                }
            }
        }
    }
}
