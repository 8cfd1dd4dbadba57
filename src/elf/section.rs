//! The bytes of a section as DWARF wants them: decompressed and, in relocatable files, relocated.

use super::compressed::Format;
use super::file::Source;
use super::{ElfError, ElfFile};
use object::elf;
use std::fmt;
use std::sync::Arc;

/// Sections up to this size, in bytes, are read at once: one system call instead of one for each piece.
const SMALL: u64 = 64 << 10;

/// The contents of a section: a range of the file that is read when asked for, or bytes in memory.
///
/// Cheap to share between threads; reading needs only `&self`.
pub struct DebugSection {
    bytes: Bytes,
    source: Arc<Source>,
    name: Box<str>,
}

enum Bytes {
    InFile { offset: u64, size: u64 },
    InMemory(Vec<u8>),
}

impl fmt::Debug for DebugSection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = if self.as_slice().is_some() { "memory" } else { "file" };
        write!(f, "DebugSection({}, {:#x} bytes in {place})", self.name, self.len())
    }
}

impl DebugSection {
    /// The section's name in the file, for messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Size in bytes, after decompression.
    pub fn len(&self) -> u64 {
        match &self.bytes {
            Bytes::InFile { size, .. } => *size,
            Bytes::InMemory(bytes) => bytes.len() as u64,
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Fills `buf` with the bytes from `offset` on; asking for bytes past the end is an error and leaves `buf` as it was.
    pub fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> Result<(), ElfError> {
        let end = offset.checked_add(buf.len() as u64).filter(|&end| end <= self.len());
        if end.is_none() {
            return Err(ElfError::OutOfRange {
                path: self.source.path.clone(),
                section: self.name.to_string(),
                offset,
                length: buf.len() as u64,
                size: self.len(),
            });
        }
        match &self.bytes {
            Bytes::InFile { offset: start, .. } => self
                .source
                .read_exact_at(buf, start + offset)
                .map_err(|source| ElfError::Read { path: self.source.path.clone(), section: self.name.to_string(), source }),
            Bytes::InMemory(bytes) => {
                let start = offset as usize;
                buf.copy_from_slice(&bytes[start..start + buf.len()]);
                Ok(())
            }
        }
    }

    /// All bytes, if they are in memory already.
    pub fn as_slice(&self) -> Option<&[u8]> {
        match &self.bytes {
            Bytes::InFile { .. } => None,
            Bytes::InMemory(bytes) => Some(bytes),
        }
    }

    /// All bytes, read from the file unless they are in memory already.
    pub fn load(self) -> Result<Vec<u8>, ElfError> {
        match self.bytes {
            Bytes::InMemory(bytes) => Ok(bytes),
            Bytes::InFile { offset, size } => {
                let mut bytes = Vec::new();
                self.source.read_range(&self.name, &mut bytes, offset, size)?;
                Ok(bytes)
            }
        }
    }
}

impl ElfFile {
    /// The section of debugging information called `name` (`.debug_info`), decompressed and relocated; `None` if there is none.
    ///
    /// As libdw does, the first candidate with contents is taken: called so or, compressed the old way, `.zdebug_info`; sections
    /// without bytes (SHT_NOBITS: stripped) and members of a section group (they may occur many times) are passed over.
    pub fn debug_section(&self, name: &str) -> Result<Option<DebugSection>, ElfError> {
        let old_name = name.strip_prefix(".debug").map(|rest| format!(".zdebug{rest}"));
        let is_candidate = |index: &usize| {
            let section = &self.sections()[*index];
            let named =
                *section.name == *name.as_bytes() || old_name.as_ref().is_some_and(|old| *section.name == *old.as_bytes());
            named
                && section.sh_type != elf::SHT_NOBITS.0
                && section.sh_type != elf::SHT_NULL.0
                && section.flags & elf::SHF_GROUP.0 == 0
                && section.size != 0
        };
        match (1..self.sections().len()).find(is_candidate) {
            Some(index) => self.section_data(index).map(Some),
            None => Ok(None),
        }
    }

    /// The contents of any section by number, decompressed and relocated. Empty for a section without bytes in the file.
    pub fn section_data(&self, index: usize) -> Result<DebugSection, ElfError> {
        self.section_with(index, self.relocations_of(index))
    }

    /// The contents of a section by number, decompressed but not relocated: of what relocations are made from, whatever damage makes of it.
    pub(super) fn unrelocated(&self, index: usize) -> Result<Vec<u8>, ElfError> {
        self.section_with(index, Vec::new())?.load()
    }

    fn section_with(&self, index: usize, relocations: Vec<usize>) -> Result<DebugSection, ElfError> {
        let (offset, size) = self.file_range(index)?;
        let name = self.name_for_message(index).into_boxed_str();
        let section = |bytes| DebugSection { bytes, source: Arc::clone(&self.source), name };
        let relocations = if size == 0 { Vec::new() } else { relocations };
        self.check_total_size(index, &relocations)?;
        let compressed = self.is_compressed(index);
        if !compressed && relocations.is_empty() && size > SMALL {
            return Ok(section(Bytes::InFile { offset, size }));
        }
        let mut bytes = self.read_range(index, offset, size)?;
        if compressed {
            bytes = self.decompress(index, bytes)?;
        }
        for relocation_section in relocations {
            self.relocate(index, &mut bytes, relocation_section)?;
        }
        Ok(section(Bytes::InMemory(bytes)))
    }

    /// Sections that share bytes, many times over, would take time by the product of their number and size.
    pub(super) fn check_total_size(&self, index: usize, parts: &[usize]) -> Result<(), ElfError> {
        let total = parts.iter().fold(0u64, |total, &part| total.saturating_add(self.sections()[part].size));
        if total <= self.file_size {
            return Ok(());
        }
        let what = format!("{} sections of together {total:#x} bytes for it in a file of {:#x}", parts.len(), self.file_size);
        Err(self.section_error(index, what))
    }

    fn is_compressed(&self, index: usize) -> bool {
        let section = &self.sections()[index];
        section.flags & elf::SHF_COMPRESSED.0 != 0 || section.name.starts_with(b".zdebug")
    }

    /// `raw` decompressed. A `.zdebug` section that lacks the old header's magic counts as not compressed (libdw does the same).
    pub(super) fn decompress(&self, index: usize, raw: Vec<u8>) -> Result<Vec<u8>, ElfError> {
        let wrong =
            |what: String| ElfError::Compression { path: self.source.path.clone(), section: self.name_for_message(index), what };
        let flagged = self.sections()[index].flags & elf::SHF_COMPRESSED.0 != 0;
        let (format, size, start) = if flagged {
            // Elf32_Chdr is ch_type, ch_size, ch_addralign; Elf64_Chdr has a reserved word after ch_type.
            let (header_size, size_at) = if self.is_64() { (24, 8) } else { (12, 4) };
            if raw.len() < header_size {
                return Err(wrong(format!("header has {header_size} bytes, the section {}", raw.len())));
            }
            let kind = self.codec.u32(&raw, 0);
            let format = match kind {
                1 => Format::Zlib,
                2 => Format::Zstandard,
                _ => return Err(wrong(format!("compression type is {kind}, expected 1 (zlib) or 2 (zstd)"))),
            };
            let size = self.codec.uint(&raw[size_at..size_at + self.codec.word_size()]);
            (format, size, header_size)
        } else {
            // The old form: "ZLIB", then the size as 64 bits in big endian whatever the file's byte order is.
            let Some(size) = raw.strip_prefix(b"ZLIB").and_then(|rest| rest.first_chunk::<8>()) else {
                return Ok(raw);
            };
            (Format::Zlib, u64::from_be_bytes(*size), 12)
        };
        let data = &raw[start..];
        if size > format.max_size(data.len()) {
            return Err(wrong(format!("{} bytes cannot hold {size:#x} bytes", data.len())));
        }
        format.decompress(data, size).map_err(wrong)
    }
}
