//! The common kinds of entries, read by their layout.
//!
//! Nineteen entries of twenty in a kernel are members, parameters, structs, pointers and the like with nothing but a name, a type and a
//! number, all at places that the abbreviation tells. For these there is no need to look at each attribute by itself: a [`Shape`] says
//! where the few values stand. Whatever is not so simple has no shape and is made by the general code of [`super::types`] and
//! [`super::functions`], with the same result.

use std::ffi::c_char;
use std::ptr;

use super::builder::{Builder, Entry, Frame, Place, Waiting};
use super::make::{frame, init_lists};
use super::shape::{Kind, Shape, Window, Wishes};
use crate::abi::*;
use crate::dwarf::abbrev::Slot;
use crate::dwarf::cursor::Cursor;
use crate::dwarf::source::{Unit, count_up_to};

/// An entry with a shape.
#[derive(Clone, Copy)]
struct Found<'s, 'b> {
    shape: &'s Shape,
    key: u32,
    /// The name where it stands in the entry.
    head: Option<&'b [u8]>,
    /// What the offsets of the shape count from.
    window: &'b Window,
}

impl<'s, 'b> Found<'s, 'b> {
    /// Reads an entry, the cursor standing behind its code; where that cannot be done, the cursor stays.
    #[inline(always)]
    fn read(shape: &'s Shape, key: u32, c: &mut Cursor<'b>) -> Option<Found<'s, 'b>> {
        let start = c.pos();
        let (mut at, mut head) = (start, None);
        if shape.has_head {
            let len = c.cstr_len()?;
            head = Some(&c.rest()[..len]);
            at += len + 1;
        }
        let window = c.from(at).first_chunk()?;
        c.set_pos(at + usize::from(shape.size));
        if shape.has_tail && c.uleb().and_then(|size| c.skip(size)).is_err() {
            c.set_pos(start);
            return None;
        }
        Some(Found { shape, key, head, window })
    }

    /// Goes on to the next entry if it is of this kind, too; else the cursor stays.
    #[inline(always)]
    fn next(shapes: &'s [Shape], kind: Kind, c: &mut Cursor<'b>) -> Option<Found<'s, 'b>> {
        let start = c.pos();
        let (code, len) = match *c.rest() {
            [low @ ..0x80, ..] => (usize::from(low), 1),
            [low, high @ ..0x80, ..] => (usize::from(low & 0x7f) | usize::from(high) << 7, 2),
            _ => return None,
        };
        let shape = shapes.get(code.wrapping_sub(1)).filter(|shape| shape.kind == kind)?;
        c.set_pos(start + len);
        let found = Found::read(shape, start as u32, c);
        if found.is_none() {
            c.set_pos(start);
        }
        found
    }
}

// SAFETY of the blocks below: see [`super::make`].
impl<'a> Builder<'a, '_> {
    /// Finds the shapes of a unit's entries.
    pub(super) fn find_shapes(&mut self, unit: &'a Unit) {
        let mut shapes = std::mem::take(&mut self.s.shapes);
        shapes.clear();
        if self.knows_shapes(unit) {
            let wishes = Wishes {
                addresses: self.options.addr_info,
                inline_expansions: !self.options.ignore_inline_expansions,
                member_ids: self.is_cpp,
            };
            let known = &mut self.s.known_shapes;
            shapes.extend(unit.abbrevs.by_code().iter().map(|abbrev| known.get(unit, abbrev, wishes)));
        }
        self.s.shapes = shapes;
    }

    /// Whether nothing is asked for that shapes do not tell.
    fn knows_shapes(&self, unit: &Unit) -> bool {
        let source = self.source();
        !self.options.decl_info
            && self.options.kabi_prefix.is_none()
            && self.is_alone()
            && !source.file.is_big_endian()
            && unit.header.addr_size == 8
            // Every offset in it is a string's.
            && source.file.debug_str().last() == Some(&0)
    }

    /// Makes the tag of the entry at `start`, which has a shape that fits, the cursor standing behind its code, and maybe of those that
    /// follow it; false, with nothing done, where that is not to be told from the shape.
    #[inline]
    pub(super) fn quick<'s>(
        &mut self,
        unit: &'a Unit,
        shapes: &'s [Shape],
        shape: &'s Shape,
        start: usize,
        c: &mut Cursor<'a>,
    ) -> bool {
        // Entries with shapes have no others' keys before them.
        let Some(found) = Found::read(shape, start as u32, c) else { return false };
        match shape.kind {
            Kind::Member => self.quick_members(unit, shapes, found, c),
            Kind::Enumerator => self.quick_enumerators(unit, shapes, found, c),
            _ => self.make_quick(unit, &found),
        }
        true
    }

    #[inline]
    fn make_quick(&mut self, unit: &'a Unit, found: &Found<'_, '_>) {
        let &Found { shape, window, .. } = found;
        match shape.kind {
            Kind::Bitfield => self.quick_bitfield(unit, found),
            Kind::Parameter => self.quick_parameter(unit, found),
            Kind::Pointer | Kind::Plain => {
                let (tag, entry) = self.quick_tag::<Tag>(unit, found);
                if shape.kind == Kind::Pointer {
                    self.s.entries[entry as usize].size = u32::from(unit.header.addr_size);
                }
                self.own_type(tag, entry);
            }
            Kind::Typedef => {
                let (ty, entry) = self.quick_type::<Type>(unit, found);
                self.own_type(ty.cast(), entry);
            }
            Kind::Class => {
                let (class, entry) = self.quick_type::<Class>(unit, found);
                // SAFETY: see above the impl.
                let annots = unsafe {
                    init_lists!(class; vtable);
                    &raw mut (*class).r#type.namespace.annots
                };
                self.quick_open(shape, || Frame { annots, ..frame(Place::Class, class.cast(), entry) });
            }
            Kind::Union => {
                let (ty, entry) = self.quick_type::<Type>(unit, found);
                // SAFETY: see above the impl.
                let annots = unsafe { &raw mut (*ty).namespace.annots };
                self.quick_open(shape, || Frame { annots, ..frame(Place::Class, ty.cast(), entry) });
            }
            Kind::Array => {
                let (array, entry) = self.quick_tag::<ArrayType>(unit, found);
                let start = self.s.dimensions.len() as u32;
                self.quick_open(shape, || Frame { start, ..frame(Place::Array, array.cast(), entry) });
            }
            Kind::Subrange => {
                let count = if shape.has(Slot::UpperBound) { count_up_to(unit, shape.number(window) as i64) } else { 0 };
                self.add_dimension(count);
            }
            Kind::Subroutine => {
                let (ftype, entry) = self.quick_tag::<Ftype>(unit, found);
                self.init_ftype_lists(ftype);
                self.quick_open(shape, || Frame { ftype, ..frame(Place::Subroutine, ftype.cast(), entry) });
            }
            Kind::Function => self.quick_function(unit, found),
            Kind::Variable => self.quick_variable(unit, found),
            Kind::Block => {
                let (block, entry) = self.quick_tag::<Lexblock>(unit, found);
                // SAFETY: see above the impl.
                unsafe {
                    init_lists!(block; tags);
                }
                self.quick_open(shape, || Frame { block, ..frame(Place::Block, block.cast(), entry) });
            }
            Kind::Inline => {
                let block = self.s.frames.last().map_or(ptr::null_mut(), |f| f.block);
                let (expansion, entry) = self.quick_tag::<InlineExpansion>(unit, found);
                self.s.entries[entry as usize].ty = shape.origin(unit, window);
                self.quick_open(shape, || Frame { block, ..frame(Place::Inline, expansion.cast(), entry) });
            }
            Kind::Other | Kind::Member | Kind::Enumerator => {}
        }
    }

    /// As [`Builder::tag`].
    #[inline]
    fn quick_tag<T>(&mut self, unit: &Unit, found: &Found<'_, '_>) -> (*mut T, u32) {
        let &Found { shape, key, window, .. } = found;
        let tag = self.s.memory.zeroed(size_of::<T>()).cast::<Tag>();
        // SAFETY: a new block that starts with a tag.
        unsafe {
            (*tag).tag = shape.tag.0;
            ListHead::init(&raw mut (*tag).node);
        }
        let index = self.s.entries.len() as u32;
        let (ty, origin) = (shape.ty(unit, window), shape.origin(unit, window));
        let (kind, role) = (shape.tag.0, shape.role);
        self.s.entries.push(Entry { tag, key, ty, origin, id: 0, size: 0, kind, role, mark: false });
        self.s.map.push(key, index as usize);
        (tag.cast(), index)
    }

    /// A tag that starts with a [`Type`], as of [`Builder::init_type`].
    #[inline]
    fn quick_type<T>(&mut self, unit: &Unit, found: &Found<'_, '_>) -> (*mut T, u32) {
        let &Found { shape, window, .. } = found;
        let name = self.quick_name(found);
        let (ty, entry) = self.quick_tag::<T>(unit, found);
        self.init_type_lists(ty.cast(), name);
        let size = shape.number(window);
        if size != 0 {
            self.s.entries[entry as usize].size = if size > 1 { size as u32 } else { 0 };
        }
        // SAFETY: see above the impl.
        unsafe {
            let ty = &mut *ty.cast::<Type>();
            ty.size = size as u32;
            if shape.has(Slot::Alignment) && !self.options.ignore_alignment {
                ty.alignment = shape.second(window) as u32;
            }
            if shape.has(Slot::Declaration) {
                ty.set_declaration(true);
            }
        }
        (ty, entry)
    }

    /// As [`Builder::open`]; the frame is made where it is needed.
    #[inline(always)]
    fn quick_open(&mut self, shape: &Shape, frame: impl Fn() -> Frame) {
        if shape.has_children {
            self.push(frame());
        } else {
            self.complete(&frame());
        }
    }

    #[inline]
    fn quick_name(&mut self, found: &Found<'_, '_>) -> *const c_char {
        if let Some(name) = found.head {
            // The unit's own bytes are overwritten by the next unit.
            return self.s.memory.string(name);
        }
        let Some(offset) = found.shape.name(found.window) else { return ptr::null() };
        let name = self.debug_str.get(offset as usize..).filter(|s| !s.is_empty());
        name.map_or(ptr::null(), |s| s.as_ptr().cast())
    }

    /// A member and those that follow it. They are no entries: they wait in a list of their own for their types.
    fn quick_members<'s, 'b>(&mut self, unit: &Unit, shapes: &'s [Shape], mut found: Found<'s, 'b>, c: &mut Cursor<'b>) {
        let Some(owner) = self.s.frames.last().map(|frame| frame.tag.cast::<Type>()) else { return };
        let before = self.s.entries.len() as u32;
        let (mut members, mut statics) = (0u32, 0u32);
        // SAFETY: see above the impl; new blocks of this size, zeroed. Flags are not read before they are set, since the block is in no cache.
        unsafe {
            let head = &raw mut (*owner).namespace.tags;
            let is_union = (*owner).namespace.tag.is_union();
            let mut last = (*head).prev;
            loop {
                let &Found { shape, key, window, .. } = &found;
                let (name, offset) = (self.quick_name(&found), shape.number(window) as u32);
                let member = self.s.memory.zeroed(size_of::<ClassMember>()).cast::<ClassMember>();
                let is_static = !shape.has(Slot::MemberLocation) && !is_union;
                let m = &mut *member;
                m.tag.node = ListHead { next: head, prev: last };
                m.tag.tag = shape.tag.0;
                // The key, until it is resolved.
                m.tag.r#type = shape.ty(unit, window);
                m.name = name;
                m.byte_offset = offset;
                m.bit_offset = offset.wrapping_mul(8);
                if shape.has(Slot::Alignment) && !self.options.ignore_alignment {
                    m.alignment = shape.second(window) as u32;
                }
                if is_static {
                    m.set_is_static(true);
                    statics += 1;
                } else {
                    members += 1;
                }
                (*last).next = member.cast();
                last = member.cast();
                self.s.members.push(Waiting { member, key, before });
                match Found::next(shapes, Kind::Member, c) {
                    Some(next) => found = next,
                    None => break,
                }
            }
            (*head).prev = last;
            (*owner).nr_members = (*owner).nr_members.wrapping_add(members as u16);
            (*owner).nr_static_members = (*owner).nr_static_members.wrapping_add(statics as u16);
        }
        if let Some(frame) = self.s.frames.last_mut() {
            frame.count += (members + statics) as i32;
        }
    }

    fn quick_bitfield(&mut self, unit: &Unit, found: &Found<'_, '_>) {
        let name = self.quick_name(found);
        let (member, entry) = self.quick_tag::<ClassMember>(unit, found);
        self.s.sized.push(entry);
        let Some(frame) = self.s.frames.last_mut() else { return };
        frame.count += 1;
        let owner = frame.tag.cast::<Type>();
        // SAFETY: see above the impl.
        unsafe {
            let m = &mut *member;
            m.name = name;
            m.set_has_bit_offset(true);
            m.bit_offset = found.shape.number(found.window) as u32;
            m.bitfield_size = found.shape.second(found.window) as u8;
            (*owner).nr_members = (*owner).nr_members.wrapping_add(1);
            ListHead::add_tail(&raw mut (*owner).namespace.tags, member.cast());
        }
    }

    /// An enumerator and those that follow it.
    fn quick_enumerators<'s, 'b>(&mut self, unit: &Unit, shapes: &'s [Shape], mut found: Found<'s, 'b>, c: &mut Cursor<'b>) {
        loop {
            let (name, value) = (self.quick_name(&found), found.shape.number(found.window));
            let (enumerator, _) = self.quick_tag::<Enumerator>(unit, &found);
            self.add_enumerator(enumerator, name, value);
            match Found::next(shapes, Kind::Enumerator, c) {
                Some(next) => found = next,
                None => return,
            }
        }
    }

    fn quick_parameter(&mut self, unit: &Unit, found: &Found<'_, '_>) {
        let name = self.quick_name(found);
        let (parameter, entry) = self.quick_tag::<Parameter>(unit, found);
        let Some(frame) = self.s.frames.last_mut() else { return };
        let (ftype, component) = (frame.ftype, if frame.place == Place::Function { frame.count } else { -1 });
        frame.count += 1;
        // SAFETY: see above the impl; functions and function types have an ftype.
        unsafe {
            let p = &mut *parameter;
            p.name = name;
            p.idx = component as u8;
            p.loc_reg = -1;
            if found.shape.has(Slot::Location) {
                p.set_has_loc(true);
            }
            (*ftype).nr_parms = (*ftype).nr_parms.wrapping_add(1);
            ListHead::add_tail(&raw mut (*ftype).parms, parameter.cast());
        }
        self.register_other(parameter.cast(), entry);
        self.instance(entry);
        self.takes(ftype, entry);
    }

    fn quick_function(&mut self, unit: &'a Unit, found: &Found<'_, '_>) {
        let &Found { shape, window, .. } = found;
        let name = self.quick_name(found);
        let (function, entry) = self.quick_tag::<Function>(unit, found);
        self.init_ftype_lists(function.cast());
        self.init_function_lists(function);
        // SAFETY: see above the impl.
        let (block, annots) = unsafe {
            let f = &mut *function;
            f.name = name;
            f.set_inlined((shape.number(window) & 3) as u8);
            f.set_declaration(shape.has(Slot::Declaration));
            f.set_external(shape.has(Slot::External));
            f.set_abstract_origin(shape.has(Slot::AbstractOrigin));
            f.vtable_entry = -1;
            (&raw mut (*function).lexblock, &raw mut (*function).annots)
        };
        let ftype = function.cast();
        self.quick_open(shape, || Frame { block, ftype, annots, ..frame(Place::Function, function.cast(), entry) });
    }

    fn quick_variable(&mut self, unit: &Unit, found: &Found<'_, '_>) {
        let shape = found.shape;
        let name = self.quick_name(found);
        let (variable, entry) = self.quick_tag::<Variable>(unit, found);
        let Some((place, block)) = self.s.frames.last().map(|f| (f.place, f.block)) else { return };
        // SAFETY: see above the impl.
        unsafe {
            let v = &mut *variable;
            v.name = name;
            v.set_external(shape.has(Slot::External));
            v.set_declaration(shape.has(Slot::Declaration));
            v.set_artificial(shape.has(Slot::Artificial));
            init_lists!(variable; annots);
            if place == Place::Unit {
                v.set_top_level(true);
                return self.own(variable.cast(), entry);
            }
            (*block).nr_variables = (*block).nr_variables.wrapping_add(1);
            ListHead::add_tail(&raw mut (*block).tags, variable.cast());
        }
        self.register_other(variable.cast(), entry);
        self.instance(entry);
    }
}
