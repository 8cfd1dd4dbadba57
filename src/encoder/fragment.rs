//! What a worker makes of one compilation unit: BTF records with unit-local type ids and unresolved names, and the functions,
//! variables and tags that the ordered stage turns into BTF later.
//!
//! A fragment needs nothing of the units before it, so that units can be decoded in any order; the merge, in unit order,
//! gives its types and strings their place in the output.

use std::ops::Range;

/// A name in a fragment: nothing, an offset in `.debug_str`, up to three bytes, or an entry of the fragment's own [`LocalStrings`].
///
/// Most names stay offsets until the merge, which interns each offset once for the whole file. Strings of up to three bytes are no
/// longer than an offset, so compilers write them into the entries, and so do we: such a name is itself wherever it stands.
///
/// As a word in little-endian order: 0; the offset and 1; the bytes, and in the last byte `0xc0` and their count; the index with the
/// top bit set.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct NameRef([u8; 4]);

/// Where the bytes of a [`NameRef`] are found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NameSource {
    /// No name (anonymous).
    None,
    /// Offset in `.debug_str`, in bytes.
    DebugStr(u32),
    /// The name's own bytes, see [`NameRef::short_bytes`].
    Short,
    /// Index in [`Fragment::strings`].
    Local(u32),
}

impl NameRef {
    pub const NONE: NameRef = NameRef([0; 4]);
    const LOCAL: u32 = 1 << 31;
    const SHORT: u32 = 0b11 << 30;

    /// Offsets in `.debug_str` that can be named are below this.
    pub const DEBUG_STR_LIMIT: u32 = Self::LOCAL - 1;

    /// The name at `offset` of `.debug_str`; `None` when the offset is too large for this form (use a local string then).
    #[inline]
    pub fn debug_str(offset: u64) -> Option<NameRef> {
        (offset < u64::from(Self::DEBUG_STR_LIMIT)).then(|| Self::from_word(offset as u32 + 1))
    }

    /// A name of up to three bytes; `None` for longer ones.
    #[inline]
    pub fn short(bytes: &[u8]) -> Option<NameRef> {
        let mut name = [0, 0, 0, 0xc0 | bytes.len() as u8];
        name.get_mut(..3)?.get_mut(..bytes.len())?.copy_from_slice(bytes);
        Some(NameRef(name))
    }

    /// The name at `index` of [`LocalStrings`], which must be below 2^30.
    #[inline]
    pub fn local(index: u32) -> NameRef {
        debug_assert!(index < 1 << 30);
        Self::from_word(Self::LOCAL | index)
    }

    #[inline]
    pub fn source(self) -> NameSource {
        match self.to_word() {
            0 => NameSource::None,
            v if v & Self::LOCAL == 0 => NameSource::DebugStr(v - 1),
            v if v & Self::SHORT == Self::SHORT => NameSource::Short,
            v => NameSource::Local(v & !Self::LOCAL),
        }
    }

    #[inline]
    pub fn is_none(self) -> bool {
        self == Self::NONE
    }

    /// Whether equal words are equal names in all fragments of a file.
    #[inline]
    pub fn is_global(word: u32) -> bool {
        word & Self::SHORT != Self::LOCAL
    }

    /// Whether a word is that of a [`NameSource::DebugStr`].
    #[inline]
    pub fn is_offset(word: u32) -> bool {
        word != 0 && word & Self::LOCAL == 0
    }

    /// The bytes of a [`NameSource::Short`].
    #[inline]
    pub fn short_bytes(&self) -> &[u8] {
        &self.0[..usize::from(self.0[3] & 3)]
    }

    /// The form in which a name stands in [`Fragment::words`].
    #[inline]
    pub fn to_word(self) -> u32 {
        u32::from_le_bytes(self.0)
    }

    #[inline]
    pub fn from_word(word: u32) -> NameRef {
        NameRef(word.to_le_bytes())
    }
}

/// Strings that do not live in `.debug_str`, back to back, without terminators.
#[derive(Default, Debug)]
pub struct LocalStrings {
    bytes: Vec<u8>,
    ends: Vec<u32>,
}

impl LocalStrings {
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
    }

    /// The name with these bytes: one of these strings unless it is short.
    pub fn push(&mut self, s: &[u8]) -> NameRef {
        if let Some(short) = NameRef::short(s) {
            return short;
        }
        let index = self.ends.len() as u32;
        self.bytes.extend_from_slice(s);
        self.ends.push(self.bytes.len() as u32);
        NameRef::local(index)
    }

    pub fn get(&self, index: u32) -> &[u8] {
        let end = self.ends[index as usize] as usize;
        let start = if index == 0 { 0 } else { self.ends[index as usize - 1] as usize };
        &self.bytes[start..end]
    }
}

/// Stands for the array index type, known only at the merge.
pub const INDEX_TYPE: u32 = u32::MAX;

/// A `btf_decl_tag` on a type, or (in [`Fragment::annots`]) on a function or variable.
#[derive(Clone, Copy, Debug)]
pub struct DeclTag {
    /// Local id of the tagged type; unused in [`Fragment::annots`].
    pub type_id: u32,
    pub value: NameRef,
    /// Member or parameter index, -1 for the whole.
    pub component_idx: i32,
}

/// What is known of one function DIE (abstract or concrete) with a symbol of its name.
#[derive(Clone, Debug)]
pub struct SavedFunc {
    /// Index in the ELF file's function table.
    pub elf_func: u32,
    /// DW_AT_low_pc, 0 when it has none.
    pub addr: u64,
    /// Local type id of the result, 0 for void.
    pub ret: u32,
    /// In [`Fragment::params`]; a trailing parameter of type 0 without a name stands for `...`.
    pub params: Range<u32>,
    /// In [`Fragment::annots`].
    pub annots: Range<u32>,
    pub unexpected_reg: bool,
    pub optimized_parms: bool,
    pub uncertain_parm_loc: bool,
    pub reordered_parm: bool,
    pub signature_changed: bool,
    /// The DIE's own parameter list contradicts itself.
    pub inconsistent_proto: bool,
}

#[derive(Clone, Copy, Debug)]
pub struct SavedParam {
    pub name: NameRef,
    /// With true signatures: the member that is really passed; the name becomes `name__member`.
    pub member: NameRef,
    /// Local type id.
    pub type_id: u32,
}

/// A defined variable of static storage at the top level of its unit.
#[derive(Clone, Debug)]
pub struct SavedVar {
    pub name: NameRef,
    /// Address in the laid-out file.
    pub addr: u64,
    /// Local type id, 0 for void.
    pub type_id: u32,
    /// In bytes; `u64::MAX` when the type's size cannot be told.
    pub size: u64,
    pub external: bool,
    /// In [`Fragment::annots`].
    pub annots: Range<u32>,
}

/// A struct, union or enumeration with a name, or a declaration of one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Named {
    /// Local id.
    pub id: u32,
    /// Equal for equal names of one kind, in all fragments of a file.
    pub key: u64,
    /// Whether the unit has another one of this key.
    pub is_doubled: bool,
}

/// The types for which names are not enough because they lead to one that is ambiguous, see [`super::identity`].
#[derive(Default, Debug)]
pub(super) struct Apart {
    /// How many ambiguous names were known when this was made.
    pub known: u32,
    /// Their local ids, ascending.
    pub list: Vec<u32>,
}

/// One unit's share of the BTF.
///
/// In a file whose units refer to each other, a local id above the number of types stands for a type of another unit: what is above it is the
/// position, from 1, in the list of entries that such references name (see [`super::merged`]).
#[derive(Default, Debug)]
pub struct Fragment {
    /// BTF records as 32-bit words in host order, local id 1 first. Name words hold [`NameRef::to_word`], type words local
    /// ids (0 is void), array index type words [`INDEX_TYPE`].
    pub words: Vec<u32>,
    /// Word index of each record, local id 1 first; its length is the number of types.
    pub starts: Vec<u32>,
    pub strings: LocalStrings,
    /// Local id of the first base type named `int`.
    pub int_id: Option<u32>,
    pub has_array: bool,
    /// Local ids, ascending, and sizes in bytes of base types that have another size in their record, as BTF does not have theirs.
    pub odd_sizes: Vec<(u32, u32)>,
    /// Whether there may be ids above the number of types.
    pub outward: bool,
    /// On structs, unions and typedefs, in the order of emission.
    pub decl_tags: Vec<DeclTag>,
    pub funcs: Vec<SavedFunc>,
    pub params: Vec<SavedParam>,
    pub vars: Vec<SavedVar>,
    /// On functions and variables.
    pub annots: Vec<DeclTag>,
    /// Defined functions that the symbol table does not have, to be told of when the encoder is verbose.
    pub unknown_functions: Vec<NameRef>,
    /// Enumerations with a function among their children, one entry a function; likewise.
    pub enums_with_functions: Vec<NameRef>,
    /// Equal names in the types are at one offset as far as they are in other fragments, see [`super::same_names`].
    pub has_same_names: bool,
    hashes: Vec<u128>,
    has_hashes: bool,
    /// Types that are known by their names, ascending.
    pub(super) named: Vec<Named>,
    pub(super) apart: Apart,
    /// Local ids, ascending, of types that stay whatever is known of names: see [`super::identity`].
    pub(super) alone: Vec<u32>,
    /// There is an enumeration with neither name nor enumerators, which deduplication takes for any that has no name.
    pub(super) has_empty_enum: bool,
}

impl Fragment {
    /// Empties the fragment; its memory is kept.
    pub fn clear(&mut self) {
        self.words.clear();
        self.starts.clear();
        self.strings.clear();
        self.int_id = None;
        self.has_array = false;
        self.odd_sizes.clear();
        self.outward = false;
        self.decl_tags.clear();
        self.funcs.clear();
        self.params.clear();
        self.vars.clear();
        self.annots.clear();
        self.unknown_functions.clear();
        self.enums_with_functions.clear();
        self.has_same_names = false;
        self.has_hashes = false;
        self.named.clear();
        self.apart.list.clear();
        self.alone.clear();
        self.has_empty_enum = false;
    }

    /// A hash of each type by local id, that of void first; `None` when not computed. Types of other units of the file with equal hashes are the
    /// same types, see [`super::identity`].
    #[inline]
    pub fn hashes(&self) -> Option<&[u128]> {
        self.has_hashes.then_some(&*self.hashes)
    }

    /// The memory for hashes, with any content.
    pub(super) fn take_hashes(&mut self) -> Vec<u128> {
        self.has_hashes = false;
        std::mem::take(&mut self.hashes)
    }

    pub(super) fn set_hashes(&mut self, hashes: Vec<u128>) {
        self.hashes = hashes;
        self.has_hashes = true;
    }

    /// The words of a record and of whatever follows it.
    #[inline]
    pub(super) fn record(&self, id: u32) -> &[u32] {
        self.starts.get((id as usize).wrapping_sub(1)).and_then(|&start| self.words.get(start as usize..)).unwrap_or(&[0, 0, 0])
    }
}
