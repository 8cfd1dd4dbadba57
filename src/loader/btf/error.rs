//! Why a file gives no BTF.

use std::fmt;
use std::io;
use std::path::PathBuf;

use crate::btf::BtfError;
use crate::elf::ElfError;

/// An error of reading BTF from a file.
#[derive(Debug)]
#[non_exhaustive]
pub enum BtfFileError {
    /// The file cannot be opened, or has not even two bytes.
    Unreadable { path: PathBuf, source: io::Error },
    /// Neither raw BTF nor an ELF file with sections.
    Elf { path: PathBuf, source: Box<ElfError> },
    /// An ELF file without a `.BTF` section.
    NoBtf { path: PathBuf },
    /// A section that should hold BTF is of another type (`SHT_*`), such as one whose contents were stripped.
    SectionType { path: PathBuf, number: usize, name: &'static str, found: u32 },
    /// A section's contents cannot be read.
    Section { path: PathBuf, number: usize, name: &'static str, source: Box<ElfError> },
    /// Damaged BTF, or split BTF without its base.
    Btf { path: PathBuf, message: Option<String>, source: BtfError },
    /// The distilled base does not match the base.
    Relocate { path: PathBuf, message: Option<String>, source: BtfError },
}

impl BtfFileError {
    /// What libbpf prints about this, without its `libbpf: ` in front; `None` where it fails silently.
    pub fn libbpf_message(&self) -> Option<String> {
        match self {
            BtfFileError::Unreadable { .. } => None,
            BtfFileError::Elf { path, source } => {
                let what = match **source {
                    ElfError::NotElf { .. } => "EHDR",
                    _ => "e_shstrndx",
                };
                Some(format!("failed to get {what} from {}", path.display()))
            }
            BtfFileError::NoBtf { path } => Some(format!("failed to find '.BTF' ELF section in {}", path.display())),
            BtfFileError::SectionType { path, number, name, found } => {
                Some(format!("unexpected section type ({found}) of section({number}, {name}) from {}", path.display()))
            }
            BtfFileError::Section { path, number, name, .. } => {
                Some(format!("failed to get section({number}, {name}) data from {}", path.display()))
            }
            BtfFileError::Btf { message, .. } | BtfFileError::Relocate { message, .. } => message.clone(),
        }
    }
}

impl fmt::Display for BtfFileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BtfFileError::Unreadable { path, source } => write!(f, "{}: no BTF: {source}", path.display()),
            BtfFileError::Elf { source, .. } => write!(f, "{source}"),
            BtfFileError::NoBtf { path } => write!(f, "{}: has no .BTF section", path.display()),
            BtfFileError::SectionType { path, number, name, found } => {
                write!(f, "{}: section {number} ({name}): type {found}, expected SHT_PROGBITS", path.display())
            }
            BtfFileError::Section { source, .. } => write!(f, "{source}"),
            BtfFileError::Btf { path, source, .. } | BtfFileError::Relocate { path, source, .. } => {
                write!(f, "{}: {source}", path.display())
            }
        }
    }
}

impl std::error::Error for BtfFileError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            BtfFileError::Unreadable { source, .. } => Some(source),
            BtfFileError::Elf { source, .. } | BtfFileError::Section { source, .. } => Some(source),
            BtfFileError::Btf { source, .. } | BtfFileError::Relocate { source, .. } => Some(source),
            _ => None,
        }
    }
}
