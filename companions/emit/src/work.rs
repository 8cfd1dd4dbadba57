//! The order of definitions: what a type needs comes before the type.
//!
//! A type whose needs are being written waits on a stack; a step of it that is done says whether it wrote anything, which
//! decides about newlines.

use std::collections::HashMap;
use std::ffi::CString;
use std::ptr;

use libc::FILE;

use crate::abi::{ConfFprintf, Cu, Ftype, ListHead, Nodes, Tag, Type, TypeEmissions, dw_tag};
use crate::base_type;
use crate::emitted;
use crate::library;
use crate::print::{self, bytes, put};

/// How many references are followed before a chain counts as a circle.
const MAX_CHAIN: usize = 4096;

/// What waits for the step before it.
enum Waiting {
    /// A struct or union, for what its members need.
    Members { rest: Nodes },
    /// A function type, for what its return type and parameters need.
    Parameters { rest: Nodes, wrote: bool },
    /// A struct or union whose definition is to follow if it is new.
    Definition { ty: *mut Tag },
    /// A struct or union that is only pointed at.
    Declaration { ty: *mut Type },
    /// A typedef; `around` is the nameless struct or union that is defined within it.
    Typedef { typedef: *mut Tag, around: Option<*mut Tag> },
}

/// Whether something was written, once that is known; until then, what has to come first waits.
type Wrote = Option<bool>;

/// One call from a program.
pub struct Work {
    cu: *mut Cu,
    emissions: *mut TypeEmissions,
    fp: *mut FILE,
    waiting: Vec<Waiting>,
    /// How often typedefs and function types were begun, by address.
    begun: HashMap<usize, u8>,
}

/// All work is on types of one unit, with the caller's initialised lists and open stream: that is what every `unsafe` here relies
/// on.
impl Work {
    /// # Safety
    /// A valid unit, initialised lists, an open stream.
    pub unsafe fn new(cu: *mut Cu, emissions: *mut TypeEmissions, fp: *mut FILE) -> Work {
        Work { cu, emissions, fp, waiting: Vec::new(), begun: HashMap::new() }
    }

    /// Does what `start` begins; whether it wrote anything.
    ///
    /// # Safety
    /// As for [`Work::new`].
    pub unsafe fn run(&mut self, start: impl FnOnce(&mut Work) -> Wrote) -> bool {
        let mut wrote = start(self);
        while let Some(waiting) = self.waiting.pop() {
            // SAFETY: see above.
            wrote = unsafe { self.go_on(waiting, wrote) };
        }
        wrote.unwrap_or(false)
    }

    unsafe fn go_on(&mut self, waiting: Waiting, wrote: Wrote) -> Wrote {
        // SAFETY: see above.
        unsafe {
            match waiting {
                Waiting::Members { mut rest } => {
                    if wrote == Some(true) {
                        put(self.fp, &[b"\n"]);
                    }
                    let is_member = |tag: &*mut Tag| matches!((**tag).tag, dw_tag::MEMBER | dw_tag::INHERITANCE);
                    match rest.by_ref().map(|node| node.cast::<Tag>()).find(is_member) {
                        None => Some(true),
                        Some(member) => {
                            self.waiting.push(Waiting::Members { rest });
                            self.needed_by(member)
                        }
                    }
                }
                Waiting::Parameters { mut rest, wrote: before } => {
                    let wrote = before || wrote == Some(true);
                    match rest.next() {
                        Some(node) => {
                            self.waiting.push(Waiting::Parameters { rest, wrote });
                            self.needed_by(node.cast())
                        }
                        None => {
                            if wrote {
                                put(self.fp, &[b"\n"]);
                            }
                            Some(wrote)
                        }
                    }
                }
                Waiting::Definition { ty } => {
                    if wrote == Some(true) {
                        print::definition(ty, self.cu, ptr::null(), ptr::null(), self.fp);
                    }
                    Some(true)
                }
                Waiting::Declaration { ty } => Some(self.declare(ty)),
                Waiting::Typedef { typedef, around } => {
                    self.finish_typedef(typedef, around);
                    Some(true)
                }
            }
        }
    }

    /// What the type of a tag needs to be named.
    unsafe fn needed_by(&mut self, tag: *const Tag) -> Wrote {
        // SAFETY: see above.
        unsafe {
            let mut ty = library::cu__type(self.cu, (*tag).r#type);
            let mut pointed = false;
            for _ in 0..MAX_CHAIN {
                match ty.as_ref().map(|ty| ty.tag) {
                    Some(dw_tag::POINTER_TYPE | dw_tag::REFERENCE_TYPE) => pointed = true,
                    Some(kind) if is_transparent(kind) => {}
                    Some(kind) => return self.needed(ty, kind, pointed),
                    None => break,
                }
                ty = library::cu__type(self.cu, (*ty).r#type);
            }
            Some(false)
        }
    }

    unsafe fn needed(&mut self, ty: *mut Tag, kind: u16, pointed: bool) -> Wrote {
        // SAFETY: see above.
        unsafe {
            match kind {
                dw_tag::BASE_TYPE => Some(self.base_type(ty)),
                dw_tag::TYPEDEF => self.typedef(ty),
                dw_tag::ENUMERATION_TYPE if !(*ty.cast::<Type>()).namespace.name.is_null() => {
                    Some(self.enumeration(ty, &print::bare()))
                }
                dw_tag::STRUCTURE_TYPE | dw_tag::UNION_TYPE if pointed => {
                    let pointed_at = ty.cast::<Type>();
                    if !(*pointed_at).namespace.name.is_null() {
                        return Some(self.declare(pointed_at));
                    }
                    // Defined in place, where its members' types have to be known.
                    self.waiting.push(Waiting::Declaration { ty: pointed_at });
                    self.define(ty)
                }
                dw_tag::STRUCTURE_TYPE | dw_tag::UNION_TYPE => {
                    self.waiting.push(Waiting::Definition { ty });
                    self.define(ty)
                }
                dw_tag::SUBROUTINE_TYPE => self.function_type(ty.cast()),
                _ => Some(false),
            }
        }
    }

    /// Begins a type's definition with what it needs; false if it was written before, in this unit or another.
    pub unsafe fn define(&mut self, tag: *mut Tag) -> Wrote {
        // SAFETY: see above.
        unsafe {
            let ty = tag.cast::<Type>();
            if self.was_written(ty) {
                return Some(false);
            }
            if (*tag).is_typedef() {
                return self.typedef(tag);
            }
            if emitted::shares_names(ty) && !emitted::shadow(self.emissions, (*tag).tag, (*ty).namespace.name).is_null() {
                rename(ty);
                if self.was_written(ty) {
                    return Some(false);
                }
            }
            emitted::add(self.emissions, ty);
            library::type__check_structs_at_unnatural_alignments(ty, self.cu);
            let rest = ListHead::nodes(&raw const (*ty).namespace.tags);
            self.waiting.push(Waiting::Members { rest });
            None
        }
    }

    /// Whether a definition of that kind and name was written; remembered in the type.
    unsafe fn was_written(&self, ty: *mut Type) -> bool {
        // SAFETY: see above.
        unsafe {
            if (*ty).definition_emitted() {
                return true;
            }
            let kind = (*ty).namespace.tag.tag;
            let fits = |other: *const Type| (*other).namespace.tag.tag == kind;
            let written = !emitted::definition(self.emissions, (*ty).namespace.name, fits).is_null();
            (*ty).set_definition_emitted(written);
            written
        }
    }

    /// A function type's needs: its return type's, then its parameters'.
    pub unsafe fn function_type(&mut self, ftype: *const Ftype) -> Wrote {
        // SAFETY: see above.
        unsafe {
            if !self.begins(ftype.addr()) {
                return Some(false);
            }
            let rest = ListHead::nodes(&raw const (*ftype).parms);
            self.waiting.push(Waiting::Parameters { rest, wrote: false });
            self.needed_by(ftype.cast())
        }
    }

    /// Whether a typedef or function type may be begun. A struct that a typedef is of may have members that name the typedef; they find it
    /// begun, and it is written there. What is met for a third time goes in a circle, or has nothing left to write.
    fn begins(&mut self, address: usize) -> bool {
        let times = self.begun.entry(address).or_default();
        *times = times.saturating_add(1);
        *times <= 2 && self.waiting.len() < MAX_CHAIN
    }

    unsafe fn typedef(&mut self, typedef: *mut Tag) -> Wrote {
        // SAFETY: see above.
        unsafe {
            if self.was_written(typedef.cast()) {
                return Some(false);
            }
            let ty = library::cu__type(self.cu, (*typedef).r#type);
            let kind = ty.as_ref().map_or(0, |ty| ty.tag);
            if kind == dw_tag::ENUMERATION_TYPE && (*ty.cast::<Type>()).namespace.name.is_null() {
                return Some(self.typedef_of_enumeration(typedef, ty));
            }
            if !self.begins(typedef.addr()) {
                return Some(false);
            }
            let mut wait = |around| self.waiting.push(Waiting::Typedef { typedef, around });
            match kind {
                dw_tag::STRUCTURE_TYPE | dw_tag::UNION_TYPE if (*ty.cast::<Type>()).namespace.name.is_null() => {
                    wait(Some(ty));
                    return self.define(ty);
                }
                _ => wait(None),
            }
            match kind {
                dw_tag::ATOMIC_TYPE | dw_tag::ARRAY_TYPE => self.needed_by(ty),
                dw_tag::TYPEDEF => self.typedef(ty),
                dw_tag::POINTER_TYPE | dw_tag::CONST_TYPE | dw_tag::VOLATILE_TYPE | dw_tag::RESTRICT_TYPE => self.behind(ty),
                dw_tag::SUBROUTINE_TYPE => self.function_type(ty.cast()),
                dw_tag::ENUMERATION_TYPE => Some(self.enumeration(ty, &print::bare())),
                dw_tag::STRUCTURE_TYPE | dw_tag::UNION_TYPE => {
                    self.waiting.push(Waiting::Definition { ty });
                    self.define(ty)
                }
                _ => Some(false),
            }
        }
    }

    /// What a typedef of a pointer or of a qualified type needs; structs that are pointed to need not be known.
    unsafe fn behind(&mut self, mut ty: *mut Tag) -> Wrote {
        // SAFETY: see above.
        unsafe {
            let mut pointed = false;
            for _ in 0..MAX_CHAIN {
                match ty.as_ref().map(|ty| ty.tag) {
                    Some(dw_tag::POINTER_TYPE | dw_tag::REFERENCE_TYPE) => pointed = true,
                    Some(kind) if is_transparent(kind) => {}
                    Some(dw_tag::TYPEDEF) => return self.typedef(ty),
                    Some(dw_tag::SUBROUTINE_TYPE) => return self.function_type(ty.cast()),
                    Some(dw_tag::STRUCTURE_TYPE | dw_tag::UNION_TYPE)
                        if !pointed && !(*ty.cast::<Type>()).namespace.name.is_null() =>
                    {
                        self.waiting.push(Waiting::Definition { ty });
                        return self.define(ty);
                    }
                    _ => break,
                }
                ty = library::cu__type(self.cu, (*ty).r#type);
            }
            Some(false)
        }
    }

    unsafe fn finish_typedef(&mut self, typedef: *mut Tag, around: Option<*mut Tag>) {
        // SAFETY: see above.
        unsafe {
            let own = typedef.cast::<Type>();
            if let Some(ty) = around {
                print::definition(ty, self.cu, c"typedef".as_ptr(), (*own).namespace.name, self.fp);
            } else if !(*own).definition_emitted() {
                // What it needs may have needed the typedef itself, and then it is there.
                library::typedef__fprintf(typedef, self.cu, ptr::null(), self.fp);
                put(self.fp, &[b";\n"]);
            }
            emitted::add(self.emissions, own);
        }
    }

    /// A nameless enumeration is defined within the first typedef of it; later ones are typedefs of that.
    unsafe fn typedef_of_enumeration(&mut self, typedef: *mut Tag, ty: *mut Tag) -> bool {
        // SAFETY: see above.
        unsafe {
            let own = typedef.cast::<Type>();
            if (*ty.cast::<Type>()).definition_emitted() {
                let first = |other: *const Type| {
                    (*other).namespace.tag.is_typedef() && (*other).namespace.tag.r#type == (*typedef).r#type
                };
                let first = emitted::first(self.emissions, first);
                let name = first.as_ref().map_or(&b"int"[..], |first| bytes(first.namespace.name));
                put(self.fp, &[b"typedef ", name, b" ", bytes((*own).namespace.name), b";\n"]);
            } else {
                put(self.fp, &[b"typedef "]);
                let mut conf = print::bare();
                conf.suffix = (*own).namespace.name;
                self.enumeration(ty, &conf);
            }
            emitted::add(self.emissions, own);
            true
        }
    }

    unsafe fn enumeration(&mut self, tag: *mut Tag, conf: &ConfFprintf) -> bool {
        // SAFETY: see above.
        unsafe {
            let ty = tag.cast::<Type>();
            if self.was_written(ty) {
                return false;
            }
            library::enumeration__fprintf(tag, self.cu, conf, self.fp);
            put(self.fp, &[b";\n"]);
            // Without enumerators it is only a declaration, and the definition may yet come.
            if (*ty).nr_members != 0 {
                emitted::add(self.emissions, ty);
            }
            true
        }
    }

    unsafe fn declare(&mut self, ty: *mut Type) -> bool {
        // SAFETY: see above.
        unsafe {
            let new = emitted::add_declaration(self.emissions, ty);
            if new {
                let keyword: &[u8] = if (*ty).namespace.tag.is_union() { b"union " } else { b"struct " };
                put(self.fp, &[keyword, bytes((*ty).namespace.name), b";\n"]);
            }
            new
        }
    }

    unsafe fn base_type(&mut self, tag: *mut Tag) -> bool {
        // SAFETY: see above.
        unsafe {
            let base = tag.cast::<crate::abi::BaseType>();
            let skipped = (*self.emissions).conf_fprintf.as_ref().is_some_and(ConfFprintf::skip_emitting_atomic_typedefs);
            if skipped || (*base).definition_emitted() {
                return false;
            }
            match base_type::definition(base) {
                Some(definition) if emitted::add_base_type(self.emissions, base) => {
                    put(self.fp, &[&definition]);
                    true
                }
                _ => false,
            }
        }
    }
}

/// Kinds of types that need what they are of.
fn is_transparent(kind: u16) -> bool {
    use dw_tag::*;
    matches!(kind, ARRAY_TYPE | CONST_TYPE | VOLATILE_TYPE | RESTRICT_TYPE | ATOMIC_TYPE)
}

/// Gives a type a name of its own, when its name is another kind's. The name is freed with the type.
unsafe fn rename(ty: *mut Type) {
    // SAFETY: see [`Work`].
    unsafe {
        (*ty).set_suffix_disambiguation(true);
        if let Ok(name) = CString::new([bytes((*ty).namespace.name), emitted::SUFFIX].concat()) {
            let name = libc::strdup(name.as_ptr());
            if name.is_null() {
                (*ty).set_suffix_disambiguation(false);
            } else {
                (*ty).namespace.name = name;
            }
        }
    }
}
