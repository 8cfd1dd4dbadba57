//! Exported functions whose bodies are still to come: each says so on stderr, once, and returns its error value.

use std::ffi::{c_char, c_int, c_uint, c_void};

use libc::FILE;

use super::encoder::BtfEncoder;
use super::entry::missing;
use crate::abi::external::*;
use crate::abi::*;

#[unsafe(no_mangle)]
pub unsafe extern "C" fn class__fprintf(_cls: *mut Class, _cu: *const Cu, _fp: *mut FILE) -> usize {
    missing("class__fprintf")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn class_member__dwarf_recode_bitfield(_member: *mut ClassMember, _cu: *mut Cu) -> c_int {
    missing("class_member__dwarf_recode_bitfield")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ctf__add_array(_ctf: *mut Ctf, _ty: u16, _index_type: u16, _nelems: u32) -> u32 {
    missing("ctf__add_array")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ctf__add_base_type(_ctf: *mut Ctf, _name: u32, _size: u16) -> u32 {
    missing("ctf__add_base_type")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ctf__add_enumeration_type(
    _ctf: *mut Ctf,
    _name: u32,
    _size: u16,
    _nr_entries: u16,
    _position: *mut i64,
) -> u32 {
    missing("ctf__add_enumeration_type")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ctf__add_enumerator(_ctf: *mut Ctf, _name: u32, _value: u32, _position: *mut i64) {
    missing("ctf__add_enumerator")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ctf__add_full_member(_ctf: *mut Ctf, _name: u32, _ty: u16, _offset: u64, _position: *mut i64) {
    missing("ctf__add_full_member")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ctf__add_function(
    _ctf: *mut Ctf,
    _ty: u16,
    _nr_parms: u16,
    _varargs: bool,
    _position: *mut i64,
) -> c_int {
    missing("ctf__add_function")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ctf__add_function_parameter(_ctf: *mut Ctf, _ty: u16, _position: *mut i64) {
    missing("ctf__add_function_parameter")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ctf__add_function_type(
    _ctf: *mut Ctf,
    _ty: u16,
    _nr_parms: u16,
    _varargs: bool,
    _position: *mut i64,
) -> u32 {
    missing("ctf__add_function_type")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ctf__add_fwd_decl(_ctf: *mut Ctf, _name: u32) -> u32 {
    missing("ctf__add_fwd_decl")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ctf__add_object(_ctf: *mut Ctf, _ty: u16) -> c_int {
    missing("ctf__add_object")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ctf__add_parameter(_ctf: *mut Ctf, _ty: u16, _position: *mut i64) {
    missing("ctf__add_parameter")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ctf__add_short_member(_ctf: *mut Ctf, _name: u32, _ty: u16, _offset: u16, _position: *mut i64) {
    missing("ctf__add_short_member")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ctf__add_short_type(_ctf: *mut Ctf, _kind: u16, _ty: u16, _name: u32) -> u32 {
    missing("ctf__add_short_type")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ctf__add_struct(
    _ctf: *mut Ctf,
    _kind: u16,
    _name: u32,
    _size: u64,
    _nr_members: u16,
    _position: *mut i64,
) -> u32 {
    missing("ctf__add_struct")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ctf__delete(_ctf: *mut Ctf) {
    missing("ctf__delete")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ctf__get16(_ctf: *mut Ctf, _p: *mut u16) -> u16 {
    missing("ctf__get16")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ctf__get32(_ctf: *mut Ctf, _p: *mut u32) -> u32 {
    missing("ctf__get32")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ctf__get_buffer(_ctf: *mut Ctf) -> *mut c_void {
    missing("ctf__get_buffer")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ctf__get_size(_ctf: *mut Ctf) -> usize {
    missing("ctf__get_size")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ctf__ignore_symtab_function(_sym: *const GElfSym, _sym_name: *const c_char) -> bool {
    missing("ctf__ignore_symtab_function")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ctf__ignore_symtab_object(_sym: *const GElfSym, _sym_name: *const c_char) -> bool {
    missing("ctf__ignore_symtab_object")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ctf__load(_ctf: *mut Ctf) -> c_int {
    missing("ctf__load")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ctf__load_symtab(_ctf: *mut Ctf) -> c_int {
    missing("ctf__load_symtab")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ctf__new(_filename: *const c_char, _elf: *mut Elf) -> *mut Ctf {
    missing("ctf__new")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ctf__put16(_ctf: *mut Ctf, _p: *mut u16, _val: u16) {
    missing("ctf__put16")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ctf__put32(_ctf: *mut Ctf, _p: *mut u32, _val: u32) {
    missing("ctf__put32")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ctf__set_strings(_ctf: *mut Ctf, _strings: *mut Strings) {
    missing("ctf__set_strings")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ctf__string(_ctf: *mut Ctf, _reference: u32) -> *mut c_char {
    missing("ctf__string")
}

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

#[unsafe(no_mangle)]
pub unsafe extern "C" fn variable_in_sec(_encoder: *mut BtfEncoder, _name: *const c_char, _shndx: usize) -> bool {
    missing("variable_in_sec")
}
