//! Reading DWARF: units, abbreviations, attribute forms, strings, location expressions and lists (DWARF 2 to 5).
//!
//! A unit is read with one `pread` into a buffer that its worker reuses, and walked once. Abbreviations are compiled to plans of
//! reading steps first: no attribute that nobody asked for is looked at, and runs of fixed-size forms become one skip. There is no
//! tree of entries: whoever walks a unit makes of each entry what it needs at once.

pub mod abbrev;
pub mod attrs;
pub mod circle;
pub mod cursor;
mod declared;
pub mod diemap;
pub mod expr;
pub mod file;
pub mod index;
pub mod layout;
pub mod line;
pub mod loclist;
pub mod passed;
pub mod pointee;
pub mod ranges;
pub mod source;
pub mod unit;

use std::fmt;

/// Why DWARF could not be read. Offsets are in bytes from the start of the named section.
#[derive(Debug)]
#[non_exhaustive]
pub enum DwarfError {
    /// The ELF layer failed below a section.
    Elf(crate::elf::ElfError),
    /// The data ends before what is expected there.
    Truncated { section: &'static str, offset: u64, expected: &'static str },
    /// A value that this version of DWARF does not define.
    Invalid { section: &'static str, offset: u64, expected: &'static str, found: u64 },
    /// A unit of a DWARF version that cannot be read; `size` is that of the whole unit, in bytes.
    Version { section: &'static str, offset: u64, version: u16, size: u64 },
    /// A section that an attribute refers to is missing.
    Missing { section: &'static str },
}

impl fmt::Display for DwarfError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DwarfError::Elf(e) => e.fmt(f),
            DwarfError::Truncated { section, offset, expected } => {
                write!(f, "{section}+{offset:#x}: the data ends where {expected} is expected")
            }
            DwarfError::Invalid { section, offset, expected, found } => {
                write!(f, "{section}+{offset:#x}: expected {expected}, found {found:#x}")
            }
            DwarfError::Version { section, offset, version, .. } => {
                write!(f, "{section}+{offset:#x}: unit of DWARF version {version}, expected 2 to 5")
            }
            DwarfError::Missing { section } => write!(f, "section {section} is missing"),
        }
    }
}

impl std::error::Error for DwarfError {}

impl From<crate::elf::ElfError> for DwarfError {
    fn from(e: crate::elf::ElfError) -> Self {
        DwarfError::Elf(e)
    }
}
