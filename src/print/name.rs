//! Names of types: `const struct foo *`.
//!
//! C composes them in buffers of fixed size, one in another, and so do we: a name that is longer ends where C's ends. Depth is
//! limited because a damaged file may refer in circles.

use std::borrow::Cow;

use super::conf::Conf;
use super::facts::{self, NULL_TEXT};
use super::{MAX_CHAIN, Printer};
use crate::abi::{ArrayType, BaseType, ClassMember, Cu, Function, PtrToMemberType, Tag, Type, Variable, dw_tag};

/// Buffers of the C library, in bytes with the NUL.
const POINTEE_ROOM: usize = 1024;
const MODIFIED_ROOM: usize = 128;
const MEMBER_OF_ROOM: usize = 512;

/// How many types deep a name is followed.
const MAX_DEPTH: u32 = 256;

impl Printer {
    /// Puts the name of a type, as it fits in `room` bytes with a NUL. NULL is void.
    pub(super) unsafe fn name(&mut self, tag: *const Tag, room: usize, conf: &Conf) {
        // SAFETY: passed on.
        unsafe { self.nested_name(tag, room, conf, 0) }
    }

    unsafe fn nested_name(&mut self, tag: *const Tag, room: usize, conf: &Conf, depth: u32) {
        self.out.hold();
        let start = self.out.len();
        if tag.is_null() {
            self.out.put(b"void");
        } else if depth > MAX_DEPTH {
            self.out.put(b"<ERROR: types nested too deep>");
        } else {
            // SAFETY: a tag of this unit; its kind says what it is part of.
            unsafe { self.put_name(tag, room, conf, depth) }
        }
        self.out.limit(start, room);
        self.out.release();
    }

    unsafe fn put_name(&mut self, tag: *const Tag, room: usize, conf: &Conf, depth: u32) {
        // SAFETY: a tag of this unit.
        unsafe {
            match (*tag).tag {
                dw_tag::BASE_TYPE => self.out.put(facts::base_name(tag.cast::<BaseType>(), &mut [0; 64])),
                dw_tag::SUBPROGRAM => self.put_optional((*tag.cast::<Function>()).name),
                dw_tag::POINTER_TYPE => self.pointer_name(tag, b"*", conf, depth),
                kind if is_pointing(kind) => {
                    let mark = self.mark(tag);
                    self.pointer_name(tag, &mark, conf, depth);
                }
                dw_tag::VOLATILE_TYPE
                | dw_tag::CONST_TYPE
                | dw_tag::RESTRICT_TYPE
                | dw_tag::ATOMIC_TYPE
                | dw_tag::UNSPECIFIED_TYPE => self.modified_name(tag, conf, depth),
                dw_tag::ARRAY_TYPE => {
                    let ty = Cu::type_of(self.cu, (*tag).r#type);
                    if ty.is_null() {
                        self.not_found_inline((*tag).r#type, "__tag__name", line!());
                    } else if !self.type_loop_inline(tag, ty, "__tag__name", line!()) {
                        self.nested_name(ty, room, conf, depth + 1);
                    }
                }
                dw_tag::LLVM_ANNOTATION | dw_tag::GNU_ANNOTATION => {
                    let ty = Cu::type_of(self.cu, (*tag).r#type);
                    if ty.is_null() && (*tag).r#type != 0 {
                        self.not_found_inline((*tag).r#type, "__tag__name", line!());
                    } else if !self.type_loop_inline(tag, ty, "__tag__name", line!()) {
                        self.nested_name(ty, room, conf, depth + 1);
                    }
                }
                dw_tag::SUBROUTINE_TYPE => {
                    self.plain_function_type(tag.cast(), conf);
                }
                dw_tag::MEMBER => self.put_optional((*tag.cast::<ClassMember>()).name),
                dw_tag::VARIABLE => self.put_optional((*tag.cast::<Variable>()).name),
                _ => self.keyword_name(tag, conf),
            }
        }
    }

    unsafe fn put_optional(&mut self, name: *const std::ffi::c_char) {
        // SAFETY: a string of this unit.
        self.out.put(unsafe { facts::string(name) }.unwrap_or(NULL_TEXT));
    }

    /// `struct foo`.
    unsafe fn keyword_name(&mut self, tag: *const Tag, conf: &Conf) {
        const C_PLUS_PLUS: u16 = 4;
        // SAFETY: a tag of this unit.
        unsafe {
            let as_class = !conf.classes_as_structs();
            let cpp = self.cu.as_ref().is_some_and(|cu| cu.language == C_PLUS_PLUS);
            self.out.put(match (*tag).tag {
                dw_tag::ENUMERATION_TYPE => b"enum ",
                dw_tag::STRUCTURE_TYPE if as_class && cpp => b"class ",
                dw_tag::STRUCTURE_TYPE => b"struct ",
                dw_tag::CLASS_TYPE if as_class => b"class ",
                dw_tag::CLASS_TYPE => b"struct ",
                dw_tag::UNION_TYPE => b"union ",
                _ => b"",
            });
            if has_name(&*tag) {
                self.out.put(facts::type_name(tag.cast::<Type>()).unwrap_or(b""));
            }
        }
    }

    /// What a pointer or reference has in front of the name in a declarator.
    pub(super) unsafe fn mark(&mut self, tag: *const Tag) -> Cow<'static, [u8]> {
        // SAFETY: passed on.
        unsafe {
            match (*tag).tag {
                dw_tag::REFERENCE_TYPE => Cow::Borrowed(b"&"),
                dw_tag::RVALUE_REFERENCE_TYPE => Cow::Borrowed(b"&&"),
                dw_tag::PTR_TO_MEMBER_TYPE => Cow::Owned(self.member_of(tag)),
                _ => Cow::Borrowed(b"*"),
            }
        }
    }

    /// The class of a pointer to member, with what stands before the name.
    unsafe fn member_of(&mut self, tag: *const Tag) -> Vec<u8> {
        // SAFETY: a pointer to member of this unit.
        unsafe {
            let start = self.out.len();
            let id = (*tag.cast::<PtrToMemberType>()).containing_type;
            let class = Cu::type_of(self.cu, id);
            if class.is_null() {
                self.not_found_inline(id, "__tag__name", line!());
            } else {
                let name = if (*class).is_type() { facts::type_name(class.cast()) } else { None };
                self.out.put(name.unwrap_or(NULL_TEXT));
            }
            self.out.put(b"::*");
            self.out.limit(start, MEMBER_OF_ROOM);
            self.out.split_off(start)
        }
    }

    unsafe fn pointer_name(&mut self, tag: *const Tag, suffix: &[u8], conf: &Conf, depth: u32) {
        // SAFETY: a pointer of this unit.
        unsafe {
            if (*tag).r#type == 0 {
                self.out.put(b"void ");
                return self.out.put(suffix);
            }
            let mut ty: *const Tag = Cu::type_of(self.cu, (*tag).r#type);
            if ty.is_null() {
                self.not_found_inline((*tag).r#type, "tag__ptr_name", line!());
                self.out.put(b" ");
                return self.out.put(suffix);
            }
            if self.type_loop_inline(tag, ty, "tag__ptr_name", line!()) {
                return;
            }
            let mut constant: &[u8] = b"";
            // A pointer to a constant pointer: the const belongs between the stars.
            if (*ty).tag == dw_tag::CONST_TYPE {
                let next = Cu::type_of(self.cu, (*ty).r#type);
                if !next.is_null() && (*next).is_pointer() {
                    if !conf.skip_emitting_modifier() {
                        constant = b"const ";
                    }
                    ty = next;
                }
            }
            self.nested_name(ty, POINTEE_ROOM, conf, depth + 1);
            for part in [b" ", constant, suffix] {
                self.out.put(part);
            }
        }
    }

    unsafe fn modified_name(&mut self, tag: *const Tag, conf: &Conf, depth: u32) {
        // SAFETY: a modifier of this unit.
        unsafe {
            let ty = Cu::type_of(self.cu, (*tag).r#type);
            if ty.is_null() && (*tag).r#type != 0 {
                return self.not_found_inline((*tag).r#type, "__tag__name", line!());
            }
            if self.type_loop_inline(tag, ty, "__tag__name", line!()) {
                return;
            }
            let shown = !conf.skip_emitting_modifier();
            self.out.put(match (*tag).tag {
                dw_tag::VOLATILE_TYPE if shown => b"volatile ",
                dw_tag::CONST_TYPE if shown => b"const ",
                dw_tag::ATOMIC_TYPE if shown => b"_Atomic ",
                _ => b"",
            });
            self.nested_name(ty, MODIFIED_ROOM, conf, depth + 1);
            if shown && (*tag).tag == dw_tag::RESTRICT_TYPE {
                self.out.put(b" restrict");
            }
            if !conf.no_parm_names() {
                self.out.put(b" ");
            }
        }
    }

    /// Past qualifiers and attributes; NULL for void.
    pub(super) unsafe fn unqualified(&self, ty: *const Tag) -> *const Tag {
        let mut at = ty;
        // SAFETY: NULL or a type of this unit.
        unsafe {
            for _ in 0..MAX_CHAIN {
                match at.as_ref() {
                    Some(tag) if tag.is_modifier() || facts::is_annotation(tag) => at = Cu::type_of(self.cu, tag.r#type),
                    _ => break,
                }
            }
        }
        at
    }

    /// Past attributes of pointers, to what is really pointed at; stops at one that leads nowhere.
    pub(super) unsafe fn skip_annotations(&self, mut id: u32) -> u32 {
        // SAFETY: a valid unit.
        unsafe {
            for _ in 0..MAX_CHAIN {
                let ty = Cu::type_of(self.cu, id);
                if ty.is_null() || !facts::is_annotation(&*ty) || (*ty).r#type == id {
                    break;
                }
                id = (*ty).r#type;
            }
            id
        }
    }

    /// The elements' type of an array of a const type without elements is printed without the const, as compilers add it.
    pub(super) unsafe fn element_of(&self, array: *const ArrayType) -> *mut Tag {
        // SAFETY: an array of this unit.
        unsafe {
            let ty = Cu::type_of(self.cu, (*array).tag.r#type);
            let empty = ArrayType::counts(array).next() == Some(0);
            match ty.as_ref() {
                Some(found) if empty && found.tag == dw_tag::CONST_TYPE => Cu::type_of(self.cu, found.r#type),
                _ => ty,
            }
        }
    }
}

/// Whether a type of this kind is declared with a mark in front of the name: pointers and references.
pub(super) fn is_pointing(kind: u16) -> bool {
    use dw_tag::*;
    matches!(kind, POINTER_TYPE | REFERENCE_TYPE | RVALUE_REFERENCE_TYPE | PTR_TO_MEMBER_TYPE)
}

/// Whether the tag has a name where a type has it. C looks there whatever the tag is.
fn has_name(tag: &Tag) -> bool {
    const CONSTANT: u16 = 0x27;
    const ENUMERATOR: u16 = 0x28;
    const FORMAL_PARAMETER: u16 = 0x05;
    tag.is_type() || tag.has_namespace() || matches!(tag.tag, CONSTANT | ENUMERATOR | FORMAL_PARAMETER)
}
