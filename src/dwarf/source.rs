//! Units in memory, and what their attributes say: names, numbers, references, entries at given offsets.
//!
//! Entries are known by a *key*: their offset in the buffer, which holds one unit, or the units of one split file. Key 0 is no entry (a
//! header stands there). An entry of a unit that is not in the buffer is an *outer* one; see [`Outer`]: its key has the top bit set, the
//! other bits are its position in a list that whoever reads such files has made before.

use super::DwarfError;
use super::abbrev::{Abbrev, Abbrevs, Attrs, Slot};
use super::cursor::{Cursor, str_at};
use super::file::DwarfFile;
use super::unit::{Bases, UnitHeader};
use gimli::constants as dw;

/// Set in the keys of outer entries; buffers are smaller.
pub const OUTER: u32 = 1 << 31;

/// Position of an outer entry in [`Outer::targets`]; `None` for a key in the buffer.
#[inline]
pub fn outer_index(key: u32) -> Option<u32> {
    (key & OUTER != 0).then_some(key & !OUTER)
}

/// Entries that units refer to without holding them. An entry's *place* is its offset in the space of units of the file, with that of an
/// alternate file behind that of the main one.
#[derive(Clone, Copy, Default)]
pub struct Outer<'a> {
    /// Places, in order. References to others lead nowhere.
    pub targets: &'a [u64],
    /// Places, in order, of those types among them that pointers to members lead to and that are functions', names and qualifiers aside.
    pub functions: &'a [u64],
}

/// One unit of a [`Source`].
pub struct Unit {
    pub header: UnitHeader,
    pub bases: Bases,
    pub abbrevs: Abbrevs,
    /// Offset of the header in the buffer, in bytes.
    pub start: u32,
    /// Of the unit's end.
    pub end: u32,
    pub language: u32,
    pub producer_clang: bool,
}

impl Unit {
    /// Skips the children of an entry, whose abbreviation it is, behind which the cursor stands, and theirs. An end of the unit ends them all.
    pub fn skip_children(&self, abbrev: &Abbrev, c: &mut Cursor<'_>) -> Result<(), DwarfError> {
        let mut depth = u64::from(abbrev.has_children);
        while depth > 0 && !c.is_empty() {
            let code = c.uleb()?;
            if code == 0 {
                depth -= 1;
                continue;
            }
            let Some(abbrev) = self.abbrevs.get(code) else {
                return Err(c.invalid("an abbreviation code of the unit's table", code));
            };
            self.abbrevs.skip(abbrev, c)?;
            depth += u64::from(abbrev.has_children);
        }
        Ok(())
    }
}

/// A buffer of units.
pub struct Source<'a> {
    pub file: &'a DwarfFile,
    pub buf: &'a [u8],
    /// In order of their offsets.
    pub units: &'a [Unit],
    /// Offset of the buffer in the file's space of units, in bytes.
    pub base: u64,
    /// Where the file's space of units starts among places.
    pub shift: u64,
    /// The alternate file, and where its space of units starts among places.
    pub alternate: Option<(&'a DwarfFile, u64)>,
    /// Who has the addresses of a split file.
    pub addresses: Option<&'a DwarfFile>,
    pub outer: Option<Outer<'a>>,
}

impl<'a> Source<'a> {
    /// Units that refer to nothing outside of `buf`.
    pub fn new(file: &'a DwarfFile, buf: &'a [u8], units: &'a [Unit], base: u64) -> Source<'a> {
        Source { file, buf, units, base, shift: 0, alternate: None, addresses: None, outer: None }
    }

    /// A cursor over the unit, standing at `key`.
    pub fn cursor(&self, unit: &Unit, key: u32) -> Cursor<'a> {
        // The section need not be the first one of units, nor the buffer a piece of it.
        let (section, start) = self.file.place(unit.header.offset);
        let base = start.wrapping_sub(u64::from(unit.start));
        let mut c = Cursor::new(&self.buf[..unit.end as usize], self.file.is_big_endian(), base, section);
        c.set_pos(key as usize);
        c
    }

    /// Where the entry with `key` is, for messages: file, section, offset, and the unit.
    pub fn location(&self, key: u32) -> String {
        let (mut file, mut offset, mut unit) = (self.file, self.base + u64::from(key), None);
        if outer_index(key).is_some() {
            let place = self.offset(key);
            (file, offset) = match self.alternate {
                Some((alternate, start)) if place >= start => (alternate, place - start),
                _ if self.shift > 0 => (self.file, place.saturating_sub(self.shift)),
                _ => (self.file, place),
            };
        } else if let Some(found) = self.unit_of(key) {
            offset = found.header.offset + u64::from(key - found.start);
            unit = Some(file.place(found.header.offset).1);
        }
        let (path, (section, at)) = (file.elf().path().display(), file.place(offset));
        match unit {
            Some(unit) => format!("{path}: {section}+{at:#x}, in the unit at {unit:#x}"),
            None => format!("{path}: {section}+{at:#x}"),
        }
    }

    /// The offset of the entry with `key`: in the space of units, of an outer entry its place.
    pub fn offset(&self, key: u32) -> u64 {
        match outer_index(key) {
            Some(i) => self.outer.and_then(|o| o.targets.get(i as usize).copied()).unwrap_or_default(),
            None => self.base + u64::from(key),
        }
    }

    pub fn unit_of(&self, key: u32) -> Option<&'a Unit> {
        let i = self.units.partition_point(|u| u.end <= key);
        self.units.get(i).filter(|u| u.start + u.header.header_size <= key)
    }

    /// Reads the entry with `key` into `attrs`.
    pub fn entry(&self, key: u32, attrs: &mut Attrs) -> Option<(&'a Unit, &'a Abbrev)> {
        let unit = self.unit_of(key)?;
        let mut c = self.cursor(unit, key);
        let abbrev = unit.abbrevs.get(c.uleb().ok()?)?;
        unit.abbrevs.take(abbrev, &mut c, attrs).ok()?;
        Some((unit, abbrev))
    }

    /// The key that a reference attribute names; 0 without the attribute or when it leads out of the buffer.
    #[inline]
    pub fn reference(&self, unit: &Unit, attrs: &Attrs, slot: Slot) -> u32 {
        match attrs.get(slot) {
            Some((form, value)) => self.reference_value(unit, form, value),
            None => 0,
        }
    }

    #[inline]
    fn reference_value(&self, unit: &Unit, form: dw::DwForm, value: u64) -> u32 {
        if let dw::DW_FORM_ref4 | dw::DW_FORM_ref1 | dw::DW_FORM_ref2 | dw::DW_FORM_ref8 | dw::DW_FORM_ref_udata = form {
            return if value < unit.header.size { unit.start + value as u32 } else { 0 };
        }
        self.outward(form, value)
    }

    /// The key for a reference out of a unit.
    #[cold]
    fn outward(&self, form: dw::DwForm, value: u64) -> u32 {
        let Some(place) = self.outward_place(form, value) else { return 0 };
        if let Some(key) = self.key_of(place) {
            return key;
        }
        let at = self.outer.and_then(|o| o.targets.binary_search(&place).ok());
        at.and_then(|i| u32::try_from(i).ok()).filter(|&i| i < OUTER).map_or(0, |i| i | OUTER)
    }

    /// The key of a place in the buffer. The units there need not be neighbours in their file.
    pub fn key_of(&self, place: u64) -> Option<u32> {
        let offset = place.checked_sub(self.shift)?;
        let unit = self.units[..self.units.partition_point(|u| u.header.offset <= offset)].last()?;
        let inside = offset - unit.header.offset;
        (inside < unit.header.size).then(|| unit.start + inside as u32)
    }

    /// The place that a reference out of a unit names; `None` for other forms, unknown signatures, and a missing alternate file.
    pub fn outward_place(&self, form: dw::DwForm, value: u64) -> Option<u64> {
        let (start, size, offset) = match form {
            dw::DW_FORM_ref_addr => (self.shift, self.file.info_size(), value),
            dw::DW_FORM_ref_sig8 => (self.shift, self.file.info_size(), *self.file.signatures().get(&value)?),
            dw::DW_FORM_GNU_ref_alt | dw::DW_FORM_ref_sup4 | dw::DW_FORM_ref_sup8 => {
                let (file, start) = self.alternate?;
                (start, file.info_size(), value)
            }
            _ => return None,
        };
        (offset < size).then(|| start + offset)
    }

    /// The bytes of a string form, with its offset in `.debug_str` where it has one.
    pub fn string_value(&self, unit: &Unit, form: dw::DwForm, value: u64) -> Option<(&'a [u8], Option<u64>)> {
        let offset = match form {
            dw::DW_FORM_string => return str_at(self.buf, value).map(|s| (s, None)),
            dw::DW_FORM_line_strp => return self.file.line_str(value).map(|s| (s, None)),
            dw::DW_FORM_GNU_strp_alt | dw::DW_FORM_strp_sup => {
                return str_at(self.alternate?.0.debug_str(), value).map(|s| (s, None));
            }
            dw::DW_FORM_strp => value,
            dw::DW_FORM_strx
            | dw::DW_FORM_strx1
            | dw::DW_FORM_strx2
            | dw::DW_FORM_strx3
            | dw::DW_FORM_strx4
            | dw::DW_FORM_GNU_str_index => self.file.str_offset(&unit.header, &unit.bases, value)?,
            _ => return None,
        };
        str_at(self.file.debug_str(), offset).map(|s| (s, Some(offset)))
    }

    /// The bytes of a string attribute.
    pub fn string(&self, unit: &Unit, attrs: &Attrs, slot: Slot) -> Option<&'a [u8]> {
        let (form, value) = attrs.get(slot)?;
        self.string_value(unit, form, value).map(|(s, _)| s)
    }

    /// An address attribute (`addr` and the indexed forms).
    pub fn address(&self, unit: &Unit, attrs: &Attrs, slot: Slot) -> Option<u64> {
        match attrs.get(slot)? {
            (dw::DW_FORM_addr, v) => Some(v),
            (
                dw::DW_FORM_addrx
                | dw::DW_FORM_addrx1
                | dw::DW_FORM_addrx2
                | dw::DW_FORM_addrx3
                | dw::DW_FORM_addrx4
                | dw::DW_FORM_GNU_addr_index,
                v,
            ) => self.address_at(unit, v),
            _ => None,
        }
    }

    /// Whether it is a split file without the one that has its addresses.
    pub fn is_split_alone(&self) -> bool {
        self.file.is_split() && self.addresses.is_none()
    }

    /// The address with an index in the table of addresses, which a split file leaves to its skeleton's file.
    pub fn address_at(&self, unit: &Unit, index: u64) -> Option<u64> {
        self.addresses.unwrap_or(self.file).address(&unit.header, &unit.bases, index)
    }
}

/// A constant attribute: the forms that hold a number or a flag, nothing else.
#[inline]
pub fn number(attrs: &Attrs, slot: Slot) -> Option<u64> {
    let (form, value) = attrs.get(slot)?;
    matches!(
        form,
        dw::DW_FORM_data1
            | dw::DW_FORM_data2
            | dw::DW_FORM_data4
            | dw::DW_FORM_data8
            | dw::DW_FORM_sdata
            | dw::DW_FORM_udata
            | dw::DW_FORM_implicit_const
            | dw::DW_FORM_addr
            | dw::DW_FORM_flag
            | dw::DW_FORM_flag_present
    )
    .then_some(value)
}

/// Reads a unit and its abbreviations.
pub fn read_unit(
    file: &DwarfFile,
    header: UnitHeader,
    buf: &mut Vec<u8>,
    table: &mut Vec<u8>,
    mut abbrevs: Abbrevs,
    wanted: impl Fn(dw::DwTag, dw::DwAt) -> Option<Slot> + Copy,
) -> Result<Unit, DwarfError> {
    let end = u32::try_from(header.size).ok().filter(|&size| size < OUTER);
    let end = end.ok_or(DwarfError::Invalid {
        section: ".debug_info",
        offset: header.offset,
        expected: "a unit smaller than 2 GiB",
        found: header.size,
    })?;
    file.read_info(header.offset, header.size, buf)?;
    file.read_abbrevs(&header, table, &mut abbrevs, wanted)?;
    Ok(Unit { header, bases: Bases::default(), abbrevs, start: 0, end, language: 0, producer_clang: false })
}

/// Reads the first entry of a unit at `start` of `buf` and fills in the unit's facts from it.
pub fn read_unit_entry(
    file: &DwarfFile,
    buf: &[u8],
    unit: &mut Unit,
    attrs: &mut Attrs,
) -> Result<Option<(dw::DwTag, bool, u32)>, DwarfError> {
    let key = unit.start + unit.header.header_size;
    let end = (unit.end as usize).min(buf.len());
    let (section, place) = file.place(unit.header.offset);
    // In the buffer, the unit may stand elsewhere than in its section.
    let mut c = Cursor::new(&buf[..end], file.is_big_endian(), place.wrapping_sub(u64::from(unit.start)), section);
    c.set_pos(key as usize);
    if c.is_empty() {
        return Ok(None);
    }
    let code = c.uleb()?;
    let Some(abbrev) = unit.abbrevs.get(code).copied() else {
        if code == 0 {
            return Ok(None);
        }
        return Err(c.invalid("an abbreviation code of the unit's table", code));
    };
    unit.abbrevs.take(&abbrev, &mut c, attrs)?;
    let mut bases = Bases::default_for(&unit.header);
    let base_of = |slot: Slot| attrs.get(slot).map(|(_, v)| v);
    bases.str_offsets = base_of(Slot::StrOffsetsBase).unwrap_or(bases.str_offsets);
    bases.addr = base_of(Slot::AddrBase).unwrap_or(bases.addr);
    bases.loclists = base_of(Slot::LoclistsBase).unwrap_or(bases.loclists);
    let share = &unit.header.share;
    bases.str_offsets = bases.str_offsets.saturating_add(share.str_offsets);
    bases.loclists = bases.loclists.saturating_add(share.loc);
    bases.loc = share.loc;
    unit.bases = bases;
    unit.language = number(attrs, Slot::Language).unwrap_or(0) as u32;
    Ok(Some((abbrev.tag, abbrev.has_children, c.pos() as u32)))
}

/// How many elements a subrange has; 0 when it does not say.
pub fn element_count(unit: &Unit, attrs: &Attrs) -> u64 {
    match (attrs.has(Slot::UpperBound), number(attrs, Slot::UpperBound)) {
        (true, Some(upper)) => {
            let upper = signed(unit, attrs, Slot::UpperBound, upper);
            match number(attrs, Slot::LowerBound) {
                Some(l) => count_between(signed(unit, attrs, Slot::LowerBound, l), upper),
                None => count_up_to(unit, upper),
            }
        }
        (true, None) => 0,
        (false, _) => number(attrs, Slot::Count).unwrap_or(0),
    }
}

/// How many elements there are from the lower bound that is the language's default on.
pub fn count_up_to(unit: &Unit, upper: i64) -> u64 {
    count_between(default_lower_bound(unit.language), upper)
}

fn count_between(lower: i64, upper: i64) -> u64 {
    upper.wrapping_sub(lower).wrapping_add(1).max(0) as u64
}

/// A bound's value: forms of fixed size carry no sign of their own; gcc and gnat write negative bounds as `sdata` or `implicit_const`, and
/// -1 in the width of an address where an array has no elements.
fn signed(unit: &Unit, attrs: &Attrs, slot: Slot, value: u64) -> i64 {
    match attrs.get(slot) {
        Some((dw::DW_FORM_data4, v)) if v == u64::from(u32::MAX) && unit.header.addr_size <= 4 => -1,
        _ => value as i64,
    }
}

/// DWARF 5, table 7.17: the lower bound that a language's arrays have unless said otherwise.
fn default_lower_bound(language: u32) -> i64 {
    match dw::DwLang(language as u16) {
        dw::DW_LANG_Ada83
        | dw::DW_LANG_Ada95
        | dw::DW_LANG_Cobol74
        | dw::DW_LANG_Cobol85
        | dw::DW_LANG_Fortran77
        | dw::DW_LANG_Fortran90
        | dw::DW_LANG_Fortran95
        | dw::DW_LANG_Fortran03
        | dw::DW_LANG_Fortran08
        | dw::DW_LANG_Pascal83
        | dw::DW_LANG_Modula2
        | dw::DW_LANG_Modula3
        | dw::DW_LANG_PLI
        | dw::DW_LANG_Julia => 1,
        _ => 0,
    }
}
