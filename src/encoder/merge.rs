//! The ordered stage: a fragment's types get their place in the BTF.
//!
//! A type whose closure hash an earlier unit of the file had is not added again. Nothing else is decided here: what the remaining
//! duplicates become is deduplication's business. With dropping off, the same BTF comes out, later and from more memory; tests
//! compare the two.

use super::fragment::{Fragment, INDEX_TYPE, NameRef, NameSource};
use super::names::Names;
use crate::btf::{Btf, BtfError, Kind, StrOff, TypeId};
use crate::dwarf::cursor::str_at;
use crate::dwarf::file::DwarfFile;
use std::sync::Arc;

/// The strings of a file's fragments: each that is not a fragment's own is interned once.
pub struct FileNames {
    file: Arc<DwarfFile>,
    known: Known,
}

/// From names that are the same in all fragments to offsets in the BTF's strings: open addressing. A table by offset in `.debug_str` would
/// be faster by itself, but spreads the few names over many pages.
struct Known {
    /// The name's word and its offset in the strings; the second is 0 for an empty slot.
    slots: Vec<(u32, u32)>,
    len: usize,
    shift: u32,
}

impl Known {
    fn new() -> Known {
        const BITS: u32 = 12;
        Known { slots: vec![(0, 0); 1 << BITS], len: 0, shift: 32 - BITS }
    }

    #[inline]
    fn place(&self, word: u32) -> usize {
        let mask = self.slots.len() - 1;
        let mut at = (word.wrapping_mul(0x9e37_79b1) >> self.shift) as usize;
        while self.slots[at].1 != 0 && self.slots[at].0 != word {
            at = (at + 1) & mask;
        }
        at
    }

    fn insert(&mut self, word: u32, string: u32) {
        if self.len * 2 >= self.slots.len() && self.shift > 1 {
            let size = self.slots.len() * 2;
            let old = std::mem::replace(&mut self.slots, vec![(0, 0); size]);
            self.shift -= 1;
            for slot in old.into_iter().filter(|s| s.1 != 0) {
                let at = self.place(slot.0);
                self.slots[at] = slot;
            }
        }
        let at = self.place(word);
        self.slots[at] = (word, string);
        self.len += 1;
    }
}

impl FileNames {
    pub fn new(file: Arc<DwarfFile>) -> FileNames {
        FileNames { file, known: Known::new() }
    }

    pub fn is_for(&self, file: &Arc<DwarfFile>) -> bool {
        Arc::ptr_eq(&self.file, file)
    }

    #[inline]
    fn intern_word(&mut self, btf: &mut Btf, fragment: &Fragment, word: u32) -> Result<u32, BtfError> {
        if word == 0 {
            return Ok(0);
        }
        if NameRef::is_global(word) {
            let known = self.known.slots[self.known.place(word)].1;
            if known != 0 {
                return Ok(known);
            }
        }
        self.intern_new(btf, fragment, word)
    }

    fn intern_new(&mut self, btf: &mut Btf, fragment: &Fragment, word: u32) -> Result<u32, BtfError> {
        let string = btf.add_str(self.bytes(fragment, &NameRef::from_word(word)))?.0;
        if string != 0 && NameRef::is_global(word) {
            self.known.insert(word, string);
        }
        Ok(string)
    }
}

impl Names for FileNames {
    fn intern(&mut self, btf: &mut Btf, fragment: &Fragment, name: NameRef) -> Result<StrOff, BtfError> {
        self.intern_word(btf, fragment, name.to_word()).map(StrOff)
    }

    fn bytes<'a>(&'a self, fragment: &'a Fragment, name: &'a NameRef) -> &'a [u8] {
        match name.source() {
            NameSource::None => &[],
            NameSource::DebugStr(offset) => str_at(self.file.debug_str(), u64::from(offset)).unwrap_or_default(),
            NameSource::Short => name.short_bytes(),
            NameSource::Local(i) => fragment.strings.get(i),
        }
    }
}

/// The closure hashes of the types added so far, with their ids: open addressing, 96 bits of each hash.
#[derive(Default)]
struct Seen {
    slots: Vec<Slot>,
    len: usize,
    /// Slots to start with, once there is a hash.
    at_first: usize,
}

#[derive(Clone, Copy, Default)]
struct Slot {
    high: u64,
    low: u32,
    /// 0 for an empty slot.
    id: u32,
}

impl Seen {
    /// An empty table, to have room for what `info_size` bytes of `.debug_info` are likely to bring: growing means to move everything.
    fn for_file(info_size: u64) -> Seen {
        const BYTES_A_SLOT: u64 = 170;
        let size = (info_size / BYTES_A_SLOT).clamp(1 << 12, 1 << 24) as usize;
        Seen { slots: Vec::new(), len: 0, at_first: size }
    }

    /// Grows by half: what the table takes is most of what the merge takes.
    fn reserve(&mut self, more: usize) {
        let size = self.slots.len();
        if (self.len + more) * 6 <= size * 5 {
            return;
        }
        let size = (size + size / 2).max((self.len + more) * 2).max(self.at_first);
        let old = std::mem::replace(&mut self.slots, vec![Slot::default(); size]);
        for slot in old {
            if slot.id != 0 {
                let at = self.place(slot.high, slot.low);
                self.slots[at] = slot;
            }
        }
    }

    /// Where the search for a hash starts.
    #[inline]
    fn home(&self, high: u64) -> usize {
        ((u128::from(high) * self.slots.len() as u128) >> 64) as usize
    }

    /// The slot of a hash, or the empty one where it belongs.
    #[inline]
    fn place(&self, high: u64, low: u32) -> usize {
        let size = self.slots.len();
        let mut at = self.home(high);
        loop {
            let slot = &self.slots[at];
            if slot.id == 0 || (slot.high == high && slot.low == low) {
                return at;
            }
            at += 1;
            if at == size {
                at = 0;
            }
        }
    }
}

/// How many types are looked up together.
const BATCH: usize = 32;

/// What the merge keeps between fragments.
#[derive(Default)]
pub struct Merger {
    seen: Seen,
    /// Final id of each local id, 0-based; valid until the next fragment.
    map: Vec<u32>,
    /// The array index type, once a unit had it.
    index_type: Option<TypeId>,
    record: Vec<u32>,
}

impl Merger {
    /// Forgets hashes: the next fragments are of another file, whose names have other offsets.
    pub fn next_file(&mut self, info_size: u64) {
        self.seen = Seen::for_file(info_size);
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
        add_records(btf, fragment, names, (&self.map, first), &mut self.record, index, id)?;
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
        add_records(btf, fragment, names, (&self.map, first), &mut self.record, index, id)
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
        let mut next = first;
        self.map.clear();
        self.map.reserve(count);
        if !drop || fragment.closures.is_empty() {
            self.map.extend(first..first + count as u32);
            return next + count as u32;
        }
        self.seen.reserve(count);
        for batch in fragment.closures[1..].chunks(BATCH) {
            // Touching the slots first lets the loads from memory overlap.
            let touched = batch.iter().fold(0, |x, closure| x ^ self.seen.slots[self.seen.home((closure >> 64) as u64)].id);
            std::hint::black_box(touched);
            for closure in batch {
                let (high, low) = ((closure >> 64) as u64, *closure as u32);
                let at = self.seen.place(high, low);
                let slot = &mut self.seen.slots[at];
                // Duplicates inside the unit stay.
                if slot.id != 0 && slot.id < first {
                    self.map.push(slot.id);
                    continue;
                }
                if slot.id == 0 {
                    *slot = Slot { high, low, id: next };
                    self.seen.len += 1;
                }
                self.map.push(next);
                next += 1;
            }
        }
        next
    }
}

/// Adds the records whose ids in the map are not below `first`.
fn add_records(
    btf: &mut Btf,
    fragment: &Fragment,
    names: &mut FileNames,
    (map, first): (&[u32], u32),
    record: &mut Vec<u32>,
    index: u32,
    id: impl Fn(u32) -> u32,
) -> Result<(), BtfError> {
    for (local, &start) in fragment.starts.iter().enumerate() {
        if map[local] < first {
            continue;
        }
        let end = fragment.starts.get(local + 1).map_or(fragment.words.len(), |&e| e as usize);
        let words = &fragment.words[start as usize..end];
        add_record(btf, fragment, names, words, record, index, &id)?;
    }
    Ok(())
}

#[inline]
fn add_record(
    btf: &mut Btf,
    fragment: &Fragment,
    names: &mut FileNames,
    w: &[u32],
    out: &mut Vec<u32>,
    index: u32,
    id: &impl Fn(u32) -> u32,
) -> Result<(), BtfError> {
    out.clear();
    out.extend_from_slice(w);
    let Some(kind) = Kind::of_info(w[1]) else { return btf.push_record(out).map(|_| ()) };
    if w[0] != 0 {
        out[0] = names.intern_word(btf, fragment, w[0])?;
    }
    match kind {
        Kind::Ptr | Kind::Typedef | Kind::Const | Kind::Volatile | Kind::Restrict | Kind::TypeTag => out[2] = id(w[2]),
        Kind::Array => {
            out[3] = id(w[3]);
            debug_assert_eq!(w[4], INDEX_TYPE);
            out[4] = index;
        }
        Kind::Struct | Kind::Union => {
            for m in out[3..].chunks_exact_mut(3) {
                m[0] = names.intern_word(btf, fragment, m[0])?;
                m[1] = id(m[1]);
            }
        }
        Kind::FuncProto => {
            out[2] = id(w[2]);
            for p in out[3..].chunks_exact_mut(2) {
                p[0] = names.intern_word(btf, fragment, p[0])?;
                p[1] = id(p[1]);
            }
        }
        Kind::Enum => {
            for e in out[3..].chunks_exact_mut(2) {
                e[0] = names.intern_word(btf, fragment, e[0])?;
            }
        }
        Kind::Enum64 => {
            for e in out[3..].chunks_exact_mut(3) {
                e[0] = names.intern_word(btf, fragment, e[0])?;
            }
        }
        Kind::Int | Kind::Float | Kind::Fwd | Kind::Func | Kind::Var | Kind::Datasec | Kind::DeclTag => {}
    }
    btf.push_record(out).map(|_| ())
}
