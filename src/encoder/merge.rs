//! The ordered stage: a fragment's types get their place in the BTF.
//!
//! A type whose closure hash an earlier unit of the file had is not added again. Nothing else is decided here: what the remaining
//! duplicates become is deduplication's business. With dropping off, the same BTF comes out, later and from more memory; tests
//! compare the two.

mod file_names;
mod seen;

pub use file_names::FileNames;

use super::fragment::{Fragment, INDEX_TYPE};
use crate::btf::{Btf, BtfError, Kind, Strings, TypeId};
use seen::Seen;

/// What the merge keeps between fragments.
#[derive(Default)]
pub struct Merger {
    seen: Seen,
    /// Final id of each local id, 0-based; valid until the next fragment.
    map: Vec<u32>,
    /// The array index type, once a unit had it.
    index_type: Option<TypeId>,
}

impl Merger {
    /// Forgets hashes: the next fragments are of another file, whose names have other offsets.
    pub fn next_file(&mut self, info_size: u64) {
        self.seen = Seen::for_file(info_size);
    }

    /// Forgets hashes: no more types of the file come.
    pub(super) fn end_file(&mut self) {
        self.seen = Seen::default();
    }

    /// The final id of a local one of the fragment merged last.
    #[inline]
    pub fn type_id(&self, local: u32) -> TypeId {
        match local {
            0 => TypeId::VOID,
            n => TypeId(self.map[n as usize - 1]),
        }
    }

    /// Adds the fragment's types; with `drop`, without those that an earlier unit had.
    pub fn add_types(&mut self, btf: &mut Btf, fragment: &Fragment, names: &mut FileNames, drop: bool) -> Result<(), BtfError> {
        let first = btf.type_count();
        let next = self.assign_ids(first, fragment, drop);
        let mut missing_index_type = false;
        if self.index_type.is_none() {
            match fragment.int_id {
                Some(id) => self.index_type = Some(self.type_id(id)),
                // A unit with arrays but without `int` gets one behind its types.
                None if fragment.has_array => {
                    self.index_type = Some(TypeId(next));
                    missing_index_type = true;
                }
                None => {}
            }
        }
        let index = self.index_type.map_or(0, |t| t.0);
        let map = &self.map;
        let id = |local: u32| if local == 0 { 0 } else { map[local as usize - 1] };
        add_records(btf, fragment, names, (&self.map, first), index, id)?;
        if missing_index_type {
            btf.add_int(b"int", 4, crate::btf::INT_SIGNED)?;
        }
        Ok(())
    }

    /// [`Merger::add_types`] for a unit that refers to others: `outward` turns local ids into final ones, given the final ids of the
    /// fragment's own types, and `index` is the array index type. Both may be what is replaced later.
    pub(super) fn add_part(
        &mut self,
        btf: &mut Btf,
        fragment: &Fragment,
        names: &mut FileNames,
        drop: bool,
        index: u32,
        outward: impl Fn(&[u32], u32) -> u32,
    ) -> Result<(), BtfError> {
        let first = btf.type_count();
        self.assign_ids(first, fragment, drop);
        let map = &self.map;
        let id = |local: u32| if local == 0 { 0 } else { outward(map, local) };
        add_records(btf, fragment, names, (&self.map, first), index, id)
    }

    /// The final ids of the types merged last.
    pub(super) fn ids(&self) -> &[u32] {
        &self.map
    }

    pub(super) fn index_type(&self) -> Option<TypeId> {
        self.index_type
    }

    pub(super) fn set_index_type(&mut self, id: TypeId) {
        self.index_type = Some(id);
    }

    /// Fills in the map of ids; those of types that an earlier unit had are below `first`. Returns the id behind the last.
    fn assign_ids(&mut self, first: u32, fragment: &Fragment, drop: bool) -> u32 {
        let count = fragment.starts.len();
        self.map.clear();
        self.map.reserve(count);
        let Some(closures) = fragment.closures().filter(|_| drop) else {
            self.map.extend(first..first + count as u32);
            return first + count as u32;
        };
        self.seen.assign(first, &closures[1..], &mut self.map)
    }
}

/// Adds the records whose ids in the map are not below `first`.
fn add_records(
    btf: &mut Btf,
    fragment: &Fragment,
    names: &mut FileNames,
    (map, first): (&[u32], u32),
    index: u32,
    id: impl Fn(u32) -> u32,
) -> Result<(), BtfError> {
    let start_of = |local: usize| fragment.starts.get(local).map_or(fragment.words.len(), |&start| start as usize);
    let mut local = 0;
    while local < map.len() {
        // Neighbours that stay are copied as one run.
        let skipped = map[local..].iter().take_while(|&&id| id < first).count();
        let from = local + skipped;
        let len = map[from..].iter().take_while(|&&id| id >= first).count();
        local = from + len;
        if len == 0 {
            break;
        }
        let start = start_of(from);
        let words = &fragment.words[start..start_of(local)];
        let starts = fragment.starts[from..local].iter().map(|&s| s - start as u32);
        let (words, mut strings) = btf.push_run(words, starts)?;
        for at in from..local {
            let record = &mut words[start_of(at) - start..start_of(at + 1) - start];
            complete(&mut strings, fragment, names, record, index, &id)?;
        }
    }
    Ok(())
}

/// Turns local ids and names of a record into final ones.
#[inline]
fn complete(
    strings: &mut Strings<'_>,
    fragment: &Fragment,
    names: &mut FileNames,
    w: &mut [u32],
    index: u32,
    id: &impl Fn(u32) -> u32,
) -> Result<(), BtfError> {
    let Some(kind) = Kind::of_info(w[1]) else { return Ok(()) };
    w[0] = names.intern_word(strings, fragment, w[0])?;
    match kind {
        Kind::Ptr | Kind::Typedef | Kind::Const | Kind::Volatile | Kind::Restrict | Kind::TypeTag => w[2] = id(w[2]),
        Kind::Array => {
            w[3] = id(w[3]);
            debug_assert_eq!(w[4], INDEX_TYPE);
            w[4] = index;
        }
        Kind::Struct | Kind::Union => {
            for m in w[3..].chunks_exact_mut(3) {
                m[0] = names.intern_word(strings, fragment, m[0])?;
                m[1] = id(m[1]);
            }
        }
        Kind::FuncProto => {
            w[2] = id(w[2]);
            for p in w[3..].chunks_exact_mut(2) {
                p[0] = names.intern_word(strings, fragment, p[0])?;
                p[1] = id(p[1]);
            }
        }
        Kind::Enum => {
            for e in w[3..].chunks_exact_mut(2) {
                e[0] = names.intern_word(strings, fragment, e[0])?;
            }
        }
        Kind::Enum64 => {
            for e in w[3..].chunks_exact_mut(3) {
                e[0] = names.intern_word(strings, fragment, e[0])?;
            }
        }
        Kind::Int | Kind::Float | Kind::Fwd | Kind::Func | Kind::Var | Kind::Datasec | Kind::DeclTag => {}
    }
    Ok(())
}
