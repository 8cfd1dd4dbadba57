//! Units in memory, and what their attributes say: names, numbers, references, entries at given offsets.
//!
//! Entries are known by a *key*: their offset in the buffer, which holds one unit, or, for files whose units refer to each other, the whole
//! section. Key 0 is no entry (a header stands there).

use super::fragment::{LocalStrings, NameRef, NameSource};
use crate::dwarf::DwarfError;
use crate::dwarf::abbrev::{Abbrev, Abbrevs, Attrs, Slot};
use crate::dwarf::cursor::{Cursor, str_at};
use crate::dwarf::file::DwarfFile;
use crate::dwarf::unit::{Bases, UnitHeader};
use gimli::constants as dw;

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

/// A buffer of units.
pub struct Source<'a> {
    pub file: &'a DwarfFile,
    pub buf: &'a [u8],
    /// In order of their offsets.
    pub units: &'a [Unit],
    /// Offset of the buffer in `.debug_info`, in bytes.
    pub base: u64,
    pub kabi_prefix: Option<&'a [u8]>,
}

impl<'a> Source<'a> {
    /// A cursor over the unit, standing at `key`.
    pub fn cursor(&self, unit: &Unit, key: u32) -> Cursor<'a> {
        let mut c = Cursor::new(&self.buf[..unit.end as usize], self.file.is_big_endian(), self.base, ".debug_info");
        c.set_pos(key as usize);
        c
    }

    /// The offset in `.debug_info` of the entry with `key`.
    pub fn offset(&self, key: u32) -> u64 {
        self.base + u64::from(key)
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

    /// The key behind the entry with `key`: that of its first child where it has children.
    pub fn after(&self, key: u32) -> Option<(&'a Unit, &'a Abbrev, u32)> {
        let unit = self.unit_of(key)?;
        let mut c = self.cursor(unit, key);
        let abbrev = unit.abbrevs.get(c.uleb().ok()?)?;
        unit.abbrevs.skip(abbrev, &mut c).ok()?;
        Some((unit, abbrev, c.pos() as u32))
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
        let key = match form {
            dw::DW_FORM_ref4 | dw::DW_FORM_ref1 | dw::DW_FORM_ref2 | dw::DW_FORM_ref8 | dw::DW_FORM_ref_udata => {
                if value >= unit.header.size {
                    return 0;
                }
                u64::from(unit.start) + value
            }
            dw::DW_FORM_ref_addr => value.wrapping_sub(self.base),
            _ => return 0,
        };
        if key < self.buf.len() as u64 { key as u32 } else { 0 }
    }

    /// The attribute's name as the fragment keeps it; strings outside `.debug_str` are added to `strings`.
    #[inline]
    pub fn name(&self, unit: &Unit, attrs: &Attrs, slot: Slot, strings: &mut LocalStrings) -> NameRef {
        let Some((form, value)) = attrs.get(slot) else { return NameRef::NONE };
        if form == dw::DW_FORM_strp && self.kabi_prefix.is_none() && value < self.file.debug_str().len() as u64 {
            if let Some(name) = NameRef::debug_str(value) {
                return name;
            }
        }
        self.name_slow(unit, form, value, strings)
    }

    fn name_slow(&self, unit: &Unit, form: dw::DwForm, value: u64, strings: &mut LocalStrings) -> NameRef {
        let Some((bytes, in_debug_str)) = self.string_value(unit, form, value) else { return NameRef::NONE };
        if let Some(prefix) = self.kabi_prefix {
            if bytes.starts_with(prefix) {
                return strings.push(prefix);
            }
        }
        match in_debug_str.and_then(NameRef::debug_str) {
            Some(name) => name,
            None => strings.push(bytes),
        }
    }

    /// The bytes of a string form, with its offset in `.debug_str` where it has one.
    fn string_value(&self, unit: &Unit, form: dw::DwForm, value: u64) -> Option<(&'a [u8], Option<u64>)> {
        let offset = match form {
            dw::DW_FORM_string => return str_at(self.buf, value).map(|s| (s, None)),
            dw::DW_FORM_line_strp => return self.file.line_str(value).map(|s| (s, None)),
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

    /// The bytes of a name; `None` for no name.
    pub fn bytes<'s>(&self, name: NameRef, strings: &'s LocalStrings) -> Option<&'s [u8]>
    where
        'a: 's,
    {
        match name.source() {
            NameSource::None => None,
            NameSource::DebugStr(offset) => str_at(self.file.debug_str(), u64::from(offset)),
            NameSource::Local(i) => Some(strings.get(i)),
        }
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
            ) => self.file.address(&unit.header, &unit.bases, v),
            _ => None,
        }
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

/// Which attributes the encoder looks at, by tag.
pub fn wanted(tag: dw::DwTag, at: dw::DwAt) -> Option<Slot> {
    use Slot as S;
    let slot = match at {
        dw::DW_AT_name => S::Name,
        dw::DW_AT_type => S::Type,
        dw::DW_AT_byte_size => S::ByteSize,
        dw::DW_AT_bit_size => S::BitSize,
        dw::DW_AT_encoding => S::Encoding,
        dw::DW_AT_declaration => S::Declaration,
        dw::DW_AT_external => S::External,
        dw::DW_AT_inline => S::Inline,
        dw::DW_AT_abstract_origin => S::AbstractOrigin,
        dw::DW_AT_specification => S::Specification,
        dw::DW_AT_low_pc => S::LowPc,
        dw::DW_AT_location => S::Location,
        dw::DW_AT_const_value => S::ConstValue,
        dw::DW_AT_data_member_location => S::MemberLocation,
        dw::DW_AT_data_bit_offset => S::DataBitOffset,
        dw::DW_AT_bit_offset => S::BitOffset,
        dw::DW_AT_upper_bound => S::UpperBound,
        dw::DW_AT_lower_bound => S::LowerBound,
        dw::DW_AT_count => S::Count,
        dw::DW_AT_artificial => S::Artificial,
        dw::DW_AT_sibling => S::Sibling,
        dw::DW_AT_language => S::Language,
        dw::DW_AT_producer => S::Producer,
        dw::DW_AT_comp_dir => S::CompDir,
        dw::DW_AT_str_offsets_base => S::StrOffsetsBase,
        dw::DW_AT_addr_base | dw::DW_AT_GNU_addr_base => S::AddrBase,
        dw::DW_AT_loclists_base => S::LoclistsBase,
        dw::DW_AT_calling_convention => S::CallingConvention,
        dw::DW_AT_import => S::Import,
        // DW_AT_GNU_annotation
        dw::DwAt(0x2139) => S::Annotation,
        dw::DW_AT_dwo_name | dw::DW_AT_GNU_dwo_name => S::DwoName,
        dw::DW_AT_GNU_dwo_id => S::DwoId,
        _ => return None,
    };
    let takes: &[Slot] = match tag {
        dw::DW_TAG_compile_unit | dw::DW_TAG_partial_unit | dw::DW_TAG_skeleton_unit | dw::DW_TAG_type_unit => &[
            S::Name,
            S::Language,
            S::Producer,
            S::CompDir,
            S::StrOffsetsBase,
            S::AddrBase,
            S::LoclistsBase,
            S::DwoName,
            S::DwoId,
        ],
        dw::DW_TAG_base_type => &[S::Name, S::ByteSize, S::Encoding],
        dw::DW_TAG_const_type
        | dw::DW_TAG_volatile_type
        | dw::DW_TAG_restrict_type
        | dw::DW_TAG_atomic_type
        | dw::DW_TAG_reference_type
        | dw::DW_TAG_ptr_to_member_type
        | dw::DW_TAG_subroutine_type
        | dw::DW_TAG_array_type
        | dw::DW_TAG_rvalue_reference_type => &[S::Type, S::ByteSize],
        dw::DW_TAG_pointer_type => &[S::Type, S::Annotation],
        dw::DW_TAG_typedef => &[S::Name, S::Type],
        dw::DW_TAG_structure_type | dw::DW_TAG_class_type | dw::DW_TAG_interface_type | dw::DW_TAG_union_type => {
            &[S::Name, S::ByteSize, S::Declaration, S::Specification, S::Annotation]
        }
        dw::DW_TAG_member => &[
            S::Name,
            S::Type,
            S::MemberLocation,
            S::DataBitOffset,
            S::BitOffset,
            S::ByteSize,
            S::BitSize,
            S::Annotation,
            S::External,
        ],
        dw::DW_TAG_enumeration_type => &[S::Name, S::ByteSize, S::Type, S::Specification],
        dw::DW_TAG_enumerator => &[S::Name, S::ConstValue],
        dw::DW_TAG_subrange_type => &[S::UpperBound, S::LowerBound, S::Count],
        dw::DW_TAG_formal_parameter => {
            &[S::Name, S::Type, S::AbstractOrigin, S::Location, S::ConstValue, S::Annotation]
        }
        dw::DW_TAG_subprogram => &[
            S::Name,
            S::Type,
            S::Declaration,
            S::External,
            S::Inline,
            S::AbstractOrigin,
            S::Specification,
            S::LowPc,
            S::CallingConvention,
            S::Annotation,
        ],
        dw::DW_TAG_variable => {
            &[S::Name, S::Type, S::External, S::Declaration, S::Artificial, S::Specification, S::Location]
        }
        // DW_TAG_LLVM_annotation, DW_TAG_GNU_annotation
        dw::DwTag(0x6000) | dw::DwTag(0x6001) => &[S::Name, S::ConstValue, S::Annotation],
        dw::DW_TAG_inlined_subroutine
        | dw::DW_TAG_call_site
        | dw::DW_TAG_call_site_parameter
        | dw::DW_TAG_GNU_call_site
        | dw::DW_TAG_GNU_call_site_parameter => &[S::Sibling],
        _ => &[],
    };
    takes.contains(&slot).then_some(slot)
}

/// Reads the first entry of a unit at `start` of `buf` and fills in the unit's facts from it.
pub fn read_unit_entry(
    file: &DwarfFile,
    buf: &[u8],
    base: u64,
    unit: &mut Unit,
    attrs: &mut Attrs,
) -> Result<Option<(dw::DwTag, bool, u32)>, DwarfError> {
    let key = unit.start + unit.header.header_size;
    let end = (unit.end as usize).min(buf.len());
    let mut c = Cursor::new(&buf[..end], file.is_big_endian(), base, ".debug_info");
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
    unit.bases = bases;
    unit.language = number(attrs, Slot::Language).unwrap_or(0) as u32;
    Ok(Some((abbrev.tag, abbrev.has_children, c.pos() as u32)))
}
