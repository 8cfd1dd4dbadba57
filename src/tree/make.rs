//! What all tags have in common: their memory, what their attributes say, and how they are linked to their owners.
//!
//! The kinds are made in [`super::types`], [`super::functions`], [`super::templates`] and [`super::annotations`].

use std::ffi::c_char;
use std::ptr;

use super::builder::{Builder, Entry, Frame, GNU_ANNOTATION, LLVM_ANNOTATION, Place};
use super::resolve::role_of;
use crate::abi::origin::DeclOrigin;
use crate::abi::*;
use crate::dwarf::abbrev::{Abbrev, Attrs, Slot};
use crate::dwarf::cursor::Cursor;
use crate::dwarf::line;
use crate::dwarf::source::{Unit, number};
use gimli::constants as dw;

/// Longest chain of annotations that is followed.
pub(super) const MAX_CHAIN: usize = 1024;
/// Longest chain of origins.
const MAX_ORIGINS: usize = 17;

/// Makes empty lists of heads within a structure.
macro_rules! init_lists {
    ($owner:expr; $($($field:ident).+),*) => {
        $(ListHead::init(&raw mut (*$owner).$($field).+);)*
    };
}
pub(super) use init_lists;

// SAFETY of the blocks below: tags come from `tag`, zeroed, of the kind's structure, and stay valid as long as the set of units; the unit is
// the builder's alone; frames hold the tags and lists that their place says.
impl<'a> Builder<'a, '_> {
    /// A zeroed tag of the entry, with its references noted.
    pub(super) fn tag<T>(&mut self, unit: &'a Unit, kind: dw::DwTag, key: u32) -> (*mut T, u32) {
        let origin_size = if self.options.decl_info { size_of::<DeclOrigin>() } else { 0 };
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
        // SAFETY: the block has room for the record and the tag behind it.
        let tag = unsafe {
            let tag = block.add(origin_size).cast::<Tag>();
            (*tag).tag = kind.0;
            ListHead::init(&raw mut (*tag).node);
            tag
        };
        let encoding = number(attrs, Slot::Encoding).map(|encoding| dw::DwAte(encoding as u8));
        let mark = matches!(encoding, Some(dw::DW_ATE_signed | dw::DW_ATE_signed_char));
        if has_specification {
            let specification = self.reference(unit, attrs, Slot::Specification);
            self.s.specifications.push((index, specification));
        }
        if matches!(kind, dw::DW_TAG_member | dw::DW_TAG_inheritance) {
            self.s.sized.push(index);
        }
        self.s.entries.push(Entry { tag, key, ty, origin, id: 0, size: 0, kind: kind.0, role: role_of(kind.0), mark });
        // Nobody refers to annotations.
        if !matches!(kind, LLVM_ANNOTATION | GNU_ANNOTATION) {
            self.s.map.push(key, index as usize);
        }
        if self.options.decl_info {
            self.declare(unit, tag, kind, key);
        }
        (tag.cast(), index)
    }

    /// Notes where the tag is declared.
    pub(super) fn declare(&mut self, unit: &'a Unit, tag: *mut Tag, kind: dw::DwTag, key: u32) {
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
            let record = DeclOrigin::of(tag);
            (*record).offset = self.offset_of(key);
            (*record).file = file;
            // C keeps 16 bits of it.
            (*record).line = u32::from(line as u16);
        }
    }

    /// A number of the entry itself, or of what it is an instance or a definition of.
    pub(super) fn integrated(&mut self, unit: &'a Unit, slot: Slot) -> Option<(&'a Unit, u64)> {
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
    pub(super) fn origin_in(&self, unit: &Unit, attrs: &Attrs) -> u32 {
        let slot = if attrs.has(Slot::AbstractOrigin) { Slot::AbstractOrigin } else { Slot::Specification };
        self.reference(unit, attrs, slot)
    }

    /// The name of a file by its number in the unit's table; NULL for none.
    pub(super) fn file_name(&mut self, unit: &'a Unit, number: u64) -> *const c_char {
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

    pub(super) fn file_table(&mut self, unit: &'a Unit) -> Option<line::FileNames> {
        let (source, delta) = self.source_of(unit);
        let file = source.file;
        self.read_aside(delta + unit.start + unit.header.header_size)?;
        let (_, offset) = self.s.other.get(Slot::StmtList)?;
        let comp_dir = self.source_of(unit).0.string(unit, &self.s.other, Slot::CompDir);
        line::file_names(file, offset, unit.header.addr_size, comp_dir)
    }

    /// A string attribute; NULL without it.
    pub(super) fn text(&mut self, unit: &Unit, slot: Slot) -> *const c_char {
        self.text_of(unit, self.s.attrs.get(slot))
    }

    pub(super) fn text_of(&mut self, unit: &Unit, attr: Option<(dw::DwForm, u64)>) -> *const c_char {
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
    pub(super) fn numeric(&mut self, slot: Slot, at: dw::DwAt) -> u64 {
        let Some((form, _)) = self.s.attrs.get(slot) else { return 0 };
        if let Some(value) = number(&self.s.attrs, slot) {
            return value;
        }
        self.say_form(at, form);
        0
    }

    #[cold]
    pub(super) fn say_form(&mut self, at: dw::DwAt, form: dw::DwForm) {
        self.say(format!("DW_AT_<{:#x}>={:#x}", at.0, form.0));
    }

    pub(super) fn byte_size(&mut self) -> u64 {
        self.numeric(Slot::ByteSize, dw::DW_AT_byte_size)
    }

    pub(super) fn alignment(&mut self) -> u32 {
        if self.options.ignore_alignment { 0 } else { self.numeric(Slot::Alignment, dw::DW_AT_alignment) as u32 }
    }

    /// A place in a struct or a virtual table: a number or a simple expression.
    pub(super) fn offset(&mut self, slot: Slot) -> u64 {
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
    pub(super) fn code(&self, unit: &Unit) -> (u64, u64) {
        let attrs = &self.s.attrs;
        let Some(low) = self.source().address(unit, attrs, Slot::LowPc) else { return (0, 0) };
        (low, self.high_pc(unit, low).map_or(0, |high| high.wrapping_sub(low)))
    }

    pub(super) fn high_pc(&self, unit: &Unit, low: u64) -> Option<u64> {
        let attrs = &self.s.attrs;
        let high = self.source().address(unit, attrs, Slot::HighPc);
        high.or_else(|| number(attrs, Slot::HighPc).map(|size| low.wrapping_add(size)))
    }

    // Owners.

    /// A tag that stands where it may have any owner gets its id and is linked.
    pub(super) fn own(&mut self, tag: *mut Tag, entry: u32) {
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

    /// As [`Builder::own`], for a type that is not nameless as `void` is.
    #[inline]
    pub(super) fn own_type(&mut self, tag: *mut Tag, entry: u32) {
        let Some(frame) = self.s.frames.last() else { return };
        if self.hidden && frame.place == Place::Unit {
            return self.own(tag, entry);
        }
        // SAFETY: see above the impl.
        unsafe {
            let list = match frame.place {
                Place::Namespace | Place::Class | Place::Enumeration => &raw mut (*frame.tag.cast::<Namespace>()).tags,
                place => {
                    if place == Place::Unit {
                        (*tag).set_top_level(true);
                    }
                    &raw mut (*self.cu).tags
                }
            };
            ListHead::add_tail(list, &raw mut (*tag).node);
            let id = PtrTable::push(&raw mut (*self.cu).types_table, tag.cast());
            self.s.entries[entry as usize].id = id.expect("memory for a table of tags");
        }
    }

    /// Gives a tag its id.
    pub(super) fn register(&mut self, tag: *mut Tag, entry: u32) {
        // SAFETY: see above the impl.
        let id = unsafe {
            if (*tag).is_function() {
                let function = tag.cast::<Function>();
                Cu::insert_function(self.cu, function, self.last_function);
                if self.last_function.is_null() || (*function).lexblock.ip.addr >= (*self.last_function).lexblock.ip.addr {
                    self.last_function = function;
                }
                self.s.functions.push(entry);
            }
            PtrTable::push(Cu::table_of(self.cu, tag), tag.cast())
        };
        self.s.entries[entry as usize].id = id.expect("memory for a table of tags");
    }

    /// As [`Builder::register`], for a tag that is neither a type nor a function.
    pub(super) fn register_other(&mut self, tag: *mut Tag, entry: u32) {
        // SAFETY: see above the impl.
        let id = unsafe { PtrTable::push(&raw mut (*self.cu).tags_table, tag.cast()) };
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
                    self.own_type(frame.tag, frame.entry);
                }
                Place::Class | Place::Enumeration | Place::Subroutine => self.own_type(frame.tag, frame.entry),
                Place::Namespace | Place::Function => self.own(frame.tag, frame.entry),
            }
        }
    }

    pub(super) fn open(&mut self, abbrev: &Abbrev, frame: Frame) {
        if abbrev.has_children {
            self.push(frame);
        } else {
            self.complete(&frame);
        }
    }

    /// The children of an entry that is complete: annotations for `list`.
    pub(super) fn open_annotated(&mut self, abbrev: &Abbrev, list: *mut ListHead, component: i32) {
        if abbrev.has_children && !list.is_null() {
            self.push(Frame { component, annots: list, ..frame(Place::Annotated, ptr::null_mut(), 0) });
        }
    }
}

/// A frame with nothing but these.
pub(super) fn frame(place: Place, tag: *mut Tag, entry: u32) -> Frame {
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
