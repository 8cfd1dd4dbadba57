//! Where the values of the common kinds of entries stand: see [`super::quick`].

use super::builder::{Place, Role};
use super::resolve::role_of;
use crate::dwarf::abbrev::{Abbrev, At, Declared, Slot};
use crate::dwarf::source::Unit;
use gimli::constants as dw;

/// Which of the common kinds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// None of them.
    Other,
    Member,
    Bitfield,
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
    Variable,
    Block,
    Inline,
}

impl Kind {
    /// The places at which such an entry is nothing special, one bit each.
    const fn places(self) -> u16 {
        const IN_CODE: u16 = Place::Function.bit() | Place::Block.bit() | Place::Inline.bit();
        const ANYWHERE: u16 = IN_CODE | Place::Unit.bit() | Place::Class.bit() | Place::Namespace.bit() | Place::Subroutine.bit();
        match self {
            Kind::Other => 0,
            Kind::Member | Kind::Bitfield => Place::Class.bit(),
            Kind::Parameter => Place::Function.bit() | Place::Subroutine.bit(),
            Kind::Enumerator => Place::Enumeration.bit(),
            Kind::Subrange => Place::Array.bit(),
            Kind::Variable => Place::Function.bit() | Place::Block.bit() | Place::Unit.bit(),
            Kind::Block | Kind::Inline => IN_CODE,
            _ => ANYWHERE,
        }
    }
}

/// No such value.
const NONE: u8 = u8::MAX;
/// Entries with more bytes have no shape.
const MAX_SIZE: u8 = 63;

/// So many bytes are looked at together: what any offset in an entry leads to.
pub(super) const WINDOW: usize = MAX_SIZE as usize + 1 + 8;
pub(super) type Window = [u8; WINDOW];

/// Where a number stands, or the number itself where it is the same for all.
#[derive(Clone, Copy, Default, Debug)]
struct Number {
    at: u8,
    /// Which bits of the eight bytes there are its own.
    mask: u64,
    constant: u64,
}

impl Number {
    #[inline(always)]
    fn read(self, w: &Window) -> u64 {
        let at = at(self.at);
        let bytes = [w[at], w[at + 1], w[at + 2], w[at + 3], w[at + 4], w[at + 5], w[at + 6], w[at + 7]];
        u64::from_le_bytes(bytes) & self.mask | self.constant
    }
}

/// An offset in a window. The mask changes nothing and says to the compiler that eight bytes from there on are inside.
#[inline(always)]
fn at(offset: u8) -> usize {
    usize::from(offset & MAX_SIZE)
}

/// Where the values of an entry stand, as offsets in bytes behind its code, or behind the string that follows it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    pub kind: Kind,
    /// Where it can be read by its shape, a bit for each [`Place`].
    places: u16,
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
    number: Number,
    /// Alignment, or width of a bit-field.
    second: Number,
    /// The attributes that are there, one bit each.
    has: u64,
}

/// What attributes a kind may have.
#[derive(Clone, Copy, Default)]
struct Allowed {
    /// Name and references.
    values: u64,
    number: u64,
    second: u64,
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

/// Shapes by the declarations of their abbreviations: a kernel's units have the same few thousand.
#[derive(Default)]
pub(super) struct ShapeMemory {
    /// What the shapes are of.
    of: Option<(u64, Wishes)>,
    known: Vec<Option<Shape>>,
}

impl ShapeMemory {
    pub fn get(&mut self, unit: &Unit, abbrev: &Abbrev, wishes: Wishes) -> Shape {
        let Some(Declared { memory, number }) = unit.abbrevs.declared(abbrev) else {
            return Shape::of(unit, abbrev, wishes);
        };
        if self.of != Some((memory, wishes)) {
            self.of = Some((memory, wishes));
            self.known.clear();
        }
        let number = number as usize;
        if number >= self.known.len() {
            self.known.resize(number + 1, None);
        }
        *self.known[number].get_or_insert_with(|| Shape::of(unit, abbrev, wishes))
    }
}

/// What is asked of the entries, as far as it matters to shapes.
#[derive(Clone, Copy, PartialEq, Eq)]
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
            places: kind.places(),
            tag: abbrev.tag,
            role: role_of(abbrev.tag.0),
            has_children: abbrev.has_children,
            has_head: false,
            has_tail: false,
            size: 0,
            name: NONE,
            ty: NONE,
            origin: NONE,
            number: Number::default(),
            second: Number::default(),
            has: 0,
        };
        if kind != Kind::Other && !shape.fill(unit, abbrev, allowed) {
            (shape.kind, shape.places) = (Kind::Other, 0);
        }
        shape
    }

    /// Fills in where the attributes stand; false if there is another one, or one in a form that is not simple.
    fn fill(&mut self, unit: &Unit, abbrev: &Abbrev, allowed: Allowed) -> bool {
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
                _ if (allowed.values | allowed.number | allowed.second) & bit == 0 => false,
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
                dw::DW_FORM_data1 | dw::DW_FORM_data2 | dw::DW_FORM_data4 | dw::DW_FORM_data8 if allowed.values & bit == 0 => {
                    let mask = u64::MAX >> (64 - 8 * u32::from(size.clamp(1, 8)));
                    *self.number_of(&allowed, bit) = Number { at: offset, mask, constant: 0 };
                    is_bytes
                }
                dw::DW_FORM_implicit_const if allowed.values & bit == 0 => {
                    if let At::Constant(value) = field.at {
                        self.number_of(&allowed, bit).constant = value as u64;
                    }
                    true
                }
                _ => false,
            };
        });
        let Some(extent) = extent else { return false };
        let Ok(size) = u8::try_from(extent.size) else { return false };
        (self.size, self.has_tail) = (size, extent.has_tail);
        if self.kind == Kind::Member && (self.has(Slot::BitSize) || self.has(Slot::DataBitOffset)) {
            self.kind = Kind::Bitfield;
            simple &= self.has(Slot::BitSize) && self.has(Slot::DataBitOffset);
            simple &= !self.has(Slot::MemberLocation) && !self.has(Slot::Alignment);
        }
        simple && size <= MAX_SIZE && extent.has_head == self.has_head
    }

    fn number_of(&mut self, allowed: &Allowed, bit: u64) -> &mut Number {
        if allowed.second & bit != 0 { &mut self.second } else { &mut self.number }
    }

    /// Whether an entry at this place can be read by its shape.
    #[inline(always)]
    pub fn fits(&self, place: Place) -> bool {
        self.places & place.bit() != 0
    }

    #[inline]
    pub fn has(&self, slot: Slot) -> bool {
        self.has >> slot as u8 & 1 != 0
    }

    /// Offset of the name in `.debug_str`.
    #[inline]
    pub fn name(&self, w: &Window) -> Option<u32> {
        (self.name != NONE).then(|| word(w, self.name))
    }

    /// The key of the type; 0 for none.
    #[inline]
    pub fn ty(&self, unit: &Unit, w: &Window) -> u32 {
        reference(unit, w, self.ty)
    }

    /// The key of the abstract origin; 0 for none.
    #[inline]
    pub fn origin(&self, unit: &Unit, w: &Window) -> u32 {
        reference(unit, w, self.origin)
    }

    /// The kind's number; 0 for none.
    #[inline]
    pub fn number(&self, w: &Window) -> u64 {
        self.number.read(w)
    }

    /// The other number; 0 for none.
    #[inline]
    pub fn second(&self, w: &Window) -> u64 {
        self.second.read(w)
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
            let (number, second, flags) = (slots(&[S::ByteSize]), slots(&[S::Alignment]), slots(&[S::Declaration]));
            (kind, Allowed { values: slots(&[S::Name]), number, second, flags, passed: slots(&[S::Sibling]) })
        }
        dw::DW_TAG_array_type => (Kind::Array, Allowed { values: slots(&[S::Type]), passed: sizes, ..none }),
        dw::DW_TAG_subroutine_type => {
            (Kind::Subroutine, Allowed { values: slots(&[S::Type]), passed: slots(&[S::Sibling]), ..none })
        }
        dw::DW_TAG_subprogram if !wishes.addresses => {
            let flags = slots(&[S::External, S::Declaration]);
            let passed = slots(&[S::Sibling, S::Artificial]);
            (Kind::Function, Allowed { values: INSTANCE, number: slots(&[S::Inline]), flags, passed, ..none })
        }
        dw::DW_TAG_member if leaf && !wishes.member_ids => {
            let (number, second) = (slots(&[S::MemberLocation, S::DataBitOffset]), slots(&[S::Alignment, S::BitSize]));
            (Kind::Member, Allowed { values: NAMED, number, second, ..none })
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
            (Kind::Variable, Allowed { values: INSTANCE, flags, passed: slots(&[S::ConstValue]), ..none })
        }
        _ => (Kind::Other, none),
    }
}

/// The four bytes at an offset.
#[inline]
fn word(w: &Window, offset: u8) -> u32 {
    let at = at(offset);
    u32::from_le_bytes([w[at], w[at + 1], w[at + 2], w[at + 3]])
}

/// As [`Source::reference`](crate::dwarf::source::Source::reference).
#[inline]
fn reference(unit: &Unit, w: &Window, offset: u8) -> u32 {
    if offset == NONE {
        return 0;
    }
    let value = word(w, offset);
    if u64::from(value) < unit.header.size { unit.start + value } else { 0 }
}
