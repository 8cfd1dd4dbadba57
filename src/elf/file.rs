//! An open ELF file: header, section table, and the raw bytes of sections.

use super::codec::{Codec, FileHeader, IDENT_SIZE, SectionHeader};
use super::reloc::SymbolValues;
use super::{ElfError, layout};
use object::elf;
use parking_lot::Mutex;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// One section header. Sizes, offsets and addresses are in bytes.
#[derive(Clone, Debug)]
pub struct Section {
    /// Without the terminating zero. Empty too when `sh_name` points outside the table of names.
    pub name: Box<[u8]>,
    /// `SHT_*`
    pub sh_type: u32,
    /// `SHF_*`
    pub flags: u64,
    /// As in the file; in a relocatable file (ET_REL) the address the section gets when the allocated sections are laid out the
    /// way elfutils' libdwfl does.
    pub addr: u64,
    pub offset: u64,
    /// As in the file: of a compressed section the compressed size, of SHT_NOBITS the size in memory.
    pub size: u64,
    pub link: u32,
    pub info: u32,
    pub align: u64,
    pub entsize: u64,
}

impl Section {
    /// The name for messages.
    pub fn display_name(&self) -> String {
        String::from_utf8_lossy(&self.name).into_owned()
    }
}

/// The open file and its name, shared with every [`DebugSection`](super::DebugSection) that reads from it later.
#[derive(Debug)]
pub(super) struct Source {
    pub file: File,
    pub path: PathBuf,
    /// Held while the file's own position is in use.
    position: Mutex<()>,
}

impl Source {
    pub fn new(file: File, path: &Path) -> Source {
        Source { file, path: path.to_owned(), position: Mutex::new(()) }
    }

    pub fn read_exact_at(&self, buf: &mut [u8], offset: u64) -> io::Result<()> {
        self.file.read_exact_at(buf, offset)
    }

    /// Appends `size` bytes from `offset` on to `bytes`, which has room for them. Reading at a position of one's own wants a buffer that is
    /// filled with something already, which for the large sections is a second way through memory; the file's position does not.
    fn append(&self, bytes: &mut Vec<u8>, offset: u64, size: u64) -> io::Result<()> {
        let _position = self.position.lock();
        let mut file = &self.file;
        file.seek(SeekFrom::Start(offset))?;
        match file.take(size).read_to_end(bytes)? as u64 == size {
            true => Ok(()),
            false => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }

    /// Replaces `bytes` by `size` bytes of the section called `name`, at `offset` of the file; an error and no abort when there is
    /// no memory for them.
    pub fn read_range(&self, name: &str, bytes: &mut Vec<u8>, offset: u64, size: u64) -> Result<(), ElfError> {
        bytes.clear();
        if !usize::try_from(size).is_ok_and(|size| bytes.try_reserve_exact(size).is_ok()) {
            let what = format!("no memory for {size:#x} bytes");
            return Err(ElfError::Section { path: self.path.clone(), section: name.to_owned(), what });
        }
        let read = self.append(bytes, offset, size);
        read.map_err(|source| ElfError::Read { path: self.path.clone(), section: name.to_owned(), source })
    }
}

/// An ELF file opened for reading. All methods take `&self` and may be called by many threads at once.
pub struct ElfFile {
    pub(super) source: Arc<Source>,
    pub(super) codec: Codec,
    header: FileHeader,
    sections: Vec<Section>,
    pub(super) file_size: u64,
    /// Values of all symbols, computed when the first section is relocated.
    pub(super) symbol_values: OnceLock<Arc<SymbolValues>>,
}

impl ElfFile {
    /// Opens `path` and reads the ELF header and the section table. A file without sections is not an error.
    pub fn open(path: &Path) -> Result<ElfFile, ElfError> {
        let cannot_open = |source| ElfError::Open { path: path.to_owned(), source };
        let file = File::open(path).map_err(cannot_open)?;
        let file_size = file.metadata().map_err(cannot_open)?.len();
        let source = Arc::new(Source::new(file, path));
        let Headers { codec, header, table, names, .. } = Headers::read(&source, file_size)?;
        let mut sections = table.iter().map(|header| Section::new(header, &names)).collect::<Vec<_>>();
        if header.e_type == elf::ET_REL.0 {
            layout::assign_addresses(&mut sections);
        }
        Ok(ElfFile { source, codec, header, sections, file_size, symbol_values: OnceLock::new() })
    }

    pub fn path(&self) -> &Path {
        &self.source.path
    }

    pub fn is_64(&self) -> bool {
        self.codec.is_64
    }

    pub fn little_endian(&self) -> bool {
        self.codec.little
    }

    /// `EM_*`
    pub fn machine(&self) -> u16 {
        self.header.machine
    }

    /// `ET_*`
    pub fn elf_type(&self) -> u16 {
        self.header.e_type
    }

    /// `e_flags`, whose meaning is the machine's.
    pub fn flags(&self) -> u32 {
        self.header.flags
    }

    /// Whether addresses and debugging information are relocatable (ET_REL).
    pub fn is_relocatable(&self) -> bool {
        self.header.e_type == elf::ET_REL.0
    }

    /// Size of an address, in bytes.
    pub fn addr_size(&self) -> u8 {
        self.codec.word_size() as u8
    }

    /// All sections; the index is the section number, so the null section is the first.
    pub fn sections(&self) -> &[Section] {
        &self.sections
    }

    /// Number of the first section called `name`.
    pub fn section_index(&self, name: &[u8]) -> Option<usize> {
        self.sections.iter().position(|section| *section.name == *name).filter(|&index| index != 0)
    }

    /// The bytes of a section as they lie in the file: neither decompressed nor relocated. A section without bytes in the file
    /// (SHT_NOBITS, SHT_NULL) gives an empty vector whatever its size.
    pub fn read_raw(&self, index: usize) -> Result<Vec<u8>, ElfError> {
        let (offset, size) = self.file_range(index)?;
        self.read_range(index, offset, size)
    }

    /// Where a section lies in the file; checked against the size the file had when it was opened.
    pub(super) fn file_range(&self, index: usize) -> Result<(u64, u64), ElfError> {
        let Some(section) = self.sections.get(index) else {
            return Err(ElfError::Header {
                path: self.source.path.clone(),
                what: format!("section {index} wanted, there are {}", self.sections.len()),
            });
        };
        if section.sh_type == elf::SHT_NOBITS.0 || section.sh_type == elf::SHT_NULL.0 {
            return Ok((section.offset, 0));
        }
        match section.offset.checked_add(section.size) {
            Some(end) if end <= self.file_size => Ok((section.offset, section.size)),
            _ => Err(self.section_error(
                index,
                format!(
                    "{:#x} bytes at offset {:#x} lie outside the file of {:#x} bytes",
                    section.size, section.offset, self.file_size
                ),
            )),
        }
    }

    pub(super) fn read_range(&self, index: usize, offset: u64, size: u64) -> Result<Vec<u8>, ElfError> {
        let mut bytes = Vec::new();
        self.source.read_range(&self.name_for_message(index), &mut bytes, offset, size)?;
        Ok(bytes)
    }

    pub(super) fn name_for_message(&self, index: usize) -> String {
        match self.sections.get(index) {
            Some(section) if !section.name.is_empty() => section.display_name(),
            _ => format!("#{index}"),
        }
    }

    pub(super) fn section_error(&self, index: usize, what: String) -> ElfError {
        ElfError::Section { path: self.source.path.clone(), section: self.name_for_message(index), what }
    }
}

/// Everything that describes a file's parts, as it is in the file.
pub(super) struct Headers {
    pub codec: Codec,
    pub header: FileHeader,
    /// The bytes `header` was decoded from, `e_ident` included.
    pub header_bytes: Vec<u8>,
    pub table: Vec<SectionHeader>,
    /// The contents of the section with the sections' names.
    pub names: Vec<u8>,
}

impl Headers {
    pub fn read(source: &Source, file_size: u64) -> Result<Headers, ElfError> {
        let path = &source.path;
        let mut ident = [0; IDENT_SIZE];
        match source.read_exact_at(&mut ident, 0) {
            Ok(()) => {}
            Err(err) if err.kind() == io::ErrorKind::UnexpectedEof => return Err(ElfError::NotElf { path: path.clone() }),
            Err(source) => return Err(ElfError::Open { path: path.clone(), source }),
        }
        if ident[..4] != elf::ELFMAG {
            return Err(ElfError::NotElf { path: path.clone() });
        }
        let damaged = |what: String| ElfError::Header { path: path.clone(), what };
        let codec = Codec::from_ident(&ident).map_err(damaged)?;
        let mut header_bytes = vec![0; codec.file_header_size()];
        let size = header_bytes.len();
        source.read_exact_at(&mut header_bytes, 0).map_err(|err| damaged(format!("{size} bytes expected: {err}")))?;
        let header = codec.file_header(&header_bytes);
        let table = read_section_table(source, codec, &header, file_size).map_err(damaged)?;
        let names = read_names(source, &header, &table, file_size).map_err(damaged)?;
        check_names(&table, &names).map_err(damaged)?;
        Ok(Headers { codec, header, header_bytes, table, names })
    }
}

/// Reads the section header table. From 0xff00 sections on, their number is in the `sh_size` of section 0.
fn read_section_table(source: &Source, codec: Codec, header: &FileHeader, file_size: u64) -> Result<Vec<SectionHeader>, String> {
    if header.shoff == 0 {
        return Ok(Vec::new());
    }
    let entry = codec.section_header_size();
    if usize::from(header.shentsize) != entry {
        return Err(format!("e_shentsize is {}, expected {entry}", header.shentsize));
    }
    let mut count = u64::from(header.shnum);
    if count == 0 {
        let mut first = vec![0; entry];
        source
            .read_exact_at(&mut first, header.shoff)
            .map_err(|err| format!("section header 0 at {:#x}: {err}", header.shoff))?;
        count = codec.section_header(&first).size;
    }
    let size = count.checked_mul(entry as u64);
    let end = size.and_then(|size| header.shoff.checked_add(size));
    let (Some(size), Some(end)) = (size, end) else {
        return Err(format!("{count} section headers at {:#x} exceed 64-bit offsets", header.shoff));
    };
    if end > file_size {
        return Err(format!("{count} section headers at {:#x} lie outside the file of {file_size:#x} bytes", header.shoff));
    }
    let mut bytes = vec![0; usize::try_from(size).map_err(|_| format!("{count} section headers exceed memory"))?];
    source.read_exact_at(&mut bytes, header.shoff).map_err(|err| format!("section headers at {:#x}: {err}", header.shoff))?;
    Ok(bytes.chunks_exact(entry).map(|entry| codec.section_header(entry)).collect())
}

/// Number of the section that holds the names of sections; 0 if there is none.
pub(super) fn names_index(header: &FileHeader, table: &[SectionHeader]) -> usize {
    match (header.shstrndx, table.first()) {
        (index, Some(first)) if index == elf::SHN_XINDEX.0 => first.link as usize,
        (index, _) => usize::from(index),
    }
}

/// Reads the names of sections. A file may have none; a table of names that is announced but damaged is an error.
pub(super) fn read_names(
    source: &Source,
    header: &FileHeader,
    table: &[SectionHeader],
    file_size: u64,
) -> Result<Vec<u8>, String> {
    let index = names_index(header, table);
    if index == 0 || table.is_empty() {
        return Ok(Vec::new());
    }
    let Some(section) = table.get(index) else {
        return Err(format!("the section of names is number {index}, there are {} sections", table.len()));
    };
    if section.sh_type == elf::SHT_NOBITS.0 {
        return Ok(Vec::new());
    }
    if section.offset.checked_add(section.size).is_none_or(|end| end > file_size) {
        return Err(format!("section names ({:#x} bytes at {:#x}) lie outside the file", section.size, section.offset));
    }
    let mut names = vec![0; usize::try_from(section.size).map_err(|_| "section names exceed memory".to_owned())?];
    source.read_exact_at(&mut names, section.offset).map_err(|err| format!("section names: {err}"))?;
    Ok(names)
}

/// Longest name that is looked for the end of, in bytes; templates' names come near a tenth of it. Without a limit, a file with a
/// long string and many names in it would take time by the product of both.
const MAX_NAME: usize = 1 << 16;

/// The name at `offset` in `names`. One that lies outside or does not end is empty: what it names can still be used by number.
pub(super) fn name_at(names: &[u8], offset: u32) -> &[u8] {
    let rest = names.get(offset as usize..).unwrap_or(&[]);
    let rest = &rest[..rest.len().min(MAX_NAME)];
    &rest[..memchr::memchr(0, rest).unwrap_or(0)]
}

/// Names may share their ends, but all together cannot sensibly be many times larger than their table. Checked by the bytes that
/// are looked at, so that what is rejected does not take long either.
fn check_names(table: &[SectionHeader], names: &[u8]) -> Result<(), String> {
    let mut left = names.len().saturating_mul(16).max(1 << 20);
    for header in table {
        let rest = names.len().saturating_sub(header.name as usize).min(MAX_NAME);
        let looked_at = match name_at(names, header.name).len() {
            0 if names.get(header.name as usize) != Some(&0) => rest,
            length => length,
        };
        left = left.checked_sub(looked_at).ok_or_else(|| format!("section names overlap in a table of {} bytes", names.len()))?;
    }
    Ok(())
}

impl Section {
    fn new(header: &SectionHeader, names: &[u8]) -> Section {
        Section {
            name: name_at(names, header.name).into(),
            sh_type: header.sh_type,
            flags: header.flags,
            addr: header.addr,
            offset: header.offset,
            size: header.size,
            link: header.link,
            info: header.info,
            align: header.align,
            entsize: header.entsize,
        }
    }
}
