//! One unit of a file, taken in by a profile that it was not loaded for.

use super::dwarf::Profile;
use super::plan::read_unit;
use crate::dwarf::DwarfError;
use crate::dwarf::abbrev::{Abbrevs, Attrs};
use crate::dwarf::file::DwarfFile;
use crate::dwarf::source::{Source, read_unit_entry};
use crate::dwarf::unit::UnitHeader;
use gimli::constants as dw;

/// Takes in the unit with an id, as [`super::dwarf::load`] counts them in files whose units do not refer to each other. False when there is no
/// such unit, or its entries stand elsewhere.
pub fn take_in<Handle, P: Profile<Handle>>(
    profile: &P,
    dwarf: &DwarfFile,
    id: u32,
    handle: &mut Handle,
    product: &mut P::Product,
) -> Result<bool, DwarfError> {
    let Some(header) = header_of(dwarf, id) else { return Ok(false) };
    let (mut buf, mut table, mut attrs) = (Vec::new(), Vec::new(), Attrs::default());
    let wanted = |tag, at| profile.wanted(tag, at);
    let mut unit = read_unit(dwarf, header, &mut buf, &mut table, Abbrevs::default(), wanted)?;
    let entry = read_unit_entry(dwarf, &buf, &mut unit, &mut attrs)?;
    let Some((dw::DW_TAG_compile_unit, true, key)) = entry else { return Ok(false) };
    let source = Source::new(dwarf, &buf, std::slice::from_ref(&unit), header.offset);
    profile.build(source, &[Some(key)], handle, product, &mut profile.scratch(), &mut Vec::new())?;
    Ok(true)
}

fn header_of(dwarf: &DwarfFile, id: u32) -> Option<UnitHeader> {
    let (mut offset, mut left) = (0, id);
    loop {
        match dwarf.unit_header(offset) {
            Ok(header) => {
                let header = header?;
                offset = header.offset + header.size;
                if header.is_type_unit() {
                    continue;
                }
                if left == 0 {
                    return Some(header);
                }
                left -= 1;
            }
            Err(DwarfError::Version { size, .. }) => offset += size,
            Err(_) => offset = dwarf.next_section(offset),
        }
    }
}
