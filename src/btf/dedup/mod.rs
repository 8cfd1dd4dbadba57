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
//! Variables and data sections always stay. The types of a base stay too, and own types may be replaced by them.
//!
//! The output has to equal libbpf's, so wherever the result depends on an order (of candidates, of the walk over the graph, of
//! what is mapped when) it is libbpf's order. Where libbpf recurses along the graph, explicit stacks are used here: a chain of a
//! million pointers is no reason to crash.

mod compact;
mod compare;
mod equiv;
mod fwd;
mod prim;
mod refs;
mod table;

use super::record::{INFO, id_slots, name_slots, record_len};
use super::strings::StringSet;
use super::{Btf, BtfError, Kind, MAX_ID, StrOff, TypeId};
use equiv::Equivalence;
use std::sync::Arc;
use table::Table;

/// How [`Btf::dedup`] works.
#[derive(Clone, Copy, Default, Debug)]
pub struct DedupOptions {
    /// Treat all hashes as equal, to test that results do not depend on them.
    pub force_collisions: bool,
    /// Leave forward declarations alone that no comparison of types resolved; for passes before the last.
    pub skip_fwd_resolution: bool,
}

/// Not looked at yet. All values above [`MAX_ID`] mean that there is no canonical type so far.
const UNMAPPED: u32 = u32::MAX;
/// On the path of the walk through references.
const IN_PROGRESS: u32 = u32::MAX - 1;

/// The state of one deduplication.
struct Dedup {
    types: Types,
    /// For each id, the type that it is replaced by; itself for survivors; chains are allowed.
    map: Vec<u32>,
    table: Table,
}

/// The types under deduplication, own and base.
struct Types {
    words: Vec<u32>,
    starts: Vec<u32>,
    start_id: u32,
    base: Option<Arc<Btf>>,
}

impl Types {
    /// The words of a record and, for own types, of whatever follows it; void is a record of zeros.
    #[inline]
    fn record(&self, id: u32) -> &[u32] {
        match id.checked_sub(self.start_id) {
            Some(index) => &self.words[self.starts[index as usize] as usize..],
            None => self.base.as_ref().and_then(|base| base.record(TypeId(id))).unwrap_or(&[0, 0, 0]),
        }
    }

    /// `None` for void.
    #[inline]
    fn kind(&self, id: u32) -> Option<Kind> {
        Kind::of_info(self.record(id)[INFO])
    }

    /// Word index of an own record.
    #[inline]
    fn start(&self, id: u32) -> usize {
        self.starts[(id - self.start_id) as usize] as usize
    }

    fn type_count(&self) -> u32 {
        self.start_id + self.starts.len() as u32
    }

    fn own_ids(&self) -> std::ops::Range<u32> {
        self.start_id..self.type_count()
    }
}

impl Dedup {
    #[inline]
    fn is_mapped(&self, id: u32) -> bool {
        self.map[id as usize] <= MAX_ID
    }

    /// The type that stands for `id` as far as is known.
    #[inline]
    fn resolve(&self, mut id: u32) -> u32 {
        loop {
            let next = self.map[id as usize];
            if next == id || next > MAX_ID {
                return id;
            }
            id = next;
        }
    }
}

impl Btf {
    /// Removes duplicate types, with libbpf's result. After an error the types are in no defined state, but safe to read.
    pub fn dedup(&mut self, opts: &DedupOptions) -> Result<(), BtfError> {
        self.dedup_inner(opts, false).map(|_| ())
    }

    /// Like [`dedup`](Btf::dedup); also returns the new id of each old one (base ids and void included, unchanged).
    ///
    /// With [`skip_fwd_resolution`](DedupOptions::skip_fwd_resolution), for a BTF that is still being added to.
    pub fn dedup_with_map(&mut self, opts: &DedupOptions) -> Result<Vec<u32>, BtfError> {
        self.dedup_inner(opts, true)
    }

    fn dedup_inner(&mut self, opts: &DedupOptions, want_map: bool) -> Result<Vec<u32>, BtfError> {
        let map = self.initial_map()?;
        self.dedup_strings()?;
        let types = Types {
            words: std::mem::take(&mut self.words),
            starts: std::mem::take(&mut self.starts),
            start_id: self.start_id,
            base: self.base.clone(),
        };
        let mut dedup = Dedup { types, map, table: Table::new(opts.force_collisions) };
        let result = dedup.run(opts, want_map);
        self.words = dedup.types.words;
        self.starts = dedup.types.starts;
        result
    }

    /// Checks what the rest relies on, namely whole records and ids that exist, and makes variables and sections canonical.
    fn initial_map(&self) -> Result<Vec<u32>, BtfError> {
        let type_count = self.type_count();
        let mut map = vec![UNMAPPED; type_count as usize];
        for id in 0..self.start_id {
            map[id as usize] = id;
        }
        for (index, &start) in self.starts.iter().enumerate() {
            let id = self.start_id + index as u32;
            let end = self.starts.get(index + 1).map_or(self.words.len(), |&s| s as usize);
            let words = self.words.get(start as usize..end).unwrap_or(&[]);
            let len = words.get(INFO).and_then(|&info| record_len(info));
            if len != Some(words.len()) {
                return Err(BtfError::Record { id, what: "length does not fit the kind" });
            }
            if id_slots(words[INFO]).any(|slot| words[slot] >= type_count) {
                return Err(BtfError::Record { id, what: "refers to a type that does not exist" });
            }
            if matches!(Kind::of_info(words[INFO]), Some(Kind::Var | Kind::Datasec)) {
                map[id as usize] = id;
            }
        }
        Ok(map)
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
                self.words[start + slot] = match self.base.as_ref().and_then(|base| base.find_str(s)) {
                    Some(in_base) => in_base.0,
                    None => self.start_str + fresh.add(s)?,
                };
            }
        }
        self.strs = fresh;
        self.strs_unique = true;
        Ok(())
    }
}

impl Dedup {
    fn run(&mut self, opts: &DedupOptions, want_map: bool) -> Result<Vec<u32>, BtfError> {
        self.enter_base();
        self.prim_types(!opts.skip_fwd_resolution);
        Equivalence::new(self.types.type_count()).run(self)?;
        if !opts.skip_fwd_resolution {
            self.resolve_fwds();
        }
        self.ref_types()?;
        self.table = Table::new(false);
        self.compact(want_map)
    }

    /// Makes the base's types candidates.
    fn enter_base(&mut self) {
        for id in 1..self.types.start_id {
            match compare::hash_in_base(self.types.record(id)) {
                Some(hash) => self.table.add(hash, id),
                // libbpf files the base's typedefs under a hash that includes what they refer to, and looks typedefs up by one
                // that does not: it never finds them.
                None if self.types.kind(id) == Some(Kind::Typedef) => self.table.count_one(),
                None => {}
            }
        }
    }
}
