//! Range lists: `.debug_rnglists` (DWARF 5, 7.25) and `.debug_ranges` before it.

use super::DwarfError;
use super::cursor::Cursor;
use super::file::DwarfFile;
use super::source::Unit;
use gimli::constants as dw;

/// What a DW_AT_ranges attribute says, on top of the unit it stands in.
#[derive(Clone, Copy, Debug)]
pub struct RangeList {
    pub form: dw::DwForm,
    pub value: u64,
    /// The unit's DW_AT_low_pc, 0 without it.
    pub base: u64,
    /// The unit's DW_AT_rnglists_base, or the first table's when it has none. Bytes.
    pub rnglists_base: u64,
}

/// Calls `each` with the bounds of every range, the end exclusive. What comes before damage is handed out.
pub fn for_each(file: &DwarfFile, unit: &Unit, list: &RangeList, mut each: impl FnMut(u64, u64)) -> Result<(), DwarfError> {
    let big = file.is_big_endian();
    if unit.header.version >= 5 {
        let section = file.rnglists().ok_or(DwarfError::Missing { section: ".debug_rnglists" })?;
        let mut c = Cursor::new(section, big, 0, ".debug_rnglists");
        let offset = match list.form {
            dw::DW_FORM_rnglistx => {
                let size = u64::from(unit.header.offset_size);
                let at = list.value.checked_mul(size).and_then(|o| o.checked_add(list.rnglists_base));
                c.set_pos(position(&c, at)?);
                let offset = c.uint(unit.header.offset_size)?;
                offset.checked_add(list.rnglists_base)
            }
            _ => Some(list.value),
        };
        c.set_pos(position(&c, offset)?);
        return rnglist(file, unit, list.base, &mut c, &mut each);
    }
    let section = file.ranges().ok_or(DwarfError::Missing { section: ".debug_ranges" })?;
    let mut c = Cursor::new(section, big, 0, ".debug_ranges");
    c.set_pos(position(&c, Some(list.value))?);
    let size = unit.header.addr_size;
    let escape = u64::MAX >> (64 - 8 * u32::from(size));
    let mut base = list.base;
    loop {
        let begin = c.uint(size)?;
        let end = c.uint(size)?;
        if begin == escape {
            base = end;
        } else if begin == 0 && end == 0 {
            return Ok(());
        } else {
            each(base.wrapping_add(begin), base.wrapping_add(end));
        }
    }
}

fn position(c: &Cursor<'_>, offset: Option<u64>) -> Result<usize, DwarfError> {
    let found = offset.unwrap_or(u64::MAX);
    let inside = offset.and_then(|o| usize::try_from(o).ok()).filter(|&o| o < c.len());
    inside.ok_or_else(|| c.invalid("a range list's offset inside the section", found))
}

fn rnglist(
    file: &DwarfFile,
    unit: &Unit,
    mut base: u64,
    c: &mut Cursor<'_>,
    each: &mut impl FnMut(u64, u64),
) -> Result<(), DwarfError> {
    let size = unit.header.addr_size;
    let indexed = |c: &mut Cursor<'_>| -> Result<u64, DwarfError> {
        let index = c.uleb()?;
        file.address(&unit.header, &unit.bases, index).ok_or_else(|| c.invalid("an index of .debug_addr", index))
    };
    loop {
        let kind = c.u8()?;
        let (begin, end) = match dw::DwRle(kind) {
            dw::DW_RLE_end_of_list => return Ok(()),
            dw::DW_RLE_base_addressx => {
                base = indexed(c)?;
                continue;
            }
            dw::DW_RLE_base_address => {
                base = c.uint(size)?;
                continue;
            }
            dw::DW_RLE_startx_endx => (indexed(c)?, indexed(c)?),
            dw::DW_RLE_startx_length => {
                let begin = indexed(c)?;
                (begin, begin.wrapping_add(c.uleb()?))
            }
            dw::DW_RLE_offset_pair => (base.wrapping_add(c.uleb()?), base.wrapping_add(c.uleb()?)),
            dw::DW_RLE_start_end => (c.uint(size)?, c.uint(size)?),
            dw::DW_RLE_start_length => {
                let begin = c.uint(size)?;
                (begin, begin.wrapping_add(c.uleb()?))
            }
            _ => return Err(c.invalid("a known range list entry", u64::from(kind))),
        };
        each(begin, end);
    }
}
