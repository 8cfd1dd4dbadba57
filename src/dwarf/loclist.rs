//! Location lists: `.debug_loclists` (DWARF 5, 7.7.3), `.debug_loc` before it, and its split form (GNU DebugFission).
//!
//! Only the expressions and their order matter to the encoder, not the addresses; so no address is computed. The lists of one unit's
//! parameters stand close to each other: a window of the section is kept in a reused buffer.

use super::DwarfError;
use super::cursor::Cursor;
use super::unit::UnitHeader;
use crate::elf::DebugSection;
use gimli::constants as dw;

/// A sliding view of a section.
#[derive(Default)]
pub struct Window {
    buf: Vec<u8>,
    start: u64,
}

/// A unit of a kernel has 12 KiB of lists.
const WINDOW: u64 = 16 << 10;
/// At least this much is wanted behind a list's start before the window moves.
const MARGIN: u64 = 4 << 10;

impl Window {
    /// Forgets what was read (the next unit may be of another file).
    pub fn clear(&mut self) {
        self.buf.clear();
        self.start = 0;
    }

    /// The bytes from `offset` on: at least `need` of them, where the section has so many.
    fn view<'a>(&'a mut self, section: &'a DebugSection, offset: u64, need: u64) -> Result<&'a [u8], DwarfError> {
        if let Some(all) = section.as_slice() {
            return Ok(usize::try_from(offset).ok().and_then(|o| all.get(o..)).unwrap_or_default());
        }
        let size = section.len();
        if offset >= size {
            return Ok(&[]);
        }
        let have_end = self.start + self.buf.len() as u64;
        let need_end = offset.saturating_add(need).min(size);
        if offset < self.start || need_end > have_end {
            let len = need.max(WINDOW).min(size - offset);
            self.buf.resize(len as usize, 0);
            self.start = offset;
            if let Err(e) = section.read_exact_at(offset, &mut self.buf) {
                self.buf.clear();
                return Err(e.into());
            }
        }
        Ok(&self.buf[(offset - self.start) as usize..])
    }
}

/// Calls `each` with every expression of the list at `offset`, in order: the window's bytes, the expression's offset in them, its
/// length. Stops without an error where `each` returns `false`; a damaged list ends in an error after what was sound.
pub fn for_each_expression(
    section: &DebugSection,
    window: &mut Window,
    offset: u64,
    unit: &UnitHeader,
    big: bool,
    mut each: impl FnMut(&[u8], usize, usize) -> bool,
) -> Result<(), DwarfError> {
    let mut need = MARGIN;
    let mut done = 0usize;
    loop {
        let bytes = window.view(section, offset, need)?;
        let complete = offset.saturating_add(bytes.len() as u64) >= section.len();
        let mut c = Cursor::new(bytes, big, offset, if unit.version >= 5 { ".debug_loclists" } else { ".debug_loc" });
        match list(&mut c, unit, &mut |start, len| each(bytes, start, len), done) {
            Ok(()) => return Ok(()),
            Err((e, _)) if complete => return Err(e),
            Err((_, seen)) => done = seen,
        }
        // The list goes on behind the window: take more, and pass over what was handed out already.
        need = need.saturating_mul(4);
    }
}

/// Walks one list; `skip` expressions were handed out before. The error says how many expressions have been handed out by now.
fn list(
    c: &mut Cursor<'_>,
    unit: &UnitHeader,
    each: &mut dyn FnMut(usize, usize) -> bool,
    skip: usize,
) -> Result<(), (DwarfError, usize)> {
    let mut seen = 0usize;
    loop {
        let entry = match entry(c, unit) {
            Ok(e) => e,
            Err(e) => return Err((e, seen.max(skip))),
        };
        match entry {
            Entry::End => return Ok(()),
            Entry::Base => {}
            Entry::Expression { start, len } => {
                seen += 1;
                if seen > skip && !each(start, len) {
                    return Ok(());
                }
            }
        }
    }
}

enum Entry {
    End,
    Base,
    Expression { start: usize, len: usize },
}

fn entry(c: &mut Cursor<'_>, unit: &UnitHeader) -> Result<Entry, DwarfError> {
    if unit.version >= 5 {
        let kind = c.u8()?;
        match dw::DwLle(kind) {
            dw::DW_LLE_end_of_list => return Ok(Entry::End),
            dw::DW_LLE_base_addressx => {
                c.uleb()?;
                return Ok(Entry::Base);
            }
            dw::DW_LLE_base_address => {
                c.skip(u64::from(unit.addr_size))?;
                return Ok(Entry::Base);
            }
            dw::DW_LLE_startx_endx | dw::DW_LLE_startx_length | dw::DW_LLE_offset_pair => {
                c.uleb()?;
                c.uleb()?;
            }
            dw::DW_LLE_default_location => {}
            dw::DW_LLE_start_end => c.skip(2 * u64::from(unit.addr_size))?,
            dw::DW_LLE_start_length => {
                c.skip(u64::from(unit.addr_size))?;
                c.uleb()?;
            }
            _ => return Err(c.invalid("a known location list entry", u64::from(kind))),
        }
        let len = c.uleb()?;
        return expression(c, len);
    }
    if unit.kind == dw::DW_UT_split_compile {
        match c.u8()? {
            0 => return Ok(Entry::End),
            1 => {
                c.uleb()?;
                return Ok(Entry::Base);
            }
            2 => {
                c.uleb()?;
                c.uleb()?;
            }
            3 => {
                c.uleb()?;
                c.skip(4)?;
            }
            other => return Err(c.invalid("a known location list entry", u64::from(other))),
        }
    } else {
        let begin = c.uint(unit.addr_size)?;
        let end = c.uint(unit.addr_size)?;
        let escape = u64::MAX >> (64 - 8 * u32::from(unit.addr_size));
        if begin == escape {
            return Ok(Entry::Base);
        }
        if begin == 0 && end == 0 {
            return Ok(Entry::End);
        }
    }
    let len = u64::from(c.u16()?);
    expression(c, len)
}

fn expression(c: &mut Cursor<'_>, len: u64) -> Result<Entry, DwarfError> {
    let start = c.pos();
    c.skip(len)?;
    Ok(Entry::Expression { start, len: len as usize })
}
