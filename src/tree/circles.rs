//! Types that lead back to themselves with nothing between that a program would stop at are cut where the circle closes.

use super::builder::{Builder, Entry};
use super::resolve::set_pointee;
use crate::abi::dw_tag;
use crate::dwarf::circle::{Link, closing_links};

/// What a tag of this kind is among types that lead to one other type.
pub fn link_of(kind: u16) -> Option<Link> {
    use dw_tag::*;
    match kind {
        POINTER_TYPE | REFERENCE_TYPE | RVALUE_REFERENCE_TYPE | PTR_TO_MEMBER_TYPE => Some(Link::Pointer),
        TYPEDEF => Some(Link::Name),
        CONST_TYPE | VOLATILE_TYPE | RESTRICT_TYPE | ATOMIC_TYPE | ARRAY_TYPE | LLVM_ANNOTATION => Some(Link::Other),
        _ => None,
    }
}

impl Builder<'_, '_> {
    /// Cuts the circles. References are resolved by now.
    pub(super) fn cut_circles(&mut self) {
        let entries = &self.s.entries;
        let next = |index: u32| {
            let Entry { ty, kind, .. } = entries[index as usize];
            Some((link_of(kind)?, ty.checked_sub(1)?))
        };
        for index in closing_links(0..entries.len() as u32, next) {
            let entry = &mut self.s.entries[index as usize];
            entry.ty = 0;
            let (tag, key) = (entry.tag, entry.key);
            // SAFETY: the walk is over; the tag is of this unit, of the structure that its kind says, and nobody else knows it yet.
            unsafe {
                if entry.kind == dw_tag::POINTER_TYPE {
                    set_pointee(tag, entry.mark, 0);
                } else {
                    (*tag).r#type = 0;
                }
            }
            let place = self.location(key);
            self.say(format!("{place}: type that leads back to itself: taken for void there"));
        }
    }
}
