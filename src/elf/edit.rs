//! Putting a section into an ELF file, as `objcopy --add-section` does.
//!
//! Nothing that is in the file moves. New contents, a table of names with the new names in it, and a new section header table go
//! behind the last byte that is still needed, and the ELF header is made to point there; so segments, addresses, symbols and
//! everything else that refers to places in the file or to section numbers stay true without being understood. Replacing a section
//! that an earlier edit put there uses its space again, since nothing but what is rewritten anyway lies behind it.
//!
//! A new section looks like objcopy's: SHT_PROGBITS, no flags, no address, alignment 1 (its bytes are aligned to 8 nevertheless, so
//! that they can be used from a map of the file), and the highest number. A section that exists keeps type, flags, alignment and
//! number. One that is part of a segment (the `.BTF` of a linked kernel, which is loaded) is changed where it is, if the new contents
//! fit. If they do not, the segment keeps the old ones, so that the program runs as before, and the section becomes one that is not
//! loaded. (The C library let libelf move everything behind it in the file but not in the segments, so nothing ran any more.)

use super::ElfError;
use super::codec::{Codec, SectionHeader};
use super::file::{self, Headers, Source};
use super::output::OutputError;
use super::replace::{self, Contents, Failure, Old};
use object::elf;
use std::fmt;
use std::fs::{self, OpenOptions};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Alignment in the file of contents and tables, in bytes.
const FILE_ALIGN: u64 = 8;

/// Gaps up to this size between parts that are rewritten, zero throughout, are padding and no data of somebody else's.
const MAX_PADDING: u64 = 64;

/// The section header count and index from which on the real value is in section 0 (`SHN_LORESERVE`).
const LARGE: usize = elf::SHN_LORESERVE as usize;

/// A section to be added, or to get new contents.
#[derive(Clone, Copy, Debug)]
pub struct NewSection<'a> {
    /// Without a terminating zero.
    pub name: &'a [u8],
    pub data: &'a [u8],
}

/// Why a file did not get its sections. It is then as it was before.
#[derive(Debug)]
#[non_exhaustive]
pub enum EditError {
    /// The file cannot be read or is damaged.
    Elf(ElfError),
    /// The file cannot be opened for writing.
    Open { path: PathBuf, source: io::Error },
    /// A directory, device or pipe.
    NotRegular { path: PathBuf },
    /// The file has no section headers, or these have no names: there is nothing a section could be added to.
    NoSections { path: PathBuf },
    /// The result would exceed what the file's class can express.
    TooLarge { path: PathBuf, size: u64 },
    /// The new file could not be written.
    Output(OutputError),
}

impl fmt::Display for EditError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EditError::Elf(err) => err.fmt(f),
            EditError::Open { path, source } => write!(f, "{}: cannot be opened for writing: {source}", path.display()),
            EditError::NotRegular { path } => write!(f, "{}: not a regular file", path.display()),
            EditError::NoSections { path } => {
                write!(f, "{}: has no section headers with names, so no section can be added", path.display())
            }
            EditError::TooLarge { path, size } => {
                write!(f, "{}: would get {size:#x} bytes, more than a 32-bit ELF file can have", path.display())
            }
            EditError::Output(err) => err.fmt(f),
        }
    }
}

impl std::error::Error for EditError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            EditError::Open { source, .. } => Some(source),
            EditError::Elf(err) => Some(err),
            EditError::Output(err) => Some(err),
            _ => None,
        }
    }
}

impl From<ElfError> for EditError {
    fn from(err: ElfError) -> EditError {
        EditError::Elf(err)
    }
}

/// Gives the ELF file `path` all of `sections` in one step.
///
/// The file is replaced by a changed copy, made beside it, with the same mode, owner and attributes; of a symbolic link, the
/// target is. It is changed in place instead (see `replace`) if it has other hard links, or if no other file can take its place:
/// its directory may not be written to, or its owner is somebody else. Also then a failure leaves it as it was; new bytes are
/// appended first and the ELF header changed last, so even a process killed in between leaves a file with the same sections.
pub fn set_sections(path: &Path, sections: &[NewSection<'_>]) -> Result<(), EditError> {
    let open_error = |source| EditError::Open { path: path.to_owned(), source };
    // Everything below works on the file itself: a symbolic link must not be replaced by a file.
    let target = fs::canonicalize(path).map_err(open_error)?;
    if !fs::metadata(&target).map_err(open_error)?.is_file() {
        return Err(EditError::NotRegular { path: path.to_owned() });
    }
    let (file, writable) = match OpenOptions::new().read(true).write(true).open(&target) {
        Ok(file) => (file, true),
        // A program that runs cannot be written to, but be replaced.
        Err(err) if err.kind() == io::ErrorKind::ExecutableFileBusy => {
            (OpenOptions::new().read(true).open(&target).map_err(open_error)?, false)
        }
        Err(err) => return Err(open_error(err)),
    };
    let metadata = file.metadata().map_err(open_error)?;
    let source = Source::new(file, path);
    let editor = Editor { headers: Headers::read(&source, metadata.len())?, source: &source, file_size: metadata.len() };
    if sections.is_empty() {
        return Ok(());
    }
    if metadata.nlink() == 1 || !writable {
        let plan = editor.plan(sections, true)?;
        let old = Old { file: &source.file, metadata: &metadata };
        let contents = Contents { keep: plan.keep, parts: &[&plan.tail], patches: &plan.patches() };
        match replace::replace(&target, Some(&old), 0, &contents) {
            Err(Failure::NotBeside(_)) if writable => {}
            result => return result.map_err(|failure| EditError::Output(failure.into_error())),
        }
    }
    let plan = editor.plan(sections, false)?;
    let mut writes = vec![(plan.keep, plan.tail.as_slice())];
    writes.extend(plan.patches());
    let length = plan.keep + plan.tail.len() as u64;
    replace::overwrite(&source.file, path, &writes, length).map_err(EditError::Output)
}

/// What the changed file consists of: the first `keep` bytes of the old one, then `tail`, with `in_place` written over it and
/// `header` at its start.
struct Plan<'a> {
    keep: u64,
    tail: Vec<u8>,
    in_place: Vec<(u64, &'a [u8])>,
    /// Zero bytes after contents that are shorter than what they replace.
    padding: Vec<(u64, Vec<u8>)>,
    header: Vec<u8>,
}

impl Plan<'_> {
    /// In the order they are to be written in: the header, which makes the rest valid, last.
    fn patches(&self) -> Vec<(u64, &[u8])> {
        let mut patches = self.in_place.clone();
        patches.extend(self.padding.iter().map(|(offset, bytes)| (*offset, bytes.as_slice())));
        patches.push((0, self.header.as_slice()));
        patches
    }
}

struct Editor<'a> {
    headers: Headers,
    source: &'a Source,
    file_size: u64,
}

impl Editor<'_> {
    fn path(&self) -> PathBuf {
        self.source.path.clone()
    }

    fn codec(&self) -> Codec {
        self.headers.codec
    }

    /// With `reuse`, the space of what is rewritten anyway is used again where it ends the file; otherwise all bytes stay.
    fn plan<'n>(&self, sections: &[NewSection<'n>], reuse: bool) -> Result<Plan<'n>, EditError> {
        let mut table = self.headers.table.clone();
        let mut names = self.headers.names.clone();
        let mut names_index = file::names_index(&self.headers.header, &table);
        if table.is_empty() || names_index == 0 || names.is_empty() {
            return Err(EditError::NoSections { path: self.path() });
        }
        self.check_names(&table)?;
        self.check_all_inside(&table)?;

        let mut plan = Plan {
            keep: 0,
            tail: Vec::new(),
            in_place: Vec::new(),
            padding: Vec::new(),
            header: self.headers.header_bytes.clone(),
        };
        let mut moved: Vec<(usize, &'n [u8])> = Vec::new();
        for section in sections {
            let found = (1..table.len()).find(|&index| file::name_at(&names, table[index].name) == section.name);
            let index = match found {
                Some(index) => index,
                None => {
                    let name = self.add_name(&mut names, section.name)?;
                    table.push(SectionHeader { name, sh_type: elf::SHT_PROGBITS.0, align: 1, ..SectionHeader::default() });
                    table.len() - 1
                }
            };
            let is_loaded = index < self.headers.table.len() && self.is_loaded(&table[index])?;
            if plan.give_contents(&mut table[index], section.data, is_loaded) {
                moved.retain(|(other, _)| *other != index);
                moved.push((index, section.data));
            }
        }

        // The table of names moves, too: unless it is itself loaded (a file whose names are in `.dynstr`), then it stays for
        // whoever else reads it, and the names get a section of their own.
        if self.is_loaded(&table[names_index])? {
            let name = self.add_name(&mut names, b".shstrtab")?;
            table.push(SectionHeader { name, sh_type: elf::SHT_STRTAB.0, align: 1, ..SectionHeader::default() });
            names_index = table.len() - 1;
        }
        table[names_index].size = names.len() as u64;

        let rewritten: Vec<usize> =
            moved.iter().map(|(index, _)| *index).chain([names_index]).filter(|&i| i < self.headers.table.len()).collect();
        plan.keep = if reuse { self.keep(&rewritten)? } else { self.file_size };
        for (index, data) in moved {
            table[index].offset = plan.append(data, table[index].align.max(FILE_ALIGN));
        }
        table[names_index].offset = plan.append(&names, 1);
        self.append_table(&mut plan, table, names_index)?;
        Ok(plan)
    }

    /// Names that lie outside their table, or do not end, would change when names are appended.
    fn check_names(&self, table: &[SectionHeader]) -> Result<(), EditError> {
        let size = self.headers.names.len();
        let outside = table.iter().position(|header| header.name as usize >= size);
        let what = match outside {
            Some(index) => format!("the name of section {index} lies outside the names' {size:#x} bytes"),
            None if self.headers.names.last() != Some(&0) => "the last name of a section does not end".to_owned(),
            None => return Ok(()),
        };
        Err(EditError::Elf(ElfError::Header { path: self.path(), what }))
    }

    /// A file with a section outside of it was cut off; bytes appended to it would become that section's.
    fn check_all_inside(&self, table: &[SectionHeader]) -> Result<(), EditError> {
        for (index, header) in table.iter().enumerate().skip(1).filter(|(_, header)| has_bytes(header)) {
            if header.offset.checked_add(header.size).is_none_or(|end| end > self.file_size) {
                let name = String::from_utf8_lossy(file::name_at(&self.headers.names, header.name)).into_owned();
                return Err(EditError::Elf(ElfError::Section {
                    path: self.path(),
                    section: if name.is_empty() { format!("#{index}") } else { name },
                    what: format!(
                        "{:#x} bytes at offset {:#x} lie outside the file of {:#x} bytes",
                        header.size, header.offset, self.file_size
                    ),
                }));
            }
        }
        Ok(())
    }

    /// Adds `name` to the table of names, and returns its offset.
    fn add_name(&self, names: &mut Vec<u8>, name: &[u8]) -> Result<u32, EditError> {
        let offset =
            u32::try_from(names.len()).map_err(|_| EditError::TooLarge { path: self.path(), size: names.len() as u64 })?;
        names.extend_from_slice(name);
        names.push(0);
        Ok(offset)
    }

    /// Whether the section is allocated and its bytes in the file are part of a segment, so that it must stay where it is.
    fn is_loaded(&self, header: &SectionHeader) -> Result<bool, EditError> {
        if header.flags & elf::SHF_ALLOC.0 == 0 || !has_bytes(header) {
            return Ok(false);
        }
        let end = header.offset.saturating_add(header.size);
        Ok(self.segments()?.iter().any(|&(start, segment_end)| header.offset < segment_end && start < end))
    }

    /// Start and end in the file of all segments. Those of a file with debugging information alone describe the program it was
    /// split from, and may lie outside.
    fn segments(&self) -> Result<Vec<(u64, u64)>, EditError> {
        let header = &self.headers.header;
        let entry = self.codec().program_header_size();
        // From 0xffff (PN_XNUM) segments on, their number is in section 0.
        let count = match header.phnum {
            0xffff => self.headers.table.first().map_or(0, |first| first.info) as usize,
            count => usize::from(count),
        };
        if header.phoff == 0 || count == 0 {
            return Ok(Vec::new());
        }
        let damaged = |what: String| EditError::Elf(ElfError::Header { path: self.path(), what });
        if usize::from(header.phentsize) != entry {
            return Err(damaged(format!("e_phentsize is {}, expected {entry}", header.phentsize)));
        }
        let size = (count * entry) as u64;
        if header.phoff.checked_add(size).is_none_or(|end| end > self.file_size) {
            return Err(damaged(format!("{count} program headers at {:#x} lie outside the file", header.phoff)));
        }
        let mut bytes = vec![0; size as usize];
        self.source.read_exact_at(&mut bytes, header.phoff).map_err(|err| damaged(format!("program headers: {err}")))?;
        let mut ranges = vec![(header.phoff, header.phoff + size)];
        ranges.extend(bytes.chunks_exact(entry).map(|entry| {
            let segment = self.codec().program_header(entry);
            (segment.offset, segment.offset.saturating_add(segment.filesz))
        }));
        Ok(ranges)
    }

    /// How many bytes of the file have to stay when the sections `rewritten` and the section header table get new places: all but
    /// those of them that end the file. If something else does, such as a module's signature, that is all bytes.
    fn keep(&self, rewritten: &[usize]) -> Result<u64, EditError> {
        let range = |header: &SectionHeader| (header.offset, header.offset + header.size);
        let table = &self.headers.table;
        let in_use = table
            .iter()
            .enumerate()
            .skip(1)
            .filter(|(index, header)| has_bytes(header) && !rewritten.contains(index))
            .map(|(_, header)| range(header).1)
            .chain(self.segments()?.iter().map(|(_, end)| *end))
            .fold(self.codec().file_header_size() as u64, u64::max)
            .min(self.file_size);

        let table_start = self.headers.header.shoff;
        let table_end = table_start + (table.len() * self.codec().section_header_size()) as u64;
        let mut free: Vec<(u64, u64)> = rewritten.iter().map(|&i| &table[i]).filter(|h| has_bytes(h)).map(range).collect();
        free.push((table_start, table_end));
        free.sort_unstable_by_key(|(_, end)| std::cmp::Reverse(*end));
        let mut keep = self.file_size;
        for (start, end) in free {
            if end < keep && !self.is_padding(end, keep)? {
                break;
            }
            keep = keep.min(start);
        }
        Ok(keep.max(in_use))
    }

    fn is_padding(&self, start: u64, end: u64) -> Result<bool, EditError> {
        if end - start > MAX_PADDING {
            return Ok(false);
        }
        let mut bytes = vec![0; (end - start) as usize];
        self.source.read_exact_at(&mut bytes, start).map_err(|source| ElfError::Open { path: self.path(), source })?;
        Ok(bytes.iter().all(|&byte| byte == 0))
    }

    /// Appends the section header table and makes the ELF header point to it.
    fn append_table(&self, plan: &mut Plan<'_>, mut table: Vec<SectionHeader>, names_index: usize) -> Result<(), EditError> {
        let count = table.len();
        // Sections of their own for large values: the ELF header has 16 bits for each.
        let (shnum, shstrndx);
        (shnum, table[0].size) = if count < LARGE { (count as u16, 0) } else { (0, count as u64) };
        (shstrndx, table[0].link) =
            if names_index < LARGE { (names_index as u16, 0) } else { (elf::SHN_XINDEX.0, names_index as u32) };
        let bytes: Vec<u8> = table.iter().flat_map(|header| self.codec().section_header_bytes(header)).collect();
        let shoff = plan.append(&bytes, FILE_ALIGN);
        let size = shoff + bytes.len() as u64;
        if !self.codec().is_64 && size > u64::from(u32::MAX) {
            return Err(EditError::TooLarge { path: self.path(), size });
        }
        self.codec().set_section_table(&mut plan.header, shoff, shnum, shstrndx);
        Ok(())
    }
}

impl<'n> Plan<'n> {
    /// Makes `header` that of a section with these contents, written over the old ones if those are part of a segment and large
    /// enough. Returns whether the contents still need a place.
    fn give_contents(&mut self, header: &mut SectionHeader, data: &'n [u8], is_loaded: bool) -> bool {
        // The new contents are neither compressed nor absent, whatever the old ones were.
        header.flags &= !elf::SHF_COMPRESSED.0;
        if header.sh_type == elf::SHT_NOBITS.0 || header.sh_type == elf::SHT_NULL.0 {
            header.sh_type = elf::SHT_PROGBITS.0;
        }
        let room = std::mem::replace(&mut header.size, data.len() as u64);
        if !is_loaded {
            return true;
        }
        match room.checked_sub(header.size) {
            Some(left) => {
                self.in_place.push((header.offset, data));
                self.padding.push((header.offset + header.size, vec![0; left as usize]));
                false
            }
            None => {
                header.flags &= !elf::SHF_ALLOC.0;
                header.addr = 0;
                true
            }
        }
    }

    /// Appends `bytes` at a multiple of `align`, and returns where in the file that is.
    fn append(&mut self, bytes: &[u8], align: u64) -> u64 {
        let align = if align.is_power_of_two() { align.min(4096) } else { FILE_ALIGN };
        let end = self.keep + self.tail.len() as u64;
        let padding = (end.wrapping_neg() & (align - 1)) as usize;
        self.tail.resize(self.tail.len() + padding, 0);
        self.tail.extend_from_slice(bytes);
        end + padding as u64
    }
}

/// Whether a section has bytes in the file.
fn has_bytes(header: &SectionHeader) -> bool {
    header.sh_type != elf::SHT_NOBITS.0 && header.sh_type != elf::SHT_NULL.0 && header.size != 0
}
