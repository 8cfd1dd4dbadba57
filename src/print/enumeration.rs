//! Enumerations.

use super::Printer;
use super::conf::Conf;
use super::facts::{self, NULL_TEXT};
use super::text::Hex;
use crate::abi::{Enumerator, Function, ListHead, Tag, Type, dw_tag};

/// The size of an enumeration, in bits, that needs no attribute.
const USUAL_BITS: u32 = 32;

const ENUMERATOR: u16 = 0x28;

impl Printer {
    /// An enumeration's definition; only `enum name` if it has no enumerators, since then it is a declaration.
    pub(super) unsafe fn enumeration(&mut self, ty: *mut Type, conf: &Conf) {
        // SAFETY: an enumeration of this unit.
        unsafe {
            let indent = i32::from(conf.indent);
            self.out.put(b"enum");
            if let Some(name) = facts::type_name(ty) {
                self.out.put(b" ");
                self.out.put(name);
            }
            if (*ty).nr_members == 0 {
                return;
            }
            self.out.put(b" {\n");
            let width = i32::from(longest_name(ty));
            for tag in parts(ty) {
                if (*tag).tag != ENUMERATOR {
                    continue;
                }
                let enumerator = &*tag.cast::<Enumerator>();
                self.out.indent(indent);
                self.out.put(b"\t");
                self.out.left(facts::string(enumerator.name).unwrap_or(NULL_TEXT), width);
                self.out.put(b" = ");
                if conf.hex_fmt() {
                    self.out.fmt(format_args!("{}", Hex(enumerator.value)));
                } else if (*ty).is_signed_enum() {
                    self.out.fmt(format_args!("{}", enumerator.value as i64));
                } else {
                    self.out.fmt(format_args!("{}", enumerator.value));
                }
                self.out.put(b",\n");
            }
            self.methods(ty, conf);
            self.out.indent(indent);
            self.out.put(b"}");
            if (*ty).size / 8 != USUAL_BITS / 8 {
                self.out.put(b" __attribute__((__packed__))");
            }
            if let Some(tail) = conf.tail {
                self.out.put(b" ");
                self.out.put(tail);
            }
        }
    }

    /// Rust's enumerations may have functions, behind their enumerators.
    unsafe fn methods(&mut self, ty: *mut Type, conf: &Conf) {
        // SAFETY: as above.
        unsafe {
            for tag in parts(ty).filter(|&tag| (*tag).tag == dw_tag::SUBPROGRAM) {
                self.out.indent(i32::from(conf.indent) + 1);
                self.function(tag.cast::<Function>(), conf);
                self.out.put(b",\n");
            }
        }
    }
}

/// What is listed in an enumeration, its own or another's that it shares.
unsafe fn parts(ty: *const Type) -> impl Iterator<Item = *mut Tag> {
    // SAFETY: an enumeration with an initialised list.
    unsafe { ListHead::nodes(Type::enumerators_head(ty)).map(|node| node.cast::<Tag>()) }
}

/// The length of the longest enumerator's name; kept in the type once found.
unsafe fn longest_name(ty: *mut Type) -> u16 {
    // SAFETY: as above.
    unsafe {
        if (*ty).max_tag_name_len == 0 {
            let lengths = parts(ty)
                .filter(|&tag| (*tag).tag == ENUMERATOR)
                .map(|tag| facts::string((*tag.cast::<Enumerator>()).name).unwrap_or(NULL_TEXT).len());
            (*ty).max_tag_name_len = lengths.max().unwrap_or(0) as u16;
        }
        (*ty).max_tag_name_len
    }
}
