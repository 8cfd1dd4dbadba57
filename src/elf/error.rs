//! What can be wrong with an ELF file that is read.
//!
//! Every variant names the file, and what was expected where, so that a message needs nothing added to it.

use object::elf;
use std::fmt;
use std::io;
use std::path::PathBuf;

/// Why an ELF file, or a part of it, could not be read.
#[derive(Debug)]
#[non_exhaustive]
pub enum ElfError {
    /// The file could not be opened (or not read at all); the cause is the system's.
    Open { path: PathBuf, source: io::Error },
    /// The file can be read but does not start with an ELF header's magic bytes.
    NotElf { path: PathBuf },
    /// The ELF header, or the table of sections it points to, contradicts itself or the file's size.
    Header { path: PathBuf, what: String },
    /// Reading bytes of a section failed. A file that shrank since it was opened ends here, as `UnexpectedEof`.
    Read { path: PathBuf, section: String, source: io::Error },
    /// A section's header or contents are damaged.
    Section { path: PathBuf, section: String, what: String },
    /// More bytes were asked of a section than it has.
    OutOfRange { path: PathBuf, section: String, offset: u64, length: u64, size: u64 },
    /// A compressed section that does not decompress to what its header promises.
    Compression { path: PathBuf, section: String, what: String },
    /// A relocation this library does not know how to apply; leaving it out would give wrong data.
    UnknownRelocation { path: PathBuf, section: String, offset: u64, machine: u16, kind: u32 },
    /// A relocation that points outside its section or symbol table.
    BadRelocation { path: PathBuf, section: String, offset: u64, kind: u32, what: String },
}

impl fmt::Display for ElfError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ElfError::Open { path, source } => write!(f, "{}: cannot be read: {source}", path.display()),
            ElfError::NotElf { path } => write!(f, "{}: not an ELF file", path.display()),
            ElfError::Header { path, what } => write!(f, "{}: damaged ELF header: {what}", path.display()),
            ElfError::Read { path, section, source } => {
                write!(f, "{}: section {section}: cannot be read: {source}", path.display())
            }
            ElfError::Section { path, section, what } => write!(f, "{}: section {section}: {what}", path.display()),
            ElfError::OutOfRange { path, section, offset, length, size } => write!(
                f,
                "{}: section {section}: {length} bytes at offset {offset:#x} wanted, but it has {size:#x} bytes",
                path.display()
            ),
            ElfError::Compression { path, section, what } => {
                write!(f, "{}: section {section}: cannot be decompressed: {what}", path.display())
            }
            ElfError::UnknownRelocation { path, section, offset, machine, kind } => write!(
                f,
                "{}: section {section}: relocation {} of machine {} at offset {offset:#x} is not supported",
                path.display(),
                numbered(relocation_name(*machine, *kind), *kind),
                numbered(elf::Machine(*machine).name(), u32::from(*machine)),
            ),
            ElfError::BadRelocation { path, section, offset, kind, what } => {
                write!(f, "{}: section {section}: relocation type {kind} at offset {offset:#x}: {what}", path.display())
            }
        }
    }
}

fn relocation_name(machine: u16, kind: u32) -> Option<&'static str> {
    elf::machine_names(elf::Machine(machine)).r.name(elf::RelocationType(kind))
}

/// A number as the specifications name it; some are too new, or too old, for that.
fn numbered(name: Option<&str>, number: u32) -> String {
    name.map_or_else(|| number.to_string(), |name| format!("{name} ({number})"))
}

impl std::error::Error for ElfError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            ElfError::Open { source, .. } | ElfError::Read { source, .. } => Some(source),
            _ => None,
        }
    }
}
