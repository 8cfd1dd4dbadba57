//! ELF files: what the layers above read from them, and the one thing that is written into them.
//!
//! Reading is by `pread` only, never by mapping: a build may truncate or replace a file while it is being read, and a map would
//! turn that into SIGBUS. A section of debugging information is therefore not a slice but a [`DebugSection`]: a range of the file,
//! read piece by piece into the caller's buffer, or memory when its bytes had to be made first (decompressed, relocated).
//!
//! - `file`: headers and section table, raw bytes of a section, [`ElfFile`].
//! - `section`: [`DebugSection`]; `compressed`: data in the forms that sections are compressed to.
//! - `layout`: addresses for the sections of relocatable files.
//! - `reloc`: relocations of sections of relocatable files.
//! - `symbols`: the symbol table.
//! - `notes`: notes, build id, links to separate debug files.
//! - [`edit`]: adding a section to a file, or replacing one.
//! - [`output`]: writing a file of its own, with BTF in it and no ELF.
//! - `replace`: changing a file so that a failure leaves it as it was, for both.
//! - `codec`: headers and table entries of both classes and byte orders, to and from bytes.
//!
//! Everything read here may be damaged or hostile: sizes are checked against the file before memory is taken for them, arithmetic
//! is checked, and all loops advance.

mod codec;
pub(crate) mod compressed;
pub mod edit;
mod error;
mod file;
mod layout;
mod notes;
pub mod output;
mod reloc;
mod replace;
mod section;
mod symbols;

pub use edit::{EditError, NewSection, set_sections};
pub use error::ElfError;
pub use file::{ElfFile, Section};
pub use notes::{DebugLink, Note};
pub use output::{OutputError, write_detached};
pub use section::DebugSection;
pub use symbols::{Symbol, SymbolIter, Symbols};
