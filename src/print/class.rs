//! Structs, classes and interfaces.
//!
//! A class is walked once. Between its members stand comments on what the layout does there, and the walk adds up what the lines at
//! the end report: see [`super::summary`].

use super::Printer;
use super::conf::Conf;
use super::facts;
use super::holes::MemberHoles;
use super::summary::Sums;
use super::text::plural;
use crate::abi::{Class, ClassMember, Cu, Function, ListHead, Tag, Type, VariantPart, dw_tag};

/// DW_VIRTUALITY_virtual.
const VIRTUAL: u8 = 1;

/// The walk over one class.
pub(super) struct Walk<'a> {
    pub class: *mut Class,
    /// With the indent of the members.
    pub conf: Conf<'a>,
    last: *mut ClassMember,
    /// The bytes of the member before that later members do not share; 0 for one without size.
    last_size: usize,
    /// Whether something was printed on lines of its own since the last member.
    newline: bool,
    accessibility: Option<&'static [u8]>,
    pub sums: Sums,
    pub holes: MemberHoles,
}

impl Printer {
    /// A class's definition.
    pub(super) unsafe fn class(&mut self, class: *mut Class, conf: &Conf) {
        // SAFETY: a class of this unit.
        unsafe {
            let ty = &raw mut (*class).r#type;
            let mut own_lines = 0;
            let mut conf = *conf;
            let indent = i32::from(conf.indent).min(super::text::MAX_INDENT);
            self.class_head(ty, &conf);
            if !self.may_open(class.cast()) {
                return self.out.put(b" { /* nested too deep to be shown */ }");
            }
            if conf.cachelinep.is_null() {
                conf.cachelinep = &raw mut own_lines;
            }
            conf.indent = indent as u8 + 1;
            conf.set_no_semicolon(false);
            self.depth += 1;
            self.open.push(class.cast());
            self.opened += 1;

            facts::class__infer_packed_attributes(class, self.cu);
            self.base_list(ty);
            self.out.put(b" {\n");
            let mut walk = Walk {
                class,
                conf,
                last: std::ptr::null_mut(),
                last_size: 0,
                newline: false,
                accessibility: None,
                sums: Sums::default(),
                holes: MemberHoles::default(),
            };
            self.hole_in_front(&mut walk);
            let elsewhere = self.shown_with_members(ty, &conf);
            for node in ListHead::nodes(&raw const (*ty).namespace.tags) {
                self.part_of_class(&mut walk, node.cast(), &elsewhere);
                self.out.pass_on();
            }
            self.variants(&mut walk);
            self.forced_padding(&walk);
            if !conf.show_only_data_members() {
                self.vtable(class, &conf);
            }
            if conf.emit_stats() {
                self.summary(&mut walk);
            }
            self.class_tail(class, indent, &conf);

            self.open.pop();
            self.depth -= 1;
        }
    }

    unsafe fn class_head(&mut self, ty: *const Type, conf: &Conf) {
        // SAFETY: a class of this unit.
        unsafe {
            if let Some(lead) = conf.lead {
                self.out.put(lead);
                self.out.put(b" ");
            }
            self.out.put(match (*ty).namespace.tag.tag {
                _ if conf.classes_as_structs() => b"struct",
                dw_tag::STRUCTURE_TYPE => b"struct",
                dw_tag::CLASS_TYPE => b"class",
                _ => b"interface",
            });
            if let Some(name) = facts::type_name(ty) {
                self.out.put(b" ");
                self.out.put(name);
            }
        }
    }

    /// The base classes.
    unsafe fn base_list(&mut self, ty: *const Type) {
        // SAFETY: a class of this unit.
        unsafe {
            let bases = Type::members(ty).filter(|&member| (*member).tag.tag == dw_tag::INHERITANCE);
            for (nth, base) in bases.enumerate() {
                self.out.put(if nth == 0 { b" :" } else { b"," });
                if (*base).virtuality() == VIRTUAL {
                    self.out.put(b" virtual");
                }
                if let Some(accessibility) = accessibility(base.cast()) {
                    self.out.put(b" ");
                    self.out.put(accessibility);
                }
                let class = Cu::type_of(self.cu, (*base).tag.r#type);
                if class.is_null() {
                    self.not_found((*base).tag.r#type, "__class__fprintf", line!());
                } else {
                    let name = if (*class).is_type() { facts::type_name(class.cast()) } else { None };
                    self.out.put(b" ");
                    self.out.put(name.unwrap_or(facts::NULL_TEXT));
                }
            }
        }
    }

    unsafe fn hole_in_front(&mut self, walk: &mut Walk) {
        // SAFETY: a class of this unit.
        let class = unsafe { &*walk.class };
        if walk.conf.suppress_comments() {
            return;
        }
        let (bits, bytes) = (class.pre_bit_hole, class.pre_hole);
        for (size, unit) in [(u16::from(bits), "bit"), (bytes, "byte")] {
            if size > 0 {
                self.once_a_line(walk);
                self.out.indent(walk.conf.indent.into());
                self.out.fmt(format_args!("/* XXX {size} {unit}{} hole, try to pack */\n", plural(size)));
            }
        }
        walk.sums.bit_holes += u32::from(bits);
        walk.sums.holes += u32::from(bytes);
    }

    /// An empty line before the first comment since the last member.
    fn once_a_line(&mut self, walk: &mut Walk) {
        if !walk.newline {
            walk.newline = true;
            self.out.put(b"\n");
        }
    }

    unsafe fn part_of_class(&mut self, walk: &mut Walk, tag: *mut Tag, elsewhere: &[*const Tag]) {
        // SAFETY: a tag in a class of this unit.
        unsafe {
            let is_member = matches!((*tag).tag, dw_tag::MEMBER | dw_tag::INHERITANCE);
            if elsewhere.contains(&tag.cast_const()) {
                return;
            }
            if let Some(accessibility) = accessibility(tag) {
                if walk.accessibility != Some(accessibility) {
                    walk.accessibility = Some(accessibility);
                    self.out.indent(i32::from(walk.conf.indent) - 1);
                    self.out.put(accessibility);
                    self.out.put(b":\n\n");
                }
            }
            if is_member {
                self.member_of_class(walk, tag.cast());
            } else if !walk.conf.show_only_data_members() {
                let mut conf = walk.conf;
                (conf.lead, conf.tail) = (None, None);
                self.tag(tag, &conf);
                self.out.put(b"\n\n");
            }
        }
    }

    /// Nameless types that are printed with the member or typedef that uses them, and so not once more on their own.
    unsafe fn shown_with_members(&self, ty: *const Type, conf: &Conf) -> Vec<*const Tag> {
        // SAFETY: a class of this unit.
        unsafe {
            let tags = || ListHead::nodes(&raw const (*ty).namespace.tags).map(|node| node.cast::<Tag>());
            if conf.show_only_data_members() || !tags().any(|tag| facts::is_nameless_aggregate(tag)) {
                return Vec::new();
            }
            let users = tags().filter(|&tag| matches!((*tag).tag, dw_tag::MEMBER | dw_tag::TYPEDEF));
            users.filter_map(|user| self.defined_in_place(user)).collect()
        }
    }

    /// The nameless aggregate that is printed where `user`'s type is.
    unsafe fn defined_in_place(&self, user: *const Tag) -> Option<*const Tag> {
        // SAFETY: a tag of this unit.
        unsafe {
            let mut at = user;
            for _ in 0..super::MAX_CHAIN {
                at = Cu::type_of(self.cu, (*at).r#type);
                match at.as_ref()?.tag {
                    dw_tag::ARRAY_TYPE | dw_tag::CONST_TYPE | dw_tag::ATOMIC_TYPE | dw_tag::POINTER_TYPE => {}
                    _ if facts::is_annotation(&*at) => {}
                    _ => return facts::is_nameless_aggregate(at).then_some(at),
                }
            }
            None
        }
    }

    unsafe fn member_of_class(&mut self, walk: &mut Walk, member: *mut ClassMember) {
        // SAFETY: a member of a class of this unit.
        unsafe {
            let ty = Cu::type_of(self.cu, (*member).tag.r#type);
            let last = walk.last;
            self.count_alignment(walk, member);
            walk.last = member;
            if !last.is_null() && (*member).tag.tag == dw_tag::MEMBER && walk.last_size != 0 {
                if (*last).bit_hole != 0 && (*member).bitfield_size != 0 {
                    if ty.is_null() {
                        return self.typeless(walk, member);
                    }
                    self.forced_bits(walk, &*last, &*member, ty);
                }
                self.combined(walk, &*last, &*member);
            }
            if walk.newline {
                walk.newline = false;
                self.out.put(b"\n");
            }
            if ty.is_null() {
                return self.typeless(walk, member);
            }
            let tags = &raw const (*walk.class).r#type.namespace.tags;
            walk.conf.set_last_member((*member).tag.node.next.cast_const() == tags);
            walk.conf.set_first_member(last.is_null());

            let mut size = (*member).byte_size;
            if (*member).tag.tag == dw_tag::INHERITANCE && (*member).hole < 0 {
                // It lies in the tail padding of the class before.
                size = size.wrapping_add_signed((*member).hole as isize);
            }
            self.out.indent(walk.conf.indent.into());
            self.member(member, false, ty, &walk.conf);
            if (*ty).is_struct() && !walk.conf.suppress_comments() {
                self.holes_in_member(walk, ty.cast());
            }
            self.holes_behind(walk, &*member);
            self.out.put(b"\n");

            if (*member).bitfield_size != 0 {
                walk.sums.bits = walk.sums.bits.wrapping_add((*member).bitfield_size.into());
            } else {
                walk.sums.bytes = walk.sums.bytes.wrapping_add(size as u32);
            }
            let joins = !last.is_null() && walk.last_size != 0 && (*last).byte_offset == (*member).byte_offset;
            if !joins || ((*last).bitfield_size == 0 && (*member).bitfield_size != 0) {
                walk.last_size = size;
            }
        }
    }

    /// Members of which one is there at a time, as those of a union.
    unsafe fn variants(&mut self, walk: &mut Walk) {
        // SAFETY: a class of this unit; parts hold members.
        unsafe {
            let ty = &raw const (*walk.class).r#type;
            let mut conf = walk.conf;
            conf.set_union_member(true);
            let first_line = *conf.cachelinep;
            for part in ListHead::nodes(&raw const (*ty).variant_parts) {
                let mut members = ListHead::nodes(&raw const (*part.cast::<VariantPart>()).variants).peekable();
                if members.peek().is_some() {
                    self.out.indent(conf.indent.into());
                    self.out.put(b"/* one of these variants: */\n");
                }
                for member in members.map(|node| node.cast::<ClassMember>()) {
                    let member_type = Cu::type_of(self.cu, (*member).tag.r#type);
                    if member_type.is_null() {
                        self.typeless(walk, member);
                        continue;
                    }
                    self.out.indent(conf.indent.into());
                    self.member(member, true, member_type, &conf);
                    self.out.put(b"\n");
                    *conf.cachelinep = first_line;
                }
            }
        }
    }

    unsafe fn typeless(&mut self, walk: &Walk, member: *const ClassMember) {
        self.out.indent(walk.conf.indent.into());
        // SAFETY: a member of this unit.
        let id = unsafe { (*member).tag.r#type };
        self.not_found(id, "__class__fprintf", line!());
    }

    unsafe fn count_alignment(&mut self, walk: &mut Walk, member: *const ClassMember) {
        // SAFETY: a member of this unit, after the one before it.
        unsafe {
            if walk.conf.suppress_aligned_attribute() || (*member).alignment == 0 {
                return;
            }
            let hole = match walk.last.as_ref() {
                Some(last) => last.hole as u32,
                None => (*walk.class).pre_hole.into(),
            };
            walk.sums.alignments += 1;
            if hole != 0 {
                walk.sums.alignment_holes += 1;
                walk.sums.sum_alignment_holes = walk.sums.sum_alignment_holes.wrapping_add(hole);
            }
        }
    }

    /// Unnamed bit-fields, which are not in the debugging information but in the layout.
    unsafe fn forced_bits(&mut self, walk: &Walk, last: &ClassMember, member: &ClassMember, ty: *mut Tag) {
        // SAFETY: a member's type.
        unsafe {
            let mut bits = last.bit_hole;
            if last.byte_offset != member.byte_offset {
                bits = 0;
                self.out.put(b"\n");
                self.out.indent(walk.conf.indent.into());
                self.out.put(b"/* Force alignment to the next boundary: */\n");
            }
            self.out.indent(walk.conf.indent.into());
            self.typed(ty, Some(b""), &walk.conf);
            self.out.fmt(format_args!(":{bits};\n"));
        }
    }

    /// Says that a storage unit is shared with its neighbours.
    fn combined(&mut self, walk: &mut Walk, last: &ClassMember, member: &ClassMember) {
        if walk.conf.suppress_comments() {
            return;
        }
        let (before, at) = (last.byte_offset, member.byte_offset);
        let previous = at < before || (at == before && last.bitfield_size == 0 && member.bitfield_size != 0);
        let next = !previous && at > before && ((at - before) as usize) < walk.last_size;
        if previous || next {
            self.once_a_line(walk);
            self.out.indent(walk.conf.indent.into());
            self.out.put(if previous {
                b"/* Bitfield combined with previous fields */\n"
            } else {
                b"/* Bitfield combined with next fields */\n"
            });
        }
    }

    fn holes_behind(&mut self, walk: &mut Walk, member: &ClassMember) {
        if walk.conf.suppress_comments() {
            return;
        }
        for (size, unit) in [(i32::from(member.bit_hole), "bit"), (member.hole.max(0), "byte")] {
            if size > 0 {
                self.once_a_line(walk);
                self.out.put(b"\n");
                self.out.indent(walk.conf.indent.into());
                self.out.fmt(format_args!("/* XXX {size} {unit}{} hole, try to pack */", plural(size)));
            }
        }
        walk.sums.bit_holes += u32::from(member.bit_hole);
        walk.sums.holes = walk.sums.holes.wrapping_add(member.hole.max(0) as u32);
    }

    unsafe fn holes_in_member(&mut self, walk: &mut Walk, class: *mut Class) {
        // SAFETY: a struct of this unit.
        unsafe {
            let Some(report) = walk.holes.report(class, self.cu) else { return };
            self.once_a_line(walk);
            self.out.put(b"\n");
            self.out.indent(walk.conf.indent.into());
            self.out.fmt(format_args!("/* XXX last struct has{report} */"));
        }
    }

    /// Room at the end that only an attribute can have made, as bit-fields of the last member's type.
    unsafe fn forced_padding(&mut self, walk: &Walk) {
        // SAFETY: a class of this unit.
        unsafe {
            let class = &*walk.class;
            let conf = &walk.conf;
            let wanted = class.padding != 0
                && class.r#type.alignment == 0
                && conf.has_alignment_info()
                && !conf.suppress_force_paddings()
                && !walk.last.is_null();
            if !wanted {
                return;
            }
            let ty = Cu::type_of(self.cu, (*walk.last).tag.r#type);
            let size = if ty.is_null() { 0 } else { facts::tag__size(ty, self.cu) };
            let address_size = self.cu.as_ref().map_or(0, |cu| cu.addr_size);
            if !size.is_power_of_two() || class.padding <= u16::from(address_size) {
                return;
            }
            self.out.put(b"\n");
            self.out.indent(conf.indent.into());
            self.out.put(b"/* Force padding: */\n");
            for _ in 0..usize::from(class.padding).div_ceil(size) {
                self.out.indent(conf.indent.into());
                self.typed(ty, Some(b""), conf);
                self.out.fmt(format_args!(":{};\n", (size as u32).wrapping_mul(8)));
            }
        }
    }

    unsafe fn vtable(&mut self, class: *const Class, conf: &Conf) {
        // SAFETY: a class of this unit; its list holds functions by their vtable nodes.
        unsafe {
            if (*class).nr_vtable_entries == 0 {
                return;
            }
            let indent = i32::from(conf.indent);
            self.out.indent(indent);
            self.out.fmt(format_args!("/* vtable has {} entries: {{\n", (*class).nr_vtable_entries));
            for node in ListHead::nodes(&raw const (*class).vtable) {
                let function = &*node.byte_sub(std::mem::offset_of!(Function, vtable_node)).cast::<Function>();
                self.out.indent(indent);
                self.out.fmt(format_args!("   [{}] = ", function.vtable_entry));
                self.out.put(facts::string(function.name).unwrap_or(facts::NULL_TEXT));
                self.out.put(b"(");
                self.out.put(facts::string(function.linkage_name).unwrap_or(facts::NULL_TEXT));
                self.out.put(b"), \n");
            }
            self.out.indent(indent);
            self.out.put(b"} */");
        }
    }

    unsafe fn class_tail(&mut self, class: *const Class, indent: i32, conf: &Conf) {
        // SAFETY: a class of this unit.
        let class = unsafe { &*class };
        self.out.indent(indent);
        self.out.put(b"}");
        if class.is_packed && !conf.suppress_packed() {
            self.out.put(b" __attribute__((__packed__))");
        }
        if let Some(tail) = conf.tail {
            self.out.put(b" ");
            self.out.put(tail);
        }
        // Packing was concluded from the alignment, which then says nothing more.
        if !conf.suppress_aligned_attribute() && class.r#type.alignment != 0 && !class.is_packed {
            self.out.fmt(format_args!(" __attribute__((__aligned__({})))", class.r#type.alignment));
        }
    }
}

/// The access that a member or function of a class was declared with; DW_ACCESS numbers from 1.
///
/// # Safety
/// A valid tag.
unsafe fn accessibility(tag: *const Tag) -> Option<&'static [u8]> {
    // SAFETY: the kind says what the tag is part of.
    let number = unsafe {
        match (*tag).tag {
            dw_tag::INHERITANCE | dw_tag::MEMBER => (*tag.cast::<ClassMember>()).accessibility(),
            dw_tag::SUBPROGRAM => (*tag.cast::<Function>()).accessibility(),
            _ => 0,
        }
    };
    [None, Some(&b"public"[..]), Some(b"protected"), Some(b"private")][usize::from(number & 3)]
}
