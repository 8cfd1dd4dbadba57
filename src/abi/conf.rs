//! What a program asks of the loader, the encoder and the printer, and its list of languages.
//!
//! C fills these structures; both are zeroed first, so that zero is each field's default.

use std::ffi::{c_char, c_int, c_void};

use super::Cu;
use super::external::Btf;

/// `struct conf_load`.
#[repr(C)]
pub struct ConfLoad {
    /// Shown every unit, in order, on a worker thread for DWARF.
    pub steal: Option<unsafe extern "C" fn(*mut Cu, *mut ConfLoad) -> LoadStealKind>,
    /// Asked, on a worker thread, once language and producer are known; NULL leaves the unit empty.
    pub early_cu_filter: Option<unsafe extern "C" fn(*mut Cu) -> *mut Cu>,
    pub cookie: *mut c_void,
    /// Comma-separated names of formats to try; NULL for all.
    pub format_path: *mut c_char,
    /// Worker threads; one for 0 and less.
    pub nr_jobs: c_int,
    pub extra_dbg_info: bool,
    pub use_obstack: bool,
    pub fixup_silly_bitfields: bool,
    pub get_addr_info: bool,
    pub ignore_alignment_attr: bool,
    pub ignore_inline_expansions: bool,
    pub ignore_labels: bool,
    pub ptr_table_stats: bool,
    pub skip_encoding_btf_decl_tag: bool,
    pub skip_missing: bool,
    pub skip_encoding_btf_type_tag: bool,
    pub skip_encoding_btf_enum64: bool,
    pub btf_gen_optimized: bool,
    pub skip_encoding_btf_inconsistent_proto: bool,
    pub skip_encoding_btf_vars: bool,
    pub encode_btf_global_vars: bool,
    pub btf_gen_layout: bool,
    pub btf_gen_floats: bool,
    pub btf_encode_force: bool,
    pub reproducible_build: bool,
    pub btf_decl_tag_kfuncs: bool,
    pub btf_gen_distilled_base: bool,
    pub btf_attributes: bool,
    pub true_signature: bool,
    pub hashtable_bits: u8,
    pub max_hashtable_bits: u8,
    /// In bytes.
    pub kabi_prefix_len: u16,
    pub kabi_prefix: *const c_char,
    /// Made by the program's libbpf.
    pub base_btf: *mut Btf,
    /// May be NULL.
    pub conf_fprintf: *mut ConfFprintf,
    pub force_cu_merging: bool,
}
layout! { ConfLoad: 96, 8 {
    steal: 0, early_cu_filter: 8, cookie: 16, format_path: 24, nr_jobs: 32, extra_dbg_info: 36, use_obstack: 37,
    fixup_silly_bitfields: 38, get_addr_info: 39, ignore_alignment_attr: 40, ignore_inline_expansions: 41, ignore_labels:
    42, ptr_table_stats: 43, skip_encoding_btf_decl_tag: 44, skip_missing: 45, skip_encoding_btf_type_tag: 46,
    skip_encoding_btf_enum64: 47, btf_gen_optimized: 48, skip_encoding_btf_inconsistent_proto: 49, skip_encoding_btf_vars:
    50, encode_btf_global_vars: 51, btf_gen_layout: 52, btf_gen_floats: 53, btf_encode_force: 54, reproducible_build: 55,
    btf_decl_tag_kfuncs: 56, btf_gen_distilled_base: 57, btf_attributes: 58, true_signature: 59, hashtable_bits: 60,
    max_hashtable_bits: 61, kabi_prefix_len: 62, kabi_prefix: 64, base_btf: 72, conf_fprintf: 80, force_cu_merging: 88,
} }

/// `struct conf_fprintf`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ConfFprintf {
    pub prefix: *const c_char,
    pub suffix: *const c_char,
    /// Columns; 0 for the default, as with `name_spacing`.
    pub type_spacing: i32,
    pub name_spacing: i32,
    /// In bytes.
    pub base_offset: u32,
    pub count: u32,
    /// Current cache line, the printer's.
    pub cachelinep: *mut u32,
    /// These, down to `range`, and `skip` and `count`, are pahole's prettifier's.
    pub seek_bytes: *const c_char,
    pub size_bytes: *const c_char,
    pub header_type: *const c_char,
    pub range: *const c_char,
    pub skip: u32,
    /// In bytes; 0 for the default.
    pub cacheline_size: u16,
    /// In TABs.
    pub indent: u8,
    pub flags0: u8,
    pub flags1: u8,
    pub flags2: u8,
    pub flags3: u8,
}
layout! { ConfFprintf: 88, 8 {
    prefix: 0, suffix: 8, type_spacing: 16, name_spacing: 20, base_offset: 24, count: 28, cachelinep: 32, seek_bytes: 40,
    size_bytes: 48, header_type: 56, range: 64, skip: 72, cacheline_size: 76, indent: 78, flags0: 79, flags1: 80, flags2:
    81, flags3: 82,
} }
bits! { ConfFprintf.flags0 {
    expand_types, set_expand_types: 0;
    expand_pointers, set_expand_pointers: 1;
    rel_offset, set_rel_offset: 2;
    emit_stats, set_emit_stats: 3;
    suppress_comments, set_suppress_comments: 4;
    has_alignment_info, set_has_alignment_info: 5;
    suppress_aligned_attribute, set_suppress_aligned_attribute: 6;
    suppress_offset_comment, set_suppress_offset_comment: 7;
} }
bits! { ConfFprintf.flags1 {
    suppress_force_paddings, set_suppress_force_paddings: 0;
    suppress_packed, set_suppress_packed: 1;
    show_decl_info, set_show_decl_info: 2;
    show_only_data_members, set_show_only_data_members: 3;
    no_semicolon, set_no_semicolon: 4;
    show_first_biggest_size_base_type_member, set_show_first_biggest_size_base_type_member: 5;
    flat_arrays, set_flat_arrays: 6;
    first_member, set_first_member: 7;
} }
bits! { ConfFprintf.flags2 {
    last_member, set_last_member: 0;
    union_member, set_union_member: 1;
    no_parm_names, set_no_parm_names: 2;
    classes_as_structs, set_classes_as_structs: 3;
    hex_fmt, set_hex_fmt: 4;
    strip_inline, set_strip_inline: 5;
    skip_emitting_atomic_typedefs, set_skip_emitting_atomic_typedefs: 6;
    skip_emitting_errors, set_skip_emitting_errors: 7;
} }
bits! { ConfFprintf.flags3 {
    skip_emitting_modifier, set_skip_emitting_modifier: 0;
} }

/// `struct languages`.
#[repr(C)]
pub struct Languages {
    /// Comma-separated names.
    pub str: *mut c_char,
    /// DW_LANG numbers, sorted, malloc-ed.
    pub entries: *mut c_int,
    pub nr_entries: c_int,
    /// The list says what to leave out, not what to take.
    pub exclude: bool,
}
layout! { Languages: 24, 8 { str: 0, entries: 8, nr_entries: 16, exclude: 20 } }

/// `enum load_steal_kind`: what becomes of a unit that was shown to the program.
///
/// A plain number, since it is C that returns it: a value that is not listed counts as [`LoadStealKind::KEEPIT`].
///
/// cbindgen:ignore
#[repr(transparent)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LoadStealKind(pub c_int);

impl LoadStealKind {
    pub const KEEPIT: LoadStealKind = LoadStealKind(0);
    pub const DELETE: LoadStealKind = LoadStealKind(1);
    pub const STOP_LOADING: LoadStealKind = LoadStealKind(2);
    pub const ABORT: LoadStealKind = LoadStealKind(3);
}
