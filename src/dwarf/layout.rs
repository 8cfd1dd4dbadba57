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
    pub tag: dw::DwTag,
    /// Below [`MAX_SIZE`].
    size: u8,
    name: u8,
    target: u8,
    value: u8,
    /// Bits of the number: 0, 8, 16 or 32.
    value_bits: u8,
    flags: u8,
}

/// The name is a `DW_FORM_strp`.
const NAME: u8 = 1;
/// The name is a string that comes before all else.
const NAME_IN_FRONT: u8 = 2;
const TARGET: u8 = 4;
const DECLARATION: u8 = 8;
const CHILDREN: u8 = 16;

/// Entries with more bytes of fixed size have no layout.
const MAX_SIZE: u32 = 32;

/// So many bytes are looked at together: an entry and the next one's code, or what an offset below [`MAX_SIZE`] leads to.
const WINDOW: usize = 36;
type Window = [u8; WINDOW];

/// What such an entry says.
#[derive(Clone, Copy, Debug)]
pub struct Short {
    pub name: ShortName,
    /// The value of a `DW_FORM_ref4`; `None` without one.
    pub target: Option<u32>,
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
    pub(super) fn of(tag: dw::DwTag, has_children: bool, attrs: &[Attr]) -> Option<Layout> {
        let number = match tag {
            dw::DW_TAG_member => Slot::MemberLocation,
            dw::DW_TAG_structure_type | dw::DW_TAG_union_type => Slot::ByteSize,
            _ => Slot::ConstValue,
        };
        let flags = if has_children { CHILDREN } else { 0 };
        let mut layout = Layout { tag, size: 0, name: 0, target: 0, value: 0, value_bits: 0, flags };
        let mut at = 0u32;
        for (i, attr) in attrs.iter().enumerate() {
            if i == 0 && attr.read == Read::Str && attr.slot == Some(Slot::Name) {
                layout.flags |= NAME_IN_FRONT;
                continue;
            }
            let size = attr.read.fixed_size()?;
            if at + size >= MAX_SIZE {
                return None;
            }
            match (attr.slot, dw::DwForm(attr.form)) {
                (None, _) => {}
                (Some(Slot::Name), dw::DW_FORM_strp) if size == 4 => {
                    layout.name = at as u8;
                    layout.flags |= NAME;
                }
                (Some(Slot::Type), dw::DW_FORM_ref4) => {
                    layout.target = at as u8;
                    layout.flags |= TARGET;
                }
                (Some(Slot::Declaration), dw::DW_FORM_flag_present) => layout.flags |= DECLARATION,
                (Some(slot), dw::DW_FORM_data1 | dw::DW_FORM_data2 | dw::DW_FORM_data4) if slot == number => {
                    layout.value = at as u8;
                    layout.value_bits = 8 * size as u8;
                }
                _ => return None,
            }
            at += size;
        }
        layout.size = at as u8;
        Some(layout)
    }

    /// There is a `DW_AT_declaration`.
    pub fn is_declaration(&self) -> bool {
        self.flags & DECLARATION != 0
    }

    /// Whether the number is among the attributes.
    #[inline]
    pub fn has_value(&self) -> bool {
        self.value_bits != 0
    }

    /// Whether entries have no children.
    #[inline]
    pub fn is_leaf(&self) -> bool {
        self.flags & CHILDREN == 0
    }

    /// Reads an entry, the cursor standing behind its code; `None`, and the cursor stays, where less than a window is left.
    #[inline(always)]
    pub fn read(&self, c: &mut Cursor<'_>) -> Option<Short> {
        let start = c.pos();
        let mut at = start;
        let mut name = ShortName::None;
        if self.flags & NAME_IN_FRONT != 0 {
            let len = c.cstr_len()?;
            name = ShortName::Here(start, len);
            at += len + 1;
        }
        let w = window(c, at)?;
        if self.flags & NAME != 0 {
            name = ShortName::DebugStr(word(c, w, self.name));
        }
        let target = (self.flags & TARGET != 0).then(|| word(c, w, self.target));
        // The number's bytes come first where they count least, and last elsewhere.
        let value = u64::from(word(c, w, self.value));
        let value = if c.is_big_endian() { value << self.value_bits >> 32 } else { value & !(u64::MAX << self.value_bits) };
        c.set_pos(at + usize::from(self.size));
        Some(Short { name, target, value: value as u32 })
    }
}

#[inline(always)]
fn window<'a>(c: &Cursor<'a>, at: usize) -> Option<&'a Window> {
    c.from(at).first_chunk()
}

/// Four bytes of the window. The mask changes nothing and says to the compiler that they are inside.
#[inline(always)]
fn word(c: &Cursor<'_>, w: &Window, at: u8) -> u32 {
    let at = usize::from(at) & (MAX_SIZE as usize - 1);
    c.word([w[at], w[at + 1], w[at + 2], w[at + 3]])
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
            false,
            &[
                attr(Some(Slot::Name), dw::DW_FORM_string, Read::Str),
                attr(None, dw::DW_FORM_data1, Read::Fixed1),
                attr(Some(Slot::Type), dw::DW_FORM_ref4, Read::Fixed4),
                attr(Some(Slot::MemberLocation), dw::DW_FORM_data2, Read::Fixed2),
            ],
        )
        .expect("a layout");
        let mut bytes = [0xff; 3 + WINDOW];
        bytes[..10].copy_from_slice(&[b'i', b'd', 0, 9, 1, 2, 3, 4, 0x34, 0x12]);
        let mut c = Cursor::new(&bytes, false, 0, ".debug_info");
        let short = layout.read(&mut c).expect("a whole entry");
        assert!(matches!(short.name, ShortName::Here(0, 2)));
        assert_eq!((short.target, short.value, c.pos()), (Some(0x0403_0201), 0x1234, 10));
        for len in 0..bytes.len() {
            let mut c = Cursor::new(&bytes[..len], false, 0, ".debug_info");
            assert!(layout.read(&mut c).is_none());
            assert_eq!(c.pos(), 0);
        }
        let mut c = Cursor::new(&bytes, true, 0, ".debug_info");
        let short = layout.read(&mut c).expect("a whole entry");
        assert_eq!((short.target, short.value), (Some(0x0102_0304), 0x3412));
    }

    #[test]
    fn what_has_none() {
        let name = attr(Some(Slot::Name), dw::DW_FORM_strp, Read::Fixed4);
        let later = attr(Some(Slot::Name), dw::DW_FORM_string, Read::Str);
        let of = |attrs: &[Attr]| Layout::of(dw::DW_TAG_member, false, attrs);
        assert!(of(&[name]).is_some());
        assert!(of(&[attr(None, dw::DW_FORM_data1, Read::Fixed1), later]).is_none());
        assert!(of(&[name, attr(Some(Slot::BitSize), dw::DW_FORM_data1, Read::Fixed1)]).is_none());
        assert!(of(&[name, attr(Some(Slot::ByteSize), dw::DW_FORM_data1, Read::Fixed1)]).is_none());
        assert!(of(&[name, attr(None, dw::DW_FORM_udata, Read::Uleb)]).is_none());
        assert!(of(&[name, attr(Some(Slot::MemberLocation), dw::DW_FORM_implicit_const, Read::Implicit)]).is_none());
    }
}
