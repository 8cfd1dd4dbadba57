//! One member's line: its declaration, then where it lies and how large it is.

use std::ffi::c_int;

use super::Printer;
use super::conf::Conf;
use super::facts;
use super::text::{Hex, plural};
use crate::abi::{Class, ClassMember, Tag, Type, dw_tag};

/// The width of a size behind an offset.
const SIZE_WIDTH: usize = 5;

impl Printer {
    /// The members of a union all lie at its start and so do not move what later members count from.
    pub(super) unsafe fn member(&mut self, member: *const ClassMember, in_union: bool, ty: *mut Tag, conf: &Conf) {
        // SAFETY: a member of this unit, with its type.
        unsafe {
            let member = &*member;
            let mut conf = *conf;
            let mut offset = member.byte_offset;
            if !conf.rel_offset() {
                offset = offset.wrapping_add(conf.base_offset);
                if !in_union {
                    conf.base_offset = offset;
                }
            }
            if member.bitfield_offset < 0 {
                offset = offset.wrapping_add(member.byte_size as u32);
            }
            if !conf.suppress_comments() {
                self.cacheline_boundary(&conf, offset);
            }
            let name = facts::string(member.name);
            let (counted, attribute) = self.member_declaration(member, name, ty, &conf);
            if facts::is_nameless_aggregate(ty) {
                if conf.suppress_offset_comment() {
                    return;
                }
                let mut taken = attribute as i32 + name.map_or(-1, |name| name.len() as i32);
                if (*ty).is_struct() && (*ty.cast::<Class>()).is_packed && !conf.suppress_packed() {
                    taken += " __attribute__((__packed__))".len() as i32;
                }
                self.out.right(b" ", conf.type_spacing.wrapping_add(conf.name_spacing) - taken - 3);
            } else {
                let mut room = conf.type_spacing.wrapping_add(conf.name_spacing) - counted as i32;
                if member.tag.tag == dw_tag::INHERITANCE {
                    self.out.put(b" */");
                    room -= 3;
                }
                if conf.suppress_offset_comment() {
                    return;
                }
                self.out.right(b" ", room.max(0));
            }
            self.place(member, offset, &conf);
        }
    }

    /// Up to the semicolon; how much counts for the layout of the line, and how much of that is an attribute.
    unsafe fn member_declaration(
        &mut self,
        member: &ClassMember,
        name: Option<&[u8]>,
        ty: *mut Tag,
        conf: &Conf,
    ) -> (usize, usize) {
        // SAFETY: as above.
        unsafe {
            let start = self.out.len();
            let is_base = member.tag.tag == dw_tag::INHERITANCE;
            let name = if is_base { Some(&b"<ancestor>"[..]) } else { name };
            if is_base {
                self.out.put(b"/* ");
            }
            if member.is_static() {
                self.out.put(b"static ");
            }
            let before = self.out.len() - start;
            let mut counted = before;
            if facts::is_aggregate(&*ty) {
                // The name stands behind attributes of the type.
                counted += self.typed(ty, None, conf);
                let behind = self.out.len();
                if let Some(name) = name {
                    if (*ty.cast::<Type>()).namespace.name.is_null() || conf.expand_types() {
                        self.out.put(b" ");
                    }
                    self.out.put(name);
                }
                counted += self.out.len() - behind;
            } else {
                counted += self.typed(ty, name, conf);
            }
            let behind = self.out.len();
            if member.is_static() {
                if member.const_value != 0 {
                    self.out.fmt(format_args!(" = {}", member.const_value));
                }
            } else if member.bitfield_size != 0 {
                self.out.fmt(format_args!(":{}", member.bitfield_size));
            }
            let attribute = self.out.len();
            if !conf.suppress_aligned_attribute() && member.alignment != 0 {
                self.out.fmt(format_args!(" __attribute__((__aligned__({})))", member.alignment));
            }
            let attribute = self.out.len() - attribute;
            self.out.put(b";");
            (counted + self.out.len() - behind, attribute)
        }
    }

    /// `/* offset:bits size */`.
    fn place(&mut self, member: &ClassMember, offset: u32, conf: &Conf) {
        let hex = conf.hex_fmt();
        if hex {
            self.out.fmt(format_args!("/* {:>5}", Hex(offset.into())));
        } else {
            self.out.fmt(format_args!("/* {offset:>5}"));
        }
        let mut width = SIZE_WIDTH;
        if member.bitfield_size != 0 {
            width -= 3;
            let from = i64::from(member.bitfield_offset);
            let unit = if from < 0 { (member.byte_size as i64).wrapping_mul(8) } else { 0 };
            let bit = unit.wrapping_add(from) as u32;
            if hex {
                self.out.fmt(format_args!(":{:>2}", Hex(bit.into())));
            } else {
                self.out.fmt(format_args!(":{bit:>2}"));
            }
        }
        let size = member.byte_size as u64;
        if hex {
            self.out.fmt(format_args!(" {:>width$} */", Hex(size)));
        } else {
            self.out.fmt(format_args!(" {size:>width$} */"));
        }
    }

    /// A line of its own when a member is the first in another cache line than the one before.
    unsafe fn cacheline_boundary(&mut self, conf: &Conf, offset: u32) {
        // SAFETY: the counter is the program's or that of the outermost type being printed; a foreign configuration may have none.
        unsafe {
            let Some(current) = conf.cachelinep.as_mut() else { return };
            let line = offset / conf.line_size();
            if line <= *current {
                return;
            }
            *current = line;
            let past = offset % conf.line_size();
            let boundary = offset - past;
            if past == 0 {
                self.out.fmt(format_args!("/* --- cacheline {line} boundary ({boundary} bytes) --- */\n"));
            } else {
                let s = plural(past as c_int);
                self.out.fmt(format_args!("/* --- cacheline {line} boundary ({boundary} bytes) was {past} byte{s} ago --- */\n"));
            }
            self.out.indent(conf.indent.into());
        }
    }
}
