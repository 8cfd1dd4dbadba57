//! Deduplication: of types that are the same for C, one stays.
//!
//! Types come unit by unit, most of them many times. Two of them are the same when everything they lead to is the same, with one
//! liberty: a forward declaration is the same as the struct or union of its name. Since types refer to each other in cycles, the
//! work goes in phases that each rely on the ones before:
//!
//! 1. *Strings* (of parsed BTF only): stored once, unused ones dropped. Names are compared by offset from here on.
//! 2. *Primitive types* (`prim`): integers, floats, enums, forward declarations. Compared by content.
//! 3. *Structs, unions, typedefs* (`equiv`): what shares name, size and members' names is compared as graphs, side by side.
//! 4. *Forward declarations* (`fwd`) that phase 3 did not resolve, when only one struct or union has the name.
//! 5. *References* (`refs`): pointers, qualifiers, arrays, prototypes, functions, tags. What they refer to is settled now, so
//!    they are compared by content, deepest first.
//! 6. *Compaction* (`compact`): survivors move together and every id is replaced.
//!
//! Variables and data sections always stay. The types of a base stay too, and own types may be replaced by them (`base`).
//!
//! The output has to equal libbpf's, so wherever the result depends on an order (of candidates, of the walk over the graph, of
//! what is mapped when) it is libbpf's order. Where libbpf recurses along the graph, explicit stacks are used here: a chain of a
//! million pointers is no reason to crash.

pub(super) mod base;
mod compact;
mod compare;
mod equiv;
mod fwd;
mod heads;
mod nodes;
mod prim;
mod refs;
mod table;

use super::record::{HEAD, INFO, NAME, any_id, name_slots, record_len, vlen_of};
use super::strings::{StringSet, hash_of};
use super::{Btf, BtfError, Kind, MAX_ID, StrOff, TypeId};
use base::{Facts, Wanted};
use equiv::Equivalence;
use nodes::{Nodes, UNMAPPED};
use std::sync::Arc;
use table::{Candidate, Table};

/// How [`Btf::dedup`] works.
#[derive(Clone, Copy, Default, Debug)]
pub struct DedupOptions {
    /// Let hashes collide, to test that results do not depend on them: all of them, or, since that takes time in the square of the
    /// number of types, some thousand in each of few classes.
    pub force_collisions: bool,
    /// Let a reference type that leads back to itself, with no struct or typedef between, lead to void where the circle closes. Otherwise it is
    /// an error, as with libbpf.
    pub cut_circles: bool,
}

/// What a deduplication did not do as it should.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Shortcomings {
    /// The search for duplicates would have taken forever (among types made for it), so that some stay: the first that there may be another of.
    pub gave_up: Option<TypeId>,
    /// How many circles were cut.
    pub circles: u32,
}

/// On the path of the walk through references.
const IN_PROGRESS: u32 = u32::MAX - 1;

/// The state of one deduplication.
struct Dedup {
    types: Types,
    table: Table,
    /// Own types that refer to no other, in order.
    prims: Vec<u32>,
    /// Own structs and unions that stay, in order.
    composites: Vec<u32>,
}

/// A mask that leaves of a hash so much that some thousand of `count` types share a value: its highest bits, which choose the bucket.
fn few_classes(count: usize) -> u32 {
    let bits = (count >> 11).checked_ilog2().unwrap_or(0);
    u32::MAX.checked_shl(32 - bits).unwrap_or(0)
}

/// What is found out about own types when they are checked.
struct Own {
    nodes: Nodes,
    /// Those that refer to no other, in order.
    prims: Vec<u32>,
    /// One of them refers to a type of the base already.
    refers_to_base: bool,
    /// There is an enumeration without name and enumerators.
    any_enum: bool,
    /// There is a forward declaration without a name.
    any_fwd: bool,
}

/// The types under deduplication, own and base.
struct Types {
    nodes: Nodes,
    words: Vec<u32>,
    start_id: u32,
    base: Option<Arc<Btf>>,
    /// There is a forward declaration without a name: it counts as any struct without one.
    has_nameless_fwd: bool,
}

/// The record of void, and of what does not exist.
const NONE: &[u32] = &[0; HEAD];

impl Types {
    /// The words of a record and, for own types, of whatever follows it; void is a record of zeros.
    #[inline]
    fn record(&self, id: u32) -> &[u32] {
        if id >= self.start_id { self.own_record(id) } else { self.base_record(id) }
    }

    #[inline]
    fn own_record(&self, id: u32) -> &[u32] {
        self.words.get(self.start(id)..).unwrap_or(NONE)
    }

    /// [`Types::record`] of a candidate.
    #[inline]
    fn candidate(&self, candidate: Candidate) -> &[u32] {
        if candidate.id >= self.start_id { &self.words[candidate.start as usize..] } else { self.base_record(candidate.id) }
    }

    #[cold]
    fn base_record(&self, id: u32) -> &[u32] {
        self.base.as_ref().and_then(|base| base.record(TypeId(id))).unwrap_or(NONE)
    }

    /// The info word of a type; 0 for void.
    #[inline]
    fn info(&self, id: u32) -> u32 {
        if id >= self.start_id { self.nodes.info(id) } else { self.base_record(id)[INFO] }
    }

    /// `None` for void.
    #[inline]
    fn kind(&self, id: u32) -> Option<Kind> {
        Kind::of_info(self.info(id))
    }

    /// Word index of an own record.
    #[inline]
    fn start(&self, id: u32) -> usize {
        self.nodes.start(id) as usize
    }

    fn type_count(&self) -> u32 {
        self.nodes.count()
    }

    fn own_ids(&self) -> std::ops::Range<u32> {
        self.start_id..self.type_count()
    }

    #[inline]
    fn map(&self, id: u32) -> u32 {
        self.nodes.map(id)
    }

    #[inline]
    fn set_map(&mut self, id: u32, to: u32) {
        self.nodes.set_map(id, to);
    }

    #[inline]
    fn is_mapped(&self, id: u32) -> bool {
        self.map(id) <= MAX_ID
    }

    /// The type that stands for `id` as far as is known.
    #[inline]
    fn resolve(&self, mut id: u32) -> u32 {
        loop {
            let next = self.map(id);
            if next == id || next > MAX_ID {
                return id;
            }
            id = next;
        }
    }
}

impl Btf {
    /// Removes duplicate types, with libbpf's result. After an error the types are in no defined state, but safe to read.
    pub fn dedup(&mut self, opts: &DedupOptions) -> Result<Shortcomings, BtfError> {
        if self.unshared && self.base.is_none() {
            return Err(BtfError::Argument("the base has not been told"));
        }
        let Own { nodes, prims, refers_to_base, any_enum, any_fwd } = self.own()?;
        self.dedup_strings()?;
        let in_base = if self.unshared { self.share_strings() } else { self.names_in_base() };
        let wanted = if refers_to_base || any_fwd { None } else { Wanted::new(self, &in_base, any_enum) };
        let words = std::mem::take(&mut self.words).into_owned();
        self.starts = Vec::new();
        let facts = base::facts(self.base.as_deref());
        let mask = if opts.force_collisions { few_classes(nodes.count() as usize) } else { u32::MAX };
        let has_nameless_fwd = facts.has_nameless_fwd || any_fwd;
        let types = Types { nodes, words, start_id: self.start_id, base: self.base.clone(), has_nameless_fwd };
        let mut dedup = Dedup { types, table: Table::new(mask), prims, composites: Vec::new() };
        dedup.enter_base(&facts, wanted.as_ref());
        let result = dedup.settle_all(opts, &facts);
        let types = dedup.types;
        let mut shortcomings = match result {
            Ok(shortcomings) => shortcomings,
            Err(err) => {
                self.starts = types.own_ids().map(|id| types.nodes.start(id)).collect();
                self.words = types.words.into();
                return Err(err);
            }
        };
        let compacted = types.compact(shortcomings.gave_up)?;
        (self.starts, self.words) = (compacted.starts, compacted.words.into());
        shortcomings.gave_up = compacted.followed;
        Ok(shortcomings)
    }

    /// Checks what the rest relies on, namely whole records and ids that exist, and makes variables and sections canonical.
    fn own(&self) -> Result<Own, BtfError> {
        let (start_id, type_count) = (self.start_id, self.type_count());
        let mut own =
            Own { nodes: Nodes::staying(type_count), prims: Vec::new(), refers_to_base: false, any_enum: false, any_fwd: false };
        for ((&start, words), id) in self.starts.iter().zip(self.own_records()).zip(start_id..) {
            let len = words.get(INFO).and_then(|&info| record_len(info));
            if len != Some(words.len()) {
                return Err(BtfError::Record { id, what: "length does not fit the kind" });
            }
            if any_id(words, |id| id != 0 && id.wrapping_sub(start_id) >= type_count - start_id) {
                if any_id(words, |id| id >= type_count) {
                    return Err(BtfError::Record { id, what: "refers to a type that does not exist" });
                }
                own.refers_to_base = true;
            }
            let info = words[INFO];
            let mut map = UNMAPPED;
            match Kind::of_info(info) {
                Some(Kind::Var | Kind::Datasec) => map = id,
                Some(kind @ (Kind::Int | Kind::Fwd | Kind::Float)) => {
                    own.prims.push(id);
                    own.any_fwd |= words[NAME] == 0 && kind == Kind::Fwd;
                }
                Some(Kind::Enum | Kind::Enum64) => {
                    own.prims.push(id);
                    own.any_enum |= words[NAME] == 0 && vlen_of(info) == 0;
                }
                _ => {}
            }
            own.nodes.set(id, map, start, info);
        }
        Ok(own)
    }

    /// Stores each string once, in the order of first use, and drops the unused ones.
    fn dedup_strings(&mut self) -> Result<(), BtfError> {
        if self.strs_unique {
            return Ok(());
        }
        let mut fresh = if self.base.is_none() { StringSet::from_section(vec![0]) } else { StringSet::default() };
        for index in 0..self.starts.len() {
            let start = self.starts[index] as usize;
            for slot in name_slots(self.words[start + INFO]) {
                let offset = self.words[start + slot];
                if offset == 0 || offset < self.start_str {
                    continue;
                }
                let id = self.start_id + index as u32;
                let outside = BtfError::Record { id, what: "name outside the string section" };
                let s = self.try_str(StrOff(offset)).ok_or(outside)?;
                self.words.to_mut()[start + slot] = self.start_str + fresh.add(s, hash_of(s))?;
            }
        }
        self.strs = fresh;
        self.strs_unique = true;
        self.unshared = self.base.is_some();
        Ok(())
    }
}

impl Dedup {
    /// Finds for each type the one that stays for it.
    fn settle_all(&mut self, opts: &DedupOptions, base: &Facts) -> Result<Shortcomings, BtfError> {
        self.prim_types();
        let gave_up = Equivalence::default().run(self)?.map(TypeId);
        self.resolve_fwds(base);
        let circles = self.ref_types(opts.cut_circles)?;
        Ok(Shortcomings { gave_up, circles })
    }

    /// Makes an own type a candidate.
    #[inline]
    fn add(&mut self, hash: u32, id: u32) {
        self.table.add(hash, Candidate { id, start: self.types.nodes.start(id) });
    }
}
