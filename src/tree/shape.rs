//! Where the values of the common kinds of entries stand: see [`super::quick`].

use super::builder::Role;
use super::resolve::role_of;
use crate::dwarf::abbrev::{Abbrev, At, Slot};
use crate::dwarf::source::Unit;
use gimli::constants as dw;

/// Which of the common kinds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// None of them.
    Other,
    Member,
    Parameter,
    Enumerator,
    Pointer,
    /// A tag with nothing of its own.
    Plain,
    Typedef,
    Class,
    Union,
    Array,
    Subrange,
    Subroutine,
    Function,
    /// In a block.
    Variable,
    Block,
    Inline,
}

/// No such value.
const NONE: u8 = u8::MAX;

/// Where the values of an entry stand, as offsets in bytes behind its code, or behind the string that follows it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    pub kind: Kind,
    pub tag: dw::DwTag,
    pub role: Role,
    pub has_children: bool,
    /// Whether the name is a string in front.
    pub has_head: bool,
    /// Whether a block comes last.
    pub has_tail: bool,
    /// Of all other attributes, in bytes.
    pub size: u8,
    /// Of an offset in `.debug_str`, 4 bytes.
    name: u8,
    /// Of references in the unit, 4 bytes.
    ty: u8,
    origin: u8,
    /// Of the number, `number_size` bytes.
    number: u8,
    number_size: u8,
    /// The attributes that are there, one bit each.
    has: u64,
    /// The number, where it is the same for all.
    constant: i64,
}

/// What attributes a kind may have.
#[derive(Clone, Copy, Default)]
struct Allowed {
    /// Name and references.
    values: u64,
    number: u64,
    /// That these are there is all that counts.
    flags: u64,
    /// Nobody looks at these.
    passed: u64,
}

const fn slots(list: &[Slot]) -> u64 {
    let (mut bits, mut i) = (0, 0);
    while i < list.len() {
        bits |= 1 << list[i] as u8;
        i += 1;
    }
    bits
}

/// What is asked of the entries, as far as it matters to shapes.
#[derive(Clone, Copy)]
pub(super) struct Wishes {
    /// Addresses and places.
    pub addresses: bool,
    pub inline_expansions: bool,
    /// Whether members have ids.
    pub member_ids: bool,
}

impl Shape {
    pub fn of(unit: &Unit, abbrev: &Abbrev, wishes: Wishes) -> Shape {
        let (kind, allowed) = kind_of(abbrev, wishes);
        let mut shape = Shape {
            kind,
            tag: abbrev.tag,
            role: role_of(abbrev.tag.0),
            has_children: abbrev.has_children,
            has_head: false,
            has_tail: false,
            size: 0,
            name: NONE,
            ty: NONE,
            origin: NONE,
            number: NONE,
            number_size: 0,
            has: 0,
            constant: 0,
        };
        if kind != Kind::Other && !shape.fill(unit, abbrev, &allowed) {
            shape.kind = Kind::Other;
        }
        shape
    }

    /// Fills in where the attributes stand; false if there is another one, or one in a form that is not simple.
    fn fill(&mut self, unit: &Unit, abbrev: &Abbrev, allowed: &Allowed) -> bool {
        let mut simple = true;
        let extent = unit.abbrevs.fields(abbrev, |field| {
            let bit = 1u64 << field.slot;
            simple &= self.has & bit == 0;
            self.has |= bit;
            if allowed.passed & bit != 0 {
                return;
            }
            let (offset, size) = match field.at {
                At::Bytes { offset, size } => (u8::try_from(offset).unwrap_or(NONE), size),
                At::Constant(_) | At::Head | At::Tail => (NONE, 0),
            };
            let is_bytes = offset != NONE;
            let is_name = bit == slots(&[Slot::Name]);
            simple &= match field.form {
                _ if allowed.flags & bit != 0 => {
                    // A place is there in whatever form.
                    bit == slots(&[Slot::Location]) || field.form == dw::DW_FORM_flag_present
                }
                _ if (allowed.values | allowed.number) & bit == 0 => false,
                dw::DW_FORM_strp if is_name => {
                    self.name = offset;
                    is_bytes && size == 4
                }
                dw::DW_FORM_string if is_name => {
                    self.has_head = field.at == At::Head;
                    self.has_head
                }
                dw::DW_FORM_ref4 if bit == slots(&[Slot::Type]) => {
                    self.ty = offset;
                    is_bytes
                }
                dw::DW_FORM_ref4 if bit == slots(&[Slot::AbstractOrigin]) => {
                    self.origin = offset;
                    is_bytes
                }
                dw::DW_FORM_data1 | dw::DW_FORM_data2 | dw::DW_FORM_data4 | dw::DW_FORM_data8 if allowed.number & bit != 0 => {
                    (self.number, self.number_size) = (offset, size);
                    is_bytes
                }
                dw::DW_FORM_implicit_const if allowed.number & bit != 0 => {
                    if let At::Constant(value) = field.at {
                        self.constant = value;
                    }
                    true
                }
                _ => false,
            };
        });
        let Some(extent) = extent else { return false };
        let Ok(size) = u8::try_from(extent.size) else { return false };
        (self.size, self.has_tail) = (size, extent.has_tail);
        simple && size < NONE && extent.has_head == self.has_head
    }

    #[inline]
    pub fn has(&self, slot: Slot) -> bool {
        self.has >> slot as u8 & 1 != 0
    }

    /// Offset of the name in `.debug_str`.
    #[inline]
    pub fn name(&self, bytes: &[u8]) -> Option<u32> {
        word(bytes, self.name)
    }

    /// The key of the type; 0 for none.
    #[inline]
    pub fn ty(&self, unit: &Unit, bytes: &[u8]) -> u32 {
        reference(unit, bytes, self.ty)
    }

    /// The key of the abstract origin; 0 for none.
    #[inline]
    pub fn origin(&self, unit: &Unit, bytes: &[u8]) -> u32 {
        reference(unit, bytes, self.origin)
    }

    /// The kind's number; 0 for none.
    #[inline]
    pub fn number(&self, bytes: &[u8]) -> u64 {
        if self.number == NONE {
            return self.constant as u64;
        }
        match *bytes.get(usize::from(self.number)..).unwrap_or_default() {
            [a, ..] if self.number_size == 1 => u64::from(a),
            [a, b, ..] if self.number_size == 2 => u64::from(u16::from_le_bytes([a, b])),
            [a, b, c, d, ..] if self.number_size == 4 => u64::from(u32::from_le_bytes([a, b, c, d])),
            [a, b, c, d, e, f, g, h, ..] if self.number_size == 8 => u64::from_le_bytes([a, b, c, d, e, f, g, h]),
            _ => 0,
        }
    }
}

/// The kind of an entry, and which attributes it may have for that.
fn kind_of(abbrev: &Abbrev, wishes: Wishes) -> (Kind, Allowed) {
    use Slot as S;
    const NAMED: u64 = slots(&[Slot::Name, Slot::Type]);
    const INSTANCE: u64 = slots(&[Slot::Name, Slot::Type, Slot::AbstractOrigin]);
    let none = Allowed::default();
    let sizes = slots(&[S::Sibling, S::ByteSize]);
    let leaf = !abbrev.has_children;
    match abbrev.tag {
        dw::DW_TAG_lexical_block if !wishes.addresses => {
            (Kind::Block, Allowed { values: slots(&[S::AbstractOrigin]), passed: slots(&[S::Sibling]), ..none })
        }
        dw::DW_TAG_inlined_subroutine if !wishes.addresses && wishes.inline_expansions => {
            (Kind::Inline, Allowed { values: slots(&[S::AbstractOrigin]), passed: slots(&[S::Sibling]), ..none })
        }
        dw::DW_TAG_structure_type | dw::DW_TAG_union_type => {
            let kind = if abbrev.tag == dw::DW_TAG_union_type { Kind::Union } else { Kind::Class };
            let (number, flags) = (slots(&[S::ByteSize]), slots(&[S::Declaration]));
            (kind, Allowed { values: slots(&[S::Name]), number, flags, passed: slots(&[S::Sibling]) })
        }
        dw::DW_TAG_array_type => (Kind::Array, Allowed { values: slots(&[S::Type]), passed: sizes, ..none }),
        dw::DW_TAG_subroutine_type => {
            (Kind::Subroutine, Allowed { values: slots(&[S::Type]), passed: slots(&[S::Sibling]), ..none })
        }
        dw::DW_TAG_subprogram if !wishes.addresses => {
            let flags = slots(&[S::External, S::Declaration]);
            let passed = slots(&[S::Sibling, S::Artificial]);
            (Kind::Function, Allowed { values: INSTANCE, number: slots(&[S::Inline]), flags, passed })
        }
        dw::DW_TAG_member if leaf && !wishes.member_ids => {
            (Kind::Member, Allowed { values: NAMED, number: slots(&[S::MemberLocation]), ..none })
        }
        dw::DW_TAG_formal_parameter if leaf => {
            (Kind::Parameter, Allowed { values: INSTANCE, flags: slots(&[S::Location]), passed: slots(&[S::Artificial]), ..none })
        }
        dw::DW_TAG_enumerator if leaf => {
            (Kind::Enumerator, Allowed { values: slots(&[S::Name]), number: slots(&[S::ConstValue]), ..none })
        }
        dw::DW_TAG_subrange_type if leaf => {
            (Kind::Subrange, Allowed { number: slots(&[S::UpperBound]), passed: slots(&[S::Type]), ..none })
        }
        dw::DW_TAG_pointer_type if leaf => (Kind::Pointer, Allowed { values: slots(&[S::Type]), passed: sizes, ..none }),
        dw::DW_TAG_const_type
        | dw::DW_TAG_volatile_type
        | dw::DW_TAG_restrict_type
        | dw::DW_TAG_atomic_type
        | dw::DW_TAG_reference_type
            if leaf =>
        {
            (Kind::Plain, Allowed { values: slots(&[S::Type]), passed: sizes, ..none })
        }
        dw::DW_TAG_typedef if leaf => (Kind::Typedef, Allowed { values: NAMED, ..none }),
        dw::DW_TAG_variable if leaf && !wishes.addresses => {
            let flags = slots(&[S::Location, S::External, S::Declaration, S::Artificial]);
            (Kind::Variable, Allowed { values: INSTANCE, flags, ..none })
        }
        _ => (Kind::Other, none),
    }
}

/// The four bytes at an offset; `None` for no offset.
#[inline]
fn word(bytes: &[u8], at: u8) -> Option<u32> {
    if at == NONE {
        return None;
    }
    let at = usize::from(at);
    bytes.get(at..at + 4).and_then(|b| b.try_into().ok()).map(u32::from_le_bytes)
}

/// As [`Source::reference`](crate::dwarf::source::Source::reference).
#[inline]
fn reference(unit: &Unit, bytes: &[u8], at: u8) -> u32 {
    match word(bytes, at) {
        Some(value) if u64::from(value) < unit.header.size => unit.start + value,
        _ => 0,
    }
}
