//! Where the structs that are members of a class waste room themselves.

use std::fmt::Write;

use super::facts;
use super::text::plural;
use crate::abi::{Class, Cu};

/// What the members' types add up to. Counters wrap at 16 bits, as C's.
#[derive(Default)]
pub(super) struct MemberHoles {
    pub paddings: u16,
    pub with_bit_paddings: u16,
    pub with_holes: u16,
    pub with_bit_holes: u16,
    pub total_holes: u16,
    pub total_bit_holes: u16,
    pub flexible_arrays: u16,
    pub embedded_flexible_arrays: u16,
    pub sum_paddings: u32,
    pub sum_bit_paddings: u32,
}

impl MemberHoles {
    /// Adds one member's type and says what is in it; `None` for a type without anything to report.
    ///
    /// # Safety
    /// A struct of this unit.
    pub unsafe fn report(&mut self, class: *mut Class, cu: *const Cu) -> Option<String> {
        // SAFETY: passed on; the type's own holes may not have been searched yet.
        let (class, flexible, embedded) = unsafe {
            facts::class__find_holes(class);
            facts::class__infer_packed_attributes(class, cu);
            let flexible = facts::class__has_flexible_array(class, cu);
            (&*class, flexible, facts::class__has_embedded_flexible_array(class, cu))
        };
        let mut parts = Vec::new();
        let mut counted = |count: u32, what: &str| {
            let mut part = String::new();
            let _ = write!(part, "{count} {what}");
            parts.push(part);
        };
        if flexible {
            self.flexible_arrays = self.flexible_arrays.wrapping_add(1);
        }
        if embedded {
            self.embedded_flexible_arrays = self.embedded_flexible_arrays.wrapping_add(1);
        }
        if class.padding != 0 {
            self.paddings = self.paddings.wrapping_add(1);
            self.sum_paddings = self.sum_paddings.wrapping_add(class.padding.into());
            counted(class.padding.into(), &format!("byte{} of padding", plural(class.padding)));
        }
        if class.bit_padding != 0 {
            self.with_bit_paddings = self.with_bit_paddings.wrapping_add(1);
            self.sum_bit_paddings = self.sum_bit_paddings.wrapping_add(class.bit_padding.into());
            counted(class.bit_padding.into(), &format!("bit{} of padding", plural(class.bit_padding)));
        }
        if class.nr_holes != 0 {
            self.with_holes = self.with_holes.wrapping_add(1);
            self.total_holes = self.total_holes.wrapping_add(class.nr_holes.into());
            counted(class.nr_holes.into(), &format!("hole{}", plural(class.nr_holes)));
        }
        if class.nr_bit_holes != 0 {
            self.with_bit_holes = self.with_bit_holes.wrapping_add(1);
            self.total_bit_holes = self.total_bit_holes.wrapping_add(class.nr_bit_holes.into());
            counted(class.nr_bit_holes.into(), &format!("bit hole{}", plural(class.nr_bit_holes)));
        }
        if embedded {
            parts.insert(0, "embedded flexible array(s)".to_owned());
        }
        if flexible {
            parts.insert(0, "a flexible array".to_owned());
        }
        (!parts.is_empty()).then(|| format!(" {}", parts.join(", ")))
    }
}
