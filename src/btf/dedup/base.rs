//! The base's types as candidates for own ones.
//!
//! A module has a few thousand types and its kernel a hundred thousand, most of which can be equal to none of the module's: equal
//! types have equal names, those they lead to included. So of the base only those types become candidates all of whose names,
//! down to the first name on every way, are names of own types. The others are counted, since the order of candidates depends on their
//! number.

use super::{Dedup, Types, compare};
use crate::btf::record::{HEAD, INFO, NAME, SIZE_OR_TYPE, id_slots, name_slots, vlen_of};
use crate::btf::{Btf, Kind, TypeId};
use parking_lot::Mutex;

/// A set of small numbers.
#[derive(Default)]
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

/// Of a type its name, or what a nameless pointer or qualifier leads to and [`Head::LEADS`], and its info word.
#[derive(Clone, Copy, Default)]
pub(in crate::btf) struct Head {
    word: u32,
    pub(super) info: u32,
}

impl Head {
    /// Larger than all names.
    const LEADS: u32 = 1 << 31;

    #[inline]
    pub(in crate::btf) fn new([name, info, size_or_type]: [u32; HEAD]) -> Head {
        let leads = matches!(Kind::of_info(info), Some(Kind::Ptr | Kind::Const | Kind::Volatile | Kind::Restrict));
        Head { word: if name == 0 && leads { Head::LEADS | size_or_type } else { name }, info }
    }

    #[inline]
    fn leads_to(self) -> Option<u32> {
        (self.word & Head::LEADS != 0).then_some(self.word & !Head::LEADS)
    }
}

/// What deduplication has to know of all types of a base, whatever is split from it. Everything is by id, void included.
#[derive(Default)]
pub(in crate::btf) struct Facts {
    pub(super) heads: Vec<Head>,
    pub(super) composites: Vec<u32>,
    /// What libbpf files as a candidate.
    counted: Bits,
    /// What of that it finds again: it files the base's typedefs under a hash that includes what they refer to, and looks typedefs up by one
    /// that does not.
    found: Bits,
    pub(super) has_nameless_fwd: bool,
}

impl Facts {
    pub(in crate::btf) fn of_heads(heads: Vec<Head>) -> Facts {
        let mut facts = Facts::default();
        let bit = |kind: Kind| 1u32 << (kind as u32);
        let others = 1 | bit(Kind::Var) | bit(Kind::Datasec);
        for (block, first) in heads.chunks(64).zip((0..).step_by(64)) {
            let of_kind = |kinds: u32| {
                let is_one = |head: &Head| u64::from(kinds >> (head.info >> 24 & 0x1f) & 1);
                block.iter().rev().fold(0, |word, head| word << 1 | is_one(head))
            };
            facts.counted.0.push(of_kind(!others));
            facts.found.0.push(of_kind(!(others | bit(Kind::Typedef))));
            let mut composites = of_kind(bit(Kind::Struct) | bit(Kind::Union));
            while composites != 0 {
                facts.composites.push(first + composites.trailing_zeros());
                composites &= composites - 1;
            }
        }
        facts.has_nameless_fwd = heads.iter().any(|head| head.word == 0 && Kind::of_info(head.info) == Some(Kind::Fwd));
        facts.heads = heads;
        facts
    }
}

/// The heads of void and of all types of a base.
pub(in crate::btf) fn heads(base: Option<&Btf>) -> Vec<Head> {
    let mut heads = Vec::with_capacity(base.map_or(1, |base| base.type_count() as usize));
    heads.push(Head::default());
    let mut chain: Vec<&Btf> = base.into_iter().collect();
    while let Some(base) = chain.last().and_then(|btf| btf.base.as_deref()) {
        chain.push(base);
    }
    for btf in chain.into_iter().rev() {
        let words = |&start: &u32| btf.words.get(start as usize..).and_then(<[u32]>::first_chunk).copied().unwrap_or_default();
        heads.extend(btf.starts.iter().map(words).map(Head::new));
    }
    heads
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
    base.and_then(|base| base.prepared.take()).unwrap_or_else(|| Facts::of_heads(heads(base)))
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
    pub(super) fn enter_base(&mut self, facts: &Facts) {
        let Some(base) = self.types.base.clone() else { return };
        let wanted = Wanted::of(&self.types, base.string_end());
        // By name first, as types lead to later ones. A type without a name may be anything until its turn comes.
        let mut possible = Bits(vec![u64::MAX; facts.found.0.len()]);
        if let Some(Wanted { names, .. }) = &wanted {
            for (word, heads) in possible.0.iter_mut().zip(facts.heads.chunks(64)) {
                let is_possible = |head: &Head| u64::from(names.has(head.word) || head.leads_to().is_some());
                *word = heads.iter().rev().fold(0, |word, head| word << 1 | is_possible(head));
            }
            for (head, id) in facts.heads.iter().zip(0..) {
                if head.leads_to().is_some_and(|target| !possible.has(target)) {
                    possible.clear(id);
                }
            }
        }
        for (index, (&counted, &found)) in facts.counted.0.iter().zip(&facts.found.0).enumerate() {
            let (mut left, mut enter) = (counted, found & possible.0.get(index).copied().unwrap_or(0));
            while enter != 0 {
                let bit = enter & enter.wrapping_neg();
                let id = index as u32 * 64 + bit.trailing_zeros();
                self.table.count((left & (bit - 1)).count_ones());
                left &= !(bit | (bit - 1));
                enter &= enter - 1;
                let hash = base.record(TypeId(id)).and_then(|record| {
                    let is_nameless = record[NAME] == 0;
                    if is_nameless && wanted.as_ref().is_some_and(|wanted| !wanted.has_nameless(record, &possible)) {
                        possible.clear(id);
                        return None;
                    }
                    compare::hash_in_base(&self.types, record)
                });
                match hash {
                    Some(hash) => self.add(hash, id),
                    None => self.table.count(1),
                }
            }
            self.table.count(left.count_ones());
        }
    }
}
