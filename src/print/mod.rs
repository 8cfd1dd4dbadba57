//! Types and functions as C source, with what a person wants to know about their layout in comments.
//!
//! What a program prints with one call is composed in memory and written with one `fwrite`, a megabyte at a time if it is long, so
//! that it stands in order with what the program itself writes to the stream. The text is the C library's, byte for byte, down to the order in which holes and
//! packing are found out; where that text would be wrong (a pointer to an array without its elements, a nested type shown twice)
//! it is right, and docs/differences.md lists the case.
//!
//! The tags may come from any loader, this library's or a foreign one, and describe a damaged file: references that lead nowhere
//! or in circles, structs that contain themselves, blocks nested a hundred thousand deep. Blocks are walked without recursion,
//! everything else stops at [`MAX_DEPTH`] levels.
//!
//! Sizes and offsets are bytes unless a name says bits.

mod aggregate;
mod block;
mod class;
mod conf;
mod enumeration;
mod facts;
mod function;
mod holes;
mod member;
mod name;
mod summary;
mod tags;
#[cfg(test)]
mod tests;
mod text;
mod typed;

use crate::abi::{Class, ConfFprintf, Cu, Ftype, Function, Lexblock, Tag, Type, TypeId};

pub use conf::Conf;
pub use function::prototype_of;
pub use text::Text;

/// How many types may be printed within each other.
const MAX_DEPTH: u32 = 64;

/// How many types may be printed with one, so that types that hold the next ones twice come to an end. In the outer levels, where a struct may
/// have as many nameless ones as members, there are more.
const MAX_OPENED: u32 = 1 << 15;
const MAX_OPENED_OUTSIDE: u32 = 1 << 20;
const OUTSIDE: u32 = 8;

/// How many references are followed before a chain counts as a circle.
const MAX_CHAIN: usize = 4096;

/// C's buffer for the name of a member's or parameter's type, in bytes with the NUL.
const NAME_ROOM: usize = 128;

/// What is composed, and where in it the printer is.
pub struct Printer {
    cu: *const Cu,
    out: Text,
    /// The types being printed, outermost first.
    open: Vec<*const Tag>,
    /// How many have been printed.
    opened: u32,
    /// The function types being printed, outermost first.
    functions: Vec<*const Ftype>,
    /// How many function types have been printed within the outermost of them.
    inner_functions: u32,
    depth: u32,
}

/// Composes what `compose` prints about tags of `cu`.
///
/// # Safety
/// `cu` is NULL or a valid unit, every tag reachable from it is valid, and nobody else uses them meanwhile.
pub unsafe fn compose(cu: *const Cu, compose: impl FnOnce(&mut Printer)) -> Text {
    // SAFETY: passed on.
    unsafe { compose_in(Text::default(), cu, compose) }
}

/// The same at the end of `text`, which may have a sink for the first parts of it.
///
/// # Safety
/// As above.
pub unsafe fn compose_in(text: Text, cu: *const Cu, compose: impl FnOnce(&mut Printer)) -> Text {
    let mut printer = Printer { cu, out: text, open: Vec::new(), functions: Vec::new(), opened: 0, inner_functions: 0, depth: 0 };
    compose(&mut printer);
    printer.out
}

/// Entry points. They ask of their tags what [`compose`] asks.
///
/// # Safety
/// The tags belong to the printer's unit.
impl Printer {
    /// Any tag, with the semicolon behind it.
    ///
    /// # Safety
    /// As above.
    pub unsafe fn any(&mut self, tag: *mut Tag, conf: *const ConfFprintf) {
        // SAFETY: passed on.
        unsafe {
            let mut own = Conf::read(conf);
            let is_union = (*tag).is_union();
            let name_spacing = if own.expand_types() {
                55
            } else if is_union {
                21
            } else {
                23
            };
            if own.name_spacing == 0 || (conf.is_null() && is_union) {
                own.name_spacing = name_spacing;
            }
            if own.type_spacing == 0 {
                own.type_spacing = 26;
            }
            self.tag(tag, &own);
        }
    }

    /// # Safety
    /// As above.
    pub unsafe fn whole_class(&mut self, class: *mut Class, conf: &Conf) {
        // SAFETY: passed on.
        unsafe { self.class(class, conf) }
    }

    /// # Safety
    /// As above.
    pub unsafe fn whole_typedef(&mut self, ty: *mut Type, conf: &Conf) {
        // SAFETY: passed on.
        unsafe { self.typedef(ty, conf) }
    }

    /// # Safety
    /// As above.
    pub unsafe fn whole_enumeration(&mut self, ty: *mut Type, conf: &Conf) {
        // SAFETY: passed on.
        unsafe { self.enumeration(ty, conf) }
    }

    /// # Safety
    /// As above.
    pub unsafe fn declaration_comment(&mut self, tag: *const Tag) {
        // SAFETY: passed on.
        unsafe { self.declaration(tag) }
    }

    /// The name of a type, as it fits in `room` bytes with a NUL.
    ///
    /// # Safety
    /// As above; NULL is void.
    pub unsafe fn type_name(&mut self, tag: *const Tag, room: usize, conf: &Conf) {
        // SAFETY: passed on.
        unsafe { self.name(tag, room, conf) }
    }

    /// # Safety
    /// As above.
    #[allow(clippy::too_many_arguments)]
    pub unsafe fn prototype(
        &mut self,
        ftype: *const Ftype,
        name: Option<&[u8]>,
        inlined: bool,
        is_pointer: bool,
        type_spacing: i32,
        is_prototype: bool,
        conf: &Conf,
    ) {
        // SAFETY: passed on.
        unsafe { self.function_type(ftype, name, inlined, is_pointer, type_spacing, is_prototype, conf) };
    }

    /// The parameters in parentheses.
    ///
    /// # Safety
    /// As above.
    pub unsafe fn parameter_list(&mut self, ftype: *const Ftype, indent: i32, conf: &Conf) {
        // SAFETY: passed on.
        unsafe { self.parameters(ftype, indent, conf) };
    }

    /// A block of a function with all that is in it.
    ///
    /// # Safety
    /// As above.
    pub unsafe fn body(&mut self, block: *const Lexblock, function: *mut Function, indent: u16, conf: &Conf) {
        // SAFETY: passed on.
        unsafe { self.block(block, function, indent, conf) }
    }

    /// A function's block and what it adds up to.
    ///
    /// # Safety
    /// As above.
    pub unsafe fn function_with_stats(&mut self, function: *mut Function, conf: &Conf) {
        // SAFETY: passed on.
        unsafe { self.function_stats(function, conf) }
    }
}

/// What is wrong with a reference, in the C library's words. Lines are those of this library: nothing can depend on them.
impl Printer {
    /// Whether the printer should stop going deeper.
    fn too_deep(&self) -> bool {
        self.depth >= MAX_DEPTH
    }

    /// Whether the type may be printed here: not too deep, not too many, and not again and again within itself.
    fn may_open(&self, tag: *const Tag) -> bool {
        let most = if self.depth < OUTSIDE { MAX_OPENED_OUTSIDE } else { MAX_OPENED };
        !self.too_deep() && self.opened < most && self.open.iter().filter(|&&open| open == tag).count() < 2
    }

    fn not_found(&mut self, id: TypeId, function: &str, line: u32) -> usize {
        let start = self.out.len();
        self.out.fmt(format_args!("<ERROR({function}:{line}): {} not found!>\n", id as i32));
        self.out.len() - start
    }

    fn not_found_inline(&mut self, id: TypeId, function: &str, line: u32) {
        self.out.fmt(format_args!("<ERROR({function}:{line}): {} not found!>", text::Hex(id.into())));
    }

    unsafe fn put_type_loop(&mut self, tag: *const Tag, ty: *const Tag, function: &str, line: u32, end: &[u8]) -> usize {
        // SAFETY: NULL or tags of this unit.
        unsafe {
            let (Some(tag), Some(ty)) = (tag.as_ref(), ty.as_ref()) else { return 0 };
            if tag.r#type != ty.r#type {
                return 0;
            }
            let start = self.out.len();
            self.out.fmt(format_args!("<ERROR({function}:{line}): detected type loop: type={}, tag=", tag.r#type as i32));
            self.out.put(facts::kind_name(tag.tag));
            self.out.put(b">");
            self.out.put(end);
            self.out.len() - start
        }
    }

    /// Says so if a tag and its type are of the same type; the bytes of that.
    unsafe fn type_loop(&mut self, tag: *const Tag, ty: *const Tag, function: &str, line: u32) -> usize {
        // SAFETY: passed on.
        unsafe { self.put_type_loop(tag, ty, function, line, b"\n") }
    }

    unsafe fn type_loop_inline(&mut self, tag: *const Tag, ty: *const Tag, function: &str, line: u32) -> bool {
        // SAFETY: passed on.
        unsafe { self.put_type_loop(tag, ty, function, line, b"") != 0 }
    }
}
