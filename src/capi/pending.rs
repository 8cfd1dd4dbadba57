//! Exported functions whose bodies are still to come: each says so on stderr, once, and returns its error value.

use std::ffi::{c_char, c_int, c_uint, c_void};

use libc::FILE;

use super::encoder::BtfEncoder;
use super::entry::missing;
use crate::abi::external::*;
use crate::abi::*;

#[unsafe(no_mangle)]
pub unsafe extern "C" fn __type__init(_ty: *mut Type) {
    missing("__type__init")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn class__add_vtable_entry(_cls: *mut Class, _vtable_entry: *mut Function) {
    missing("class__add_vtable_entry")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn class__clone(_from: *const Class, _new_class_name: *const c_char, _cu: *mut Cu) -> *mut Class {
    missing("class__clone")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn class__delete(_cls: *mut Class, _cu: *mut Cu) {
    missing("class__delete")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn class__find_holes(_cls: *mut Class) {
    missing("class__find_holes")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn class__fprintf(_cls: *mut Class, _cu: *const Cu, _fp: *mut FILE) -> usize {
    missing("class__fprintf")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn class__has_embedded_flexible_array(_cls: *mut Class, _cu: *const Cu) -> bool {
    missing("class__has_embedded_flexible_array")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn class__has_flexible_array(_class: *mut Class, _cu: *const Cu) -> bool {
    missing("class__has_flexible_array")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn class__has_hole_ge(_cls: *const Class, _size: u16) -> c_int {
    missing("class__has_hole_ge")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn class__infer_packed_attributes(_cls: *mut Class, _cu: *const Cu) -> bool {
    missing("class__infer_packed_attributes")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn class_member__delete(_member: *mut ClassMember, _cu: *mut Cu) {
    missing("class_member__delete")
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
pub unsafe extern "C" fn cu__account_inline_expansions(_cu: *mut Cu) {
    missing("cu__account_inline_expansions")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cu__for_all_tags(
    _cu: *mut Cu,
    _iterator: Option<unsafe extern "C" fn(*mut Tag, *mut Cu, *mut c_void) -> c_int>,
    _cookie: *mut c_void,
) -> c_int {
    missing("cu__for_all_tags")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn elf_functions__new(_elf: *mut Elf) -> *mut ElfFunctions {
    missing("elf_functions__new")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn elf_section_by_idx(
    _elf: *mut Elf,
    _shp: *mut GElfShdr,
    _idx: c_int,
    _name_out: *mut *const c_char,
) -> *mut ElfScn {
    missing("elf_section_by_idx")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn elf_section_by_name(
    _elf: *mut Elf,
    _shp: *mut GElfShdr,
    _name: *const c_char,
    _index: *mut usize,
) -> *mut ElfScn {
    missing("elf_section_by_name")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn elf_symtab__delete(_symtab: *mut ElfSymtab) {
    missing("elf_symtab__delete")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn elf_symtab__new(_name: *const c_char, _elf: *mut Elf) -> *mut ElfSymtab {
    missing("elf_symtab__new")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn enumeration__add(_ty: *mut Type, _enumerator: *mut Enumerator) {
    missing("enumeration__add")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn enumeration__delete(_ty: *mut Type, _cu: *mut Cu) {
    missing("enumeration__delete")
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
pub unsafe extern "C" fn enumerations__calc_prefix(_enumerations: *mut ListHead) {
    missing("enumerations__calc_prefix")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn exec_objcopy(_objcopy: *const c_char, _add_section: *const c_char, _filename: *const c_char) -> c_int {
    missing("exec_objcopy")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn formal_parameter_pack__add(_pack: *mut FormalParameterPack, _param: *mut Parameter) {
    missing("formal_parameter_pack__add")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn formal_parameter_pack__delete(_pack: *mut FormalParameterPack, _cu: *mut Cu) {
    missing("formal_parameter_pack__delete")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ftype__add_parameter(_ftype: *mut Ftype, _parm: *mut Parameter) {
    missing("ftype__add_parameter")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ftype__add_template_type_param(_ftype: *mut Ftype, _param: *mut TemplateTypeParam) {
    missing("ftype__add_template_type_param")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ftype__add_template_value_param(_ftype: *mut Ftype, _param: *mut TemplateValueParam) {
    missing("ftype__add_template_value_param")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ftype__delete(_ftype: *mut Ftype, _cu: *mut Cu) {
    missing("ftype__delete")
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
pub unsafe extern "C" fn ftype__has_parm_of_type(_ftype: *const Ftype, _target: TypeId, _cu: *const Cu) -> c_int {
    missing("ftype__has_parm_of_type")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn function__delete(_func: *mut Function, _cu: *mut Cu) {
    missing("function__delete")
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
pub unsafe extern "C" fn lexblock__add_inline_expansion(_lexblock: *mut Lexblock, _exp: *mut InlineExpansion) {
    missing("lexblock__add_inline_expansion")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn lexblock__add_label(_lexblock: *mut Lexblock, _label: *mut Label) {
    missing("lexblock__add_label")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn lexblock__add_lexblock(_lexblock: *mut Lexblock, _child: *mut Lexblock) {
    missing("lexblock__add_lexblock")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn lexblock__add_tag(_lexblock: *mut Lexblock, _tag: *mut Tag) {
    missing("lexblock__add_tag")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn lexblock__add_variable(_lexblock: *mut Lexblock, _var: *mut Variable) {
    missing("lexblock__add_variable")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn lexblock__delete(_lexblock: *mut Lexblock, _cu: *mut Cu) {
    missing("lexblock__delete")
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
pub unsafe extern "C" fn namespace__add_tag(_nspace: *mut Namespace, _tag: *mut Tag) {
    missing("namespace__add_tag")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn namespace__delete(_nspace: *mut Namespace, _cu: *mut Cu) {
    missing("namespace__delete")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tag__delete(_tag: *mut Tag, _cu: *mut Cu) {
    missing("tag__delete")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tag__follow_typedef(_tag: *const Tag, _cu: *const Cu) -> *mut Tag {
    missing("tag__follow_typedef")
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
pub unsafe extern "C" fn tag__is_array(_tag: *const Tag, _cu: *const Cu) -> bool {
    missing("tag__is_array")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tag__is_base_type(_tag: *const Tag, _cu: *const Cu) -> c_int {
    missing("tag__is_base_type")
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
pub unsafe extern "C" fn tag__natural_alignment(_tag: *mut Tag, _cu: *const Cu) -> usize {
    missing("tag__natural_alignment")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tag__nr_cachelines(_conf: *const ConfFprintf, _tag: *const Tag, _cu: *const Cu) -> usize {
    missing("tag__nr_cachelines")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tag__size(_tag: *const Tag, _cu: *const Cu) -> usize {
    missing("tag__size")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tag__strip_typedefs_and_modifiers(_tag: *const Tag, _cu: *const Cu) -> *mut Tag {
    missing("tag__strip_typedefs_and_modifiers")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn template_parameter_pack__add(_pack: *mut TemplateParameterPack, _param: *mut TemplateTypeParam) {
    missing("template_parameter_pack__add")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn template_parameter_pack__delete(_pack: *mut TemplateParameterPack, _cu: *mut Cu) {
    missing("template_parameter_pack__delete")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn type__add_member(_ty: *mut Type, _member: *mut ClassMember) {
    missing("type__add_member")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn type__add_template_type_param(_ty: *mut Type, _ttparm: *mut TemplateTypeParam) {
    missing("type__add_template_type_param")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn type__add_template_value_param(_ty: *mut Type, _tvparam: *mut TemplateValueParam) {
    missing("type__add_template_value_param")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn type__add_variant_part(_ty: *mut Type, _vpart: *mut VariantPart) {
    missing("type__add_variant_part")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn type__check_structs_at_unnatural_alignments(_ty: *mut Type, _cu: *const Cu) {
    missing("type__check_structs_at_unnatural_alignments")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn type__delete(_ty: *mut Type, _cu: *mut Cu) {
    missing("type__delete")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn type__find_first_biggest_size_base_type_member(_ty: *mut Type, _cu: *const Cu) -> *mut ClassMember {
    missing("type__find_first_biggest_size_base_type_member")
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
pub unsafe extern "C" fn union__infer_packed_attributes(_ty: *mut Type, _cu: *const Cu) {
    missing("union__infer_packed_attributes")
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
