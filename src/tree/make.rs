//! Tags from entries, kind by kind, and how they are linked to their owners.

use std::ffi::c_char;
use std::ptr;

use super::builder::{Builder, Entry, Frame, GNU_ANNOTATION, LLVM_ANNOTATION, Place};
use crate::abi::origin::{DeclOrigin, TagOrigin};
use crate::abi::*;
use crate::dwarf::DwarfError;
use crate::dwarf::abbrev::{Abbrev, Attrs, Block, Slot};
use crate::dwarf::cursor::Cursor;
use crate::dwarf::expr::{Op, read_ops};
use crate::dwarf::line;
use crate::dwarf::ranges::{self, RangeList};
use crate::dwarf::source::{Unit, element_count, number};
use gimli::constants as dw;

/// As many dimensions as an array may have.
const MAX_DIMENSIONS: usize = 64;
/// Longest chain of references followed, of annotations and of origins.
const MAX_CHAIN: usize = 1024;
const MAX_ORIGINS: usize = 17;

/// The values of `enum vscope`.
mod scope {
    pub const LOCAL: u8 = 1;
    pub const GLOBAL: u8 = 2;
    pub const REGISTER: u8 = 3;
    pub const OPTIMIZED: u8 = 4;
}

/// Kinds of floating point numbers, `BT_FP_*`.
mod float {
    pub const SINGLE: u8 = 1;
    pub const COMPLEX: u8 = 3;
    pub const IMAGINARY: u8 = 10;
}

/// Makes empty lists of heads within a structure.
macro_rules! init_lists {
    ($owner:expr; $($($field:ident).+),*) => {
        $(ListHead::init(&raw mut (*$owner).$($field).+);)*
    };
}

// SAFETY of the blocks below: tags come from `tag`, zeroed, of the kind's structure, and stay valid as long as the set of units; the unit is
// the builder's alone; frames hold the tags and lists that their place says.
impl<'a> Builder<'a, '_> {
    // Memory and attributes.

    /// A zeroed tag of the entry, with its references noted.
    fn tag<T>(&mut self, unit: &'a Unit, kind: dw::DwTag, key: u32) -> (*mut T, u32) {
        let origin_size = size_of::<TagOrigin>() + if self.options.decl_info { size_of::<DeclOrigin>() } else { 0 };
        let block = self.s.memory.zeroed(origin_size + size_of::<T>());
        let type_slot = match kind {
            dw::DW_TAG_imported_module | dw::DW_TAG_imported_declaration => Slot::Import,
            dw::DW_TAG_inlined_subroutine => Slot::AbstractOrigin,
            _ => Slot::Type,
        };
        let origin_slot = if kind == dw::DW_TAG_ptr_to_member_type { Slot::ContainingType } else { Slot::AbstractOrigin };
        let attrs = &self.s.attrs;
        let ty = self.reference(unit, attrs, type_slot);
        let origin = self.reference(unit, attrs, origin_slot);
        let has_specification = attrs.has(Slot::Specification);
        let index = self.s.entries.len() as u32;
        // SAFETY: the block has room for the records and the tag behind them.
        let tag = unsafe {
            let tag = block.add(origin_size).cast::<Tag>();
            let record = TagOrigin::of(tag);
            (*record).index = index;
            (*record).in_arena = true;
            (*tag).tag = kind.0;
            ListHead::init(&raw mut (*tag).node);
            tag
        };
        let encoding = number(attrs, Slot::Encoding).map(|encoding| dw::DwAte(encoding as u8));
        let signed = matches!(encoding, Some(dw::DW_ATE_signed | dw::DW_ATE_signed_char));
        if has_specification {
            let specification = self.reference(unit, attrs, Slot::Specification);
            self.s.specifications.push((index, specification));
        }
        self.s.entries.push(Entry { tag, key, ty, origin, id: 0, size: 0, kind: kind.0, signed });
        // Annotations are taken in out of order, and nobody refers to them.
        self.s.map.push(if matches!(kind, LLVM_ANNOTATION | GNU_ANNOTATION) { 0 } else { key });
        if self.options.decl_info {
            self.declare(unit, tag, kind, key);
        }
        (tag.cast(), index)
    }

    /// Notes where the tag is declared.
    fn declare(&mut self, unit: &'a Unit, tag: *mut Tag, kind: dw::DwTag, key: u32) {
        let (file, line) = if kind == dw::DW_TAG_inlined_subroutine {
            (ptr::null(), self.numeric(Slot::CallLine, dw::DW_AT_call_line))
        } else {
            let file = self.integrated(unit, Slot::DeclFile);
            let line = self.integrated(unit, Slot::DeclLine);
            let file = file.map_or(ptr::null(), |(unit, number)| self.file_name(unit, number));
            (file, line.map_or(0, |(_, line)| line))
        };
        // SAFETY: with decl_info there is such a record.
        unsafe {
            let record = TagOrigin::decl_of(tag);
            (*record).offset = self.offset_of(key);
            (*record).file = file;
            // C keeps 16 bits of it.
            (*record).line = u32::from(line as u16);
        }
    }

    /// A number of the entry itself, or of what it is an instance or a definition of.
    fn integrated(&mut self, unit: &'a Unit, slot: Slot) -> Option<(&'a Unit, u64)> {
        if self.s.attrs.has(slot) {
            return number(&self.s.attrs, slot).map(|n| (unit, n));
        }
        let mut key = self.origin_in(unit, &self.s.attrs);
        for _ in 0..MAX_ORIGINS {
            if key == 0 {
                return None;
            }
            let (unit, _) = self.read_aside(key)?;
            if self.s.other.has(slot) {
                return number(&self.s.other, slot).map(|n| (unit, n));
            }
            key = self.origin_in(unit, &self.s.other);
        }
        None
    }

    /// What an entry is an instance or a definition of.
    fn origin_in(&self, unit: &Unit, attrs: &Attrs) -> u32 {
        let slot = if attrs.has(Slot::AbstractOrigin) { Slot::AbstractOrigin } else { Slot::Specification };
        self.reference(unit, attrs, slot)
    }

    /// The name of a file by its number in the unit's table; NULL for none.
    fn file_name(&mut self, unit: &'a Unit, number: u64) -> *const c_char {
        // Before DWARF 5 there is no file of this number.
        if number == 0 && unit.header.version < 5 {
            return ptr::null();
        }
        let start = self.source_of(unit).1 + unit.start;
        if !self.s.files.contains_key(&start) {
            let names = self.file_table(unit).unwrap_or_default();
            let names = names.iter().map(|name| self.s.memory.string(name)).collect();
            self.s.files.insert(start, names);
        }
        let names = &self.s.files[&start];
        usize::try_from(number).ok().and_then(|i| names.get(i)).copied().unwrap_or(ptr::null())
    }

    fn file_table(&mut self, unit: &'a Unit) -> Option<line::FileNames> {
        let (source, delta) = self.source_of(unit);
        let file = source.file;
        self.read_aside(delta + unit.start + unit.header.header_size)?;
        let (_, offset) = self.s.other.get(Slot::StmtList)?;
        let comp_dir = self.source_of(unit).0.string(unit, &self.s.other, Slot::CompDir);
        line::file_names(file, offset, unit.header.addr_size, comp_dir)
    }

    /// A string attribute; NULL without it.
    fn text(&mut self, unit: &Unit, slot: Slot) -> *const c_char {
        self.text_of(unit, self.s.attrs.get(slot))
    }

    fn text_of(&mut self, unit: &Unit, attr: Option<(dw::DwForm, u64)>) -> *const c_char {
        let Some((form, value)) = attr else { return ptr::null() };
        let (source, _) = self.source_of(unit);
        let debug_str = source.file.debug_str();
        // Where the section ends with a NUL, every offset in it is a string's.
        if form == dw::DW_FORM_strp && debug_str.last() == Some(&0) && self.options.kabi_prefix.is_none() {
            return debug_str.get(value as usize..).filter(|s| !s.is_empty()).map_or(ptr::null(), |s| s.as_ptr().cast());
        }
        let Some((bytes, _)) = source.string_value(unit, form, value) else { return ptr::null() };
        if let Some(prefix) = &self.options.kabi_prefix {
            if if prefix.whole { bytes == prefix.bytes } else { bytes.starts_with(&prefix.bytes) } {
                return prefix.text;
            }
        }
        // The unit's own bytes are overwritten by the next unit; the string sections stay.
        if form == dw::DW_FORM_string { self.s.memory.string(bytes) } else { bytes.as_ptr().cast() }
    }

    /// A number; other forms are told of and count as 0.
    #[inline]
    fn numeric(&mut self, slot: Slot, at: dw::DwAt) -> u64 {
        let Some((form, _)) = self.s.attrs.get(slot) else { return 0 };
        if let Some(value) = number(&self.s.attrs, slot) {
            return value;
        }
        self.say_form(at, form);
        0
    }

    #[cold]
    fn say_form(&mut self, at: dw::DwAt, form: dw::DwForm) {
        self.say(format!("DW_AT_<{:#x}>={:#x}", at.0, form.0));
    }

    fn byte_size(&mut self) -> u64 {
        self.numeric(Slot::ByteSize, dw::DW_AT_byte_size)
    }

    fn alignment(&mut self) -> u32 {
        if self.options.ignore_alignment { 0 } else { self.numeric(Slot::Alignment, dw::DW_AT_alignment) as u32 }
    }

    /// A place in a struct or a virtual table: a number or a simple expression.
    fn offset(&mut self, slot: Slot) -> u64 {
        let Some((form, value)) = self.s.attrs.get(slot) else { return 0 };
        match form {
            dw::DW_FORM_implicit_const
            | dw::DW_FORM_data1
            | dw::DW_FORM_data2
            | dw::DW_FORM_data4
            | dw::DW_FORM_data8
            | dw::DW_FORM_sdata
            | dw::DW_FORM_udata => return value,
            _ => {}
        }
        let Some(block) = self.s.attrs.block(slot) else { return 0 };
        let source = self.source();
        let end = (block.start as usize).saturating_add(block.len as usize).min(source.buf.len());
        let mut c = Cursor::new(&source.buf[..end], source.file.is_big_endian(), 0, ".debug_info");
        c.set_pos(block.start as usize);
        let op = c.u8().unwrap_or(0);
        if matches!(dw::DwOp(op), dw::DW_OP_plus_uconst | dw::DW_OP_constu) {
            return c.uleb().unwrap_or(u64::MAX);
        }
        self.say(format!("dwarf_expr: unhandled {op:#x} DW_OP_ operation"));
        u64::MAX
    }

    /// Start and size of code.
    fn code(&self, unit: &Unit) -> (u64, u64) {
        let attrs = &self.s.attrs;
        let Some(low) = self.source().address(unit, attrs, Slot::LowPc) else { return (0, 0) };
        (low, self.high_pc(unit, low).map_or(0, |high| high.wrapping_sub(low)))
    }

    fn high_pc(&self, unit: &Unit, low: u64) -> Option<u64> {
        let attrs = &self.s.attrs;
        let high = self.source().address(unit, attrs, Slot::HighPc);
        high.or_else(|| number(attrs, Slot::HighPc).map(|size| low.wrapping_add(size)))
    }

    // Owners.

    /// A tag that stands where it may have any owner gets its id and is linked.
    fn own(&mut self, tag: *mut Tag, entry: u32) {
        let Some(frame) = self.s.frames.last() else { return };
        let (place, owner) = (frame.place, frame.tag);
        // SAFETY: see above the impl.
        unsafe {
            if place == Place::Unit {
                (*tag).set_top_level(true);
                // It stands for void, id 0, where it is referred to.
                if (*tag).tag == dw_tag::UNSPECIFIED_TYPE {
                    return;
                }
            }
            self.register(tag, entry);
            if self.hidden && place == Place::Unit {
                (*tag).set_top_level(false);
                return;
            }
            let list = match place {
                Place::Namespace | Place::Class | Place::Enumeration => &raw mut (*owner.cast::<Namespace>()).tags,
                _ => &raw mut (*self.cu).tags,
            };
            ListHead::add_tail(list, &raw mut (*tag).node);
            if place == Place::Class && (*tag).is_function() && (*owner).is_struct() {
                let (class, function) = (owner.cast::<Class>(), tag.cast::<Function>());
                if (*function).vtable_entry != -1 {
                    (*class).nr_vtable_entries = (*class).nr_vtable_entries.wrapping_add(1);
                    ListHead::add_tail(&raw mut (*class).vtable, &raw mut (*function).vtable_node);
                }
            }
        }
    }

    /// Gives a tag its id.
    fn register(&mut self, tag: *mut Tag, entry: u32) {
        // SAFETY: see above the impl.
        let id = unsafe {
            if (*tag).is_function() {
                Cu::insert_function(self.cu, tag.cast());
            }
            PtrTable::push(Cu::table_of(self.cu, tag), tag.cast())
        };
        self.s.entries[entry as usize].id = id.expect("memory for a table of tags");
    }

    /// The end of a tag's children.
    pub(super) fn complete(&mut self, frame: &Frame) {
        // SAFETY: see above the impl.
        unsafe {
            match frame.place {
                Place::Unit | Place::TemplatePack | Place::FormalPack | Place::Variants | Place::Annotated => {}
                Place::Block => {
                    let Some(father) = self.s.frames.last().map(|f| f.block).filter(|b| !b.is_null()) else { return };
                    (*father).nr_lexblocks = (*father).nr_lexblocks.wrapping_add(1);
                    ListHead::add_tail(&raw mut (*father).tags, &raw mut (*frame.tag).node);
                }
                Place::Inline => {
                    let expansion = frame.tag.cast::<InlineExpansion>();
                    let block = frame.block;
                    if !block.is_null() {
                        (*block).nr_inline_expansions = (*block).nr_inline_expansions.wrapping_add(1);
                        (*block).size_inline_expansions = (*block).size_inline_expansions.wrapping_add((*expansion).size as u32);
                        ListHead::add_tail(&raw mut (*block).tags, &raw mut (*frame.tag).node);
                    }
                    self.register(frame.tag, frame.entry);
                }
                Place::Array => {
                    self.end_array(frame);
                    self.own(frame.tag, frame.entry);
                }
                _ => self.own(frame.tag, frame.entry),
            }
        }
    }

    fn open(&mut self, abbrev: &Abbrev, frame: Frame) {
        if abbrev.has_children {
            self.push(frame);
        } else {
            self.complete(&frame);
        }
    }

    /// The children of an entry that is complete: annotations for `list`.
    fn open_annotated(&mut self, abbrev: &Abbrev, list: *mut ListHead, component: i32) {
        if abbrev.has_children && !list.is_null() {
            self.push(Frame { component, annots: list, ..frame(Place::Annotated, ptr::null_mut(), 0) });
        }
    }

    // Types.

    /// What typedefs, enumerations, unions and classes start with.
    fn init_type(&mut self, unit: &Unit, ty: *mut Type) {
        let name = self.text(unit, Slot::Name);
        let size = self.byte_size();
        let alignment = self.alignment();
        let declaration = self.numeric(Slot::Declaration, dw::DW_AT_declaration);
        // SAFETY: see above the impl.
        unsafe {
            init_lists!(ty; namespace.tags, namespace.annots, node, type_enum, template_type_params, template_value_params, variant_parts);
            (*ty).namespace.name = name;
            (*ty).size = size as u32;
            (*ty).alignment = alignment;
            (*ty).set_declaration(declaration & 1 != 0);
        }
        if let Some(entry) = self.s.entries.last_mut() {
            // Of one byte may be an empty class, which counts as none: not for here.
            entry.size = if size > 1 && matches!(entry.kind, dw_tag::STRUCTURE_TYPE | dw_tag::UNION_TYPE) { size as u32 } else { 0 };
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
        let Some(start) = self.s.frames.last().map(|f| f.start as usize) else { return };
        let so_far = self.s.dimensions.len() - start;
        if so_far < MAX_DIMENSIONS {
            self.s.dimensions.push(element_count(unit, &self.s.attrs));
            if so_far + 1 == MAX_DIMENSIONS {
                self.say(format!("die__create_new_array: only {MAX_DIMENSIONS} dimensions are supported!"));
            }
        }
    }

    fn end_array(&mut self, frame: &Frame) {
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

    /// Kinds without children of their own.
    pub(super) fn leaf(&mut self, unit: &'a Unit, abbrev: &Abbrev, key: u32) {
        let (tag, entry) = match abbrev.tag {
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
            self.s.entries[entry as usize].size = u32::from(unit.header.addr_size);
            self.own(tag, entry);
            return Ok(());
        }
        let (pointer, entry) = self.tag::<BtfTypeTagPtrType>(unit, abbrev.tag, key);
        // SAFETY: see above the impl.
        unsafe {
            init_lists!(pointer; tags);
            (*pointer).tag.set_has_btf_type_tag(true);
        }
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
                self.skip_children(unit, child, &mut c)?;
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

    // Functions and what they consist of.

    fn init_ftype(&mut self, ftype: *mut Ftype) {
        let size = self.byte_size();
        // SAFETY: see above the impl.
        unsafe {
            (*ftype).byte_size = size as usize;
            init_lists!(ftype; parms, template_type_params, template_value_params);
        }
    }

    pub(super) fn subroutine_type(&mut self, unit: &'a Unit, abbrev: &Abbrev, key: u32) {
        let (ftype, entry) = self.tag::<Ftype>(unit, abbrev.tag, key);
        self.init_ftype(ftype);
        self.open(abbrev, Frame { ftype, ..frame(Place::Subroutine, ftype.cast(), entry) });
    }

    pub(super) fn function(&mut self, unit: &'a Unit, abbrev: &Abbrev, key: u32) {
        let (function, entry) = self.tag::<Function>(unit, abbrev.tag, key);
        self.init_ftype(function.cast());
        let (addr, size) = self.code(unit);
        let name = self.text(unit, Slot::Name);
        let linkage_name = self.text(unit, Slot::MipsLinkageName);
        let inlined = self.numeric(Slot::Inline, dw::DW_AT_inline);
        let accessibility = self.numeric(Slot::Accessibility, dw::DW_AT_accessibility);
        let virtuality = self.numeric(Slot::Virtuality, dw::DW_AT_virtuality);
        let has_vtable_entry = self.s.attrs.has(Slot::VtableElemLocation);
        let vtable_entry = if has_vtable_entry { self.offset(Slot::VtableElemLocation) as i32 } else { -1 };
        let attrs = &self.s.attrs;
        // SAFETY: see above the impl.
        let (block, annots) = unsafe {
            init_lists!(function; lexblock.tags, vtable_node, annots, tool.tool_node);
            let f = &mut *function;
            f.lexblock.ip.addr = addr;
            f.lexblock.size = size as u32;
            f.name = name;
            f.linkage_name = linkage_name;
            f.set_inlined((inlined & 3) as u8);
            f.set_declaration(attrs.has(Slot::Declaration));
            f.set_external(attrs.has(Slot::External));
            f.set_abstract_origin(attrs.has(Slot::AbstractOrigin));
            f.set_accessibility((accessibility & 3) as u8);
            f.set_virtuality((virtuality & 3) as u8);
            f.vtable_entry = vtable_entry;
            (&raw mut (*function).lexblock, &raw mut (*function).annots)
        };
        self.annotation_chain(unit, annots, -1);
        let ftype = function.cast();
        self.open(abbrev, Frame { block, ftype, annots, ..frame(Place::Function, function.cast(), entry) });
    }

    pub(super) fn block(&mut self, unit: &'a Unit, abbrev: &Abbrev, key: u32) {
        let (block, entry) = self.tag::<Lexblock>(unit, abbrev.tag, key);
        let (addr, size) = self.code(unit);
        // SAFETY: see above the impl.
        unsafe {
            (*block).ip.addr = addr;
            (*block).size = size as u32;
            init_lists!(block; tags);
        }
        self.open(abbrev, Frame { block, ..frame(Place::Block, block.cast(), entry) });
    }

    pub(super) fn unspecified_parameters(&mut self) {
        let Some(ftype) = self.s.frames.last().map(|f| f.ftype).filter(|f| !f.is_null()) else { return };
        // SAFETY: see above the impl.
        unsafe { (*ftype).set_unspec_parms(true) };
    }

    pub(super) fn parameter(&mut self, unit: &'a Unit, abbrev: &Abbrev, key: u32) {
        let (parameter, entry) = self.tag::<Parameter>(unit, abbrev.tag, key);
        let name = self.text(unit, Slot::Name);
        let attrs = &self.s.attrs;
        let (has_const_value, has_location) = (attrs.has(Slot::ConstValue), attrs.has(Slot::Location));
        let Some(frame) = self.s.frames.last_mut() else { return };
        let (block, ftype, annots) = (frame.block, frame.ftype, frame.annots);
        let component = if frame.place == Place::Function { frame.count } else { -1 };
        frame.count += 1;
        // SAFETY: see above the impl.
        unsafe {
            let p = &mut *parameter;
            p.name = name;
            p.idx = component as u8;
            p.loc_reg = -1;
            if ftype.is_null() {
                ListHead::add_tail(&raw mut (*block).tags, parameter.cast());
            } else {
                p.set_has_const_value(has_const_value);
                p.set_has_loc(has_location);
                (*ftype).nr_parms = (*ftype).nr_parms.wrapping_add(1);
                ListHead::add_tail(&raw mut (*ftype).parms, parameter.cast());
            }
        }
        self.register(parameter.cast(), entry);
        self.instance(entry);
        if component >= 0 {
            self.annotation_chain(unit, annots, component);
            self.open_annotated(abbrev, annots, component);
        }
    }

    fn new_variable(&mut self, unit: &'a Unit, abbrev: &Abbrev, key: u32) -> (*mut Variable, u32) {
        let (variable, entry) = self.tag::<Variable>(unit, abbrev.tag, key);
        let name = self.text(unit, Slot::Name);
        let attrs = &self.s.attrs;
        let declaration = attrs.has(Slot::Declaration);
        let top_level = self.s.frames.last().is_some_and(|f| f.place == Place::Unit);
        // SAFETY: see above the impl.
        unsafe {
            let v = &mut *variable;
            v.name = name;
            v.set_external(attrs.has(Slot::External));
            v.set_declaration(declaration);
            v.set_has_specification(attrs.has(Slot::Specification));
            v.set_artificial(attrs.has(Slot::Artificial));
            v.set_top_level(top_level);
            init_lists!(variable; annots);
            if !declaration && self.options.addr_info {
                let (scope, addr) = self.place_of_variable(unit);
                v.scope = scope;
                v.ip.addr = addr;
            }
        }
        (variable, entry)
    }

    /// Where a variable is, as far as a single expression tells, and its address if it has one.
    fn place_of_variable(&mut self, unit: &Unit) -> (Vscope, u64) {
        let Some(block) = self.s.attrs.block(Slot::Location) else { return (scope::OPTIMIZED, 0) };
        let mut ops = std::mem::take(&mut self.s.ops);
        let place = self.place_from(unit, block, &mut ops);
        self.s.ops = ops;
        place
    }

    fn place_from(&self, unit: &Unit, block: Block, ops: &mut Vec<Op>) -> (Vscope, u64) {
        let source = self.source();
        let ref_size = if unit.header.version == 2 { unit.header.addr_size } else { unit.header.offset_size };
        let (start, len) = (block.start as usize, block.len as usize);
        let (big, addr_size) = (source.file.is_big_endian(), unit.header.addr_size);
        if read_ops(source.buf, start, len, big, addr_size, ref_size, ".debug_info", ops).is_err() {
            return (scope::OPTIMIZED, 0);
        }
        let Some(first) = ops.first() else { return (0, 0) };
        let base = match first.code {
            dw::DW_OP_addr => first.operand,
            dw::DW_OP_addrx => source.address_at(unit, first.operand).unwrap_or(0),
            dw::DW_OP_fbreg => return (scope::LOCAL, 0),
            _ if first.register().is_some_and(|r| r != 0) || first.base_register().is_some() => return (scope::REGISTER, 0),
            _ => return (0, 0),
        };
        let plus = match ops.get(1) {
            Some(op) if ops.len() == 2 && op.code == dw::DW_OP_plus_uconst => op.operand,
            _ => 0,
        };
        (scope::GLOBAL, base.wrapping_add(plus))
    }

    pub(super) fn variable(&mut self, unit: &'a Unit, abbrev: &Abbrev, key: u32) {
        let (variable, entry) = self.new_variable(unit, abbrev, key);
        self.own(variable.cast(), entry);
        // SAFETY: see above the impl.
        let annots = unsafe { &raw mut (*variable).annots };
        self.open_annotated(abbrev, annots, -1);
    }

    pub(super) fn block_variable(&mut self, unit: &'a Unit, abbrev: &Abbrev, key: u32) {
        let (variable, entry) = self.new_variable(unit, abbrev, key);
        if let Some(block) = self.s.frames.last().map(|f| f.block) {
            // SAFETY: see above the impl.
            unsafe {
                (*block).nr_variables = (*block).nr_variables.wrapping_add(1);
                ListHead::add_tail(&raw mut (*block).tags, variable.cast());
            }
        }
        self.register(variable.cast(), entry);
        self.instance(entry);
        // SAFETY: see above the impl.
        let annots = unsafe { &raw mut (*variable).annots };
        self.open_annotated(abbrev, annots, -1);
    }

    pub(super) fn label(&mut self, unit: &'a Unit, key: u32) {
        let (label, entry) = self.tag::<Label>(unit, dw::DW_TAG_label, key);
        let name = self.text(unit, Slot::Name);
        let addr = self.source().address(unit, &self.s.attrs, Slot::LowPc).unwrap_or(0);
        let block = self.s.frames.last().map_or(ptr::null_mut(), |f| f.block);
        // SAFETY: see above the impl.
        unsafe {
            (*label).name = name;
            (*label).ip.addr = addr;
            if block.is_null() {
                self.own(label.cast(), entry);
                return;
            }
            (*block).nr_labels = (*block).nr_labels.wrapping_add(1);
            ListHead::add_tail(&raw mut (*block).tags, label.cast());
        }
        self.register(label.cast(), entry);
        self.instance(entry);
    }

    pub(super) fn inline_expansion(&mut self, unit: &'a Unit, abbrev: &Abbrev, key: u32) {
        let (expansion, entry) = self.tag::<InlineExpansion>(unit, abbrev.tag, key);
        let block = self.s.frames.last().map_or(ptr::null_mut(), |f| f.block);
        if self.options.addr_info {
            let low = self.source().address(unit, &self.s.attrs, Slot::LowPc);
            let high = low.and_then(|low| self.high_pc(unit, low));
            // SAFETY: see above the impl.
            let e = unsafe { &mut *expansion };
            e.ip.addr = low.unwrap_or(0);
            e.high_pc = e.ip.addr;
            let mut add = |begin: u64, end: u64| {
                e.high_pc = end;
                e.size = e.size.wrapping_add(end.wrapping_sub(begin) as usize);
                if e.ip.addr == 0 {
                    e.ip.addr = begin;
                }
            };
            if let (Some(low), Some(high)) = (low, high) {
                add(low, high);
            } else if let Some((form, value)) = self.s.attrs.get(Slot::Ranges) {
                let list = RangeList { form, value, base: self.low_pc, rnglists_base: self.rnglists_base };
                // A damaged list counts as far as it is sound.
                let _ = ranges::for_each(self.source().file, unit, &list, add);
            }
        }
        self.open(abbrev, Frame { block, ..frame(Place::Inline, expansion.cast(), entry) });
    }

    // Templates.

    pub(super) fn class_template(
        &mut self,
        unit: &'a Unit,
        abbrev: &Abbrev,
        key: u32,
        c: &mut Cursor<'a>,
    ) -> Result<(), DwarfError> {
        let Some(owner) = self.s.frames.last().map(|f| f.tag.cast::<Type>()) else { return Ok(()) };
        // SAFETY: see above the impl.
        unsafe {
            let types = &raw mut (*owner).template_type_params;
            let values = &raw mut (*owner).template_value_params;
            let pack = &raw mut (*owner).template_parameter_pack;
            self.template(unit, abbrev, key, c, types, values, pack)
        }
    }

    pub(super) fn function_template(
        &mut self,
        unit: &'a Unit,
        abbrev: &Abbrev,
        key: u32,
        c: &mut Cursor<'a>,
    ) -> Result<(), DwarfError> {
        let Some(ftype) = self.s.frames.last().map(|f| f.ftype).filter(|f| !f.is_null()) else {
            return self.skip_children(unit, abbrev, c);
        };
        // SAFETY: see above the impl.
        unsafe {
            if abbrev.tag == dw::DW_TAG_GNU_formal_parameter_pack {
                let (pack, entry) = self.tag::<FormalParameterPack>(unit, abbrev.tag, key);
                init_lists!(pack; params);
                (*ftype).formal_parameter_pack = pack;
                self.open(abbrev, frame(Place::FormalPack, pack.cast(), entry));
                return Ok(());
            }
            let types = &raw mut (*ftype).template_type_params;
            let values = &raw mut (*ftype).template_value_params;
            let pack = &raw mut (*ftype).template_parameter_pack;
            self.template(unit, abbrev, key, c, types, values, pack)
        }
    }

    /// # Safety
    /// The heads and the slot of the pack are the owner's.
    #[allow(clippy::too_many_arguments, reason = "types and functions keep these three in different places")]
    unsafe fn template(
        &mut self,
        unit: &'a Unit,
        abbrev: &Abbrev,
        key: u32,
        c: &mut Cursor<'a>,
        types: *mut ListHead,
        values: *mut ListHead,
        pack_slot: *mut *mut TemplateParameterPack,
    ) -> Result<(), DwarfError> {
        // SAFETY: see above the impl.
        unsafe {
            match abbrev.tag {
                dw::DW_TAG_template_type_parameter => {
                    let param = self.template_type(unit, abbrev, key);
                    ListHead::add_tail(types, param.cast());
                }
                dw::DW_TAG_template_value_parameter => {
                    let (param, _) = self.tag::<TemplateValueParam>(unit, abbrev.tag, key);
                    (*param).name = self.text(unit, Slot::Name);
                    (*param).const_value = self.numeric(Slot::ConstValue, dw::DW_AT_const_value);
                    (*param).default_value = self.numeric(Slot::DefaultValue, dw::DW_AT_default_value);
                    ListHead::add_tail(values, param.cast());
                }
                _ => {
                    let (pack, entry) = self.tag::<TemplateParameterPack>(unit, abbrev.tag, key);
                    (*pack).name = self.text(unit, Slot::Name);
                    init_lists!(pack; params);
                    *pack_slot = pack;
                    self.open(abbrev, frame(Place::TemplatePack, pack.cast(), entry));
                    return Ok(());
                }
            }
        }
        self.skip_children(unit, abbrev, c)
    }

    fn template_type(&mut self, unit: &'a Unit, abbrev: &Abbrev, key: u32) -> *mut TemplateTypeParam {
        let (param, _) = self.tag::<TemplateTypeParam>(unit, abbrev.tag, key);
        let name = self.text(unit, Slot::Name);
        // SAFETY: see above the impl.
        unsafe { (*param).name = name };
        param
    }

    pub(super) fn pack_element(&mut self, unit: &'a Unit, abbrev: &Abbrev, key: u32) {
        let Some((place, pack)) = self.s.frames.last().map(|f| (f.place, f.tag)) else { return };
        // SAFETY: see above the impl.
        unsafe {
            if place == Place::TemplatePack {
                let param = self.template_type(unit, abbrev, key);
                ListHead::add_tail(&raw mut (*pack.cast::<TemplateParameterPack>()).params, param.cast());
                return;
            }
            let (param, entry) = self.tag::<Parameter>(unit, abbrev.tag, key);
            self.unreferenced(entry);
            (*param).name = self.text(unit, Slot::Name);
            (*param).idx = u8::MAX;
            (*param).loc_reg = -1;
            ListHead::add_tail(&raw mut (*pack.cast::<FormalParameterPack>()).params, param.cast());
        }
    }

    /// A parameter, or what stands in a block, takes over from its origin what it lacks. What stands in an inline expansion does not.
    fn instance(&mut self, entry: u32) {
        if self.s.entries[entry as usize].origin != 0 {
            self.s.instances.push(entry);
        }
    }

    /// The C library resolves no references of such a tag.
    fn unreferenced(&mut self, entry: u32) {
        let entry = &mut self.s.entries[entry as usize];
        (entry.ty, entry.origin) = (0, 0);
    }

    // Annotations.

    /// An annotation entry, about what its frame says.
    pub(super) fn annotation(&mut self, unit: &'a Unit, abbrev: &Abbrev, c: &mut Cursor<'a>) -> Result<(), DwarfError> {
        self.take(unit, abbrev, c)?;
        if let Some(frame) = self.s.frames.last() {
            let (annots, component) = (frame.annots, frame.component);
            let name = self.s.attrs.get(Slot::Name);
            let value = self.s.attrs.get(Slot::ConstValue);
            self.decl_tag(unit, name, value, annots, component);
        }
        self.skip_children(unit, abbrev, c)
    }

    /// The annotations that the entry just read refers to, one referring to the next.
    fn annotation_chain(&mut self, unit: &'a Unit, annots: *mut ListHead, component: i32) {
        let mut key = self.reference(unit, &self.s.attrs, Slot::Annotation);
        for _ in 0..MAX_CHAIN {
            if key == 0 {
                return;
            }
            let Some((unit, kind)) = self.read_aside(key) else { return };
            if kind != GNU_ANNOTATION {
                return;
            }
            let (name, value) = (self.s.other.get(Slot::Name), self.s.other.get(Slot::ConstValue));
            key = self.reference(unit, &self.s.other, Slot::Annotation);
            self.decl_tag(unit, name, value, annots, component);
        }
    }

    fn decl_tag(
        &mut self,
        unit: &Unit,
        name: Option<(dw::DwForm, u64)>,
        value: Option<(dw::DwForm, u64)>,
        annots: *mut ListHead,
        component: i32,
    ) {
        if !self.options.decl_tags || annots.is_null() {
            return;
        }
        let Some((form, offset)) = name else { return };
        let Some((name, _)) = self.source_of(unit).0.string_value(unit, form, offset) else { return };
        if name != b"btf_decl_tag" {
            return;
        }
        let value = self.text_of(unit, value);
        let annotation = self.s.memory.zeroed(size_of::<LlvmAnnotation>()).cast::<LlvmAnnotation>();
        // SAFETY: a new block of this size, and see above the impl.
        unsafe {
            (*annotation).value = value;
            (*annotation).component_idx = component as i16;
            ListHead::add_tail(annots, &raw mut (*annotation).node);
        }
    }
}

fn frame(place: Place, tag: *mut Tag, entry: u32) -> Frame {
    Frame {
        place,
        tag,
        entry,
        block: ptr::null_mut(),
        ftype: ptr::null_mut(),
        annots: ptr::null_mut(),
        component: -1,
        count: 0,
        start: 0,
        last: ptr::null_mut(),
    }
}
