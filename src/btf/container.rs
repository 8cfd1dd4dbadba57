//! The BTF container: records, strings, and the base of a split BTF.

use super::dedup::base::Prepared;
use super::record::{self, KindLayout, Type};
use super::strings::{StringSet, hash_of, measure};
use super::{BtfError, Endian, Kind, MAX_ID, StrOff, TypeId};
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

/// A set of types and strings, standing alone or split (continuing the ids and string offsets of a base).
#[derive(Clone)]
pub struct Btf {
    pub(super) base: Option<Arc<Btf>>,
    pub(super) start_id: u32,
    pub(super) start_str: u32,
    pub(super) endian: Endian,
    pub(super) version: u8,
    pub(super) flags: u8,
    /// What the layout section says about kinds, by their number; empty without such a section.
    pub(super) layout: Vec<KindLayout>,
    /// The header was read with room for a layout section's place.
    pub(super) long_header: bool,
    /// Header bytes behind those known here, kept as they were read.
    pub(super) header_tail: Vec<u8>,
    /// The type section in host order.
    pub(super) words: Cow<'static, [u32]>,
    /// Word index of each own record; the record ends where the next starts.
    pub(super) starts: Vec<u32>,
    pub(super) strs: StringSet,
    /// No string is stored twice or unused as far as deduplication cares: true for what was built here from nothing.
    pub(super) strs_unique: bool,
    /// Own strings may be the base's, too, as they were added before it was told.
    pub(super) unshared: bool,
    /// Of a base.
    pub(super) prepared: Prepared,
}

/// Where a base ends, its own base counted: ids and string offsets of what is split from it go on from there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BaseEnd {
    /// One more than the largest id.
    pub types: u32,
    /// Bytes of strings.
    pub strings: u32,
}

/// The strings of a BTF whose records are in use.
pub struct Strings<'a> {
    /// Where strings are looked for first.
    base: Option<&'a Btf>,
    start_str: u32,
    strs: &'a mut StringSet,
}

impl Strings<'_> {
    /// See [`Btf::string_end`].
    #[inline]
    pub fn end(&self) -> u32 {
        self.start_str + self.strs.len()
    }

    /// See [`Btf::add_str`].
    pub fn add(&mut self, s: &[u8]) -> Result<StrOff, BtfError> {
        if memchr::memchr(0, s).is_some() {
            return Err(BtfError::Argument("a string must not contain NUL"));
        }
        self.add_hashed(s, hash_of(s))
    }

    /// As [`add`](Strings::add), for the string that `text` begins with and a NUL in it ends. Without a NUL it is the empty one.
    pub(crate) fn add_first_of(&mut self, text: &[u8]) -> Result<StrOff, BtfError> {
        match measure(text) {
            Some((len, hash)) => self.add_hashed(&text[..len], hash),
            None => Ok(StrOff::EMPTY),
        }
    }

    fn add_hashed(&mut self, s: &[u8], hash: u64) -> Result<StrOff, BtfError> {
        if s.is_empty() {
            return Ok(StrOff::EMPTY);
        }
        if let Some(offset) = self.base.and_then(|base| base.find_hashed(s, hash)) {
            return Ok(offset);
        }
        let offset = self.strs.add(s, hash)?;
        offset.checked_add(self.start_str).filter(|&o| o <= MAX_ID).map(StrOff).ok_or(BtfError::TooManyStrings)
    }
}

impl fmt::Debug for Btf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Btf")
            .field("start_id", &self.start_id)
            .field("types", &self.starts.len())
            .field("words", &self.words.len())
            .field("string_bytes", &self.strs.len())
            .field("endian", &self.endian)
            .finish_non_exhaustive()
    }
}

impl Btf {
    /// An empty BTF, with the empty string only.
    pub fn new(endian: Endian) -> Btf {
        let mut btf = Btf::blank(None, endian);
        btf.strs = StringSet::from_section(vec![0]);
        btf
    }

    /// An empty split BTF: ids and string offsets continue those of `base`, whose strings are reused.
    pub fn new_split(base: Arc<Btf>, endian: Endian) -> Btf {
        Btf::blank(Some(base), endian)
    }

    /// As [`new_split`](Btf::new_split), for a base that is large beside what is added, and may still be being read: strings are added without a
    /// look at it, and only deduplication, before which [`set_base`](Btf::set_base) tells it, has the base's reused. The result is the same, but until
    /// then offsets of strings are no final ones.
    pub fn new_split_behind(end: BaseEnd, endian: Endian) -> Btf {
        Btf { start_id: end.types, start_str: end.strings, unshared: true, ..Btf::blank(None, endian) }
    }

    /// Tells the base of a BTF that was made to be split from it.
    pub fn set_base(&mut self, base: Arc<Btf>) -> Result<(), BtfError> {
        if self.base.is_some() || !self.unshared || base.end() != (BaseEnd { types: self.start_id, strings: self.start_str }) {
            return Err(BtfError::Argument("not the base that was expected"));
        }
        self.base = Some(base);
        Ok(())
    }

    /// Whether there is a base, told already or not.
    pub fn is_split(&self) -> bool {
        self.base.is_some() || self.unshared
    }

    /// Where a BTF that is split from this one begins.
    pub fn end(&self) -> BaseEnd {
        BaseEnd { types: self.type_count(), strings: self.string_end() }
    }

    pub(super) fn blank(base: Option<Arc<Btf>>, endian: Endian) -> Btf {
        let (start_id, start_str) = match &base {
            Some(base) => (base.type_count(), base.start_str + base.strs.len()),
            None => (1, 0),
        };
        Btf {
            base,
            start_id,
            start_str,
            endian,
            version: 1,
            flags: 0,
            layout: Vec::new(),
            long_header: false,
            header_tail: Vec::new(),
            words: Cow::Owned(Vec::new()),
            starts: Vec::new(),
            strs: StringSet::default(),
            strs_unique: true,
            unshared: false,
            prepared: Prepared::default(),
        }
    }

    /// Adds a layout section, or leaves it out: how long the records of each kind are, for readers that do not know them all.
    pub fn set_layout(&mut self, on: bool) {
        self.layout = if on { KindLayout::of_all().collect() } else { Vec::new() };
    }

    /// Whether there is a layout section.
    pub fn has_layout(&self) -> bool {
        !self.layout.is_empty()
    }

    /// One more than the largest type id, those of the base and void counted.
    #[inline]
    pub fn type_count(&self) -> u32 {
        self.start_id + self.starts.len() as u32
    }

    /// The first id that is not the base's.
    #[inline]
    pub fn start_id(&self) -> u32 {
        self.start_id
    }

    pub fn base(&self) -> Option<&Arc<Btf>> {
        self.base.as_ref()
    }

    pub fn endian(&self) -> Endian {
        self.endian
    }

    pub fn set_endian(&mut self, endian: Endian) {
        self.endian = endian;
    }

    /// Bytes of the own type section.
    pub fn type_bytes(&self) -> usize {
        self.words.len() * 4
    }

    /// Bytes of the own string section.
    pub fn string_bytes(&self) -> usize {
        self.strs.len() as usize
    }

    /// Adds `s` unless it is there already, in the base as far as it is told (see [`new_split_behind`](Btf::new_split_behind)) or here. `s` must not
    /// contain NUL.
    pub fn add_str(&mut self, s: &[u8]) -> Result<StrOff, BtfError> {
        self.strings().add(s)
    }

    /// The strings, to add to.
    pub fn strings(&mut self) -> Strings<'_> {
        Strings { base: self.base.as_deref(), start_str: self.start_str, strs: &mut self.strs }
    }

    /// Where `s` is stored as a string of its own, in the base or here. `s` must not contain NUL.
    pub fn find_str(&self, s: &[u8]) -> Option<StrOff> {
        self.find_hashed(s, hash_of(s))
    }

    fn find_hashed(&self, s: &[u8], hash: u64) -> Option<StrOff> {
        if let Some(offset) = self.base.as_ref().and_then(|base| base.find_hashed(s, hash)) {
            return Some(offset);
        }
        self.strs.find(s, hash).map(|offset| StrOff(self.start_str + offset))
    }

    /// The string at `offset` without its NUL; empty when there is none.
    pub fn str_at(&self, offset: StrOff) -> &[u8] {
        self.try_str(offset).unwrap_or(&[])
    }

    /// The string at `offset` without its NUL; `None` outside the string sections.
    pub fn try_str(&self, offset: StrOff) -> Option<&[u8]> {
        let mut btf = self;
        while offset.0 < btf.start_str {
            btf = btf.base.as_deref()?;
        }
        btf.strs.get(offset.0 - btf.start_str)
    }

    /// The string section that holds `offset`, from there on: the string with its NUL, and whatever follows. `None` outside of the
    /// string sections. The bytes stay where they are for as long as no string is added.
    pub fn str_tail(&self, offset: StrOff) -> Option<&[u8]> {
        let mut btf = self;
        while offset.0 < btf.start_str {
            btf = btf.base.as_deref()?;
        }
        btf.strs.bytes().get((offset.0 - btf.start_str) as usize..).filter(|tail| !tail.is_empty())
    }

    /// One more than the largest string offset, those of the base counted.
    pub fn string_end(&self) -> u32 {
        self.start_str + self.strs.len()
    }

    /// Makes room for this many more words and types.
    pub fn reserve(&mut self, words: usize, types: usize) {
        self.words.to_mut().reserve(words);
        self.starts.reserve(types);
    }

    /// Makes room for this many more bytes of strings, and strings.
    pub fn reserve_strings(&mut self, bytes: usize, count: usize) {
        self.strs.reserve(bytes, count);
    }

    /// Appends a record whose ids and string offsets are final. Its shape is not checked here (a wrong one is reported by
    /// [`dedup`](Btf::dedup) and skipped by the views).
    #[inline]
    pub fn push_record(&mut self, words: &[u32]) -> Result<TypeId, BtfError> {
        let id = self.claim_id(words.len())?;
        let all = self.words.to_mut();
        self.starts.push(all.len() as u32);
        all.extend_from_slice(words);
        Ok(TypeId(id))
    }

    /// Appends a zeroed record of `len` words, to be filled in place.
    #[inline]
    pub fn push_blank(&mut self, len: usize) -> Result<(TypeId, &mut [u32]), BtfError> {
        let id = self.claim_id(len)?;
        let words = self.words.to_mut();
        let start = words.len();
        self.starts.push(start as u32);
        words.resize(start + len, 0);
        Ok((TypeId(id), &mut words[start..]))
    }

    /// Appends neighbouring records in bulk: `starts` are word indices into `words`, ascending from 0. Returns the words where they are now,
    /// to be completed, and the strings.
    pub fn push_run(&mut self, words: &[u32], starts: impl Iterator<Item = u32>) -> Result<(&mut [u32], Strings<'_>), BtfError> {
        self.claim_id(words.len())?;
        let offset = self.words.len();
        self.starts.extend(starts.map(|start| start + offset as u32));
        if self.starts.len() > (MAX_ID - self.start_id) as usize {
            return Err(BtfError::TooManyTypes);
        }
        let all = self.words.to_mut();
        all.extend_from_slice(words);
        let strings = Strings { base: self.base.as_deref(), start_str: self.start_str, strs: &mut self.strs };
        Ok((&mut all[offset..], strings))
    }

    #[inline]
    fn claim_id(&self, len: usize) -> Result<u32, BtfError> {
        let id = self.type_count();
        if id > MAX_ID || self.words.len() + len > (u32::MAX / 4) as usize {
            return Err(BtfError::TooManyTypes);
        }
        Ok(id)
    }

    /// The words of a record, the base's included; `None` for void and ids beyond the end.
    #[inline]
    pub fn record(&self, id: TypeId) -> Option<&[u32]> {
        let mut btf = self;
        while id.0 < btf.start_id {
            btf = btf.base.as_deref()?;
        }
        btf.words.get(btf.own_range((id.0 - btf.start_id) as usize)?)
    }

    /// The words of an own record (not the base's).
    #[inline]
    pub fn record_mut(&mut self, id: TypeId) -> Option<&mut [u32]> {
        let range = self.own_range(id.0.checked_sub(self.start_id)? as usize)?;
        self.words.to_mut().get_mut(range)
    }

    /// Gives back memory reserved beyond what is used.
    pub fn shrink(&mut self) {
        if let Cow::Owned(words) = &mut self.words {
            words.shrink_to_fit();
        }
        self.starts.shrink_to_fit();
    }

    #[inline]
    fn own_range(&self, index: usize) -> Option<std::ops::Range<usize>> {
        let start = *self.starts.get(index)? as usize;
        let end = self.starts.get(index + 1).map_or(self.words.len(), |&s| s as usize);
        Some(start..end)
    }

    /// A view of the type; `None` for void, ids beyond the end and records without shape.
    #[inline]
    pub fn get(&self, id: TypeId) -> Option<Type<'_>> {
        Type::new(self.record(id)?)
    }

    #[inline]
    pub fn kind(&self, id: TypeId) -> Option<Kind> {
        Kind::of_info(*self.record(id)?.get(record::INFO)?)
    }

    /// Number of members, parameters, enumerators or variables; 0 where there is no such type.
    pub fn vlen(&self, id: TypeId) -> usize {
        self.get(id).map_or(0, |t| t.vlen())
    }

    /// The type's name; empty for anonymous types and where there is no such type.
    pub fn name(&self, id: TypeId) -> &[u8] {
        self.get(id).map_or(&[], |t| self.str_at(t.name()))
    }

    /// The words of the own records, in the order of their ids.
    pub(super) fn own_records(&self) -> impl Iterator<Item = &[u32]> {
        let ends = self.starts.iter().skip(1).copied().chain([self.words.len() as u32]);
        self.starts.iter().zip(ends).map(|(&start, end)| self.words.get(start as usize..end as usize).unwrap_or(&[]))
    }

    /// The own types in the order of their ids.
    pub fn own_types(&self) -> impl Iterator<Item = (TypeId, Type<'_>)> {
        (self.start_id..).zip(self.own_records()).filter_map(|(id, record)| Some((TypeId(id), Type::new(record)?)))
    }

    /// This one and its bases, the lowest first.
    pub(super) fn parts(&self) -> Vec<&Btf> {
        let mut parts: Vec<&Btf> = std::iter::successors(Some(self), |btf| btf.base.as_deref()).collect();
        parts.reverse();
        parts
    }

    /// All types, those of the bases first, in the order of their ids.
    pub fn types(&self) -> impl Iterator<Item = (TypeId, Type<'_>)> {
        self.parts().into_iter().flat_map(Btf::own_types)
    }
}
