//! The base's types as candidates for own ones.
//!
//! A module has a few thousand types and its kernel a hundred thousand, most of which can be equal to none of the module's: equal
//! types have equal names, those they lead to included. So of the base only those types become candidates all of whose names,
//! down to the first name on every way, are names of own types. The others are counted, since the order of candidates depends on their
//! number.

use super::{Dedup, Types, compare};
use crate::btf::record::{HEAD, INFO, NAME, SIZE_OR_TYPE, id_slots, name_slots, record_len, vlen_of};
use crate::btf::{Btf, Kind};

/// A set of small numbers.
struct Bits(Vec<u64>);

impl Bits {
    fn up_to(end: u32) -> Bits {
        Bits(vec![0; end as usize / 64 + 1])
    }

    fn set(&mut self, number: u32) {
        if let Some(word) = self.0.get_mut(number as usize / 64) {
            *word |= 1 << (number % 64);
        }
    }

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

/// What own types can be equal to.
struct Wanted {
    /// Names of own types that the base has, too, by their offsets; the empty one among them.
    names: Bits,
    /// An own enumeration without name and enumerators is as good as any without a name.
    any_enum: bool,
}

impl Wanted {
    /// `None` when all of the base has to be looked at, since own types refer into it.
    fn of(types: &Types, strings_end: u32) -> Option<Wanted> {
        let mut wanted = Wanted { names: Bits::up_to(strings_end), any_enum: false };
        wanted.names.set(0);
        for id in types.own_ids() {
            let (record, info) = (types.record(id), types.info(id));
            for slot in name_slots(info) {
                if record[slot] < strings_end {
                    wanted.names.set(record[slot]);
                }
            }
            if id_slots(info).any(|slot| (1..types.start_id).contains(&record[slot])) {
                return None;
            }
            wanted.any_enum |= Kind::of_info(info).is_some_and(Kind::is_any_enum) && record[NAME] == 0 && vlen_of(info) == 0;
        }
        Some(wanted)
    }

    /// Whether a type without a name can be equal to an own one; `possible` says so of types, as far as is known.
    fn has_nameless(&self, record: &[u32], possible: &Bits) -> bool {
        let (name, id) = (|word: u32| self.names.has(word), |word: u32| possible.has(word));
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
    /// Makes the base's types candidates.
    #[inline(never)]
    pub(super) fn enter_base(&mut self) {
        let Some(base) = self.types.base.clone() else { return };
        let wanted = Wanted::of(&self.types, base.string_end());
        // By name first, as types lead to later ones. A type without a name may be anything until its turn comes.
        let mut possible = Bits::up_to(self.types.start_id);
        possible.set(0);
        each(&base, |id, [name, ..], _| {
            if wanted.as_ref().is_none_or(|wanted| wanted.names.has(name)) {
                possible.set(id);
            }
        });
        each(&base, |id, [name, info, _], record| {
            match Kind::of_info(info) {
                None | Some(Kind::Var | Kind::Datasec) => return,
                // libbpf files the base's typedefs under a hash that includes what they refer to, and looks typedefs up by one
                // that does not: it never finds them.
                Some(Kind::Typedef) => return self.table.count_one(),
                Some(kind) => {
                    if kind.is_composite() {
                        self.composites.push(id);
                    }
                    if !possible.has(id) {
                        return self.table.count_one();
                    }
                }
            }
            // What has no shape is nobody's equal, as void is.
            let Some(record) = record_len(info).and_then(|len| record.get(..len)) else { return };
            if name == 0 && wanted.as_ref().is_some_and(|wanted| !wanted.has_nameless(record, &possible)) {
                possible.clear(id);
                return self.table.count_one();
            }
            if let Some(hash) = compare::hash_in_base(&self.types, record) {
                self.add(hash, id);
            }
        });
    }
}

/// Calls `f` with every type of a BTF, those of its own base first: with its id, its head, and its words and those of whatever follows it.
#[inline]
pub(super) fn each(btf: &Btf, mut f: impl FnMut(u32, [u32; HEAD], &[u32])) {
    let mut chain = vec![btf];
    while let Some(base) = chain.last().and_then(|btf| btf.base.as_deref()) {
        chain.push(base);
    }
    for btf in chain.into_iter().rev() {
        for (&start, id) in btf.starts.iter().zip(btf.start_id..) {
            let record = btf.words.get(start as usize..).unwrap_or(&[]);
            f(id, record.first_chunk().copied().unwrap_or_default(), record);
        }
    }
}
