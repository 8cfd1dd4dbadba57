//! Entries that hold a name, a reference and a number at fixed places: most of what there is.
//!
//! Two thirds of a kernel's entries are members, pointers, parameters of prototypes, enumerators and typedefs, with attributes of fixed size
//! (but for a name that stands in front). Those are read with one check of the bounds and without a step for each attribute.

use super::abbrev::Read;
use super::attrs::Slot;
use super::cursor::Cursor;
use gimli::constants as dw;

/// Where one abbreviation's entries have what; offsets in bytes from the end of the name in front, where there is one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Layout {
    size: u8,
    name: u8,
    target: u8,
    value: u8,
    /// Bytes of the number.
    value_size: u8,
    /// There is a `DW_AT_declaration`.
    pub is_declaration: bool,
}

/// No such attribute.
const ABSENT: u8 = u8::MAX;
/// The name is a string that comes before all else.
const IN_FRONT: u8 = u8::MAX - 1;

/// What such an entry says.
#[derive(Clone, Copy, Debug)]
pub struct Short {
    pub name: ShortName,
    /// The value of a `DW_FORM_ref4`; 0 without one.
    pub target: u32,
    /// The value of a `DW_FORM_data1`, `2` or `4`; 0 without one.
    pub value: u32,
}

/// The name of a [`Short`].
#[derive(Clone, Copy, Debug)]
pub enum ShortName {
    None,
    /// `DW_FORM_strp`.
    DebugStr(u32),
    /// `DW_FORM_string`: where it starts in the buffer, and its length without the NUL, in bytes.
    Here(usize, usize),
}

/// What [`Layout::of`] has to know of an attribute.
#[derive(Clone, Copy)]
pub(super) struct Attr {
    pub slot: Option<Slot>,
    pub form: u16,
    pub read: Read,
    /// Index in the table's constants.
    pub constant: u32,
}

impl Layout {
    /// The layout of entries with these attributes, if they have one: nothing is wanted but the name, the type, the number that belongs to the
    /// tag, and whether it is a declaration, and all is of fixed size.
    pub(super) fn of(tag: dw::DwTag, attrs: &[Attr]) -> Option<Layout> {
        let number = match tag {
            dw::DW_TAG_member => Slot::MemberLocation,
            dw::DW_TAG_structure_type | dw::DW_TAG_union_type => Slot::ByteSize,
            _ => Slot::ConstValue,
        };
        let mut layout = Layout { size: 0, name: ABSENT, target: ABSENT, value: ABSENT, value_size: 0, is_declaration: false };
        let mut at = 0u32;
        for (i, attr) in attrs.iter().enumerate() {
            if i == 0 && attr.read == Read::Str && attr.slot == Some(Slot::Name) {
                layout.name = IN_FRONT;
                continue;
            }
            let size = attr.read.fixed_size()?;
            if let Some(slot) = attr.slot {
                let place = u8::try_from(at).ok()?;
                match (slot, dw::DwForm(attr.form)) {
                    (Slot::Name, dw::DW_FORM_strp) if size == 4 => layout.name = place,
                    (Slot::Type, dw::DW_FORM_ref4) => layout.target = place,
                    (Slot::Declaration, dw::DW_FORM_flag_present) => layout.is_declaration = true,
                    (slot, dw::DW_FORM_data1 | dw::DW_FORM_data2 | dw::DW_FORM_data4) if slot == number => {
                        layout.value = place;
                        layout.value_size = size as u8;
                    }
                    _ => return None,
                }
            }
            at += size;
        }
        layout.size = u8::try_from(at).ok().filter(|&size| size < IN_FRONT)?;
        Some(layout)
    }

    /// Whether entries have a number.
    #[inline(always)]
    pub fn has_value(&self) -> bool {
        self.value_size != 0
    }

    /// Reads an entry, the cursor standing behind its code; `None`, and the cursor stays, where the entry is cut off.
    #[inline(always)]
    pub fn read(&self, c: &mut Cursor<'_>) -> Option<Short> {
        let start = c.pos();
        let mut at = start;
        let mut name = ShortName::None;
        if self.name == IN_FRONT {
            let len = c.cstr_len()?;
            name = ShortName::Here(start, len);
            at += len + 1;
        }
        let b = c.at(at, usize::from(self.size))?;
        let word = |place: u8| b.get(usize::from(place)..)?.first_chunk().map(|&b| c.word(b));
        if self.name < IN_FRONT {
            name = ShortName::DebugStr(word(self.name)?);
        }
        let target = if self.target == ABSENT { 0 } else { word(self.target)? };
        let value = match self.value_size {
            0 => 0,
            1 => u32::from(*b.get(usize::from(self.value))?),
            2 => c.half(*b.get(usize::from(self.value)..)?.first_chunk()?).into(),
            _ => word(self.value)?,
        };
        c.set_pos(at + usize::from(self.size));
        Some(Short { name, target, value })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attr(slot: Option<Slot>, form: dw::DwForm, read: Read) -> Attr {
        Attr { slot, form: form.0, read, constant: 0 }
    }

    #[test]
    fn a_member_with_its_name_in_front() {
        let layout = Layout::of(
            dw::DW_TAG_member,
            &[
                attr(Some(Slot::Name), dw::DW_FORM_string, Read::Str),
                attr(None, dw::DW_FORM_data1, Read::Fixed1),
                attr(Some(Slot::Type), dw::DW_FORM_ref4, Read::Fixed4),
                attr(Some(Slot::MemberLocation), dw::DW_FORM_data2, Read::Fixed2),
            ],
        )
        .expect("a layout");
        let bytes = [b'i', b'd', 0, 9, 1, 2, 3, 4, 0x34, 0x12];
        let mut c = Cursor::new(&bytes, false, 0, ".debug_info");
        let short = layout.read(&mut c).expect("a whole entry");
        assert!(matches!(short.name, ShortName::Here(0, 2)));
        assert_eq!((short.target, short.value, c.pos()), (0x0403_0201, 0x1234, bytes.len()));
        for len in 0..bytes.len() {
            let mut c = Cursor::new(&bytes[..len], false, 0, ".debug_info");
            assert!(layout.read(&mut c).is_none());
            assert_eq!(c.pos(), 0);
        }
        let mut c = Cursor::new(&bytes, true, 0, ".debug_info");
        let short = layout.read(&mut c).expect("a whole entry");
        assert_eq!((short.target, short.value), (0x0102_0304, 0x3412));
    }

    #[test]
    fn what_has_none() {
        let name = attr(Some(Slot::Name), dw::DW_FORM_strp, Read::Fixed4);
        let later = attr(Some(Slot::Name), dw::DW_FORM_string, Read::Str);
        let of = |attrs: &[Attr]| Layout::of(dw::DW_TAG_member, attrs);
        assert!(of(&[name]).is_some());
        assert!(of(&[attr(None, dw::DW_FORM_data1, Read::Fixed1), later]).is_none());
        assert!(of(&[name, attr(Some(Slot::BitSize), dw::DW_FORM_data1, Read::Fixed1)]).is_none());
        assert!(of(&[name, attr(Some(Slot::ByteSize), dw::DW_FORM_data1, Read::Fixed1)]).is_none());
        assert!(of(&[name, attr(None, dw::DW_FORM_udata, Read::Uleb)]).is_none());
        assert!(of(&[name, attr(Some(Slot::MemberLocation), dw::DW_FORM_implicit_const, Read::Implicit)]).is_none());
    }
}
