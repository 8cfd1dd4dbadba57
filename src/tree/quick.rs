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
use super::shape::{Kind, Shape, Wishes};
use crate::abi::*;
use crate::dwarf::abbrev::Slot;
use crate::dwarf::cursor::Cursor;
use crate::dwarf::source::{Unit, count_up_to};

/// An entry with a shape.
struct Found<'s, 'b> {
    shape: &'s Shape,
    key: u32,
    /// The name where it stands in the entry.
    head: Option<&'b [u8]>,
    /// What the offsets of the shape count from.
    bytes: &'b [u8],
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
            shapes.extend(unit.abbrevs.by_code().iter().map(|abbrev| Shape::of(unit, abbrev, wishes)));
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

    /// Makes the tag of an entry with a shape, the cursor standing behind its code; false, with nothing done, for any other entry.
    #[inline]
    pub(super) fn quick(&mut self, unit: &'a Unit, code: u64, key: u32, c: &mut Cursor<'a>) -> bool {
        let Some(&shape) = self.s.shapes.get((code as usize).wrapping_sub(1)) else { return false };
        let Some(place) = self.s.frames.last().map(|frame| frame.place) else { return false };
        if !fits(shape.kind, place) {
            return false;
        }
        let (start, rest) = (c.pos(), c.rest());
        let (head, before) = if shape.has_head {
            let Some(end) = c.cstr_len() else { return false };
            (Some(&rest[..end]), end + 1)
        } else {
            (None, 0)
        };
        let Some(bytes) = rest.get(before..before + usize::from(shape.size)) else { return false };
        c.set_pos(start + before + bytes.len());
        if shape.has_tail && c.uleb().and_then(|size| c.skip(size)).is_err() {
            c.set_pos(start);
            return false;
        }
        self.make_quick(unit, &Found { shape: &shape, key, head, bytes });
        true
    }

    #[inline]
    fn make_quick(&mut self, unit: &'a Unit, found: &Found<'_, '_>) {
        let &Found { shape, bytes, .. } = found;
        match shape.kind {
            Kind::Member => self.quick_member(unit, found),
            Kind::Parameter => self.quick_parameter(unit, found),
            Kind::Enumerator => {
                let (name, value) = (self.quick_name(found), shape.number(bytes));
                let (enumerator, _) = self.quick_tag::<Enumerator>(unit, found);
                self.add_enumerator(enumerator, name, value);
            }
            Kind::Pointer | Kind::Plain => {
                let (tag, entry) = self.quick_tag::<Tag>(unit, found);
                if shape.kind == Kind::Pointer {
                    self.s.entries[entry as usize].size = u32::from(unit.header.addr_size);
                }
                self.own(tag, entry);
            }
            Kind::Typedef => {
                let (ty, entry) = self.quick_type::<Type>(unit, found);
                self.own(ty.cast(), entry);
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
                let count = if shape.has(Slot::UpperBound) { count_up_to(unit, shape.number(bytes) as i64) } else { 0 };
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
                self.s.entries[entry as usize].ty = shape.origin(unit, bytes);
                self.quick_open(shape, || Frame { block, ..frame(Place::Inline, expansion.cast(), entry) });
            }
            Kind::Other => {}
        }
    }

    /// As [`Builder::tag`].
    #[inline]
    fn quick_tag<T>(&mut self, unit: &Unit, found: &Found<'_, '_>) -> (*mut T, u32) {
        let &Found { shape, key, bytes, .. } = found;
        let tag = self.s.memory.zeroed(size_of::<T>()).cast::<Tag>();
        // SAFETY: a new block that starts with a tag.
        unsafe {
            (*tag).tag = shape.tag.0;
            ListHead::init(&raw mut (*tag).node);
        }
        let index = self.s.entries.len() as u32;
        let (ty, origin) = (shape.ty(unit, bytes), shape.origin(unit, bytes));
        let (kind, role) = (shape.tag.0, shape.role);
        self.s.entries.push(Entry { tag, key, ty, origin, id: 0, size: 0, kind, role, mark: false });
        self.s.map.push(key);
        (tag.cast(), index)
    }

    /// A tag that starts with a [`Type`], as of [`Builder::init_type`].
    #[inline]
    fn quick_type<T>(&mut self, unit: &Unit, found: &Found<'_, '_>) -> (*mut T, u32) {
        let &Found { shape, bytes, .. } = found;
        let name = self.quick_name(found);
        let (ty, entry) = self.quick_tag::<T>(unit, found);
        self.init_type_lists(ty.cast(), name);
        let size = shape.number(bytes);
        if size != 0 {
            self.s.entries[entry as usize].size = if size > 1 { size as u32 } else { 0 };
        }
        // SAFETY: see above the impl.
        unsafe {
            let ty = &mut *ty.cast::<Type>();
            ty.size = size as u32;
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
        let Some(offset) = found.shape.name(found.bytes) else { return ptr::null() };
        let name = self.source().file.debug_str().get(offset as usize..).filter(|s| !s.is_empty());
        name.map_or(ptr::null(), |s| s.as_ptr().cast())
    }

    /// A member is no entry: it waits in a list of its own for its type.
    #[inline]
    fn quick_member(&mut self, unit: &Unit, found: &Found<'_, '_>) {
        let &Found { shape, key, bytes, .. } = found;
        let (name, offset) = (self.quick_name(found), shape.number(bytes) as u32);
        let member = self.s.memory.zeroed(size_of::<ClassMember>()).cast::<ClassMember>();
        let Some(frame) = self.s.frames.last_mut() else { return };
        frame.count += 1;
        let owner = frame.tag.cast::<Type>();
        // SAFETY: see above the impl; a new block of this size, zeroed. Flags are not read before they are set, since the block is in no cache.
        unsafe {
            let is_static = !shape.has(Slot::MemberLocation) && !(*owner).namespace.tag.is_union();
            let m = &mut *member;
            m.tag.tag = shape.tag.0;
            // The key, until it is resolved.
            m.tag.r#type = shape.ty(unit, bytes);
            m.name = name;
            m.byte_offset = offset;
            m.bit_offset = offset.wrapping_mul(8);
            if is_static {
                m.set_is_static(true);
            }
            let count = if is_static { &raw mut (*owner).nr_static_members } else { &raw mut (*owner).nr_members };
            *count = (*count).wrapping_add(1);
            ListHead::add_tail(&raw mut (*owner).namespace.tags, member.cast());
        }
        let before = self.s.entries.len() as u32;
        self.s.members.push(Waiting { member, key, before });
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
    }

    fn quick_function(&mut self, unit: &'a Unit, found: &Found<'_, '_>) {
        let &Found { shape, bytes, .. } = found;
        let name = self.quick_name(found);
        let (function, entry) = self.quick_tag::<Function>(unit, found);
        self.init_ftype_lists(function.cast());
        self.init_function_lists(function);
        // SAFETY: see above the impl.
        let (block, annots) = unsafe {
            let f = &mut *function;
            f.name = name;
            f.set_inlined((shape.number(bytes) & 3) as u8);
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
        let Some(block) = self.s.frames.last().map(|f| f.block) else { return };
        // SAFETY: see above the impl.
        unsafe {
            let v = &mut *variable;
            v.name = name;
            v.set_external(shape.has(Slot::External));
            v.set_declaration(shape.has(Slot::Declaration));
            v.set_artificial(shape.has(Slot::Artificial));
            init_lists!(variable; annots);
            (*block).nr_variables = (*block).nr_variables.wrapping_add(1);
            ListHead::add_tail(&raw mut (*block).tags, variable.cast());
        }
        self.register_other(variable.cast(), entry);
        self.instance(entry);
    }
}

/// Whether an entry of this kind has nothing special at a place.
#[inline]
fn fits(kind: Kind, place: Place) -> bool {
    let in_code = matches!(place, Place::Function | Place::Block | Place::Inline);
    match kind {
        Kind::Other => false,
        Kind::Member => place == Place::Class,
        Kind::Parameter => matches!(place, Place::Function | Place::Subroutine),
        Kind::Enumerator => place == Place::Enumeration,
        Kind::Subrange => place == Place::Array,
        Kind::Pointer
        | Kind::Plain
        | Kind::Typedef
        | Kind::Class
        | Kind::Union
        | Kind::Array
        | Kind::Subroutine
        | Kind::Function => in_code || matches!(place, Place::Unit | Place::Class | Place::Namespace | Place::Subroutine),
        Kind::Variable => matches!(place, Place::Function | Place::Block),
        Kind::Block | Kind::Inline => in_code,
    }
}
