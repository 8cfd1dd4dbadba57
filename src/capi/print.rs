//! Printing: each function composes its text and writes it to the stream at once. The result is the number of bytes written.

use std::cell::Cell;
use std::ffi::{c_char, c_int};
use std::rc::Rc;

use libc::FILE;

use super::entry::{entry, non_null};
use super::stdio::{fill, put, text};
use crate::abi::{Class, ConfFprintf, Cu, Ftype, Function, Lexblock, Tag, Variable};
use crate::print::{Conf, Printer, Text, compose, compose_in, prototype_of};

/// Writes what `print` composes.
unsafe fn to_stream(fp: *mut FILE, cu: *const Cu, print: impl FnOnce(&mut Printer)) -> usize {
    let written = Rc::new(Cell::new(0));
    let counter = written.clone();
    // SAFETY: an open stream, NULL or a valid unit.
    let write = move |bytes: &[u8]| counter.set(counter.get() + unsafe { put(fp, &[bytes]) });
    // SAFETY: as above.
    let rest = unsafe { compose_in(Text::with_sink(Box::new(write)), cu, print) };
    // SAFETY: as above.
    written.get() + unsafe { put(fp, &[rest.bytes()]) }
}

/// Puts what `print` composes in a buffer, shortened to fit.
unsafe fn to_buffer(bf: *mut c_char, len: usize, cu: *const Cu, print: impl FnOnce(&mut Printer)) -> *const c_char {
    // SAFETY: a buffer of that length, NULL or a valid unit.
    unsafe { fill(bf, len, compose(cu, print).bytes()) };
    bf
}

/// Prints any tag and, unless told otherwise, a semicolon.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tag__fprintf(tag: *mut Tag, cu: *const Cu, conf: *const ConfFprintf, fp: *mut FILE) -> usize {
    entry(|| {
        non_null!(tag, fp);
        // SAFETY: a tag of this unit.
        unsafe { to_stream(fp, cu, |printer| printer.any(tag, conf)) }
    })
}

/// Prints a struct, as it is printed without a configuration.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn class__fprintf(cls: *mut Class, cu: *const Cu, fp: *mut FILE) -> usize {
    entry(|| {
        non_null!(cls, fp);
        // SAFETY: a struct of this unit.
        unsafe { to_stream(fp, cu, |printer| printer.whole_class(cls, &Conf::standard())) }
    })
}

/// Prints where a tag was declared.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tag__fprintf_decl_info(tag: *const Tag, cu: *const Cu, fp: *mut FILE) -> usize {
    entry(|| {
        non_null!(tag, fp);
        // SAFETY: a tag of this unit.
        unsafe { to_stream(fp, cu, |printer| printer.declaration_comment(tag)) }
    })
}

/// Prints a typedef, without a semicolon.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn typedef__fprintf(tag_type: *const Tag, cu: *const Cu, conf: *const ConfFprintf, fp: *mut FILE) -> usize {
    entry(|| {
        non_null!(tag_type, fp);
        // SAFETY: a typedef of this unit.
        unsafe { to_stream(fp, cu, |printer| printer.whole_typedef(tag_type.cast_mut().cast(), &Conf::read(conf))) }
    })
}

/// Prints an enumeration, without a semicolon. The unit is only needed for enumerations with functions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn enumeration__fprintf(
    tag_enum: *const Tag,
    cu: *const Cu,
    conf: *const ConfFprintf,
    fp: *mut FILE,
) -> usize {
    entry(|| {
        non_null!(tag_enum, fp);
        // SAFETY: an enumeration of this unit.
        unsafe { to_stream(fp, cu, |printer| printer.whole_enumeration(tag_enum.cast_mut().cast(), &Conf::read(conf))) }
    })
}

/// Prints a return type, a name and parameters.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ftype__fprintf(
    ftype: *const Ftype,
    cu: *const Cu,
    name: *const c_char,
    inlined: c_int,
    is_pointer: c_int,
    type_spacing: c_int,
    is_prototype: bool,
    conf: *const ConfFprintf,
    fp: *mut FILE,
) -> usize {
    entry(|| {
        non_null!(ftype, fp);
        // SAFETY: a function type of this unit, NULL or a string.
        unsafe {
            let name = (!name.is_null()).then(|| text(name));
            let (inlined, is_pointer, conf) = (inlined != 0, is_pointer != 0, Conf::read(conf));
            to_stream(fp, cu, |printer| {
                printer.prototype(ftype, name, inlined, is_pointer, type_spacing, is_prototype, &conf);
            })
        }
    })
}

/// Prints the parameters in parentheses, each on a line with `indent` tabs if that is not 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ftype__fprintf_parms(
    ftype: *const Ftype,
    cu: *const Cu,
    indent: c_int,
    conf: *const ConfFprintf,
    fp: *mut FILE,
) -> usize {
    entry(|| {
        non_null!(ftype, fp);
        // SAFETY: a function type of this unit.
        unsafe { to_stream(fp, cu, |printer| printer.parameter_list(ftype, indent, &Conf::read(conf))) }
    })
}

/// Prints a block of a function with all that is in it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lexblock__fprintf(
    lexblock: *const Lexblock,
    cu: *const Cu,
    function: *mut Function,
    indent: u16,
    conf: *const ConfFprintf,
    fp: *mut FILE,
) -> usize {
    entry(|| {
        non_null!(lexblock, fp);
        // SAFETY: a block of a function of this unit.
        unsafe { to_stream(fp, cu, |printer| printer.body(lexblock, function, indent, &Conf::read(conf))) }
    })
}

/// Prints a function's block, then what it adds up to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn function__fprintf_stats(
    tag_func: *const Tag,
    cu: *const Cu,
    conf: *const ConfFprintf,
    fp: *mut FILE,
) -> usize {
    entry(|| {
        non_null!(tag_func, fp);
        // SAFETY: a function of this unit.
        unsafe { to_stream(fp, cu, |printer| printer.function_with_stats(tag_func.cast_mut().cast(), &Conf::read(conf))) }
    })
}

/// Composes a function's prototype without its name in `bf`; returns `bf`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn function__prototype_conf(
    func: *const Function,
    cu: *const Cu,
    conf: *const ConfFprintf,
    bf: *mut c_char,
    len: usize,
) -> *const c_char {
    entry(|| {
        non_null!(func, bf);
        // SAFETY: a function of this unit; one whose prototype is missing has none.
        unsafe {
            let conf = Conf::read(conf);
            to_buffer(bf, len, cu, |printer| {
                if let Some(ftype) = prototype_of(func, cu) {
                    printer.prototype(ftype, None, false, false, 0, true, &conf);
                }
            })
        }
    })
}

/// [`function__prototype_conf`] without a configuration.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn function__prototype(func: *const Function, cu: *const Cu, bf: *mut c_char, len: usize) -> *const c_char {
    // SAFETY: passed on.
    unsafe { function__prototype_conf(func, cu, std::ptr::null(), bf, len) }
}

/// Composes a type's name in `bf`; "void" for NULL. Returns `bf`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tag__name(
    tag: *const Tag,
    cu: *const Cu,
    bf: *mut c_char,
    len: usize,
    conf: *const ConfFprintf,
) -> *const c_char {
    entry(|| {
        non_null!(bf);
        // SAFETY: NULL or a tag of this unit.
        unsafe { to_buffer(bf, len, cu, |printer| printer.type_name(tag, len, &Conf::read(conf))) }
    })
}

/// Composes the name of a variable's type in `bf`; NULL when it has none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn variable__type_name(var: *const Variable, cu: *const Cu, bf: *mut c_char, len: usize) -> *const c_char {
    entry(|| {
        non_null!(var, bf);
        // SAFETY: a variable of this unit.
        unsafe {
            let ty = Cu::type_of(cu, (*var).ip.tag.r#type);
            non_null!(ty);
            tag__name(ty, cu, bf, len, std::ptr::null())
        }
    })
}
