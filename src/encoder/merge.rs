//! The ordered stage: a fragment's types get their place in the BTF.
//!
//! A type whose hash an earlier unit of the file had is not added again, see [`super::identity`]. Nothing else is decided here: what the remaining
//! duplicates become is deduplication's business. With dropping off, the same BTF comes out, later and from more memory; tests
//! compare the two.

mod file_names;
#[cfg(test)]
mod generated;
mod seen;

pub use file_names::FileNames;

use super::ambiguous::Ambiguous;
use super::fragment::{Apart, Fragment, INDEX_TYPE, Named};
use super::identity::{IdentityScratch, find_apart, is_definition};
use crate::btf::{Btf, BtfError, Kind, Strings, TypeId};
use rustc_hash::FxHashMap;
use seen::Seen;

/// Which of a fragment's types may be left out.
pub struct Dropping<'a> {
    /// None of the file's otherwise.
    pub on: bool,
    /// Those that an earlier fragment had; otherwise none, nor are they what later ones have to be the same as.
    pub same: bool,
    /// Names of the file.
    pub ambiguous: &'a Ambiguous,
}

/// What the merge keeps between fragments.
#[derive(Default)]
pub struct Merger {
    seen: Seen,
    /// What the names of the file stand for: the first definition of each key, by half of its hash.
    definitions: FxHashMap<u64, u64>,
    /// Final id of each local id, 0-based; valid until the next fragment.
    map: Vec<u32>,
    /// There was an enumeration that is taken for any nameless one: nothing is left out any more.
    keeps_all: bool,
    /// What is apart in a fragment when more is known than at the time that it was made.
    apart: Apart,
    scratch: IdentityScratch,
    /// The array index type, once a unit had it.
    index_type: Option<TypeId>,
}

impl Merger {
    /// Forgets hashes: the next fragments are of another file, whose names have other offsets.
    pub fn next_file(&mut self, info_size: u64) {
        self.seen = Seen::for_file(info_size);
        self.definitions.clear();
        self.keeps_all = false;
    }

    /// Forgets hashes: no more types of the file come.
    pub(super) fn end_file(&mut self) {
        self.seen = Seen::default();
        self.definitions = FxHashMap::default();
    }

    /// The final id of a local one of the fragment merged last.
    #[inline]
    pub fn type_id(&self, local: u32) -> TypeId {
        match local {
            0 => TypeId::VOID,
            n => TypeId(self.map[n as usize - 1]),
        }
    }

    /// Adds the fragment's types, without those that an earlier unit had.
    pub fn add_types(
        &mut self,
        btf: &mut Btf,
        fragment: &Fragment,
        names: &mut FileNames,
        drop: &Dropping<'_>,
    ) -> Result<(), BtfError> {
        let first = btf.type_count();
        let next = self.assign_ids(btf, fragment, drop);
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
        drop: &Dropping<'_>,
        index: u32,
        outward: impl Fn(&[u32], u32) -> u32,
    ) -> Result<(), BtfError> {
        let first = btf.type_count();
        self.assign_ids(btf, fragment, drop);
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

    /// Fills in the map of ids; those of types that an earlier unit had are below the first free one. Returns the id behind the last.
    fn assign_ids(&mut self, btf: &Btf, fragment: &Fragment, drop: &Dropping<'_>) -> u32 {
        let ambiguous = drop.ambiguous;
        let (first, has_base) = (btf.type_count(), btf.is_split());
        let count = fragment.starts.len();
        self.map.clear();
        let Some(hashes) = fragment.hashes().filter(|_| drop.on && !has_base && !self.keeps_all) else {
            self.map.extend(first..first + count as u32);
            return first + count as u32;
        };
        let (hashes, mut apart) = (&hashes[1..], &fragment.apart);
        if drop.same {
            self.seen.find(hashes, &mut self.map);
        } else {
            self.map.resize(count, 0);
        }
        loop {
            if is_outdated(apart, fragment, ambiguous) {
                find_apart(fragment, ambiguous, ambiguous.count(), &mut self.scratch, &mut self.apart);
                apart = &self.apart;
            }
            apart.list.iter().for_each(|&id| self.map[id as usize - 1] = 0);
            if !note_definitions(&mut self.definitions, fragment, &self.map, apart, ambiguous) {
                break;
            }
        }
        self.keeps_all = fragment.has_empty_enum;
        if self.keeps_all {
            self.map.fill(0);
        }
        fragment.alone.iter().for_each(|&id| self.map[id as usize - 1] = 0);
        if !drop.same {
            self.map.clear();
            self.map.extend(first..first + count as u32);
            return first + count as u32;
        }
        self.seen.insert(hashes, &mut self.map, first)
    }
}

/// Whether more of the fragment's types are apart by now.
fn is_outdated(apart: &Apart, fragment: &Fragment, ambiguous: &Ambiguous) -> bool {
    let is_new = |named: &Named| apart.list.binary_search(&named.id).is_err();
    ambiguous.has_any_since(&fragment.named, apart.known, is_new)
        || (fragment.outward && apart.known == 0 && ambiguous.count() > 0)
}

/// Notes what new definitions the fragment has for names. Whether there are names that have become ambiguous by them.
fn note_definitions(
    known: &mut FxHashMap<u64, u64>,
    fragment: &Fragment,
    map: &[u32],
    apart: &Apart,
    ambiguous: &Ambiguous,
) -> bool {
    let Some(hashes) = fragment.hashes() else { return false };
    let (before, mut is_apart) = (ambiguous.count(), apart.list.iter().copied().peekable());
    for named in &fragment.named {
        if map[named.id as usize - 1] != 0 || !is_definition(fragment.record(named.id)[1]) {
            continue;
        }
        while is_apart.next_if(|&id| id < named.id).is_some() {}
        let hash = (hashes[named.id as usize] >> 64) as u64;
        // What leads to a name with several definitions has several itself.
        if is_apart.peek() == Some(&named.id) || *known.entry(named.key).or_insert(hash) != hash {
            ambiguous.add(named.key);
        }
    }
    ambiguous.count() > before
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::btf::{Endian, info_word};
    use crate::encoder::identity::identify;

    /// A unit with a pointer to `struct x` of a size in bytes, or to its declaration, and two structs that hold such pointers.
    fn unit(x: Option<u32>, ambiguous: &Ambiguous) -> Fragment {
        let mut f = Fragment::default();
        let mut name = |name: &str| f.strings.push(name.as_bytes()).to_word();
        let (top, mid, low) = (name("top_struct"), name("mid_struct"), name("x_struct"));
        let of_struct = |name, size, member: u32| vec![name, info_word(Kind::Struct, 1, false), size, 0, member, 0];
        let records = [
            of_struct(top, 8, 2),
            vec![0, info_word(Kind::Ptr, 0, false), 3],
            of_struct(mid, 8, 4),
            vec![0, info_word(Kind::Ptr, 0, false), 5],
            match x {
                Some(size) => vec![low, info_word(Kind::Struct, 0, false), size],
                None => vec![low, info_word(Kind::Fwd, 0, false), 0],
            },
        ];
        for record in records {
            f.starts.push(f.words.len() as u32);
            f.words.extend(record);
        }
        identify(&mut f, ambiguous, &mut IdentityScratch::default());
        f
    }

    /// Which types of units, in this order, are added.
    fn added(units: &[Option<u32>], base: Option<Btf>) -> Vec<String> {
        let mut btf = base.map_or_else(|| Btf::new(Endian::HOST), |base| Btf::new_split(base.into(), Endian::HOST));
        let (mut merger, ambiguous) = (Merger::default(), Ambiguous::default());
        let mut add = |&x: &Option<u32>| {
            let (fragment, first) = (unit(x, &ambiguous), btf.type_count());
            let end = merger.assign_ids(&btf, &fragment, &Dropping { on: true, same: true, ambiguous: &ambiguous });
            let stays = merger.map.iter().map(|&id| if id >= first { '+' } else { '-' }).collect();
            for _ in first..end {
                btf.add_ptr(TypeId::VOID).expect("room for a type");
            }
            stays
        };
        units.iter().map(&mut add).collect()
    }

    #[test]
    fn types_of_earlier_units_are_left_out() {
        assert_eq!(added(&[Some(1), Some(1)], None), ["+++++", "-----"]);
    }

    #[test]
    fn what_is_only_declared_does_not_make_others_different() {
        // `mid_struct` is kept for what it says of the declaration, `top_struct` leads to the same names.
        assert_eq!(added(&[Some(1), None, Some(1), None], None), ["+++++", "--+++", "-----", "-----"]);
    }

    #[test]
    fn a_second_definition_parts_what_leads_to_it_from_then_on() {
        assert_eq!(
            added(&[Some(1), Some(1), Some(2), Some(1), Some(2), Some(1)], None),
            ["+++++", "-----", "+++++", "+++++", "+++++", "+++++"]
        );
    }

    #[test]
    fn with_a_base_all_stay() {
        let base = Btf::new(Endian::HOST);
        assert_eq!(added(&[Some(1), Some(1)], Some(base)), ["+++++", "+++++"]);
    }
}
