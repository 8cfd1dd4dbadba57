//! Exported functions whose bodies are still to come: each says so on stderr, once, and returns its error value.

use std::ffi::{c_char, c_int};

use libc::FILE;

use super::encoder::BtfEncoder;
use super::entry::missing;
use crate::abi::external::*;
use crate::abi::*;

#[unsafe(no_mangle)]
pub unsafe extern "C" fn class__fprintf(_cls: *mut Class, _cu: *const Cu, _fp: *mut FILE) -> usize {
    missing("class__fprintf")
}

/// cbindgen:ignore
#[unsafe(no_mangle)]
pub unsafe extern "C" fn class_member__dwarf_recode_bitfield(_member: *mut ClassMember, _cu: *mut Cu) -> c_int {
    missing("class_member__dwarf_recode_bitfield")
}

/// cbindgen:ignore
#[unsafe(no_mangle)]
pub unsafe extern "C" fn elf_functions__new(_elf: *mut Elf) -> *mut ElfFunctions {
    missing("elf_functions__new")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn enumeration__fprintf(
    _tag_enum: *const Tag,
    _cu: *const Cu,
    _conf: *const ConfFprintf,
    _fp: *mut FILE,
) -> usize {
    missing("enumeration__fprintf")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ftype__fprintf(
    _ftype: *const Ftype,
    _cu: *const Cu,
    _name: *const c_char,
    _inlined: c_int,
    _is_pointer: c_int,
    _type_spacing: c_int,
    _is_prototype: bool,
    _conf: *const ConfFprintf,
    _fp: *mut FILE,
) -> usize {
    missing("ftype__fprintf")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ftype__fprintf_parms(
    _ftype: *const Ftype,
    _cu: *const Cu,
    _indent: c_int,
    _conf: *const ConfFprintf,
    _fp: *mut FILE,
) -> usize {
    missing("ftype__fprintf_parms")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn function__fprintf_stats(
    _tag_func: *const Tag,
    _cu: *const Cu,
    _conf: *const ConfFprintf,
    _fp: *mut FILE,
) -> usize {
    missing("function__fprintf_stats")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn function__prototype(
    _func: *const Function,
    _cu: *const Cu,
    _bf: *mut c_char,
    _len: usize,
) -> *const c_char {
    missing("function__prototype")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn function__prototype_conf(
    _func: *const Function,
    _cu: *const Cu,
    _conf: *const ConfFprintf,
    _bf: *mut c_char,
    _len: usize,
) -> *const c_char {
    missing("function__prototype_conf")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn lexblock__fprintf(
    _lexblock: *const Lexblock,
    _cu: *const Cu,
    _function: *mut Function,
    _indent: u16,
    _conf: *const ConfFprintf,
    _fp: *mut FILE,
) -> usize {
    missing("lexblock__fprintf")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tag__fprintf(_tag: *mut Tag, _cu: *const Cu, _conf: *const ConfFprintf, _fp: *mut FILE) -> usize {
    missing("tag__fprintf")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tag__fprintf_decl_info(_tag: *const Tag, _cu: *const Cu, _fp: *mut FILE) -> usize {
    missing("tag__fprintf_decl_info")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tag__name(
    _tag: *const Tag,
    _cu: *const Cu,
    _bf: *mut c_char,
    _len: usize,
    _conf: *const ConfFprintf,
) -> *const c_char {
    missing("tag__name")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn typedef__fprintf(
    _tag_type: *const Tag,
    _cu: *const Cu,
    _conf: *const ConfFprintf,
    _fp: *mut FILE,
) -> usize {
    missing("typedef__fprintf")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn variable__type_name(
    _var: *const Variable,
    _cu: *const Cu,
    _bf: *mut c_char,
    _len: usize,
) -> *const c_char {
    missing("variable__type_name")
}

/// cbindgen:ignore
#[unsafe(no_mangle)]
pub unsafe extern "C" fn variable_in_sec(_encoder: *mut BtfEncoder, _name: *const c_char, _shndx: usize) -> bool {
    missing("variable_in_sec")
}
