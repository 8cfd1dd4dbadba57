//! The BTF type format: building, reading, deduplicating and distilling it.
//!
//! The format is described in the kernel's `Documentation/bpf/btf.rst` and `include/uapi/linux/btf.h`. A BTF blob is a header,
//! a type section and a string section. Every field of the type section is a 32-bit word, so a [`Btf`] keeps the whole section
//! as one flat vector of words in host order and an index of where each record starts: a million types cost no allocation each,
//! the other byte order is a matter of swapping words at the edge, and code that makes records in bulk can append and patch
//! words directly. Strings are one run of NUL-terminated bytes with a set of offsets beside it, in the order of first use.
//!
//! What is written has to equal, byte for byte, what libbpf 1.7 writes after the same calls. That fixes more than the format:
//! when a string is interned, which of several equal types survives deduplication, and which errors a caller gets to see
//! ([`BtfError::errno`]).
//!
//! - `container`: the [`Btf`] itself, its records and strings.
//! - `record`: the shape of one record: its length, where its ids and names are, typed views.
//! - `builder`: the validated `add_*` functions.
//! - `parse`, `write`: to and from bytes.
//! - `chains`: where the types of a large BTF are.
//! - `dedup`: deduplication.
//! - `share`: what strings a base has already.
//! - `distill`: a small stand-in for the base of a split BTF.
//! - `relocate`: back from the stand-in to a base.
//! - `query`: look-up by name, sizes.

mod builder;
mod chains;
mod container;
mod dedup;
mod distill;
mod error;
mod filter;
mod keys;
mod parse;
mod query;
mod reach;
mod record;
mod relocate;
mod share;
pub(crate) mod strings;
mod write;

pub use builder::{FuncLinkage, FwdKind, INT_BOOL, INT_CHAR, INT_SIGNED, VarLinkage};
pub use chains::Index;
pub use container::{BaseEnd, Btf, Strings};
pub use dedup::{DedupOptions, Shortcomings};
pub use error::BtfError;
pub use record::{Array, Enumerator, Kind, Member, Param, SecInfo, Type, info_word, record_len};

/// Indices of the words of a record that hold type ids; `info` is its second word.
pub fn id_words(info: u32) -> impl Iterator<Item = usize> {
    record::id_slots(info)
}

/// Indices of the words of a record that hold names; `info` is its second word.
#[inline]
pub fn name_words(info: u32) -> impl Iterator<Item = usize> {
    record::name_slots(info)
}

/// Byte order of serialised BTF.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Endian {
    Little,
    Big,
}

impl Endian {
    /// The order of the machine this runs on.
    pub const HOST: Endian = if cfg!(target_endian = "big") { Endian::Big } else { Endian::Little };

    fn word(self, bytes: [u8; 4]) -> u32 {
        match self {
            Endian::Little => u32::from_le_bytes(bytes),
            Endian::Big => u32::from_be_bytes(bytes),
        }
    }
}

/// Number of a type; 0 is void, a split BTF's own types follow those of its base.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Default)]
pub struct TypeId(pub u32);

impl TypeId {
    pub const VOID: TypeId = TypeId(0);
}

/// Offset of a name in the string section, in bytes; 0 is the empty string, a split BTF's own strings follow those of its base.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Default)]
pub struct StrOff(pub u32);

impl StrOff {
    pub const EMPTY: StrOff = StrOff(0);
}

/// Largest type id and largest string offset (`BTF_MAX_NR_TYPES`, `BTF_MAX_STR_OFFSET` of libbpf).
pub const MAX_ID: u32 = 0x7fff_ffff;
