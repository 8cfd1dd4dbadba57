//! Functions and function types.

use super::conf::Conf;
use super::facts::{self, NULL_TEXT};
use super::name::is_pointing;
use super::{NAME_ROOM, Printer};
use crate::abi::{ArrayType, Cu, Ftype, Function, ListHead, Parameter, Tag, dw_tag};

/// DW_VIRTUALITY_virtual and DW_VIRTUALITY_pure_virtual.
const VIRTUAL: u8 = 1;
const PURE_VIRTUAL: u8 = 2;

/// How many function types may have each other as parameters. Text doubles with each level that has two.
const MAX_FUNCTIONS: usize = 16;

/// And how many within the outermost one altogether: each may have the next ones twice.
const MAX_INNER_FUNCTIONS: u32 = 1024;

/// DW_INL_declared_not_inlined and DW_INL_declared_inlined.
const DECLARED_INLINE: [u8; 2] = [2, 3];

impl Printer {
    /// `ret (*name)(parms)`: return type, name, parameters. A prototype has its name in parentheses.
    #[allow(clippy::too_many_arguments)]
    pub(super) unsafe fn function_type(
        &mut self,
        ftype: *const Ftype,
        name: Option<&[u8]>,
        inlined: bool,
        is_pointer: bool,
        type_spacing: i32,
        is_prototype: bool,
        conf: &Conf,
    ) -> usize {
        // SAFETY: a function type of this unit.
        unsafe {
            let start = self.out.len();
            self.inner_functions = if self.functions.is_empty() { 0 } else { self.inner_functions + 1 };
            let too_many = self.functions.len() >= MAX_FUNCTIONS || self.inner_functions > MAX_INNER_FUNCTIONS;
            if self.too_deep() || too_many || self.functions.contains(&ftype) {
                self.out.put(b"...");
                return self.out.len() - start;
            }
            self.functions.push(ftype);
            if inlined {
                self.out.put(b"inline ");
            }
            let returned = Cu::type_of(self.cu, (*ftype).tag.r#type);
            let declarator = |printer: &mut Printer| {
                let parts: [&[u8]; 4] = [
                    if is_prototype { b"(" } else { b"" },
                    if is_pointer { b"*" } else { b"" },
                    name.unwrap_or(b""),
                    if is_prototype { b")" } else { b"" },
                ];
                parts.into_iter().for_each(|part| printer.out.put(part));
                printer.parameters(ftype, 0, conf);
            };
            if self.declares_around(returned, false) {
                // What is returned wraps what was called.
                self.out.hold();
                let from = self.out.len();
                declarator(self);
                let declarator = self.out.split_off(from);
                self.out.release();
                let conf = unexpanded(conf, type_spacing);
                self.depth += 1;
                self.typed(returned, Some(&declarator), &conf);
                self.depth -= 1;
            } else {
                let from = self.out.len();
                self.name(returned, NAME_ROOM, conf);
                self.out.pad_from(from, type_spacing);
                self.out.put(b" ");
                declarator(self);
            }
            self.functions.pop();
            self.out.len() - start
        }
    }

    /// A function type in a type's name.
    pub(super) unsafe fn plain_function_type(&mut self, ftype: *const Ftype, conf: &Conf) {
        // SAFETY: a function type of this unit.
        unsafe { self.function_type(ftype, None, false, false, 0, true, conf) };
    }

    /// The parameters, in parentheses; one on a line with that many tabs if `indent` is not 0.
    pub(super) unsafe fn parameters(&mut self, ftype: *const Ftype, indent: i32, conf: &Conf) {
        // SAFETY: a function type of this unit.
        unsafe {
            if self.too_deep() {
                return self.out.put(b"(...)");
            }
            self.depth += 1;
            self.out.put(b"(");
            let mut first = true;
            let mut complete = true;
            for node in ListHead::nodes(&raw const (*ftype).parms) {
                if !first {
                    self.out.put(if indent == 0 { b", " } else { b",\n" });
                    if indent != 0 {
                        self.out.indent(indent);
                    }
                }
                first = false;
                complete = self.parameter(node.cast(), conf);
                if !complete {
                    break;
                }
            }
            if first {
                self.out.put(b"void)");
            } else if complete {
                self.out.put(if (*ftype).unspec_parms() { b", ...)" } else { b")" });
            }
            self.depth -= 1;
        }
    }

    /// One parameter; false when its type goes in a circle, after which nothing more is printed.
    unsafe fn parameter(&mut self, parameter: *const Parameter, conf: &Conf) -> bool {
        // SAFETY: a parameter of a function of this unit.
        unsafe {
            let tag = parameter.cast::<Tag>();
            let name = if conf.no_parm_names() { None } else { facts::string((*parameter).name) };
            let id = (*tag).r#type;
            let ty = Cu::type_of(self.cu, id);
            if ty.is_null() {
                self.attributes(tag);
                self.out.fmt(format_args!("<ERROR: type {} not found>", id as i32));
                self.spaced(name);
                return true;
            }
            if (*ty).is_pointer() && (*ty).r#type != 0 {
                let target = Cu::type_of(self.cu, (*ty).r#type);
                if target.is_null() {
                    self.not_found((*ty).r#type, "ftype__fprintf_parms", line!());
                    return true;
                }
                if self.type_loop(ty, target, "ftype__fprintf_parms", line!()) != 0 {
                    return false;
                }
                if (*target).tag == dw_tag::SUBROUTINE_TYPE {
                    self.attributes(tag);
                    self.function_type(target.cast(), name, false, true, 0, true, conf);
                    return true;
                }
            }
            self.attributes(tag);
            if (*ty).tag == dw_tag::SUBROUTINE_TYPE {
                self.function_type(ty.cast(), name, false, false, 0, false, conf);
            } else if ((is_pointing((*ty).tag) || (*ty).is_modifier()) && self.declares_around(ty, false)) || is_vector(ty) {
                self.typed(ty, Some(name.unwrap_or(b"")), &unexpanded(conf, 0));
            } else {
                self.name(ty, NAME_ROOM, conf);
                self.spaced(name);
            }
            true
        }
    }

    fn spaced(&mut self, name: Option<&[u8]>) {
        if let Some(name) = name {
            self.out.put(b" ");
            self.out.put(name);
        }
    }

    /// The declaration tags of a function or parameter.
    unsafe fn attributes(&mut self, tag: *const Tag) {
        // SAFETY: NULL, or as many strings as it says.
        unsafe {
            let attributes = (*tag).attributes;
            if attributes.is_null() {
                return;
            }
            let values = (&raw const (*attributes).values).cast::<*const std::ffi::c_char>();
            for index in 0..(*attributes).cnt as usize {
                self.out.put(facts::string(*values.add(index)).unwrap_or(NULL_TEXT));
                self.out.put(b" ");
            }
        }
    }

    /// A function's declaration.
    pub(super) unsafe fn function(&mut self, function: *mut Function, conf: &Conf) {
        // SAFETY: a function of this unit.
        unsafe {
            self.attributes(function.cast());
            if matches!((*function).virtuality(), VIRTUAL | PURE_VIRTUAL) {
                self.out.put(b"virtual ");
            }
            let name = facts::string((*function).name);
            let inlined = !conf.strip_inline() && DECLARED_INLINE.contains(&(*function).inlined());
            match prototype_of(function, self.cu) {
                Some(ftype) => {
                    self.function_type(ftype, name, inlined, false, 0, false, conf);
                }
                None => {
                    self.not_found((*function).proto.tag.r#type, "function__fprintf", line!());
                }
            }
            if (*function).virtuality() == PURE_VIRTUAL {
                self.out.put(b" = 0");
            }
        }
    }
}

/// The prototype of a function, which BTF has apart; `None` when it is missing.
///
/// # Safety
/// A function of this unit.
pub unsafe fn prototype_of(function: *const Function, cu: *const Cu) -> Option<*const Ftype> {
    // SAFETY: passed on.
    unsafe {
        if !(*function).btf() {
            return Some(&raw const (*function).proto);
        }
        let proto = Cu::type_of(cu, (*function).proto.tag.r#type);
        proto.as_ref().is_some_and(|tag| tag.tag == dw_tag::SUBROUTINE_TYPE).then_some(proto.cast_const().cast())
    }
}

unsafe fn is_vector(ty: *const Tag) -> bool {
    // SAFETY: a type of this unit, whose tag says what it is.
    unsafe { (*ty).tag == dw_tag::ARRAY_TYPE && (*ty.cast::<ArrayType>()).is_vector }
}

/// Types in parameters and in front of functions are named only.
fn unexpanded<'a>(conf: &Conf<'a>, type_spacing: i32) -> Conf<'a> {
    let mut conf = *conf;
    conf.type_spacing = type_spacing;
    conf.set_expand_types(false);
    conf.set_expand_pointers(false);
    conf
}
