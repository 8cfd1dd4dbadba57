//! The debug sections of one ELF file, as far as units need them.

use super::DwarfError;
use super::abbrev::{Abbrevs, Slot};
use super::cursor::{Cursor, str_at};
use super::unit::{Bases, MAX_HEADER, UnitHeader};
use crate::elf::{DebugSection, ElfFile};
use gimli::constants as dw;
use std::sync::{Arc, OnceLock};

/// Sections that are read when the first unit asks for them.
type Lazy = OnceLock<Option<Vec<u8>>>;

/// The DWARF of one file. Shared by all workers; units are read with `pread` into the workers' own buffers.
pub struct DwarfFile {
    elf: Arc<ElfFile>,
    info: DebugSection,
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
        let Some(info) = elf.debug_section(".debug_info")? else { return Ok(None) };
        let abbrev = elf.debug_section(".debug_abbrev")?.ok_or(DwarfError::Missing { section: ".debug_abbrev" })?;
        let str = match elf.debug_section(".debug_str")? {
            Some(s) => s.load()?,
            None => Vec::new(),
        };
        let loc = elf.debug_section(".debug_loc")?;
        let loclists = elf.debug_section(".debug_loclists")?;
        let big = !elf.little_endian();
        Ok(Some(DwarfFile {
            elf,
            info,
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
        }))
    }

    pub fn elf(&self) -> &Arc<ElfFile> {
        &self.elf
    }

    pub fn is_big_endian(&self) -> bool {
        self.big
    }

    /// Size of `.debug_info`, in bytes.
    pub fn info_size(&self) -> u64 {
        self.info.len()
    }

    /// `.debug_str`.
    pub fn debug_str(&self) -> &[u8] {
        &self.str
    }

    /// The unit header at `offset` of `.debug_info`; `None` at its end.
    pub fn unit_header(&self, offset: u64) -> Result<Option<UnitHeader>, DwarfError> {
        let left = self.info.len().saturating_sub(offset);
        if left == 0 {
            return Ok(None);
        }
        let mut bytes = [0u8; MAX_HEADER];
        let bytes = &mut bytes[..left.min(MAX_HEADER as u64) as usize];
        self.info.read_exact_at(offset, bytes)?;
        UnitHeader::parse(bytes, self.big, ".debug_info", offset, self.info.len()).map(Some)
    }

    /// Reads a range of `.debug_info` into `buf`.
    pub fn read_info(&self, offset: u64, size: u64, buf: &mut Vec<u8>) -> Result<(), DwarfError> {
        // The size was checked against the section's when the header was parsed.
        let size = usize::try_from(size).map_err(|_| DwarfError::Invalid {
            section: ".debug_info",
            offset,
            expected: "a unit that fits in memory",
            found: size,
        })?;
        buf.resize(size, 0);
        self.info.read_exact_at(offset, buf)?;
        Ok(())
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

    /// Whether an abbreviation table of the file uses a form, be it in an entry or not.
    pub fn has_form(&self, form: dw::DwForm) -> Result<bool, DwarfError> {
        let mut offset = 0;
        let mut chunk = Vec::new();
        let mut take = 1u64 << 20;
        loop {
            let left = self.abbrev.len() - offset;
            if left == 0 {
                return Ok(false);
            }
            take = take.min(left);
            chunk.resize(take as usize, 0);
            self.abbrev.read_exact_at(offset, &mut chunk)?;
            let mut c = Cursor::new(&chunk, self.big, offset, ".debug_abbrev");
            let mut done = 0;
            loop {
                match abbrev_has_form(&mut c, form) {
                    Ok(true) => return Ok(true),
                    Ok(false) if c.is_empty() => {
                        done = c.pos();
                        break;
                    }
                    Ok(false) => done = c.pos(),
                    Err(_) if done > 0 => break,
                    // An abbreviation larger than the chunk, or damage at the section's end, which units will tell of.
                    Err(_) if take < left => break,
                    Err(_) => return Ok(false),
                }
            }
            if done == 0 {
                take = take.saturating_mul(4);
            }
            offset += done as u64;
        }
    }

    fn lazy<'a>(&'a self, cell: &'a Lazy, name: &'static str) -> Option<&'a [u8]> {
        // A section that cannot be read counts as missing: each use says what it misses.
        cell.get_or_init(|| self.elf.debug_section(name).ok().flatten().and_then(|s| s.load().ok())).as_deref()
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

/// Reads one abbreviation, or the end of a table.
fn abbrev_has_form(c: &mut Cursor<'_>, form: dw::DwForm) -> Result<bool, DwarfError> {
    if c.uleb()? == 0 {
        return Ok(false);
    }
    c.uleb()?;
    c.u8()?;
    let mut found = false;
    loop {
        let at = c.uleb()?;
        let this = c.uleb()?;
        if at == 0 && this == 0 {
            return Ok(found);
        }
        if this == u64::from(dw::DW_FORM_implicit_const.0) {
            c.sleb()?;
        }
        found |= this == u64::from(form.0);
    }
}
