//! Any tag: what stands around a definition, and the small kinds that are printed in one line.

use super::conf::Conf;
use super::facts::{self, NULL_TEXT};
use super::{MAX_CHAIN, Printer};
use crate::abi::{Constant, Cu, Function, ListHead, Namespace, Tag, Type, Variable, dw_tag};

/// C's buffers for the names of a typedef's type and of what a using declaration names, in bytes with the NUL.
const TYPEDEF_ROOM: usize = 512;
const USING_ROOM: usize = 8192;

const IMPORTED_DECLARATION: u16 = 0x08;
const CONSTANT: u16 = 0x27;
const IMPORTED_MODULE: u16 = 0x3a;

impl Printer {
    pub(super) unsafe fn tag(&mut self, tag: *mut Tag, conf: &Conf) {
        // SAFETY: a tag of this unit; its kind says what it is part of.
        unsafe {
            if conf.expand_types() {
                (*tag).recursivity_level = (*tag).recursivity_level.wrapping_add(1);
            }
            if conf.show_decl_info() {
                self.out.indent(conf.indent.into());
                self.out.put(b"/* Used at: ");
                self.out.put(self.cu.as_ref().and_then(|cu| facts::string(cu.name)).unwrap_or(NULL_TEXT));
                self.out.put(b" */\n");
                self.out.indent(conf.indent.into());
                self.declaration(tag);
            }
            self.out.indent(conf.indent.into());
            self.depth += 1;
            self.tag_itself(tag, conf);
            self.depth -= 1;
            if !conf.no_semicolon() {
                self.out.put(b";");
            }
            if (*tag).is_function() && !conf.suppress_comments() {
                if let Some(linkage) = facts::string((*tag.cast::<Function>()).linkage_name) {
                    self.out.put(b" /* linkage=");
                    self.out.put(linkage);
                    self.out.put(b" */");
                }
            }
            if conf.expand_types() {
                (*tag).recursivity_level = (*tag).recursivity_level.wrapping_sub(1);
            }
        }
    }

    unsafe fn tag_itself(&mut self, tag: *mut Tag, conf: &Conf) {
        // SAFETY: as above.
        unsafe {
            match (*tag).tag {
                dw_tag::ARRAY_TYPE => {
                    self.array(tag.cast(), b"array", conf);
                }
                dw_tag::ENUMERATION_TYPE => self.enumeration(tag.cast(), conf),
                dw_tag::TYPEDEF => self.typedef(tag.cast(), conf),
                _ if (*tag).is_struct() => self.class(tag.cast(), conf),
                dw_tag::SUBROUTINE_TYPE => {
                    self.function_type(tag.cast(), None, false, false, 0, true, conf);
                }
                dw_tag::NAMESPACE => self.namespace(tag.cast(), conf),
                dw_tag::SUBPROGRAM => self.function(tag.cast(), conf),
                dw_tag::UNION_TYPE => self.union(tag.cast(), conf),
                dw_tag::VARIABLE => self.variable(tag.cast(), conf),
                CONSTANT => self.constant(tag.cast(), conf),
                IMPORTED_DECLARATION => self.using_declaration(tag),
                IMPORTED_MODULE => self.using_namespace(tag),
                kind => {
                    self.out.put(b"/* tag__fprintf: ");
                    self.out.put(facts::kind_name(kind));
                    self.out.put(b" tag not supported! */");
                }
            }
        }
    }

    /// Where a tag was declared, in a comment on a line of its own.
    pub(super) unsafe fn declaration(&mut self, tag: *const Tag) {
        // SAFETY: a tag of this unit.
        let place = unsafe { facts::declared(tag, self.cu) };
        self.out.fmt(format_args!("/* <{:x}> ", place.id));
        self.out.put(place.file.unwrap_or(NULL_TEXT));
        self.out.fmt(format_args!(":{} */\n", place.line));
    }

    /// A type's definition, with the name of the typedef behind it.
    pub(super) unsafe fn typedef(&mut self, typedef: *mut Type, conf: &Conf) {
        // SAFETY: a typedef of this unit.
        unsafe {
            let name = facts::type_name(typedef).unwrap_or(NULL_TEXT);
            self.out.put(b"typedef ");
            let mut at: *const Tag = typedef.cast();
            let mut ty: *mut Tag;
            if (*at).r#type == 0 {
                self.out.put(b"void ");
                return self.out.put(name);
            }
            let mut steps = 0;
            loop {
                ty = Cu::type_of(self.cu, (*at).r#type);
                steps += 1;
                if ty.is_null() || (*ty).tag != dw_tag::ATOMIC_TYPE || steps > MAX_CHAIN {
                    break;
                }
                self.out.put(b"_Atomic ");
                at = ty;
            }
            if ty.is_null() {
                self.not_found((*at).r#type, "typedef__fprintf", line!());
                self.out.put(b" ");
                return self.out.put(name);
            }
            self.typedef_of(ty, name, conf);
        }
    }

    unsafe fn typedef_of(&mut self, ty: *mut Tag, name: &[u8], conf: &Conf) {
        // SAFETY: a type of this unit.
        unsafe {
            let mut inner = *conf;
            inner.tail = Some(name);
            match (*ty).tag {
                dw_tag::ARRAY_TYPE => {
                    self.array(ty.cast(), name, conf);
                }
                dw_tag::SUBROUTINE_TYPE => {
                    self.function_type(ty.cast(), Some(name), false, false, 0, true, conf);
                }
                dw_tag::POINTER_TYPE if (*ty).r#type != 0 => {
                    let target = Cu::type_of(self.cu, (*ty).r#type);
                    if target.is_null() {
                        self.not_found((*ty).r#type, "typedef__fprintf", line!());
                        self.out.put(b" *");
                        self.out.put(name);
                    } else if (*target).tag == dw_tag::SUBROUTINE_TYPE {
                        self.function_type(target.cast(), Some(name), false, true, 0, true, conf);
                    } else if self.declares_around(ty, false) {
                        inner.type_spacing = 0;
                        self.typed(ty, Some(name), &inner);
                    } else {
                        self.named_typedef(ty, name, conf);
                    }
                }
                dw_tag::CLASS_TYPE | dw_tag::STRUCTURE_TYPE => match facts::type_name(ty.cast::<Type>()) {
                    Some(own) if !(conf.expand_types() && self.may_open(ty)) => {
                        for part in [b"struct ", own, b" ", name] {
                            self.out.put(part);
                        }
                    }
                    _ => {
                        if !conf.suppress_comments() {
                            facts::class__find_holes(ty.cast());
                        }
                        inner.type_spacing -= 8;
                        self.class(ty.cast(), &inner);
                    }
                },
                dw_tag::UNION_TYPE => {
                    self.union_named(ty.cast(), Some(name), conf);
                }
                dw_tag::ENUMERATION_TYPE => match facts::type_name(ty.cast::<Type>()) {
                    Some(own) => {
                        for part in [b"enum ", own, b" ", name] {
                            self.out.put(part);
                        }
                    }
                    None => self.enumeration(ty.cast(), &inner),
                },
                _ if self.declares_around(ty, false) || (*ty).is_modifier() && self.is_more_than_a_name(ty) => {
                    inner.type_spacing = 0;
                    self.typed(ty, Some(name), &inner);
                }
                _ => self.named_typedef(ty, name, conf),
            }
        }
    }

    unsafe fn named_typedef(&mut self, ty: *const Tag, name: &[u8], conf: &Conf) {
        // SAFETY: a type of this unit.
        unsafe { self.name(ty, TYPEDEF_ROOM, conf) };
        self.out.put(b" ");
        self.out.put(name);
    }

    unsafe fn variable(&mut self, variable: *const Variable, conf: &Conf) {
        // SAFETY: a variable of this unit.
        unsafe {
            let Some(name) = facts::string((*variable).name) else { return };
            let ty = Cu::type_of(self.cu, (*variable).ip.tag.r#type);
            if ty.is_null() {
                return;
            }
            // Scopes: 0 unknown, 2 global, 3 register.
            self.out.put(match (*variable).scope {
                0 if (*variable).external() && (*variable).declaration() => b"extern ",
                2 if !(*variable).external() => b"static ",
                3 => b"register ",
                _ => b"",
            });
            self.typed(ty, Some(name), conf);
        }
    }

    unsafe fn constant(&mut self, constant: *const Constant, conf: &Conf) {
        // SAFETY: a constant of this unit.
        unsafe {
            let Some(name) = facts::string((*constant).name) else { return };
            let ty = Cu::type_of(self.cu, (*constant).tag.r#type);
            if ty.is_null() {
                return;
            }
            self.out.put(b"const ");
            self.typed(ty, Some(name), conf);
            self.out.fmt(format_args!(" = {}", (*constant).value));
        }
    }

    unsafe fn namespace(&mut self, namespace: *const Namespace, conf: &Conf) {
        // SAFETY: a namespace of this unit.
        unsafe {
            self.out.put(b"namespace ");
            self.out.put(facts::string((*namespace).name).unwrap_or(NULL_TEXT));
            self.out.put(b" {\n");
            let mut inner = *conf;
            inner.indent = inner.indent.saturating_add(1);
            inner.set_no_semicolon(false);
            if self.too_deep() {
                self.out.indent(inner.indent.into());
                self.out.put(b"/* nested too deep to be shown */\n\n");
            } else {
                for node in ListHead::nodes(&raw const (*namespace).tags) {
                    self.tag(node.cast(), &inner);
                    self.out.put(b"\n\n");
                }
            }
            self.out.indent(conf.indent.into());
            self.out.put(b"}");
        }
    }

    unsafe fn using_declaration(&mut self, tag: *const Tag) {
        // SAFETY: a tag of this unit.
        unsafe {
            self.out.put(b"using ::");
            let function: *const Tag = facts::function_of(self.cu, (*tag).r#type).cast();
            let named = if function.is_null() { facts::other_of(self.cu, (*tag).r#type) } else { function.cast_mut() };
            if named.is_null() {
                self.not_found((*tag).r#type, "imported_declaration__fprintf", line!());
            } else {
                self.name(named, USING_ROOM, &Conf::standard());
            }
        }
    }

    unsafe fn using_namespace(&mut self, tag: *const Tag) {
        // SAFETY: a tag of this unit.
        unsafe {
            let module = facts::other_of(self.cu, (*tag).r#type);
            let is_namespace = module.as_ref().is_some_and(|module| module.tag == dw_tag::NAMESPACE);
            self.out.put(b"using namespace ");
            self.out.put(if is_namespace {
                facts::string((*module.cast::<Namespace>()).name).unwrap_or(NULL_TEXT)
            } else {
                b"<IMPORTED MODULE ERROR!>"
            });
        }
    }
}
