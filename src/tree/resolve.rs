//! References become ids: the pass over the finished tables.
//!
//! Types go first, then tags, then functions, each table in order. What an instance takes over from the entry that it is an instance of (names,
//! types of parameters) is what that entry has by then, as in the C library.

use std::ffi::c_char;
use std::ptr;

use super::builder::{Builder, Entry, Role, Waiting};
use crate::abi::*;
use crate::dwarf::circle::Circle;
use crate::dwarf::passed::Abi;
use rustc_hash::FxHashSet;

const IMPORTED_DECLARATION: u16 = 0x08;
const FORMAL_PARAMETER: u16 = 0x05;
const ENUMERATOR: u16 = 0x28;
const LABEL: u16 = 0x0a;
const IMPORTED_MODULE: u16 = 0x3a;

// SAFETY of the blocks below: the walk is over; tables and lists hold tags of this unit, of the structures that their kinds say, each with a
// record in front of it, and nobody else knows them yet.
impl Builder<'_, '_> {
    /// Resolves all references and sizes all members. The unit is complete afterwards.
    pub fn finish(mut self) {
        for i in 0..self.s.last.len() {
            let (tag, entry) = self.s.last[i];
            self.register(tag, entry);
            // SAFETY: see above the impl.
            unsafe { ListHead::add_tail(&raw mut (*self.cu).tags, &raw mut (*tag).node) }
        }
        // What stands in for a type that is in a type unit is that type to everybody who refers to it.
        for i in 0..self.s.stand_ins.len() {
            let (index, in_type_unit) = self.s.stand_ins[i];
            if let Some(found) = self.find(in_type_unit, Role::Type) {
                self.s.map.redirect(self.s.entries[index as usize].key, found);
            }
        }
        self.resolve_types();
        self.cut_circles();
        for i in 0..self.s.specifications.len() {
            let (index, key) = self.s.specifications[i];
            // SAFETY: see above the impl.
            unsafe { self.resolve_specification(index as usize, key) }
        }
        // SAFETY: see above the impl.
        unsafe {
            let mut nameless = FxHashSet::default();
            for i in 0..self.s.functions.len() {
                self.resolve_name(self.s.functions[i], &mut nameless);
            }
            self.place_parameters();
            for i in 0..self.s.instances.len() {
                self.resolve_instance(self.s.instances[i] as usize);
            }
            let abi = Abi::of(self.source().file.elf().machine());
            for i in 0..self.s.functions.len() {
                self.check_convention(self.s.entries[self.s.functions[i] as usize].tag.cast(), &abi);
                self.resolve_result(self.s.functions[i] as usize);
            }
        }
        self.finish_members();
    }

    fn resolve_types(&mut self) {
        // What there is to say comes in the order of entries and members.
        let (start, mut said) = (self.s.messages.len(), Vec::new());
        for index in 0..self.s.entries.len() {
            // SAFETY: see above the impl.
            unsafe {
                if self.resolve_plain(index) {
                    continue;
                }
                self.resolve(index);
            }
            if self.s.messages.len() - start > said.len() {
                said.resize(self.s.messages.len() - start, (index, true));
            }
        }
        for i in 0..self.s.members.len() {
            let Waiting { member, key, before } = self.s.members[i];
            // SAFETY: see above the impl.
            if let Err(ty) = unsafe { self.finish_quick_member(member) } {
                self.say_no_type("namespace__recode_dwarf_types", dw_tag::MEMBER, key, ty);
                said.push((before as usize, false));
            }
        }
        if !said.is_sorted() {
            let mut said: Vec<_> = said.into_iter().zip(self.s.messages.drain(start..)).collect();
            said.sort_by_key(|&(place, _)| place);
            self.s.messages.extend(said.into_iter().map(|(_, message)| message));
        }
    }

    /// The index of the entry with a key that has a role.
    #[inline(always)]
    pub(super) fn find(&self, key: u32, role: Role) -> Option<usize> {
        if key == 0 {
            return None;
        }
        let entries = &self.s.entries;
        // Annotations are taken in out of order, and nobody refers to them.
        let is_in = |index: usize| !is_annotation(entries[index].kind);
        let index = self.s.map.get(key, |index| entries.get(index).map(|entry| entry.key), is_in)?;
        (entries[index].role == role).then_some(index)
    }

    fn tag_of(&self, key: u32, role: Role) -> Option<*mut Tag> {
        self.find(key, role).map(|index| self.s.entries[index].tag)
    }

    #[cold]
    fn say_type_not_found(&mut self, index: usize, function: &str) {
        let Entry { key, ty, kind, .. } = self.s.entries[index];
        self.say_no_type(function, kind, key, ty);
    }

    #[cold]
    fn say_no_type(&mut self, function: &str, kind: u16, key: u32, ty: u32) {
        let (ty, own) = (self.offset_of(ty), self.offset_of(key));
        let name = (self.options.library.tag_name)(kind);
        self.say(format!("{function}: couldn't find {ty:#x} type for {own:#x} ({name})!"));
    }

    #[cold]
    fn say_origin_not_found(&mut self, index: usize, function: &str) {
        let Entry { key, origin, kind, .. } = self.s.entries[index];
        let (origin, own) = (self.offset_of(origin), self.offset_of(key));
        let name = (self.options.library.tag_name)(kind);
        self.say(format!("{function}: couldn't find {origin:#x} abstract_origin for {own:#x} ({name})!"));
    }

    /// [`Builder::resolve`] for entries with nothing but a type, or without any; false, with nothing done, for others.
    #[inline(always)]
    unsafe fn resolve_plain(&mut self, index: usize) -> bool {
        let Entry { tag, ty: key, kind, mark, .. } = self.s.entries[index];
        if key == 0 {
            return !mark && kind != dw_tag::PTR_TO_MEMBER_TYPE;
        }
        if mark || !is_plain(kind) {
            return false;
        }
        let Some(found) = self.find(key, Role::Type) else { return false };
        // SAFETY: see above the impl.
        unsafe { (*tag).r#type = self.s.entries[found].id };
        self.s.entries[index].ty = found as u32 + 1;
        true
    }

    /// The reference to a type, or for what is no type's use, to a function or module.
    unsafe fn resolve(&mut self, index: usize) {
        let Entry { tag, ty: key, origin, kind, mark, key: own, .. } = self.s.entries[index];
        if kind == dw_tag::PTR_TO_MEMBER_TYPE {
            match self.find(origin, Role::Type) {
                // SAFETY: see above the impl.
                Some(found) => unsafe { (*tag.cast::<PtrToMemberType>()).containing_type = self.s.entries[found].id },
                None => {
                    let (own, origin) = (self.offset_of(own), self.offset_of(origin));
                    self.say(format!(
                        "tag__recode_dwarf_type: couldn't find type for containing_type {own:#x}, containing_type={origin:#x}"
                    ));
                }
            }
        }
        if key == 0 {
            if kind == dw_tag::POINTER_TYPE {
                // SAFETY: see above the impl.
                unsafe { set_pointee(tag, mark, 0) }
            }
            return;
        }
        let found = match kind {
            dw_tag::INLINED_SUBROUTINE | IMPORTED_MODULE => self.find(key, Role::Other),
            IMPORTED_DECLARATION => self.find(key, Role::Other).or_else(|| self.find(key, Role::Type)),
            _ => self.find(key, Role::Type),
        };
        if found.is_none()
            && kind == IMPORTED_DECLARATION
            && self.s.members.binary_search_by_key(&key, |member| member.key).is_ok()
        {
            // A member of a base class (`using base::member`), which has no id.
            self.s.entries[index].ty = 0;
            return;
        }
        let Some(found) = found else {
            let function = match kind {
                dw_tag::MEMBER | dw_tag::INHERITANCE => "namespace__recode_dwarf_types",
                _ => "tag__recode_dwarf_type",
            };
            // Nothing of the kind takes its type over.
            if !is_without_type(kind) {
                self.say_type_not_found(index, function);
            }
            self.s.entries[index].ty = 0;
            return;
        };
        let Entry { id, kind: found_kind, mark: found_mark, .. } = self.s.entries[found];
        // SAFETY: see above the impl.
        unsafe {
            if is_typed_structure(kind) && found_mark && found_kind != dw_tag::POINTER_TYPE {
                (*tag.cast::<Type>()).set_is_signed_enum(true);
            }
            if kind == dw_tag::POINTER_TYPE {
                set_pointee(tag, mark, id);
            } else if !is_without_type(kind) {
                (*tag).r#type = id;
            }
        }
        self.s.entries[index].ty = found as u32 + 1;
    }

    /// A definition apart from its declaration: types have that one's name, variables point to it.
    unsafe fn resolve_specification(&mut self, index: usize, key: u32) {
        let Entry { tag, kind, key: own, .. } = self.s.entries[index];
        // SAFETY: see above the impl.
        unsafe {
            if kind == dw_tag::VARIABLE {
                if let Some(declaration) = self.tag_of(key, Role::Other).filter(|&tag| (*tag).tag == kind) {
                    (*tag.cast::<Variable>()).spec = declaration.cast();
                }
            } else if is_typed_structure(kind) && (*tag.cast::<Type>()).namespace.name.is_null() && key != 0 {
                match self.tag_of(key, Role::Type) {
                    Some(declaration) => (*tag.cast::<Type>()).namespace.name = name_at(declaration),
                    None => {
                        let (own, specification) = (self.offset_of(own), self.offset_of(key));
                        self.say(format!(
                            "type__recode_dwarf_specification: couldn't find name for class {own:#x}, specification={specification:#x}"
                        ));
                    }
                }
            }
        }
    }

    /// An unnamed function has the name of what it is an instance or the definition of, which may have its own from a further one.
    /// `nameless` are those for which none was found.
    unsafe fn resolve_name(&mut self, index: u32, nameless: &mut FxHashSet<u32>) {
        let (mut path, mut at, mut circle) = (Vec::new(), index, Circle::from(index));
        // SAFETY: see above the impl.
        unsafe {
            let mut name = loop {
                let Entry { tag, origin, key: own, .. } = self.s.entries[at as usize];
                let name = (*tag.cast::<Function>()).name;
                if !name.is_null() {
                    break name;
                }
                let specification = match self.s.specifications.binary_search_by_key(&at, |&(index, _)| index) {
                    Ok(at) => self.s.specifications[at].1,
                    Err(_) => 0,
                };
                if origin == 0 && specification == 0 || nameless.contains(&at) {
                    break ptr::null();
                }
                path.push(at);
                let source = self.find(origin, Role::Other).or_else(|| self.find(specification, Role::Other));
                match source.filter(|&source| (*self.s.entries[source].tag).is_function()) {
                    Some(source) if !circle.is_closed_by(source as u32) => at = source as u32,
                    Some(_) => break ptr::null(),
                    None => {
                        let (own, origin) = (self.offset_of(own), self.offset_of(origin));
                        let specification = self.offset_of(specification);
                        self.say(format!(
                            "tag__recode_dwarf_type: couldn't find name for function {own:#x}, abstract_origin={origin:#x}, specification={specification:#x}"
                        ));
                        break ptr::null();
                    }
                }
            };
            if name.is_null() && !path.is_empty() {
                nameless.extend(path.iter().copied());
                // Programs look at the names of what is no instance.
                name = c"".as_ptr();
            }
            for at in path {
                (*self.s.entries[at as usize].tag.cast::<Function>()).name = name;
            }
        }
    }

    /// Parameters, variables and labels that are instances take over name and type.
    unsafe fn resolve_instance(&mut self, index: usize) {
        let Entry { tag, kind, ty, origin, .. } = self.s.entries[index];
        let function = match kind {
            LABEL | dw_tag::VARIABLE if ty == 0 => "lexblock__recode_dwarf_types",
            FORMAL_PARAMETER if ty == 0 => "ftype__recode_dwarf_types",
            _ => return,
        };
        // SAFETY: see above the impl.
        unsafe {
            let Some(origin) = self.tag_of(origin, Role::Other).filter(|&origin| (*origin).tag == kind) else {
                return self.say_origin_not_found(index, function);
            };
            match kind {
                LABEL => (*tag.cast::<Label>()).name = (*origin.cast::<Label>()).name,
                dw_tag::VARIABLE => {
                    (*tag.cast::<Variable>()).name = (*origin.cast::<Variable>()).name;
                    (*tag).r#type = (*origin).r#type;
                }
                _ => {
                    let (parameter, origin) = (tag.cast::<Parameter>(), origin.cast::<Parameter>());
                    (*parameter).name = (*origin).name;
                    (*parameter).tag.r#type = (*origin).tag.r#type;
                    if let Ok(at) = self.s.takers.binary_search_by_key(&(index as u32), |&(entry, _)| entry) {
                        if (*parameter).idx != (*origin).idx {
                            (*self.s.takers[at].1).set_reordered_parm(true);
                        }
                        self.share_place(parameter, origin);
                    }
                }
            }
        }
    }

    /// An instance returns what the function that it is an instance of returns.
    unsafe fn resolve_result(&mut self, index: usize) {
        let Entry { tag, origin, .. } = self.s.entries[index];
        let function = tag.cast::<Function>();
        // SAFETY: see above the impl.
        unsafe {
            if !(*function).abstract_origin() || (*function).proto.tag.r#type != 0 {
                return;
            }
            match self.tag_of(origin, Role::Other) {
                Some(origin) => (*function).proto.tag.r#type = (*origin).r#type,
                None => self.say_origin_not_found(index, "cu__resolve_func_ret_types_optimized"),
            }
        }
    }
}

/// pointer, its annotations from first to last, if it has any, pointee.
///
/// # Safety
/// As above the impl; `is_annotated` says whether the pointer has annotations, so that its memory need not be looked at.
pub(super) unsafe fn set_pointee(pointer: *mut Tag, is_annotated: bool, pointee: TypeId) {
    // SAFETY: by the caller's word.
    unsafe {
        let mut last = pointer;
        if is_annotated {
            for node in ListHead::nodes(&raw const (*pointer.cast::<BtfTypeTagPtrType>()).tags) {
                let annotation = node.byte_sub(std::mem::offset_of!(BtfTypeTagType, node)).cast::<Tag>();
                // Its own id, until it gets its type.
                (*last).r#type = (*annotation).r#type;
                last = annotation;
            }
        }
        (*last).r#type = pointee;
    }
}

/// The kinds below 0x80, one bit each.
const fn bits(kinds: &[u16]) -> u128 {
    let (mut bits, mut i) = (0, 0);
    while i < kinds.len() {
        bits |= 1u128 << kinds[i];
        i += 1;
    }
    bits
}

fn is_annotation(kind: u16) -> bool {
    kind == dw_tag::LLVM_ANNOTATION || kind == dw_tag::GNU_ANNOTATION
}

/// Kinds whose tags have the type of their entry, and which take over nothing else.
#[inline(always)]
fn is_plain(kind: u16) -> bool {
    const PLAIN: u128 = bits(&[
        dw_tag::ARRAY_TYPE,
        dw_tag::POINTER_TYPE,
        dw_tag::SUBROUTINE_TYPE,
        dw_tag::CONST_TYPE,
        dw_tag::VOLATILE_TYPE,
        dw_tag::BASE_TYPE,
        ENUMERATOR,
        dw_tag::SUBPROGRAM,
        dw_tag::VARIABLE,
        FORMAL_PARAMETER,
    ]);
    kind < 128 && PLAIN >> kind & 1 != 0
}

/// The role of the entries of a kind.
#[inline]
pub(super) fn role_of(kind: u16) -> Role {
    const LOW: u128 = bits(&[
        dw_tag::ARRAY_TYPE,
        dw_tag::CLASS_TYPE,
        dw_tag::ENUMERATION_TYPE,
        dw_tag::POINTER_TYPE,
        dw_tag::REFERENCE_TYPE,
        dw_tag::STRING_TYPE,
        dw_tag::STRUCTURE_TYPE,
        dw_tag::SUBROUTINE_TYPE,
        dw_tag::TYPEDEF,
        dw_tag::UNION_TYPE,
        dw_tag::PTR_TO_MEMBER_TYPE,
        dw_tag::BASE_TYPE,
        dw_tag::CONST_TYPE,
        dw_tag::VOLATILE_TYPE,
        dw_tag::RESTRICT_TYPE,
        dw_tag::INTERFACE_TYPE,
        dw_tag::UNSPECIFIED_TYPE,
        dw_tag::RVALUE_REFERENCE_TYPE,
        dw_tag::ATOMIC_TYPE,
    ]);
    if kind < 128 && LOW >> kind & 1 != 0 {
        Role::Type
    } else if kind == dw_tag::LEXICAL_BLOCK || is_annotation(kind) {
        Role::None
    } else {
        Role::Other
    }
}

/// Kinds that are a [`Type`].
fn is_typed_structure(kind: u16) -> bool {
    use dw_tag::*;
    matches!(kind, STRUCTURE_TYPE | CLASS_TYPE | INTERFACE_TYPE | UNION_TYPE | ENUMERATION_TYPE | TYPEDEF | RVALUE_REFERENCE_TYPE)
}

/// Kinds whose tags do not have the type of their entry.
fn is_without_type(kind: u16) -> bool {
    use dw_tag::*;
    const TEMPLATE_TYPE_PARAMETER: u16 = 0x2f;
    const TEMPLATE_VALUE_PARAMETER: u16 = 0x30;
    matches!(
        kind,
        STRUCTURE_TYPE
            | CLASS_TYPE
            | INTERFACE_TYPE
            | UNION_TYPE
            | ENUMERATION_TYPE
            | NAMESPACE
            | LABEL
            | LEXICAL_BLOCK
            | TEMPLATE_TYPE_PARAMETER
            | TEMPLATE_VALUE_PARAMETER
            | GNU_TEMPLATE_PARAMETER_PACK
            | GNU_FORMAL_PARAMETER_PACK
    )
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
