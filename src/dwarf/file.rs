//! The debug sections of one ELF file, as far as units need them.

use super::DwarfError;
use super::abbrev::{Abbrevs, Slot};
use super::cursor::{Cursor, str_at};
use super::index::{Contribution, UnitIndex};
use super::unit::{Bases, MAX_HEADER, UnitHeader};
use crate::elf::{DebugSection, ElfFile};
use gimli::constants as dw;
use rustc_hash::FxHashMap;
use std::sync::{Arc, OnceLock};

/// Sections that are read when the first unit asks for them.
type Lazy = OnceLock<Option<Vec<u8>>>;

/// A section of units.
struct Part {
    /// Where it starts in the file's space of units, in bytes.
    start: u64,
    section: DebugSection,
    /// `.debug_info` or `.debug_types`.
    name: &'static str,
}

/// The DWARF of one file. Shared by all workers; units are read with `pread` into the workers' own buffers.
///
/// Units are known by their offset in the file's *space of units*: `.debug_info`, and behind it, where there are type units in sections of
/// their own (`.debug_types`, members of section groups in relocatable files), these sections in their order. In files without
/// such sections it is the offset in `.debug_info`.
pub struct DwarfFile {
    elf: Arc<ElfFile>,
    program: Option<Arc<ElfFile>>,
    parts: Vec<Part>,
    size: u64,
    /// Names of sections end in `.dwo`.
    split: bool,
    /// Of a `.dwp` file: each unit's share of the other sections, by the unit's offset in the space of units.
    shares: FxHashMap<u64, Contribution>,
    signatures: OnceLock<FxHashMap<u64, u64>>,
    abbrev: DebugSection,
    /// `.debug_str` as a whole: names are looked at in it all the time.
    str: Vec<u8>,
    loc: Option<DebugSection>,
    loclists: Option<DebugSection>,
    line_str: Lazy,
    str_offsets: Lazy,
    addr: Lazy,
    line: Lazy,
    ranges: Lazy,
    rnglists: Lazy,
    big: bool,
}

impl DwarfFile {
    /// `None` when the file has no `.debug_info`.
    pub fn open(elf: Arc<ElfFile>) -> Result<Option<DwarfFile>, DwarfError> {
        DwarfFile::open_kind(elf, false)
    }

    /// The debugging information of `program`, in a file of its own.
    pub fn open_for(program: Arc<ElfFile>, elf: Arc<ElfFile>) -> Result<Option<DwarfFile>, DwarfError> {
        let file = DwarfFile::open(elf)?;
        Ok(file.map(|file| DwarfFile { program: Some(program), ..file }))
    }

    /// A `.dwo` or `.dwp` file, whose sections' names end in `.dwo`.
    pub fn open_split(elf: Arc<ElfFile>) -> Result<Option<DwarfFile>, DwarfError> {
        DwarfFile::open_kind(elf, true)
    }

    /// What `dwz -m` has moved out of other files: strings, perhaps without any units.
    pub fn open_alternate(elf: Arc<ElfFile>) -> Result<Option<DwarfFile>, DwarfError> {
        match DwarfFile::open_kind(elf.clone(), false)? {
            Some(file) => Ok(Some(file)),
            // Nobody asks for the abbreviations of a file without units.
            None => {
                elf.debug_section(".debug_str")?.map(|empty| DwarfFile::of_sections(elf, Vec::new(), 0, false, empty)).transpose()
            }
        }
    }

    fn open_kind(elf: Arc<ElfFile>, split: bool) -> Result<Option<DwarfFile>, DwarfError> {
        let mut parts = Vec::new();
        let mut size = 0u64;
        for (section, name) in unit_sections(&elf, split)? {
            let len = section.len();
            parts.push(Part { start: size, section, name });
            size = size.saturating_add(len);
        }
        if parts.is_empty() {
            return Ok(None);
        }
        let abbrev = elf.debug_section(&section_name(".debug_abbrev", split))?;
        let abbrev = abbrev.ok_or(DwarfError::Missing { section: ".debug_abbrev" })?;
        DwarfFile::of_sections(elf, parts, size, split, abbrev).map(Some)
    }

    fn of_sections(
        elf: Arc<ElfFile>,
        parts: Vec<Part>,
        size: u64,
        split: bool,
        abbrev: DebugSection,
    ) -> Result<DwarfFile, DwarfError> {
        let section = |name: &str| elf.debug_section(&section_name(name, split));
        let str = match section(".debug_str")? {
            Some(s) => s.load()?,
            None => Vec::new(),
        };
        let loc = section(".debug_loc")?;
        let loclists = section(".debug_loclists")?;
        let big = !elf.little_endian();
        let shares = if split { shares(&elf, &parts)? } else { FxHashMap::default() };
        Ok(DwarfFile {
            elf,
            program: None,
            parts,
            size,
            split,
            shares,
            signatures: OnceLock::new(),
            abbrev,
            str,
            loc,
            loclists,
            line_str: Lazy::new(),
            str_offsets: Lazy::new(),
            addr: Lazy::new(),
            line: Lazy::new(),
            ranges: Lazy::new(),
            rnglists: Lazy::new(),
            big,
        })
    }

    pub fn elf(&self) -> &Arc<ElfFile> {
        &self.elf
    }

    /// The file that the program is in; [`DwarfFile::elf`] unless that is a separate file.
    pub fn program(&self) -> &Arc<ElfFile> {
        self.program.as_ref().unwrap_or(&self.elf)
    }

    /// Whether it is a `.dwo` or `.dwp` file.
    pub fn is_split(&self) -> bool {
        self.split
    }

    pub fn is_big_endian(&self) -> bool {
        self.big
    }

    /// Size of the space of units, in bytes.
    pub fn info_size(&self) -> u64 {
        self.size
    }

    /// The section that an offset of the space of units lies in, and the offset in that section.
    pub fn place(&self, offset: u64) -> (&'static str, u64) {
        self.part(offset).map_or((".debug_info", offset), |part| (part.name, offset - part.start))
    }

    /// Where a section of units starts in the space of units.
    pub fn section_start(&self, name: &str) -> Option<u64> {
        self.parts.iter().find(|part| part.name == name).map(|part| part.start)
    }

    fn part(&self, offset: u64) -> Option<&Part> {
        self.parts[..self.parts.partition_point(|part| part.start <= offset)].last()
    }

    /// `.debug_str`.
    pub fn debug_str(&self) -> &[u8] {
        &self.str
    }

    /// The unit header at `offset` of the space of units; `None` at its end. Errors give the offset in the section.
    pub fn unit_header(&self, offset: u64) -> Result<Option<UnitHeader>, DwarfError> {
        let Some(part) = self.part(offset).filter(|_| offset < self.size) else { return Ok(None) };
        let (at, len) = (offset - part.start, part.section.len());
        let mut bytes = [0u8; MAX_HEADER];
        let bytes = &mut bytes[..(len - at).min(MAX_HEADER as u64) as usize];
        part.section.read_exact_at(at, bytes)?;
        let mut header = UnitHeader::parse(bytes, self.big, part.name, at, len)?;
        header.offset = offset;
        if let Some(&share) = self.shares.get(&offset) {
            header.abbrev_offset = header.abbrev_offset.saturating_add(share.abbrev);
            header.share = share;
        }
        if self.split {
            // Before DWARF 5 only the section's name tells.
            header.kind = match header.kind {
                dw::DW_UT_compile => dw::DW_UT_split_compile,
                dw::DW_UT_type => dw::DW_UT_split_type,
                kind => kind,
            };
        }
        Ok(Some(header))
    }

    /// Where the section after the one with `offset` starts in the space of units, or its end.
    pub fn next_section(&self, offset: u64) -> u64 {
        self.part(offset).map_or(self.size, |part| part.start.saturating_add(part.section.len()))
    }

    /// Reads a range of the space of units into `buf`.
    pub fn read_info(&self, offset: u64, size: u64, buf: &mut Vec<u8>) -> Result<(), DwarfError> {
        // The size was checked against the section's when the header was parsed.
        let wrong =
            || DwarfError::Invalid { section: ".debug_info", offset, expected: "a unit that fits in memory", found: size };
        let len = usize::try_from(size).map_err(|_| wrong())?;
        buf.resize(len, 0);
        let (mut at, mut done) = (offset, 0);
        while done < len {
            let part = self.part(at).ok_or_else(wrong)?;
            let start = at - part.start;
            let take = part.section.len().saturating_sub(start).min((len - done) as u64);
            if take == 0 {
                return Err(DwarfError::Truncated { section: part.name, offset: start, expected: "the rest of a unit" });
            }
            part.section.read_exact_at(start, &mut buf[done..done + take as usize])?;
            (at, done) = (at + take, done + take as usize);
        }
        Ok(())
    }

    /// A range of the space of units, if it is in memory as it is.
    pub fn info_in_memory(&self, offset: u64, size: u64) -> Option<&[u8]> {
        let part = self.part(offset)?;
        let start = usize::try_from(offset - part.start).ok()?;
        part.section.as_slice()?.get(start..)?.get(..usize::try_from(size).ok()?)
    }

    /// The type units by their signature: offset of the type's entry in the space of units. Read when first asked for; damaged headers
    /// end the search in their section.
    pub fn signatures(&self) -> &FxHashMap<u64, u64> {
        self.signatures.get_or_init(|| {
            let mut found = FxHashMap::default();
            let mut offset = 0;
            loop {
                match self.unit_header(offset) {
                    Ok(None) => return found,
                    Ok(Some(unit)) => {
                        if unit.is_type_unit() {
                            // The linker keeps one of several with the same signature; where all are there, the first serves.
                            found.entry(unit.signature).or_insert(unit.offset + unit.type_offset);
                        }
                        offset = unit.offset + unit.size;
                    }
                    Err(DwarfError::Version { size, .. }) => offset += size,
                    Err(_) => offset = self.next_section(offset),
                }
            }
        })
    }

    /// Compiles the unit's abbreviation table, `scratch` being reused for its bytes.
    pub fn read_abbrevs(
        &self,
        unit: &UnitHeader,
        scratch: &mut Vec<u8>,
        out: &mut Abbrevs,
        wanted: impl Fn(dw::DwTag, dw::DwAt) -> Option<Slot> + Copy,
    ) -> Result<(), DwarfError> {
        let offset = unit.abbrev_offset;
        if let Some(all) = self.abbrev.as_slice() {
            let bytes = usize::try_from(offset).ok().and_then(|o| all.get(o..)).unwrap_or_default();
            let mut c = Cursor::new(bytes, self.big, offset, ".debug_abbrev");
            return out.compile(&mut c, unit.form_sizes(), wanted);
        }
        // The table's size is not known before its end is found; most are below 8 KiB.
        let left = self.abbrev.len().saturating_sub(offset);
        let mut take = left.min(8 << 10);
        loop {
            scratch.resize(take as usize, 0);
            self.abbrev.read_exact_at(offset, scratch)?;
            let mut c = Cursor::new(scratch, self.big, offset, ".debug_abbrev");
            match out.compile(&mut c, unit.form_sizes(), wanted) {
                Err(DwarfError::Truncated { .. }) if take < left => take = take.saturating_mul(4).min(left),
                result => return result,
            }
        }
    }

    /// Which forms that lead out of a unit the abbreviation tables of the file use, be it in an entry or not, and whether they name split
    /// files.
    pub fn outward_forms(&self) -> Result<OutwardForms, DwarfError> {
        let mut found = OutwardForms::default();
        let mut offset = 0;
        let mut chunk = Vec::new();
        let mut take = 256u64 << 10;
        loop {
            let left = self.abbrev.len() - offset;
            if left == 0 {
                return Ok(found);
            }
            take = take.min(left);
            chunk.resize(take as usize, 0);
            self.abbrev.read_exact_at(offset, &mut chunk)?;
            let mut rest = &chunk[..];
            while let Some(next) = Some(rest).filter(|rest| !rest.is_empty()).and_then(|rest| note_forms(rest, &mut found)) {
                rest = next;
            }
            let done = chunk.len() - rest.len();
            // An abbreviation larger than the chunk, or damage at the section's end, which units will tell of.
            if done == 0 && take == left {
                return Ok(found);
            }
            if done == 0 {
                take = take.saturating_mul(4);
            }
            offset += done as u64;
        }
    }

    fn lazy<'a>(&'a self, cell: &'a Lazy, name: &'static str) -> Option<&'a [u8]> {
        // A section that cannot be read counts as missing: each use says what it misses.
        cell.get_or_init(|| self.elf.debug_section(&section_name(name, self.split)).ok().flatten().and_then(|s| s.load().ok()))
            .as_deref()
    }

    /// `.debug_line`.
    pub fn debug_line(&self) -> Option<&[u8]> {
        self.lazy(&self.line, ".debug_line")
    }

    /// `.debug_ranges`, the range lists before DWARF 5.
    pub fn ranges(&self) -> Option<&[u8]> {
        self.lazy(&self.ranges, ".debug_ranges")
    }

    /// `.debug_rnglists`.
    pub fn rnglists(&self) -> Option<&[u8]> {
        self.lazy(&self.rnglists, ".debug_rnglists")
    }

    /// The string at `offset` of `.debug_line_str`.
    pub fn line_str(&self, offset: u64) -> Option<&[u8]> {
        str_at(self.lazy(&self.line_str, ".debug_line_str")?, offset)
    }

    /// Offset in `.debug_str` of the string with `index`.
    pub fn str_offset(&self, unit: &UnitHeader, bases: &Bases, index: u64) -> Option<u64> {
        let table = self.lazy(&self.str_offsets, ".debug_str_offsets")?;
        self.table_entry(table, bases.str_offsets, index, unit.offset_size)
    }

    /// The address with `index` in `.debug_addr`.
    pub fn address(&self, unit: &UnitHeader, bases: &Bases, index: u64) -> Option<u64> {
        let table = self.lazy(&self.addr, ".debug_addr")?;
        self.table_entry(table, bases.addr, index, unit.addr_size)
    }

    fn table_entry(&self, table: &[u8], base: u64, index: u64, size: u8) -> Option<u64> {
        let at = index.checked_mul(u64::from(size))?.checked_add(base)?;
        let bytes = table.get(usize::try_from(at).ok()?..)?;
        Cursor::new(bytes, self.big, 0, "").uint(size).ok()
    }

    /// The section of location lists for units of `version`.
    pub fn location_lists(&self, version: u16) -> Option<&DebugSection> {
        if version >= 5 { self.loclists.as_ref() } else { self.loc.as_ref() }
    }

    /// The name of that section.
    pub fn location_lists_name(&self, version: u16) -> &'static str {
        if version >= 5 { ".debug_loclists" } else { ".debug_loc" }
    }

    /// Offset in `.debug_loclists` of the list with `index`.
    pub fn loclist_offset(&self, unit: &UnitHeader, bases: &Bases, index: u64) -> Option<u64> {
        let section = self.loclists.as_ref()?;
        let at = index.checked_mul(u64::from(unit.offset_size))?.checked_add(bases.loclists)?;
        let mut bytes = [0u8; 8];
        let bytes = &mut bytes[..usize::from(unit.offset_size)];
        section.read_exact_at(at, bytes).ok()?;
        Cursor::new(bytes, self.big, 0, "").uint(unit.offset_size).ok()?.checked_add(bases.loclists)
    }
}

/// See [`DwarfFile::outward_forms`].
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct OutwardForms {
    /// To another unit of the file.
    pub ref_addr: bool,
    /// To a type unit.
    pub signature: bool,
    /// To an alternate file.
    pub alternate: bool,
    /// To strings of an alternate file.
    pub alternate_strings: bool,
    /// Units' entries are in files of their own.
    pub split: bool,
}

/// Reads one abbreviation, or the end of a table, from the start of `bytes`; returns what follows, `None` when it ends too early.
///
/// A kernel has megabytes of them, all read before the first unit is: nearly all numbers are single bytes, nearly all forms without
/// interest.
fn note_forms<'a>(bytes: &'a [u8], found: &mut OutwardForms) -> Option<&'a [u8]> {
    const fn bits(forms: &[dw::DwForm]) -> u64 {
        let (mut bits, mut i) = (0, 0);
        while i < forms.len() {
            bits |= 1 << forms[i].0;
            i += 1;
        }
        bits
    }
    const OF_INTEREST: u64 = bits(&[
        dw::DW_FORM_implicit_const,
        dw::DW_FORM_ref_addr,
        dw::DW_FORM_ref_sig8,
        dw::DW_FORM_strp_sup,
        dw::DW_FORM_ref_sup4,
        dw::DW_FORM_ref_sup8,
    ]);
    let (code, rest) = number(bytes)?;
    if code == 0 {
        return Some(rest);
    }
    let (_tag, rest) = number(rest)?;
    let (_has_children, mut rest) = rest.split_first()?;
    loop {
        let (at, form);
        (at, rest) = number(rest)?;
        (form, rest) = number(rest)?;
        if at == 0 && form == 0 {
            return Some(rest);
        }
        found.split |= at == u64::from(dw::DW_AT_dwo_name.0) || at == u64::from(dw::DW_AT_GNU_dwo_name.0);
        if form < 64 && OF_INTEREST >> form & 1 == 0 {
            continue;
        }
        match dw::DwForm(u16::try_from(form).unwrap_or(0)) {
            dw::DW_FORM_implicit_const => (_, rest) = number(rest)?,
            dw::DW_FORM_ref_addr => found.ref_addr = true,
            dw::DW_FORM_ref_sig8 => found.signature = true,
            dw::DW_FORM_GNU_strp_alt | dw::DW_FORM_strp_sup => found.alternate_strings = true,
            dw::DW_FORM_GNU_ref_alt | dw::DW_FORM_ref_sup4 | dw::DW_FORM_ref_sup8 => found.alternate = true,
            _ => {}
        }
    }
}

/// What the indices of a `.dwp` file say; nothing for a `.dwo` file, which has none.
fn shares(elf: &ElfFile, parts: &[Part]) -> Result<FxHashMap<u64, Contribution>, DwarfError> {
    let mut found = FxHashMap::default();
    for (name, is_types) in [(".debug_cu_index", false), (".debug_tu_index", true)] {
        let Some(index) = elf.section_index(name.as_bytes()) else { continue };
        let bytes = elf.section_data(index)?.load()?;
        // Type units have a section of their own before DWARF 5.
        let types = parts.iter().find(|part| part.name == ".debug_types").filter(|_| is_types);
        let start = types.map_or(0, |part| part.start);
        for share in UnitIndex::parse(&bytes, name, !elf.little_endian())?.all() {
            found.insert(start.saturating_add(share.unit), share);
        }
    }
    Ok(found)
}

/// A LEB128 number and what follows it. Of a signed one, only the length is right.
#[inline(always)]
fn number(bytes: &[u8]) -> Option<(u64, &[u8])> {
    match bytes {
        [byte @ ..0x80, rest @ ..] => Some((u64::from(*byte), rest)),
        _ => long_number(bytes),
    }
}

fn long_number(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let end = bytes.iter().position(|&byte| byte < 0x80)? + 1;
    let (number, rest) = bytes.split_at(end);
    let value = number.iter().rev().fold(0, |value: u64, &byte| value << 7 | u64::from(byte & 0x7f));
    Some((value, rest))
}

/// The sections of units in the order of the space of units.
fn unit_sections(elf: &ElfFile, split: bool) -> Result<Vec<(DebugSection, &'static str)>, DwarfError> {
    let mut sections = Vec::new();
    if !split {
        for name in [".debug_info", ".debug_types"] {
            sections.extend(elf.debug_section(name)?.map(|section| (section, name)));
        }
    }
    // Each member of a group is a section of its own, all with the same name; split files have many without a group.
    for (index, section) in elf.sections().iter().enumerate() {
        let name = match &*section.name {
            b".debug_info" | b".zdebug_info" if !split => ".debug_info",
            b".debug_types" | b".zdebug_types" if !split => ".debug_types",
            b".debug_info.dwo" if split => ".debug_info",
            b".debug_types.dwo" if split => ".debug_types",
            _ => continue,
        };
        if section.size != 0 && (split || section.flags & SHF_GROUP != 0) {
            sections.push((elf.section_data(index)?, name));
        }
    }
    sections.retain(|(section, _)| !section.is_empty());
    Ok(sections)
}

const SHF_GROUP: u64 = 1 << 9;

fn section_name(name: &str, split: bool) -> String {
    if split { format!("{name}.dwo") } else { name.to_owned() }
}
