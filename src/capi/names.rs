//! Names of tags, kinds and scopes.

use std::ffi::{CStr, c_char, c_int};
use std::ptr;

use libc::FILE;

use super::entry::{entry, non_null};
use super::stdio::{fill, put, stderr, text};
use crate::abi::{BaseType, Cu, Function, Tag, TypeId, Variable, Vscope};

/// DWARF 5, section 7.5.3: the names from 0x01 on; `None` where the standard has a gap.
const TAG_NAMES: [Option<&CStr>; 0x4b] = [
    Some(c"array_type"),
    Some(c"class_type"),
    Some(c"entry_point"),
    Some(c"enumeration_type"),
    Some(c"formal_parameter"),
    None,
    None,
    Some(c"imported_declaration"),
    None,
    Some(c"label"),
    Some(c"lexical_block"),
    None,
    Some(c"member"),
    None,
    Some(c"pointer_type"),
    Some(c"reference_type"),
    Some(c"compile_unit"),
    Some(c"string_type"),
    Some(c"structure_type"),
    None,
    Some(c"subroutine_type"),
    Some(c"typedef"),
    Some(c"union_type"),
    Some(c"unspecified_parameters"),
    Some(c"variant"),
    Some(c"common_block"),
    Some(c"common_inclusion"),
    Some(c"inheritance"),
    Some(c"inlined_subroutine"),
    Some(c"module"),
    Some(c"ptr_to_member_type"),
    Some(c"set_type"),
    Some(c"subrange_type"),
    Some(c"with_stmt"),
    Some(c"access_declaration"),
    Some(c"base_type"),
    Some(c"catch_block"),
    Some(c"const_type"),
    Some(c"constant"),
    Some(c"enumerator"),
    Some(c"file_type"),
    Some(c"friend"),
    Some(c"namelist"),
    Some(c"namelist_item"),
    Some(c"packed_type"),
    Some(c"subprogram"),
    Some(c"template_type_parameter"),
    Some(c"template_value_parameter"),
    Some(c"thrown_type"),
    Some(c"try_block"),
    Some(c"variant_part"),
    Some(c"variable"),
    Some(c"volatile_type"),
    Some(c"dwarf_procedure"),
    Some(c"restrict_type"),
    Some(c"interface_type"),
    Some(c"namespace"),
    Some(c"imported_module"),
    Some(c"unspecified_type"),
    Some(c"partial_unit"),
    Some(c"imported_unit"),
    None,
    Some(c"condition"),
    Some(c"shared_type"),
    Some(c"type_unit"),
    Some(c"rvalue_reference_type"),
    None,
    Some(c"coarray_type"),
    Some(c"generic_subrange"),
    Some(c"dynamic_type"),
    Some(c"atomic_type"),
    Some(c"call_site"),
    Some(c"call_site_parameter"),
    Some(c"skeleton_unit"),
    Some(c"immutable_type"),
];

/// The GNU range from 0x4101 on.
const GNU_TAG_NAMES: [&CStr; 10] = [
    c"format_label",
    c"function_template",
    c"class_template",
    c"GNU_BINCL",
    c"GNU_EINCL",
    c"GNU_template_template_param",
    c"GNU_template_parameter_pack",
    c"GNU_formal_parameter_pack",
    c"GNU_call_site",
    c"GNU_call_site_parameter",
];

/// The name of a DW_TAG number without its prefix, `None` in gaps of the table, "INVALID" outside of it.
pub(crate) fn tag_name(tag: u32) -> Option<&'static CStr> {
    match tag {
        0x01..=0x4b => TAG_NAMES[tag as usize - 1],
        0x4081 => Some(c"MIPS_loop"),
        0x4082..=0x4100 => None,
        0x4101..=0x410a => Some(GNU_TAG_NAMES[tag as usize - 0x4101]),
        0x6000 => Some(c"LLVM_annotation"),
        0x6001 => Some(c"GNU_annotation"),
        _ => Some(c"INVALID"),
    }
}

/// [`tag_name`] for C; NULL in gaps.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dwarf_tag_name(tag: u32) -> *const c_char {
    entry(|| tag_name(tag).map_or(ptr::null(), CStr::as_ptr))
}

/// `enum base_type_float_type`.
const FLOAT_KINDS: [&str; 13] = [
    "(null)",
    "single",
    "double",
    "complex",
    "complex double",
    "complex long double",
    "long double",
    "interval",
    "interval double",
    "interval long double",
    "imaginary",
    "imaginary double",
    "imaginary long double",
];

/// What stands in front of a base type's name when the name does not tell its encoding.
fn encoding_prefix(base: &BaseType) -> String {
    match base.float_type() {
        0 => {
            [(base.is_bool(), "bool "), (base.is_varargs(), "... ")].iter().filter(|(is, _)| *is).map(|(_, name)| *name).collect()
        }
        kind => format!("{} ", FLOAT_KINDS.get(usize::from(kind)).unwrap_or(&"(null)")),
    }
}

/// The full name of a base type; `None` when it has none and needs none.
unsafe fn composed_name(base: *const BaseType) -> Option<Vec<u8>> {
    // SAFETY: a valid base type.
    unsafe {
        let base = &*base;
        if base.name_has_encoding() {
            return (!base.name.is_null()).then(|| text(base.name).to_vec());
        }
        Some([encoding_prefix(base).as_bytes(), text(base.name)].concat())
    }
}

/// Whether the composed name of a base type is `name`.
///
/// # Safety
/// A valid base type and a string.
pub(crate) unsafe fn is_base_type_named(base: *const BaseType, name: *const c_char) -> bool {
    // SAFETY: passed on.
    unsafe { composed_name(base).is_some_and(|composed| composed == text(name)) }
}

/// The name as it stands in the debugging information.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __base_type__name(bt: *const BaseType) -> *const c_char {
    entry(|| {
        non_null!(bt);
        // SAFETY: a valid base type.
        unsafe { (*bt).name }
    })
}

/// The name, composed in `bf` when the debugging information leaves the encoding out of it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn base_type__name(btype: *const BaseType, bf: *mut c_char, len: usize) -> *const c_char {
    entry(|| {
        non_null!(btype);
        // SAFETY: a valid base type, and a buffer of len bytes.
        unsafe {
            if (*btype).name_has_encoding() {
                return (*btype).name;
            }
            fill(bf, len, &[encoding_prefix(&*btype).as_bytes(), text((*btype).name)].concat());
            bf
        }
    })
}

/// Sizes in bits of base types by name; 0 stands for the size of an address.
const BASE_TYPE_SIZES: [(&str, usize); 34] = [
    ("unsigned", 32),
    ("signed int", 32),
    ("unsigned int", 32),
    ("int", 32),
    ("short unsigned int", 16),
    ("signed short", 16),
    ("unsigned short", 16),
    ("short int", 16),
    ("short", 16),
    ("char", 8),
    ("signed char", 8),
    ("unsigned char", 8),
    ("signed long", 0),
    ("long int", 0),
    ("long", 0),
    ("unsigned long", 0),
    ("long unsigned int", 0),
    ("bool", 8),
    ("_Bool", 8),
    ("long long unsigned int", 64),
    ("long long int", 64),
    ("long long", 64),
    ("signed long long", 64),
    ("unsigned long long", 64),
    ("double", 64),
    ("double double", 64),
    ("single float", 32),
    ("float", 32),
    ("long double", 128),
    ("long double long double", 128),
    ("__int128", 128),
    ("unsigned __int128", 128),
    ("__int128 unsigned", 128),
    ("_Float128", 128),
];

/// The size in bits that a base type's name stands for; 0, after a message, for unknown names.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn base_type__name_to_size(btype: *mut BaseType, cu: *mut Cu) -> usize {
    entry(|| {
        non_null!(btype, cu);
        // SAFETY: a valid base type and unit.
        unsafe {
            let full = composed_name(btype).unwrap_or_default();
            let mut name = full.as_slice();
            loop {
                if let Some(&(_, bits)) = BASE_TYPE_SIZES.iter().find(|(known, _)| known.as_bytes() == name) {
                    return if bits == 0 { usize::from((*cu).addr_size) * 8 } else { bits };
                }
                match name.strip_prefix(b"signed ") {
                    Some(rest) => name = rest,
                    None => break,
                }
            }
            let kind = tag_name((*btype).tag.tag.into()).map_or(&b"(null)"[..], CStr::to_bytes);
            put(stderr(), &[b"base_type__name_to_size: ", kind, b" ", &full, b"\n"]);
            0
        }
    })
}

/// The function's name, empty when it has none: programs compare it as it comes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn function__name(func: *mut Function) -> *const c_char {
    entry(|| {
        non_null!(func);
        // SAFETY: a valid function.
        let name = unsafe { (*func).name };
        if name.is_null() { c"".as_ptr() } else { name }
    })
}

/// The variable's name, NULL when it has none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn variable__name(var: *const Variable) -> *const c_char {
    entry(|| {
        non_null!(var);
        // SAFETY: a valid variable.
        unsafe { (*var).name }
    })
}

/// Where the variable lives.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn variable__scope(var: *const Variable) -> Vscope {
    entry(|| {
        non_null!(var);
        // SAFETY: a valid variable.
        unsafe { (*var).scope }
    })
}

/// The scope in words.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn variable__scope_str(var: *const Variable) -> *const c_char {
    entry(|| {
        non_null!(var);
        // SAFETY: a valid variable.
        let scope = match unsafe { (*var).scope } {
            1 => c"local",
            2 => c"global",
            3 => c"register",
            4 => c"optimized",
            _ => c"unknown",
        };
        scope.as_ptr()
    })
}

/// Prints that an id leads nowhere, and in which function and line of the caller; the bytes printed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __tag__id_not_found_fprintf(fp: *mut FILE, id: TypeId, r#fn: *const c_char, line: c_int) -> usize {
    entry(|| {
        non_null!(fp);
        // SAFETY: an open stream and a string; the id prints as the signed number C makes of it.
        unsafe { put(fp, &[b"<ERROR(", text(r#fn), format!(":{line}): {} not found!>\n", id as i32).as_bytes()]) }
    })
}

/// Tells in `bf`, or else on `fp` or stderr, that a tag and its type are of the same type; the bytes printed, 0 if not so.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __tag__has_type_loop(
    tag: *const Tag,
    ty: *const Tag,
    bf: *mut c_char,
    len: usize,
    fp: *mut FILE,
    r#fn: *const c_char,
    line: c_int,
) -> c_int {
    entry(|| {
        if tag.is_null() || ty.is_null() {
            return 0;
        }
        // SAFETY: valid tags, a buffer of len bytes or an open stream.
        unsafe {
            let id = (*tag).r#type;
            if id != (*ty).r#type {
                return 0;
            }
            let kind = tag_name((*tag).tag.into()).map_or(&b"(null)"[..], CStr::to_bytes);
            let middle = format!(":{line}): detected type loop: type={}, tag=", id as i32);
            let message = [b"<ERROR(", text(r#fn), middle.as_bytes(), kind, b">"].concat();
            if !bf.is_null() {
                fill(bf, len, &message);
                return message.len() as c_int;
            }
            put(if fp.is_null() { stderr() } else { fp }, &[&message, b"\n"]) as c_int
        }
    })
}
