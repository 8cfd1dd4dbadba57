//! What can go wrong with BTF, and the errno that libbpf reports for it, which reaches users in messages such as
//! `(libbpf error -22)`.

use std::fmt;

/// An error of this layer; [`errno`](BtfError::errno) gives libbpf's number for it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum BtfError {
    /// The 24-byte header, or the sections it describes, do not fit the data.
    Header(&'static str),
    /// BTF of the other byte order whose header is neither 24 bytes long nor, with the place of a layout section, 32.
    ForeignHeaderLen(u32),
    /// A record of the type section is cut off, of unknown kind, or refers to a type or string that is not there.
    Record { id: u32, what: &'static str },
    /// An `add_*` function got an argument that it does not allow.
    Argument(&'static str),
    /// A value that fits neither `int` nor `unsigned int` for an enumerator of 32 bits.
    EnumeratorRange(i64),
    /// More members, parameters, enumerators or variables than the 16-bit count of a record holds.
    VlenOverflow { id: u32 },
    /// More than 2^31 - 1 types or 4 GiB of type data.
    TooManyTypes,
    /// More than 2^31 - 1 bytes of strings.
    TooManyStrings,
    /// A type refers to itself through references only (pointers, qualifiers, prototypes).
    ReferenceLoop { id: u32 },
    /// The operation needs a split BTF.
    NotSplit,
    /// The base holds a type that a split BTF is not expected to refer to.
    UnexpectedBaseKind { id: u32 },
    /// A type of the distilled base has no match in the base to relocate to.
    NotInBase { id: u32 },
    /// A type of the distilled base has several matches in the base to relocate to.
    AmbiguousInBase { id: u32 },
    /// A name of a split type comes from the distilled base, but names none of the types matched there.
    NameNotInBase { id: u32 },
    /// The types of a structure or array are of no definite size.
    NoSize { id: u32 },
    /// A size above 4 GiB.
    SizeOverflow { id: u32 },
}

impl BtfError {
    /// The positive errno value with which libbpf reports this.
    pub fn errno(&self) -> i32 {
        const ENOENT: i32 = 2;
        const ENOMEM: i32 = 12;
        const E2BIG: i32 = 7;
        const EINVAL: i32 = 22;
        const ELOOP: i32 = 40;
        const ENOTSUP: i32 = 95;
        match self {
            BtfError::ForeignHeaderLen(_) => ENOTSUP,
            BtfError::EnumeratorRange(_) | BtfError::VlenOverflow { .. } | BtfError::SizeOverflow { .. } => E2BIG,
            BtfError::TooManyTypes | BtfError::TooManyStrings => ENOMEM,
            BtfError::ReferenceLoop { .. } => ELOOP,
            BtfError::NameNotInBase { .. } => ENOENT,
            _ => EINVAL,
        }
    }
}

impl fmt::Display for BtfError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BtfError::Header(what) => write!(f, "BTF header: {what}"),
            BtfError::ForeignHeaderLen(len) => {
                write!(f, "BTF of the other byte order: header length is {len}, expected 24 or 32")
            }
            BtfError::Record { id, what } => write!(f, "BTF type {id}: {what}"),
            BtfError::Argument(what) => write!(f, "BTF builder: {what}"),
            BtfError::EnumeratorRange(v) => write!(f, "BTF builder: enumerator value {v} does not fit 32 bits"),
            BtfError::VlenOverflow { id } => write!(f, "BTF type {id}: more than 65535 elements"),
            BtfError::TooManyTypes => f.write_str("BTF type section is full"),
            BtfError::TooManyStrings => f.write_str("BTF string section is full"),
            BtfError::ReferenceLoop { id } => write!(f, "BTF type {id}: refers to itself without a struct or typedef between"),
            BtfError::NotSplit => f.write_str("expected a split BTF"),
            BtfError::UnexpectedBaseKind { id } => write!(f, "BTF type {id} of the base: not a type to refer to from split BTF"),
            BtfError::NotInBase { id } => write!(f, "BTF type {id} of the distilled base: no type of the base matches it"),
            BtfError::AmbiguousInBase { id } => {
                write!(f, "BTF type {id} of the distilled base: more than one type of the base matches it")
            }
            BtfError::NameNotInBase { id } => write!(f, "BTF type {id}: has a name of the distilled base that the base lacks"),
            BtfError::NoSize { id } => write!(f, "BTF type {id}: has no size"),
            BtfError::SizeOverflow { id } => write!(f, "BTF type {id}: larger than 4 GiB"),
        }
    }
}

impl std::error::Error for BtfError {}
