//! The comments behind a class's last member: what its size is made of.

use super::Printer;
use super::class::Walk;
use super::facts;
use crate::abi::{ListHead, Type};

/// What the walk over a class added up. Sums wrap at 32 bits, as C's do.
#[derive(Default)]
pub(super) struct Sums {
    /// Of members that are no bit-fields.
    pub bytes: u32,
    /// Of bit-fields.
    pub bits: u32,
    pub holes: u32,
    pub bit_holes: u32,
    pub alignments: u16,
    pub alignment_holes: u16,
    pub sum_alignment_holes: u32,
}

impl Printer {
    pub(super) unsafe fn summary(&mut self, walk: &mut Walk) {
        // SAFETY: a class of this unit.
        unsafe {
            self.sizes(walk);
            self.sums(walk);
            self.comment(walk, (*walk.class).padding > 0, format_args!("padding: {}", (*walk.class).padding));
            self.members_holes(walk);
            self.comment(walk, (*walk.class).bit_padding > 0, format_args!("bit_padding: {} bits", (*walk.class).bit_padding));
            self.alignments(walk);
            self.flexible_arrays(walk);
            let ty = &raw mut (*walk.class).r#type;
            let rest = walk.conf.base_offset.wrapping_add((*ty).size) % walk.conf.line_size();
            self.comment(walk, rest != 0, format_args!("last cacheline: {rest} bytes"));
            self.biggest(walk, ty);
            self.check(walk, ty);
        }
    }

    fn comment(&mut self, walk: &Walk, wanted: bool, text: std::fmt::Arguments) {
        if wanted {
            self.out.indent(walk.conf.indent.into());
            self.out.fmt(format_args!("/* {text} */\n"));
        }
    }

    unsafe fn sizes(&mut self, walk: &Walk) {
        // SAFETY: a class of this unit.
        unsafe {
            let ty = &raw const (*walk.class).r#type;
            let lines = facts::tag__nr_cachelines(&raw const *walk.conf, ty.cast(), self.cu);
            self.out.put(b"\n");
            self.out.indent(walk.conf.indent.into());
            self.out.fmt(format_args!("/* size: {}, cachelines: {lines}, members: {}", shown_size(&*ty), (*ty).nr_members));
            if (*ty).nr_static_members != 0 {
                self.out.fmt(format_args!(", static members: {}", (*ty).nr_static_members));
            }
            self.out.put(b" */\n");
        }
    }

    unsafe fn sums(&mut self, walk: &Walk) {
        // SAFETY: a class of this unit.
        let (holes, bit_holes) = unsafe { ((*walk.class).nr_holes, (*walk.class).nr_bit_holes) };
        let sums = &walk.sums;
        if sums.holes == 0 && sums.bit_holes == 0 {
            return;
        }
        if sums.bytes > 0 {
            let tail = if sums.holes > 0 { format!(", holes: {holes}, sum holes: {}", sums.holes) } else { String::new() };
            self.comment(walk, true, format_args!("sum members: {}{tail}", sums.bytes));
        }
        if sums.bits > 0 {
            let tail = if sums.bit_holes > 0 {
                format!(", bit holes: {bit_holes}, sum bit holes: {} bits", sums.bit_holes)
            } else {
                format!(" ({} bytes)", sums.bits / 8)
            };
            self.comment(walk, true, format_args!("sum bitfield members: {} bits{tail}", sums.bits));
        }
    }

    fn members_holes(&mut self, walk: &Walk) {
        let holes = &walk.holes;
        let mut parts = Vec::new();
        if holes.with_holes > 0 {
            parts.push(format!("holes: {}, total: {}", holes.with_holes, holes.total_holes));
        }
        if holes.with_bit_holes > 0 {
            parts.push(format!("bit holes: {}, total: {}", holes.with_bit_holes, holes.total_bit_holes));
        }
        if holes.with_bit_paddings > 0 {
            let plural = if holes.sum_bit_paddings > 1 { "s" } else { "" };
            parts.push(format!("bit paddings: {}, total: {} bit{plural}", holes.with_bit_paddings, holes.sum_bit_paddings));
        }
        self.comment(walk, !parts.is_empty(), format_args!("member types with {}", parts.join(", ")));
        self.comment(
            walk,
            holes.paddings > 0,
            format_args!("paddings: {}, sum paddings: {}", holes.paddings, holes.sum_paddings),
        );
    }

    fn alignments(&mut self, walk: &Walk) {
        let sums = &walk.sums;
        let holes = if sums.alignment_holes != 0 {
            format!(", forced holes: {}, sum forced holes: {}", sums.alignment_holes, sums.sum_alignment_holes)
        } else {
            String::new()
        };
        self.comment(walk, sums.alignments != 0, format_args!("forced alignments: {}{holes}", sums.alignments));
    }

    fn flexible_arrays(&mut self, walk: &Walk) {
        let mut parts = Vec::new();
        if walk.holes.flexible_arrays > 0 {
            parts.push(format!("end: {}", walk.holes.flexible_arrays));
        }
        if walk.holes.embedded_flexible_arrays > 0 {
            parts.push(format!("middle: {}", walk.holes.embedded_flexible_arrays));
        }
        self.comment(walk, !parts.is_empty(), format_args!("flexible array members: {}", parts.join(", ")));
    }

    unsafe fn biggest(&mut self, walk: &Walk, ty: *mut Type) {
        // SAFETY: a class of this unit.
        unsafe {
            if !walk.conf.show_first_biggest_size_base_type_member() || (*ty).nr_members == 0 {
                return;
            }
            let member = facts::type__find_first_biggest_size_base_type_member(ty, self.cu);
            let Some(member) = member.as_ref() else { return };
            self.out.indent(walk.conf.indent.into());
            self.out.put(b"/* first biggest size base type member: ");
            self.out.put(facts::string(member.name).unwrap_or(facts::NULL_TEXT));
            self.out.fmt(format_args!(" {} {} */\n", member.byte_offset, member.byte_size as isize));
        }
    }

    /// Size and sums must agree; C's words for when they do not.
    unsafe fn check(&mut self, walk: &Walk, ty: *const Type) {
        // SAFETY: a class of this unit.
        unsafe {
            let Sums { bytes, bits, holes, bit_holes, .. } = walk.sums;
            let class = &*walk.class;
            let in_bits = [
                bytes.wrapping_mul(8),
                bits,
                holes.wrapping_mul(8),
                bit_holes,
                u32::from(class.padding) * 8,
                class.bit_padding.into(),
            ];
            let known = in_bits.into_iter().fold(0, u32::wrapping_add);
            let diff = (*ty).size.wrapping_mul(8).wrapping_sub(known) as i32;
            let has_variants = ListHead::nodes(&raw const (*ty).variant_parts).next().is_some();
            if diff != 0 && (*ty).nr_members != 0 && !has_variants {
                self.out.put(b"\n");
                let size = shown_size(&*ty);
                self.comment(
                    walk,
                    true,
                    format_args!(
                        "BRAIN FART ALERT! {size} bytes != {bytes} (member bytes) + {bits} (member bits) + {holes} (byte holes) \
                             + {bit_holes} (bit holes), diff = {diff} bits"
                    ),
                );
            }
        }
    }
}

/// A size that a program computed anew, for another size of its base types, may have become negative.
fn shown_size(ty: &Type) -> i64 {
    if ty.resized() { (ty.size as i32).into() } else { ty.size.into() }
}
