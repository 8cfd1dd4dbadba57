//! Tags of types and of what types consist of.

use std::ffi::{CStr, c_char};

use super::builder::{Builder, Frame, GNU_ANNOTATION, LLVM_ANNOTATION, Place};
use super::make::{MAX_CHAIN, frame, init_lists};
use crate::abi::*;
use crate::dwarf::DwarfError;
use crate::dwarf::abbrev::{Abbrev, Slot};
use crate::dwarf::cursor::Cursor;
use crate::dwarf::source::{Unit, element_count};
use gimli::constants as dw;

/// As many dimensions as an array may have.
const MAX_DIMENSIONS: usize = 64;

/// Kinds of floating point numbers, `BT_FP_*`.
mod float {
    pub const SINGLE: u8 = 1;
    pub const COMPLEX: u8 = 3;
    pub const IMAGINARY: u8 = 10;
}

// SAFETY of the blocks below: see [`super::make`].
impl<'a> Builder<'a, '_> {
    /// What typedefs, enumerations, unions and classes start with.
    fn init_type(&mut self, unit: &Unit, ty: *mut Type) {
        let name = self.text(unit, Slot::Name);
        let size = self.byte_size();
        let alignment = self.alignment();
        let declaration = self.numeric(Slot::Declaration, dw::DW_AT_declaration);
        if self.s.attrs.has(Slot::Signature) {
            let in_type_unit = self.reference(unit, &self.s.attrs, Slot::Signature);
            self.s.stand_ins.push((self.s.entries.len() as u32 - 1, in_type_unit));
        }
        self.init_type_lists(ty, name);
        // SAFETY: see above the impl.
        unsafe {
            (*ty).size = size as u32;
            (*ty).alignment = alignment;
            (*ty).set_declaration(declaration & 1 != 0);
        }
        if let Some(entry) = self.s.entries.last_mut() {
            // Of one byte may be an empty class, which counts as none: not for here.
            entry.size =
                if size > 1 && matches!(entry.kind, dw_tag::STRUCTURE_TYPE | dw_tag::UNION_TYPE) { size as u32 } else { 0 };
        }
    }

    pub(super) fn init_type_lists(&mut self, ty: *mut Type, name: *const c_char) {
        // SAFETY: see above the impl.
        unsafe {
            init_lists!(ty; namespace.tags, namespace.annots, node, type_enum, template_type_params, template_value_params, variant_parts);
            (*ty).namespace.name = name;
        }
    }

    pub(super) fn class(&mut self, unit: &'a Unit, abbrev: &Abbrev, key: u32) {
        let (class, entry) = self.tag::<Class>(unit, abbrev.tag, key);
        self.init_type(unit, class.cast());
        // SAFETY: see above the impl.
        let annots = unsafe {
            init_lists!(class; vtable);
            &raw mut (*class).r#type.namespace.annots
        };
        self.annotation_chain(unit, annots, -1);
        self.open(abbrev, Frame { annots, ..frame(Place::Class, class.cast(), entry) });
    }

    pub(super) fn union(&mut self, unit: &'a Unit, abbrev: &Abbrev, key: u32) {
        let (ty, entry) = self.tag::<Type>(unit, abbrev.tag, key);
        self.init_type(unit, ty);
        // SAFETY: see above the impl.
        let annots = unsafe { &raw mut (*ty).namespace.annots };
        self.open(abbrev, Frame { annots, ..frame(Place::Class, ty.cast(), entry) });
    }

    pub(super) fn enumeration(&mut self, unit: &'a Unit, abbrev: &Abbrev, key: u32) {
        let (ty, entry) = self.tag::<Type>(unit, abbrev.tag, key);
        self.init_type(unit, ty);
        // SAFETY: see above the impl.
        unsafe {
            // In bits, unlike those of structs.
            (*ty).size = if (*ty).size == 0 { 32 } else { (*ty).size.wrapping_mul(8) };
            self.s.entries[entry as usize].size = (*ty).size / 8;
        }
        self.open(abbrev, frame(Place::Enumeration, ty.cast(), entry));
    }

    pub(super) fn typedef(&mut self, unit: &'a Unit, abbrev: &Abbrev, key: u32) {
        let (ty, entry) = self.tag::<Type>(unit, abbrev.tag, key);
        self.init_type(unit, ty);
        self.own(ty.cast(), entry);
        // SAFETY: see above the impl.
        let annots = unsafe { &raw mut (*ty).namespace.annots };
        self.open_annotated(abbrev, annots, -1);
    }

    pub(super) fn namespace(&mut self, unit: &'a Unit, abbrev: &Abbrev, key: u32) {
        let (namespace, entry) = self.tag::<Namespace>(unit, abbrev.tag, key);
        let name = self.text(unit, Slot::Name);
        // SAFETY: see above the impl.
        unsafe {
            init_lists!(namespace; tags, annots);
            (*namespace).name = name;
        }
        self.open(abbrev, frame(Place::Namespace, namespace.cast(), entry));
    }

    pub(super) fn enumerator(&mut self, unit: &'a Unit, abbrev: &Abbrev, key: u32) {
        let (enumerator, _) = self.tag::<Enumerator>(unit, abbrev.tag, key);
        let name = self.text(unit, Slot::Name);
        let value = self.numeric(Slot::ConstValue, dw::DW_AT_const_value);
        self.add_enumerator(enumerator, name, value);
    }

    pub(super) fn add_enumerator(&mut self, enumerator: *mut Enumerator, name: *const c_char, value: u64) {
        let Some(frame) = self.s.frames.last_mut() else { return };
        let owner = frame.tag.cast::<Type>();
        // SAFETY: see above the impl.
        unsafe {
            (*enumerator).name = name;
            (*enumerator).value = value;
            // Methods may come first in the entries, but C code takes as many as there are enumerators off the front.
            let before = if frame.last.is_null() { &raw mut (*owner).namespace.tags } else { frame.last };
            frame.last = &raw mut (*enumerator).tag.node;
            ListHead::add_tail((*before).next, frame.last);
            (*owner).nr_members = (*owner).nr_members.wrapping_add(1);
        }
    }

    pub(super) fn member(&mut self, unit: &'a Unit, abbrev: &Abbrev, key: u32) {
        let (member, entry) = self.tag::<ClassMember>(unit, abbrev.tag, key);
        let name = self.text(unit, Slot::Name);
        let alignment = self.alignment();
        let has_bit_offset = self.s.attrs.has(Slot::DataBitOffset);
        let has_location = self.s.attrs.has(Slot::MemberLocation);
        let bit_offset = self.offset(Slot::DataBitOffset);
        let byte_offset = if has_bit_offset { 0 } else { self.offset(Slot::MemberLocation) };
        let old_bit_offset = if has_bit_offset { 0 } else { self.numeric(Slot::BitOffset, dw::DW_AT_bit_offset) };
        let byte_size = self.byte_size();
        let bit_size = self.numeric(Slot::BitSize, dw::DW_AT_bit_size);
        let (mut accessibility, mut const_value, mut virtuality) = (0, 0, 0);
        if !self.is_c {
            accessibility = self.numeric(Slot::Accessibility, dw::DW_AT_accessibility);
            const_value = self.numeric(Slot::ConstValue, dw::DW_AT_const_value);
            virtuality = self.numeric(Slot::Virtuality, dw::DW_AT_virtuality);
        }
        let Some(frame) = self.s.frames.last_mut() else { return };
        let component = frame.count;
        frame.count += 1;
        let (owner, annots) = (frame.tag.cast::<Type>(), frame.annots);
        // SAFETY: see above the impl.
        unsafe {
            let m = &mut *member;
            m.name = name;
            m.alignment = alignment;
            m.set_has_bit_offset(has_bit_offset);
            if has_bit_offset {
                m.bit_offset = bit_offset as u32;
            } else {
                m.byte_offset = byte_offset as u32;
                m.set_is_static(!has_location && !(*owner).namespace.tag.is_union());
                m.bit_offset = m.byte_offset.wrapping_mul(8);
                m.bitfield_offset = old_bit_offset as i8;
            }
            m.byte_size = byte_size as usize;
            m.bitfield_size = bit_size as u8;
            m.set_accessibility((accessibility & 3) as u8);
            m.set_virtuality((virtuality & 3) as u8);
            m.const_value = const_value;
            let count = if m.is_static() { &raw mut (*owner).nr_static_members } else { &raw mut (*owner).nr_members };
            *count = (*count).wrapping_add(1);
            if self.is_cpp {
                self.register(member.cast(), entry);
            }
            ListHead::add_tail(&raw mut (*owner).namespace.tags, member.cast());
        }
        self.annotation_chain(unit, annots, component);
        self.open_annotated(abbrev, annots, component);
    }

    /// Its variants' types are ordinary nested types; the part itself has the members that are of those types.
    pub(super) fn variant_part(&mut self, unit: &'a Unit, abbrev: &Abbrev, key: u32) {
        let (part, entry) = self.tag::<VariantPart>(unit, abbrev.tag, key);
        let Some(owner) = self.s.frames.last().map(|f| f.tag.cast::<Type>()) else { return };
        self.s.entries[entry as usize].ty = 0;
        // SAFETY: see above the impl.
        unsafe {
            init_lists!(part; variants);
            ListHead::add_tail(&raw mut (*owner).variant_parts, part.cast());
        }
        self.open(abbrev, frame(Place::Variants, part.cast(), entry));
    }

    /// The members of a variant go to its part.
    pub(super) fn variant(&mut self, abbrev: &Abbrev) {
        if let Some((tag, entry)) = self.s.frames.last().map(|f| (f.tag, f.entry)) {
            self.open(abbrev, frame(Place::Variants, tag, entry));
        }
    }

    /// What tells the variants apart, which has no name of its own, or what is there in one of them.
    pub(super) fn variant_member(&mut self, unit: &'a Unit, abbrev: &Abbrev, key: u32) {
        let (member, _) = self.tag::<ClassMember>(unit, abbrev.tag, key);
        let name = self.text(unit, Slot::Name);
        let alignment = self.alignment();
        let offset = self.offset(Slot::MemberLocation) as u32;
        let byte_size = self.byte_size() as usize;
        let Some(part) = self.s.frames.last().map(|f| f.tag.cast::<VariantPart>()) else { return };
        // SAFETY: see above the impl.
        unsafe {
            let m = &mut *member;
            m.name = if name.is_null() { c"<discriminant>".as_ptr() } else { name };
            m.alignment = alignment;
            m.byte_offset = offset;
            m.bit_offset = offset.wrapping_mul(8);
            m.byte_size = byte_size;
            ListHead::add_tail(&raw mut (*part).variants, member.cast());
        }
    }

    pub(super) fn array(&mut self, unit: &'a Unit, abbrev: &Abbrev, key: u32) {
        let (array, entry) = self.tag::<ArrayType>(unit, abbrev.tag, key);
        // SAFETY: see above the impl.
        unsafe { (*array).is_vector = self.s.attrs.has(Slot::GnuVector) };
        let start = self.s.dimensions.len() as u32;
        self.open(abbrev, Frame { start, ..frame(Place::Array, array.cast(), entry) });
    }

    pub(super) fn subrange(&mut self, unit: &Unit) {
        self.add_dimension(element_count(unit, &self.s.attrs));
    }

    pub(super) fn add_dimension(&mut self, count: u64) {
        let Some(start) = self.s.frames.last().map(|f| f.start as usize) else { return };
        let so_far = self.s.dimensions.len() - start;
        if so_far < MAX_DIMENSIONS {
            self.s.dimensions.push(count);
            if so_far + 1 == MAX_DIMENSIONS {
                self.say(format!("die__create_new_array: only {MAX_DIMENSIONS} dimensions are supported!"));
            }
        }
    }

    pub(super) fn end_array(&mut self, frame: &Frame) {
        let dimensions = &self.s.dimensions[frame.start as usize..];
        if !dimensions.is_empty() {
            let array = frame.tag.cast::<ArrayType>();
            let entries = self.s.memory.zeroed(dimensions.len() * size_of::<u32>()).cast::<u32>();
            // SAFETY: as many words as dimensions, and see above the impl.
            unsafe {
                for (at, &count) in dimensions.iter().enumerate() {
                    *entries.add(at) = count as u32;
                }
                if let [count] = dimensions {
                    ArrayType::set_high_half(array, (count >> 32) as u32);
                }
                (*array).nr_entries = entries;
                (*array).dimensions = dimensions.len() as u8;
            }
        }
        self.s.dimensions.truncate(frame.start as usize);
    }

    /// Whether the entry is `std::nullptr_t`, which DWARF has as a type that nothing is said of.
    fn is_of_null_pointers(&mut self, unit: &'a Unit) -> bool {
        let name = self.text(unit, Slot::Name);
        // SAFETY: NULL, or a string of the file.
        !name.is_null() && memchr::memmem::find(unsafe { CStr::from_ptr(name) }.to_bytes(), b"nullptr").is_some()
    }

    /// It has the size of a pointer, and is printed by its name: a base type, as far as there are kinds for it. Its id comes last, as the C library
    /// gives it none, and takes it for void.
    fn type_of_null_pointers(&mut self, unit: &'a Unit, key: u32) {
        let (base, entry) = self.tag::<BaseType>(unit, dw::DW_TAG_base_type, key);
        let name = self.text(unit, Slot::Name);
        // SAFETY: see above the impl.
        unsafe {
            let address = (*self.cu).addr_size;
            (*base).name = name;
            (*base).bit_size = u16::from(address) * 8;
            (*base).set_name_has_encoding(true);
            init_lists!(base; node);
            (*base).tag.set_top_level(true);
            self.s.entries[entry as usize].size = u32::from(address);
        }
        self.s.last.push((base.cast(), entry));
    }

    /// Kinds without children of their own.
    pub(super) fn leaf(&mut self, unit: &'a Unit, abbrev: &Abbrev, key: u32) {
        let (tag, entry) = match abbrev.tag {
            dw::DW_TAG_unspecified_type if self.is_of_null_pointers(unit) => return self.type_of_null_pointers(unit, key),
            dw::DW_TAG_base_type => {
                let (base, entry) = self.tag::<BaseType>(unit, abbrev.tag, key);
                let name = self.text(unit, Slot::Name);
                let size = self.byte_size();
                let encoding = dw::DwAte(self.numeric(Slot::Encoding, dw::DW_AT_encoding) as u8);
                // SAFETY: see above the impl.
                unsafe {
                    let b = &mut *base;
                    b.name = name;
                    b.bit_size = size.wrapping_mul(8) as u16;
                    self.s.entries[entry as usize].size = u32::from(b.bit_size / 8);
                    b.set_is_bool(encoding == dw::DW_ATE_boolean);
                    b.set_is_signed(matches!(encoding, dw::DW_ATE_signed | dw::DW_ATE_signed_char));
                    b.set_name_has_encoding(true);
                    b.set_float_type(match encoding {
                        dw::DW_ATE_complex_float => float::COMPLEX,
                        dw::DW_ATE_float => float::SINGLE,
                        dw::DW_ATE_imaginary_float => float::IMAGINARY,
                        _ => 0,
                    });
                    init_lists!(base; node);
                }
                if abbrev.has_children {
                    self.say("die__create_new_base_type: DW_TAG_base_type WITH children!".to_string());
                }
                (base.cast(), entry)
            }
            dw::DW_TAG_string_type => {
                let (string, entry) = self.tag::<StringType>(unit, abbrev.tag, key);
                let size = self.byte_size() as u32;
                // SAFETY: see above the impl.
                unsafe { (*string).nr_entries = size.max(1) };
                (string.cast(), entry)
            }
            dw::DW_TAG_ptr_to_member_type => {
                let (pointer, entry) = self.tag::<PtrToMemberType>(unit, abbrev.tag, key);
                (pointer.cast(), entry)
            }
            dw::DW_TAG_constant => {
                let (constant, entry) = self.tag::<Constant>(unit, abbrev.tag, key);
                let name = self.text(unit, Slot::Name);
                let value = self.numeric(Slot::ConstValue, dw::DW_AT_const_value);
                // SAFETY: see above the impl.
                unsafe {
                    (*constant).name = name;
                    (*constant).value = value;
                }
                (constant.cast(), entry)
            }
            kind => {
                let tag = self.tag::<Tag>(unit, kind, key);
                if abbrev.has_children {
                    let name = (self.options.library.tag_name)(kind.0);
                    self.say(format!("die__create_new_tag: {name} WITH children!"));
                }
                tag
            }
        };
        self.own(tag, entry);
    }

    /// A pointer; with `btf_type_tag` annotations on what it points to, a chain of tags stands between them. The cursor stands before the
    /// entry's children and stays there.
    pub(super) fn pointer(&mut self, unit: &'a Unit, abbrev: &Abbrev, key: u32, c: &Cursor<'a>) -> Result<(), DwarfError> {
        let annotations = if self.options.type_tags { self.type_tags(unit, abbrev, c)? } else { Vec::new() };
        if annotations.is_empty() {
            let (tag, entry) = self.tag::<Tag>(unit, abbrev.tag, key);
            let noted = &mut self.s.entries[entry as usize];
            (noted.size, noted.mark) = (u32::from(unit.header.addr_size), false);
            self.own(tag, entry);
            return Ok(());
        }
        let (pointer, entry) = self.tag::<BtfTypeTagPtrType>(unit, abbrev.tag, key);
        // SAFETY: see above the impl.
        unsafe {
            init_lists!(pointer; tags);
            (*pointer).tag.set_has_btf_type_tag(true);
        }
        self.s.entries[entry as usize].mark = true;
        for (key, prepend) in annotations {
            let Some((unit, kind)) = self.read_aside(key) else { continue };
            std::mem::swap(&mut self.s.attrs, &mut self.s.other);
            let value = self.text(unit, Slot::ConstValue);
            let (annotation, entry) = self.tag::<BtfTypeTagType>(unit, kind, key);
            // SAFETY: see above the impl.
            unsafe {
                (*annotation).tag.tag = LLVM_ANNOTATION.0;
                (*annotation).value = value;
                self.register(annotation.cast(), entry);
                // Until the pointer's type is resolved.
                (*annotation).tag.r#type = self.s.entries[entry as usize].id;
                let tags = &raw mut (*pointer).tags;
                ListHead::add_tail(if prepend { (*tags).next } else { tags }, &raw mut (*annotation).node);
            }
        }
        self.own(pointer.cast(), entry);
        Ok(())
    }

    /// The keys of a pointer's `btf_type_tag` annotations, each with whether it goes in front of those before it.
    fn type_tags(&mut self, unit: &'a Unit, abbrev: &Abbrev, c: &Cursor<'a>) -> Result<Vec<(u32, bool)>, DwarfError> {
        let mut found = Vec::new();
        if abbrev.has_children {
            let mut c = c.clone();
            while !c.is_empty() {
                let key = self.delta + c.pos() as u32;
                let Some(child) = unit.abbrevs.get(c.uleb()?) else { break };
                unit.abbrevs.take(child, &mut c, &mut self.s.other)?;
                let is_annotation = matches!(child.tag, LLVM_ANNOTATION | GNU_ANNOTATION);
                if is_annotation && self.name_aside(unit) == Some(b"btf_type_tag") {
                    found.push((key, true));
                }
                unit.skip_children(child, &mut c)?;
            }
        }
        let mut key = self.reference(unit, &self.s.attrs, Slot::Annotation);
        if found.is_empty() && key != 0 {
            while found.len() < MAX_CHAIN {
                let Some((unit, kind)) = self.read_aside(key) else { break };
                let is_type_tag = self.name_aside(unit) == Some(b"btf_type_tag");
                if kind != GNU_ANNOTATION || !is_type_tag {
                    break;
                }
                found.push((key, false));
                key = self.reference(unit, &self.s.other, Slot::Annotation);
            }
        }
        Ok(found)
    }

    /// The name of the entry read aside.
    fn name_aside(&self, unit: &Unit) -> Option<&'a [u8]> {
        self.source_of(unit).0.string(unit, &self.s.other, Slot::Name)
    }
}
