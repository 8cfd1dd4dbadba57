//! Unit headers (DWARF 5 section 7.5.1; earlier versions 7.5.1 of their own).

use super::DwarfError;
use super::abbrev::FormSizes;
use super::cursor::Cursor;
use super::index::Contribution;
use gimli::constants as dw;

/// What stands before a unit's entries.
#[derive(Clone, Copy, Debug)]
pub struct UnitHeader {
    /// Of the unit in its section, in bytes.
    pub offset: u64,
    /// The whole unit, header and length field included, in bytes.
    pub size: u64,
    /// The header itself, in bytes.
    pub header_size: u32,
    pub version: u16,
    pub addr_size: u8,
    /// 4 or 8.
    pub offset_size: u8,
    pub kind: dw::DwUt,
    pub abbrev_offset: u64,
    /// Type signature of a type unit, id of a skeleton or split unit, else 0.
    pub signature: u64,
    /// Of the type in a type unit, in bytes from the unit's start.
    pub type_offset: u64,
    /// The unit's share of the sections of a `.dwp` file, already added to `abbrev_offset`.
    pub share: Contribution,
}

/// Enough bytes for any header.
pub const MAX_HEADER: usize = 48;

impl UnitHeader {
    /// Parses the header at the start of `bytes` (at least [`MAX_HEADER`] bytes where the section has them). `section_size` is
    /// that of the whole section. A unit of an unknown version is returned as [`DwarfError::Version`].
    pub fn parse(
        bytes: &[u8],
        big: bool,
        section: &'static str,
        offset: u64,
        section_size: u64,
    ) -> Result<UnitHeader, DwarfError> {
        let mut c = Cursor::new(bytes, big, offset, section);
        let (length, offset_size) = match c.u32()? {
            0xffff_ffff => (c.u64()?, 8u8),
            n if n >= 0xffff_fff0 => return Err(c.invalid("a unit length", u64::from(n))),
            n => (u64::from(n), 4),
        };
        let size = length
            .checked_add(c.pos() as u64)
            .filter(|s| offset.checked_add(*s).is_some_and(|end| end <= section_size))
            .ok_or_else(|| c.invalid("a unit that ends inside its section", length))?;
        let version = c.u16()?;
        if !(2..=5).contains(&version) {
            return Err(DwarfError::Version { section, offset, version, size });
        }
        let kind;
        let abbrev_offset;
        let addr_size;
        if version >= 5 {
            kind = dw::DwUt(c.u8()?);
            addr_size = c.u8()?;
            abbrev_offset = c.uint(offset_size)?;
        } else {
            kind = if section == ".debug_types" { dw::DW_UT_type } else { dw::DW_UT_compile };
            abbrev_offset = c.uint(offset_size)?;
            addr_size = c.u8()?;
        }
        if !matches!(addr_size, 2 | 4 | 8) {
            return Err(c.invalid("an address size of 2, 4 or 8 bytes", u64::from(addr_size)));
        }
        let mut signature = 0;
        let mut type_offset = 0;
        match kind {
            dw::DW_UT_compile | dw::DW_UT_partial => {}
            dw::DW_UT_type | dw::DW_UT_split_type => {
                signature = c.u64()?;
                type_offset = c.uint(offset_size)?;
            }
            dw::DW_UT_skeleton | dw::DW_UT_split_compile => signature = c.u64()?,
            other => return Err(c.invalid("a known unit type", u64::from(other.0))),
        }
        if c.pos() as u64 > size {
            return Err(c.invalid("a unit at least as long as its header", size));
        }
        Ok(UnitHeader {
            offset,
            size,
            header_size: c.pos() as u32,
            version,
            addr_size,
            offset_size,
            kind,
            abbrev_offset,
            signature,
            type_offset,
            share: Contribution::default(),
        })
    }

    pub fn form_sizes(&self) -> FormSizes {
        FormSizes { addr_size: self.addr_size, offset_size: self.offset_size, version: self.version }
    }

    pub fn is_type_unit(&self) -> bool {
        matches!(self.kind, dw::DW_UT_type | dw::DW_UT_split_type)
    }
}

/// Where a unit's indexed forms start to count; from the attributes of its first entry.
#[derive(Clone, Copy, Default, Debug)]
pub struct Bases {
    /// In `.debug_str_offsets`, in bytes.
    pub str_offsets: u64,
    /// In `.debug_addr`, in bytes.
    pub addr: u64,
    /// In `.debug_loclists`, in bytes.
    pub loclists: u64,
    /// In `.debug_loc`, in bytes; not 0 only in `.dwp` files.
    pub loc: u64,
}

impl Bases {
    /// What holds for a unit without the attributes: the tables start behind one header (DWARF 5, 7.26 to 7.29).
    pub fn default_for(header: &UnitHeader) -> Bases {
        let after_header = if header.offset_size == 8 { 16 } else { 8 };
        if header.version < 5 {
            return Bases::default();
        }
        Bases { str_offsets: after_header, addr: after_header, loclists: after_header + 4, loc: 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn version_5_header() {
        let h = [0x0c, 0, 0, 0, 5, 0, 1, 8, 0x10, 0, 0, 0, 0, 0, 0, 0];
        let u = UnitHeader::parse(&h, false, ".debug_info", 0, 16).expect("valid header");
        assert_eq!((u.size, u.header_size, u.version, u.abbrev_offset), (16, 12, 5, 0x10));
    }

    #[test]
    fn bad_headers() {
        let unknown = [0x0c, 0, 0, 0, 6, 0, 1, 8, 0x10, 0, 0, 0, 0, 0, 0, 0];
        assert!(matches!(
            UnitHeader::parse(&unknown, false, ".debug_info", 0, 16),
            Err(DwarfError::Version { version: 6, offset: 0, size: 16, .. })
        ));
        let too_long = [0x0d, 0, 0, 0, 5, 0, 1, 8, 0x10, 0, 0, 0, 0, 0, 0, 0];
        assert!(UnitHeader::parse(&too_long, false, ".debug_info", 0, 16).is_err());
        let reserved = [0xf1, 0xff, 0xff, 0xff, 5, 0, 1, 8];
        assert!(UnitHeader::parse(&reserved, false, ".debug_info", 0, 16).is_err());
    }
}
