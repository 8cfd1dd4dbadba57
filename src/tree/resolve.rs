//! References become ids: the pass over the finished tables.
//!
//! Types go first, then tags, then functions, each table in order. What an instance takes over from the entry that it is an instance of (names,
//! types of parameters) is what that entry has by then, as in the C library.

use std::ffi::c_char;
use std::ptr;

use super::builder::{Builder, Entry};
use crate::abi::origin::TagOrigin;
use crate::abi::*;

const IMPORTED_DECLARATION: u16 = 0x08;
const FORMAL_PARAMETER: u16 = 0x05;
const LABEL: u16 = 0x0a;
const IMPORTED_MODULE: u16 = 0x3a;

// SAFETY of the blocks below: the walk is over; tables and lists hold tags of this unit, of the structures that their kinds say, each with a
// record in front of it, and nobody else knows them yet.
impl Builder<'_, '_> {
    /// Resolves all references and sizes all members. The unit is complete afterwards.
    pub fn finish(mut self) {
        // SAFETY: see above the impl.
        unsafe {
            let (types, tags, functions) =
                (&raw const (*self.cu).types_table, &raw const (*self.cu).tags_table, &raw const (*self.cu).functions_table);
            for table in [types, tags, functions] {
                for (_, tag) in PtrTable::tags(table, 0) {
                    self.resolve(tag);
                }
            }
            for (_, tag) in PtrTable::tags(functions, 0) {
                self.resolve_result(tag.cast());
            }
        }
        self.finish_members();
    }

    fn entry_of(&self, tag: *const Tag) -> &Entry {
        // SAFETY: see above the impl; the index was stored when the entry was made.
        unsafe { &self.s.entries[(*TagOrigin::of(tag)).index as usize] }
    }

    /// What became of the entry with a key, if that is a type (or, with `is_type` false, if it is not).
    fn find(&self, key: u32, is_type: bool) -> Option<&Entry> {
        if key == 0 {
            return None;
        }
        let entry = self.s.entries.get(self.s.map.get(key)? as usize).filter(|e| e.key == key)?;
        // SAFETY: see above the impl.
        unsafe { ((*entry.tag).is_tag_type() == is_type && (*entry.tag).tag != dw_tag::LEXICAL_BLOCK).then_some(entry) }
    }

    fn offset_of(&self, key: u32) -> u64 {
        if key == 0 { 0 } else { self.source.offset(key) }
    }

    fn say_type_not_found(&mut self, tag: *const Tag, function: &str) {
        let entry = self.entry_of(tag);
        let (ty, own) = (self.offset_of(entry.ty), self.offset_of(entry.key));
        // SAFETY: see above the impl.
        let name = (self.options.library.tag_name)(unsafe { (*tag).tag });
        self.say(format!("{function}: couldn't find {ty:#x} type for {own:#x} ({name})!"));
    }

    fn say_origin_not_found(&mut self, tag: *const Tag, function: &str) {
        let entry = self.entry_of(tag);
        let (origin, own) = (self.offset_of(entry.origin), self.offset_of(entry.key));
        // SAFETY: see above the impl.
        let name = (self.options.library.tag_name)(unsafe { (*tag).tag });
        self.say(format!("{function}: couldn't find {origin:#x} abstract_origin for {own:#x} ({name})!"));
    }

    /// Resolves a tag of a table.
    unsafe fn resolve(&mut self, tag: *mut Tag) {
        const FUNCTION: &str = "tag__recode_dwarf_type";
        // SAFETY: see above the impl.
        unsafe {
            let kind = (*tag).tag;
            if (*tag).is_type() {
                self.resolve_specification(tag.cast());
            }
            if (*tag).has_namespace() {
                return self.resolve_members(tag.cast());
            }
            match kind {
                dw_tag::SUBPROGRAM => {
                    if !self.resolve_name(tag.cast()) {
                        return;
                    }
                    self.resolve_block(&raw const (*tag.cast::<Function>()).lexblock.tags);
                    self.resolve_parameters(tag.cast());
                }
                dw_tag::SUBROUTINE_TYPE => self.resolve_parameters(tag.cast()),
                dw_tag::PTR_TO_MEMBER_TYPE => {
                    let entry = self.entry_of(tag);
                    let (containing, own) = (entry.origin, entry.key);
                    match self.find(containing, true).map(|e| e.id) {
                        Some(id) => (*tag.cast::<PtrToMemberType>()).containing_type = id,
                        None => {
                            let (own, containing) = (self.offset_of(own), self.offset_of(containing));
                            self.say(format!(
                                "{FUNCTION}: couldn't find type for containing_type {own:#x}, containing_type={containing:#x}"
                            ));
                        }
                    }
                }
                dw_tag::INLINED_SUBROUTINE | IMPORTED_MODULE => {
                    match self.find(self.entry_of(tag).ty, false).map(|e| e.id) {
                        Some(id) => (*tag).r#type = id,
                        None => self.say_type_not_found(tag, FUNCTION),
                    }
                    return;
                }
                IMPORTED_DECLARATION => {
                    if let Some(id) = self.find(self.entry_of(tag).ty, false).map(|e| e.id) {
                        (*tag).r#type = id;
                        return;
                    }
                    match self.find(self.entry_of(tag).ty, true).map(|e| e.id) {
                        Some(id) => (*tag).r#type = id,
                        None => self.say_type_not_found(tag, FUNCTION),
                    }
                    return;
                }
                dw_tag::VARIABLE => {
                    let variable = tag.cast::<Variable>();
                    if let Some(spec) = self.find(self.entry_of(tag).specification, false).map(|e| e.tag) {
                        (*variable).spec = spec.cast();
                    }
                }
                _ => {}
            }
            let id = match self.entry_of(tag).ty {
                0 => 0,
                key => match self.find(key, true).map(|e| e.id) {
                    Some(id) => id,
                    None => return self.say_type_not_found(tag, FUNCTION),
                },
            };
            if kind == dw_tag::POINTER_TYPE && (*tag).has_btf_type_tag() {
                self.chain_type_tags(tag.cast(), id);
            } else {
                (*tag).r#type = id;
            }
        }
    }

    /// pointer, first annotation, ..., last annotation, pointee.
    unsafe fn chain_type_tags(&mut self, pointer: *mut BtfTypeTagPtrType, pointee: TypeId) {
        // SAFETY: see above the impl.
        unsafe {
            let mut last = pointer.cast::<Tag>();
            for node in ListHead::nodes(&raw const (*pointer).tags) {
                let annotation = node.byte_sub(std::mem::offset_of!(BtfTypeTagType, node)).cast::<Tag>();
                (*last).r#type = self.entry_of(annotation).id;
                last = annotation;
            }
            (*last).r#type = pointee;
        }
    }

    /// A definition apart from its declaration has that one's name; an enumeration is as signed as its type.
    unsafe fn resolve_specification(&mut self, ty: *mut Type) {
        // SAFETY: see above the impl.
        unsafe {
            let entry = self.entry_of(ty.cast());
            let (own, key, specification) = (entry.key, entry.ty, entry.specification);
            if self.find(key, true).is_some_and(|e| e.signed) {
                (*ty).set_is_signed_enum(true);
            }
            if !(*ty).namespace.name.is_null() || specification == 0 {
                return;
            }
            match self.find(specification, true).map(|e| e.tag) {
                Some(spec) => (*ty).namespace.name = name_at(spec),
                None => {
                    let (own, specification) = (self.offset_of(own), self.offset_of(specification));
                    self.say(format!(
                        "type__recode_dwarf_specification: couldn't find name for class {own:#x}, specification={specification:#x}"
                    ));
                }
            }
        }
    }

    /// The direct members of a namespace or type; nested ones have their own turn.
    unsafe fn resolve_members(&mut self, owner: *mut Namespace) {
        const FUNCTION: &str = "namespace__recode_dwarf_types";
        // SAFETY: see above the impl.
        unsafe {
            for node in ListHead::nodes(&raw const (*owner).tags) {
                let tag = node.cast::<Tag>();
                if (*tag).has_namespace() {
                    continue;
                }
                let key = self.entry_of(tag).ty;
                let kind = (*tag).tag;
                let mut found = None;
                match kind {
                    dw_tag::SUBROUTINE_TYPE | dw_tag::SUBPROGRAM => self.resolve_parameters(tag.cast()),
                    // Its annotations stand between it and its type.
                    dw_tag::POINTER_TYPE if (*tag).has_btf_type_tag() => continue,
                    IMPORTED_MODULE | IMPORTED_DECLARATION => found = self.find(key, false).map(|e| e.id),
                    _ => {}
                }
                if found.is_none() && kind != IMPORTED_MODULE {
                    if key == 0 && kind != IMPORTED_DECLARATION {
                        continue;
                    }
                    found = self.find(key, true).map(|e| e.id);
                }
                match found {
                    Some(id) => (*tag).r#type = id,
                    None => self.say_type_not_found(tag, FUNCTION),
                }
            }
        }
    }

    /// False where there is nothing more to do for the function.
    unsafe fn resolve_name(&mut self, function: *mut Function) -> bool {
        // SAFETY: see above the impl.
        unsafe {
            if !(*function).name.is_null() {
                return true;
            }
            let entry = self.entry_of(function.cast());
            let (own, origin, specification) = (entry.key, entry.origin, entry.specification);
            if origin == 0 && specification == 0 {
                return false;
            }
            let source = self.find(origin, false).or_else(|| self.find(specification, false)).map(|e| e.tag);
            match source.filter(|&tag| (*tag).is_function()) {
                Some(source) => (*function).name = (*source.cast::<Function>()).name,
                None => {
                    let (own, origin) = (self.offset_of(own), self.offset_of(origin));
                    let specification = self.offset_of(specification);
                    self.say(format!(
                        "tag__recode_dwarf_type: couldn't find name for function {own:#x}, abstract_origin={origin:#x}, specification={specification:#x}"
                    ));
                }
            }
            true
        }
    }

    unsafe fn resolve_parameters(&mut self, ftype: *mut Ftype) {
        const FUNCTION: &str = "ftype__recode_dwarf_types";
        // SAFETY: see above the impl.
        unsafe {
            for node in ListHead::nodes(&raw const (*ftype).parms) {
                let parameter = node.cast::<Parameter>();
                let entry = self.entry_of(parameter.cast());
                let (key, origin) = (entry.ty, entry.origin);
                if key == 0 && origin == 0 {
                    (*parameter).tag.r#type = 0;
                } else if key == 0 {
                    match self.find(origin, false).map(|e| e.tag).filter(|&t| (*t).tag == FORMAL_PARAMETER) {
                        Some(origin) => {
                            let origin = origin.cast::<Parameter>();
                            (*parameter).name = (*origin).name;
                            (*parameter).tag.r#type = (*origin).tag.r#type;
                            if (*parameter).idx != (*origin).idx {
                                (*ftype).set_reordered_parm(true);
                            }
                            if (*parameter).has_loc() {
                                (*origin).set_has_loc(true);
                            }
                            if (*parameter).has_const_value() {
                                (*origin).set_has_const_value(true);
                            }
                        }
                        None => self.say_origin_not_found(parameter.cast(), FUNCTION),
                    }
                } else {
                    match self.find(key, true).map(|e| e.id) {
                        Some(id) => (*parameter).tag.r#type = id,
                        None => self.say_type_not_found(parameter.cast(), FUNCTION),
                    }
                }
            }
        }
    }

    /// What a function's blocks hold, nested ones in their place.
    unsafe fn resolve_block(&mut self, head: *const ListHead) {
        // SAFETY: see above the impl.
        unsafe {
            let base = self.s.blocks.len();
            self.s.blocks.push((head, (*head).next));
            while self.s.blocks.len() > base {
                let Some((head, node)) = self.s.blocks.last_mut() else { return };
                if node.cast_const() == *head {
                    self.s.blocks.pop();
                    continue;
                }
                let tag = node.cast::<Tag>();
                *node = (**node).next;
                if (*tag).tag == dw_tag::LEXICAL_BLOCK {
                    let head = &raw const (*tag.cast::<Lexblock>()).tags;
                    self.s.blocks.push((head, (*head).next));
                    continue;
                }
                self.resolve_in_block(tag);
            }
        }
    }

    unsafe fn resolve_in_block(&mut self, tag: *mut Tag) {
        const FUNCTION: &str = "lexblock__recode_dwarf_types";
        // SAFETY: see above the impl.
        unsafe {
            let entry = self.entry_of(tag);
            let (key, origin) = (entry.ty, entry.origin);
            let kind = (*tag).tag;
            if kind == dw_tag::INLINED_SUBROUTINE {
                match self.find(key, false).map(|e| e.tag).filter(|&t| (*t).is_function()) {
                    Some(function) => self.resolve_parameters(function.cast()),
                    None if key != 0 => self.say_type_not_found(tag, FUNCTION),
                    None => self.say_origin_not_found(tag, FUNCTION),
                }
                return;
            }
            if kind != LABEL && key != 0 {
                match self.find(key, true).map(|e| e.id) {
                    Some(id) => (*tag).r#type = id,
                    None => self.say_type_not_found(tag, FUNCTION),
                }
                return;
            }
            if origin == 0 && kind != FORMAL_PARAMETER {
                return;
            }
            let Some(origin) = self.find(origin, false).map(|e| e.tag).filter(|&t| (*t).tag == kind) else {
                return self.say_origin_not_found(tag, FUNCTION);
            };
            match kind {
                LABEL => (*tag.cast::<Label>()).name = (*origin.cast::<Label>()).name,
                FORMAL_PARAMETER => {
                    (*tag.cast::<Parameter>()).name = (*origin.cast::<Parameter>()).name;
                    (*tag).r#type = (*origin).r#type;
                }
                dw_tag::VARIABLE => {
                    (*tag.cast::<Variable>()).name = (*origin.cast::<Variable>()).name;
                    (*tag).r#type = (*origin).r#type;
                }
                _ => {}
            }
        }
    }

    /// An instance returns what the function that it is an instance of returns.
    unsafe fn resolve_result(&mut self, function: *mut Function) {
        // SAFETY: see above the impl.
        unsafe {
            for node in ListHead::nodes(&raw const (*function).proto.parms) {
                if !(*node.cast::<Parameter>()).has_loc() {
                    (*function).proto.set_optimized_parms(true);
                }
            }
            if (*function).proto.tag.r#type != 0 || !(*function).abstract_origin() {
                return;
            }
            match self.find(self.entry_of(function.cast()).origin, false).map(|e| e.tag) {
                Some(origin) => (*function).proto.tag.r#type = (*origin).r#type,
                None => self.say_origin_not_found(function.cast(), "cu__resolve_func_ret_types_optimized"),
            }
        }
    }
}

/// The name of a type, by whatever structure its kind has; NULL for kinds without a name.
unsafe fn name_at(tag: *const Tag) -> *const c_char {
    // SAFETY: see above the impl.
    unsafe {
        if (*tag).is_type() {
            (*tag.cast::<Type>()).namespace.name
        } else if (*tag).tag == dw_tag::BASE_TYPE {
            (*tag.cast::<BaseType>()).name
        } else {
            ptr::null()
        }
    }
}
