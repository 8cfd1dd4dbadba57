//! What a pointer to a member points to: data, or a function. One to a function has another size (Itanium C++ ABI, 2.3), so it has to be known
//! also where the type is in another unit.

use super::abbrev::{Attrs, Slot};
use super::source::{Source, Unit};
use gimli::constants as dw;

/// Names and qualifiers passed before it is given up.
pub const MAX_NAMES: usize = 64;

/// Where names and qualifiers end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pointee {
    /// A type of functions.
    Function,
    Data,
    /// The entry at this place, in a unit that is not in the buffer.
    Outer(u64),
    /// More than [`MAX_NAMES`].
    TooFar,
}

impl<'a> Source<'a> {
    /// Whether the entry with `attrs`, of `unit`, is a pointer to a member function; `None` when there are too many names on the way. `attrs`
    /// are another entry's after this.
    pub fn is_method_pointer(&self, unit: &Unit, attrs: &mut Attrs) -> Option<bool> {
        match self.pointee(unit, attrs) {
            Pointee::Function => Some(true),
            Pointee::Data => Some(false),
            Pointee::Outer(place) => Some(self.outer.is_some_and(|outer| outer.functions.binary_search(&place).is_ok())),
            Pointee::TooFar => None,
        }
    }

    /// What the type leads to that the entry with `attrs`, of `unit`, refers to. `attrs` become those of the last entry on the way.
    pub fn pointee<'s>(&'s self, mut unit: &'s Unit, attrs: &mut Attrs) -> Pointee {
        for _ in 0..MAX_NAMES {
            let Some((form, value)) = attrs.get(Slot::Type) else { return Pointee::Data };
            let key = match self.outward_place(form, value) {
                Some(place) => match self.key_of(place) {
                    Some(key) => key,
                    None => return Pointee::Outer(place),
                },
                None => self.reference(unit, attrs, Slot::Type),
            };
            match self.pointee_at(key, attrs) {
                Ok(pointee) => return pointee,
                Err(next) => unit = next,
            }
        }
        Pointee::TooFar
    }

    /// What the entry with `key` is; `Err` with its unit for a name or a qualifier, which `attrs` are then those of.
    pub fn pointee_at(&self, key: u32, attrs: &mut Attrs) -> Result<Pointee, &'a Unit> {
        match self.entry(key, attrs) {
            Some((_, abbrev)) if abbrev.tag == dw::DW_TAG_subroutine_type => Ok(Pointee::Function),
            Some((unit, abbrev)) if is_passed(abbrev.tag) => Err(unit),
            _ => Ok(Pointee::Data),
        }
    }
}

fn is_passed(tag: dw::DwTag) -> bool {
    matches!(
        tag,
        dw::DW_TAG_typedef | dw::DW_TAG_const_type | dw::DW_TAG_volatile_type | dw::DW_TAG_restrict_type | dw::DW_TAG_atomic_type
    )
}
