//! The base's types as candidates for own ones.
//!
//! A module has a few thousand types and its kernel a hundred thousand, most of which can be equal to none of the module's: equal
//! types have equal names, those they lead to included. So of the base only those types become candidates all of whose names,
//! down to the first name on every way, are names of own types. The others are counted, since the order of candidates depends on their
//! number.

use super::{Dedup, compare};
use crate::btf::filter::{Filter, spread};
use crate::btf::reach::Reach;
use crate::btf::record::{HEAD, INFO, NAME, SIZE_OR_TYPE, record_len};
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

/// What a type can be equal to none without: an own type of its name. Of a nameless one, the greatest of the names in it, since those that were used
/// last are the rarest; or, with [`Head::LEADS`], the last type that it refers to.
#[derive(Clone, Copy, Default)]
struct Head(u32);

impl Head {
    /// Larger than all names.
    const LEADS: u32 = 1 << 31;

    #[inline]
    fn of(name: u32, info: u32, size_or_type: u32, reach: Reach) -> Head {
        // Nameless enumerations are special, see `Wanted`; the others refer to nothing.
        const ANYTHING: u32 = 1 | set(Kind::Enum) | set(Kind::Enum64) | set(Kind::Int) | set(Kind::Float) | set(Kind::Fwd);
        // All is worked out and one chosen, as kinds come in no order that a processor foresees.
        let kind = info >> 24 & 0x1f;
        let result = if kind == Kind::FuncProto as u32 { size_or_type } else { 0 };
        let nameless = if reach.name != 0 { reach.name } else { Head::LEADS | reach.id.max(result) };
        let nameless = if ANYTHING >> kind & 1 != 0 { 0 } else { nameless };
        Head(if name != 0 { name } else { nameless })
    }

    #[inline]
    fn leads_to(self) -> Option<u32> {
        (self.0 & Head::LEADS != 0).then_some(self.0 & !Head::LEADS)
    }
}

/// What deduplication has to know of all types of a base, whatever is split from it.
#[derive(Default)]
pub(in crate::btf) struct Facts {
    /// By id, void included.
    heads: Vec<Head>,
    /// For each 64 types.
    blocks: Vec<Block>,
    pub(super) has_nameless_fwd: bool,
}

/// A set of one kind.
const fn set(kind: Kind) -> u32 {
    1 << kind as u32
}

/// A bit for each of 64 types.
#[derive(Clone, Copy, Default)]
struct Block {
    composites: u64,
    /// What libbpf files as a candidate.
    counted: u64,
    /// What of that it finds again: it files the base's typedefs under a hash that includes what they refer to, and looks typedefs up by one
    /// that does not.
    found: u64,
}

impl Facts {
    /// Those of void, with room for so many types.
    fn of_void(room: usize) -> Facts {
        let mut facts = Facts { heads: Vec::with_capacity(room), ..Facts::default() };
        facts.push([0; HEAD], Reach::default());
        facts
    }

    /// Takes the next type, of which it gets what all kinds share and how far it reaches.
    #[inline(always)]
    pub(in crate::btf) fn push(&mut self, [name, info, size_or_type]: [u32; HEAD], reach: Reach) {
        const COMPOSITES: u32 = set(Kind::Struct) | set(Kind::Union);
        const COUNTED: u32 = !(1 | set(Kind::Var) | set(Kind::Datasec));
        const FOUND: u32 = COUNTED & !set(Kind::Typedef);
        let id = self.heads.len();
        if id % 64 == 0 {
            self.blocks.push(Block::default());
        }
        let kind = info >> 24 & 0x1f;
        let bit = |kinds: u32| u64::from(kinds >> kind & 1) << (id % 64);
        if let Some(block) = self.blocks.last_mut() {
            block.composites |= bit(COMPOSITES);
            block.counted |= bit(COUNTED);
            block.found |= bit(FOUND);
        }
        self.has_nameless_fwd |= name == 0 && kind == Kind::Fwd as u32;
        self.heads.push(Head::of(name, info, size_or_type, reach));
    }

    /// Structs and unions that may have one of these names, in order.
    pub(super) fn composites(&self, has_name: impl Fn(u32) -> bool) -> Vec<u32> {
        let mut found = Vec::new();
        let any_nameless = has_name(0);
        for ((block, heads), first) in self.blocks.iter().zip(self.heads.chunks(64)).zip((0..).step_by(64)) {
            let mut left = block.composites;
            while left != 0 {
                let at = left.trailing_zeros();
                left &= left - 1;
                if any_nameless || heads.get(at as usize).is_some_and(|head| has_name(head.0)) {
                    found.push(first + at);
                }
            }
        }
        found
    }
}

/// Facts of void and of all types of `base`, with room for `more`.
pub(in crate::btf) fn facts_of(base: Option<&Btf>, more: usize) -> Facts {
    let mut facts = Facts::of_void(base.map_or(1, |base| base.type_count() as usize) + more);
    for btf in base.into_iter().flat_map(Btf::parts) {
        for &start in &btf.starts {
            let record = btf.words.get(start as usize..).unwrap_or(&[]);
            let head = record.first_chunk::<HEAD>().copied().unwrap_or_default();
            let rows = record_len(head[INFO]).and_then(|len| record.get(HEAD..len)).unwrap_or(&[]);
            facts.push(head, Reach::of(head[INFO], head[SIZE_OR_TYPE], rows));
        }
    }
    facts
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
    base.and_then(|base| base.prepared.take()).unwrap_or_else(|| facts_of(base, 0))
}

/// What own types can be equal to, or a little more: what becomes a candidate in vain is only compared in vain.
pub(super) struct Wanted {
    names: Filter,
    any_enum: bool,
}

impl Wanted {
    /// `names` are those of own types that the base has, too, by their offsets. `any_enum`: there is an own enumeration without name and
    /// enumerators, which is as good as any without a name.
    pub(super) fn new(names: &[u32], any_enum: bool) -> Wanted {
        let mut wanted = Wanted { names: Filter::with_room(names.len() + 1), any_enum };
        wanted.names.add(spread(0));
        names.iter().for_each(|&name| wanted.names.add(spread(name)));
        wanted
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
        // By name first, as types lead to later ones. A type that leads to another may be anything until its turn comes.
        let mut possible = Bits(vec![u64::MAX; facts.blocks.len()]);
        if let Some(Wanted { names, .. }) = wanted {
            for (word, heads) in possible.0.iter_mut().zip(facts.heads.chunks(64)) {
                let is_possible = |head: &Head| u64::from(names.has(spread(head.0))) | u64::from(head.0 / Head::LEADS);
                *word = heads.iter().rev().fold(0, |word, head| word << 1 | is_possible(head));
            }
            for (head, id) in facts.heads.iter().zip(0..) {
                if head.leads_to().is_some_and(|target| !possible.has(target)) {
                    possible.clear(id);
                }
            }
        }
        for (index, block) in facts.blocks.iter().enumerate() {
            let (mut left, mut enter) = (block.counted, block.found & possible.0.get(index).copied().unwrap_or(0));
            while enter != 0 {
                let bit = enter & enter.wrapping_neg();
                let id = index as u32 * 64 + bit.trailing_zeros();
                self.table.count((left & (bit - 1)).count_ones());
                left &= !(bit | (bit - 1));
                enter &= enter - 1;
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
            self.table.count(left.count_ones());
        }
        self.table.open();
    }
}
