//! The base's types as candidates for own ones.
//!
//! A module has a few thousand types and its kernel a hundred thousand, most of which can be equal to none of the module's: equal types have
//! equal heads, see [`heads`](super::heads), and so have all types that they lead to. So of the base only those types become candidates
//! that have heads, and lead to heads, of own types. The others are counted, since the order of candidates depends on their number.

use super::heads::{Heads, set};
use super::{Dedup, compare};
use crate::btf::filter::{Filter, spread};
use crate::btf::record::{HEAD, INFO, NAME, SIZE_OR_TYPE, kind_number};
use crate::btf::{Btf, Kind, TypeId};
use parking_lot::Mutex;

/// A set of types.
struct Bits(Vec<u64>);

impl Bits {
    fn clear(&mut self, number: u32) {
        if let Some(word) = self.0.get_mut(number as usize / 64) {
            *word &= !(1 << (number % 64));
        }
    }

    #[inline]
    fn has(&self, number: u32) -> bool {
        self.0.get(number as usize / 64).is_some_and(|word| word >> (number % 64) & 1 != 0)
    }
}

/// What deduplication has to know of all types of a base, whatever is split from it.
pub(in crate::btf) struct Facts {
    /// Of void and all types.
    heads: Heads,
    /// What libbpf does not file as a candidate, void included: few, ascending.
    unfiled: Vec<u32>,
    pub(super) has_nameless_fwd: bool,
}

impl Facts {
    /// Those of void and of all types of `base`.
    pub(in crate::btf) fn of(base: Option<&Btf>) -> Facts {
        const UNFILED: u32 = 1 | set(Kind::Var) | set(Kind::Datasec);
        let mut heads = Heads::from(0, base.map_or(1, |base| base.type_count() as usize));
        let (mut unfiled, mut has_nameless_fwd) = (Vec::new(), false);
        let mut note = |id: u32, name: u32, info: u32| {
            let kind = kind_number(info);
            if UNFILED >> kind & 1 != 0 {
                unfiled.push(id);
            }
            has_nameless_fwd |= (name == 0) & (kind == Kind::Fwd as u32);
        };
        heads.extend(&[0; HEAD], &[0], &mut note);
        if let Some(base) = base {
            base.parts().iter().for_each(|part| heads.extend(&part.words, &part.starts, &mut note));
            heads.complete(|id| base.record(TypeId(id)));
        }
        Facts { heads, unfiled, has_nameless_fwd }
    }

    /// Types whose heads pass the test.
    fn possible(&self, test: impl Fn(u32) -> bool) -> Bits {
        Bits(self.heads.all().chunks(64).map(|heads| bits(heads, &test)).collect())
    }

    /// Types that may have one of these names, in order.
    pub(super) fn bearers(&self, names: &[u32]) -> impl Iterator<Item = u32> {
        let filter = Filter::of_numbers(names);
        let any_nameless = names.contains(&0);
        let possible = self.possible(|head| any_nameless || filter.has(spread(head)));
        (0..self.heads.end()).filter(move |&id| possible.has(id))
    }
}

/// A bit for each of up to 64 heads: whether it passes the test.
#[inline]
fn bits(heads: &[u32], test: impl Fn(u32) -> bool) -> u64 {
    heads.iter().rev().fold(0, |bits, &head| bits << 1 | u64::from(test(head)))
}

/// Facts made ahead, for the next deduplication against a base.
#[derive(Default)]
pub(in crate::btf) struct Prepared(Mutex<Option<Facts>>);

impl Prepared {
    pub(in crate::btf) fn new(facts: Facts) -> Prepared {
        Prepared(Mutex::new(Some(facts)))
    }

    fn take(&self) -> Option<Facts> {
        self.0.lock().take()
    }
}

impl Clone for Prepared {
    /// Facts are made anew for the copy, should it need any.
    fn clone(&self) -> Prepared {
        Prepared::default()
    }
}

/// The facts of the base of a split BTF, or of none.
pub(super) fn facts(base: Option<&Btf>) -> Facts {
    base.and_then(|base| base.prepared.take()).unwrap_or_else(|| Facts::of(base))
}

/// What own types can be equal to, or a little more: what becomes a candidate in vain is only compared in vain.
pub(super) struct Wanted {
    heads: Filter,
    names: Filter,
    any_enum: bool,
}

impl Wanted {
    /// `own` are all own types, and `names` the names in them that the base has, too, by their offsets. `any_enum`: there is an own enumeration
    /// without name and enumerators, which is as good as any without a name. `None` if there is no telling.
    pub(super) fn new(own: &Btf, names: &[u32], any_enum: bool) -> Option<Wanted> {
        let mut heads = Heads::from(own.start_id, own.starts.len());
        heads.extend(&own.words, &own.starts, |_, _, _| ());
        if !heads.complete(|id| own.record(TypeId(id))) {
            return None;
        }
        let filter = |numbers: &[u32]| {
            let mut filter = Filter::of_numbers(numbers);
            filter.add(spread(0));
            filter
        };
        Some(Wanted { heads: filter(heads.all()), names: filter(names), any_enum })
    }

    /// Whether a type without a name can be equal to an own one; `possible` says so of types, as far as is known.
    fn has_nameless(&self, record: &[u32], possible: &Bits) -> bool {
        let (name, id) = (|word: u32| self.names.has(spread(word)), |word: u32| possible.has(word));
        let rows = &record[HEAD..];
        match Kind::of_info(record[INFO]) {
            Some(Kind::Struct | Kind::Union) => rows.chunks_exact(3).all(|row| name(row[0]) && id(row[1])),
            Some(Kind::FuncProto) => id(record[SIZE_OR_TYPE]) && rows.chunks_exact(2).all(|row| name(row[0]) && id(row[1])),
            Some(Kind::Enum) => self.any_enum || rows.chunks_exact(2).all(|row| name(row[0])),
            Some(Kind::Enum64) => self.any_enum || rows.chunks_exact(3).all(|row| name(row[0])),
            Some(Kind::Array) => id(rows[0]) && id(rows[1]),
            None | Some(Kind::Int | Kind::Float | Kind::Fwd) => true,
            Some(_) => id(record[SIZE_OR_TYPE]),
        }
    }
}

impl Dedup {
    /// Makes the base's types candidates, all of them unless it is known what is wanted: own types may refer into the base.
    #[inline(never)]
    pub(super) fn enter_base(&mut self, facts: &Facts, wanted: Option<&Wanted>) {
        let Some(base) = self.types.base.clone() else { return };
        let mut possible = facts.possible(|head| wanted.is_none_or(|wanted| wanted.heads.has(spread(head))));
        let mut unfiled = facts.unfiled.iter().copied().peekable();
        let mut next = 0;
        for index in 0..possible.0.len() {
            let mut left = possible.0[index];
            while left != 0 {
                let id = index as u32 * 64 + left.trailing_zeros();
                left &= left - 1;
                // Those between can be equal to none, but are counted.
                let between = std::iter::from_fn(|| unfiled.next_if(|&unfiled| unfiled < id)).count() as u32;
                self.table.count(id - next - between);
                next = id + 1;
                if unfiled.next_if_eq(&id).is_some() {
                    continue;
                }
                let hash = base.record(TypeId(id)).and_then(|record| {
                    let is_nameless = record[NAME] == 0;
                    if is_nameless && wanted.is_some_and(|wanted| !wanted.has_nameless(record, &possible)) {
                        possible.clear(id);
                        return None;
                    }
                    compare::hash_in_base(&self.types, record)
                });
                match hash {
                    Some(hash) => self.table.file(hash, id),
                    None => self.table.count(1),
                }
            }
        }
        self.table.count(facts.heads.end() - next - unfiled.count() as u32);
        self.table.open();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::btf::{DedupOptions, Endian};
    use std::sync::Arc;

    /// Types of most kinds, some of them before what they refer to.
    fn add_types(btf: &mut Btf) {
        let start = btf.type_count();
        let id = |number: u32| TypeId(start + number);
        let mut add = || {
            btf.add_int(b"int", 4, 1)?;
            btf.add_ptr(id(2))?;
            btf.add_struct(b"list", 16)?;
            btf.add_field(b"next", id(1), 0, 0)?;
            btf.add_field(b"value", id(3), 64, 0)?;
            btf.add_const(id(6))?;
            btf.add_array(id(0), id(0), 3)?;
            btf.add_struct(b"", 4)?;
            btf.add_field(b"inner", id(0), 0, 0)?;
            btf.add_typedef(b"inner_t", id(5))?;
            btf.add_func_proto(id(1))?;
            btf.add_func_param(b"list", id(1))?;
            btf.add_func_param(b"count", id(0))?;
            btf.add_func_proto(TypeId::VOID)?;
            btf.add_func_param(b"", id(11))?;
            btf.add_ptr(id(8))?;
            btf.add_ptr(id(4))?;
            btf.add_ptr(TypeId::VOID)
        };
        add().expect("room for few types");
    }

    fn base_of(bytes: Vec<u8>, checked: bool) -> Result<Btf, crate::btf::BtfError> {
        let words = |types: &[u8]| {
            let words = types.chunks_exact(4).map(|word| u32::from_ne_bytes([word[0], word[1], word[2], word[3]]));
            Some(&*words.collect::<Vec<_>>().leak())
        };
        Btf::base_in_place(bytes.leak(), words, None, checked, None)
    }

    /// Types like those of the base, deduplicated.
    fn on(base: Btf) -> Result<Btf, crate::btf::BtfError> {
        let mut btf = Btf::new_split_behind(base.end(), Endian::HOST);
        add_types(&mut btf);
        btf.set_base(Arc::new(base))?;
        btf.dedup(&DedupOptions::default())?;
        Ok(btf)
    }

    #[test]
    fn types_of_the_base_are_found_again() {
        let mut base = Btf::new(Endian::HOST);
        add_types(&mut base);
        let bytes = base.to_bytes();
        for base in [base, base_of(bytes.clone(), false).expect("sound"), base_of(bytes, true).expect("sound")] {
            let own: Vec<_> = on(base).expect("sound").own_types().map(|(_, ty)| ty.kind()).collect();
            // Typedefs of a base are never found, and nothing refers to this one but the qualifier.
            assert_eq!(own, [Kind::Const, Kind::Typedef]);
        }
    }

    /// A base that libbpf has not looked at, whatever it says of its version, or that the program has changed.
    #[test]
    fn wrong_references_of_a_base_lead_nowhere() {
        let mut sound = Btf::new(Endian::HOST);
        add_types(&mut sound);
        let bytes = sound.to_bytes();
        let types = bytes.len() - sound.type_bytes() - sound.string_bytes()..bytes.len() - sound.string_bytes();
        let mut refused = 0;
        for at in types.step_by(4) {
            for wrong in [0, 1, 7, 12, 13, 20, 30, 31, 1000, 1 << 30, 1 << 31, u32::MAX] {
                let mut bytes = bytes.clone();
                bytes[at..at + 4].copy_from_slice(&wrong.to_ne_bytes());
                let (unchecked, checked) = (base_of(bytes.clone(), true), base_of(bytes, false));
                match unchecked {
                    Ok(unchecked) => {
                        refused += u32::from(checked.is_err());
                        if let Ok(btf) = on(unchecked) {
                            btf.to_bytes();
                        }
                    }
                    Err(error) => assert_eq!(checked.map(drop), Err(error)),
                }
            }
        }
        assert!(refused > 100, "only {refused} with wrong references");
    }
}
