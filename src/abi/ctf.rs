//! The Solaris CTF file format's records, and the state of a CTF reader or writer.

use std::ffi::{c_char, c_int, c_void};

use super::external::{Elf, GElfEhdr, Strings};
use super::{ElfSymtab, Gobuffer};

/// `struct ctf_header`.
#[repr(C)]
pub struct CtfHeader {
    pub ctf_magic: u16,
    pub ctf_version: u8,
    pub ctf_flags: u8,
    pub ctf_parent_label: u32,
    pub ctf_parent_name: u32,
    pub ctf_label_off: u32,
    pub ctf_object_off: u32,
    pub ctf_func_off: u32,
    pub ctf_type_off: u32,
    pub ctf_str_off: u32,
    pub ctf_str_len: u32,
}
layout! { CtfHeader: 36, 4 {
    ctf_magic: 0, ctf_version: 2, ctf_flags: 3, ctf_parent_label: 4, ctf_parent_name: 8, ctf_label_off: 12,
    ctf_object_off: 16, ctf_func_off: 20, ctf_type_off: 24, ctf_str_off: 28, ctf_str_len: 32,
} }

/// `struct ctf_label_ent`.
#[repr(C)]
pub struct CtfLabelEnt {
    pub ctf_label_ref: u32,
    pub ctf_type_index: u32,
}
layout! { CtfLabelEnt: 8, 4 { ctf_label_ref: 0, ctf_type_index: 4 } }

/// `struct ctf_short_type`.
#[repr(C)]
pub struct CtfShortType {
    pub ctf_name: u32,
    pub ctf_info: u16,
    pub size_or_type: CtfSizeOrType,
}
layout! { CtfShortType: 8, 4 { ctf_name: 0, ctf_info: 4, size_or_type: 6 } }

/// `struct ctf_full_type`.
#[repr(C)]
pub struct CtfFullType {
    pub base: CtfShortType,
    pub ctf_size_high: u32,
    pub ctf_size_low: u32,
}
layout! { CtfFullType: 16, 4 { base: 0, ctf_size_high: 8, ctf_size_low: 12 } }

/// `struct ctf_enum`.
#[repr(C)]
pub struct CtfEnum {
    pub ctf_enum_name: u32,
    pub ctf_enum_val: u32,
}
layout! { CtfEnum: 8, 4 { ctf_enum_name: 0, ctf_enum_val: 4 } }

/// `struct ctf_array`.
#[repr(C)]
pub struct CtfArray {
    pub ctf_array_type: u16,
    pub ctf_array_index_type: u16,
    pub ctf_array_nelems: u32,
}
layout! { CtfArray: 8, 4 { ctf_array_type: 0, ctf_array_index_type: 2, ctf_array_nelems: 4 } }

/// `struct ctf_short_member`.
#[repr(C)]
pub struct CtfShortMember {
    pub ctf_member_name: u32,
    pub ctf_member_type: u16,
    pub ctf_member_offset: u16,
}
layout! { CtfShortMember: 8, 4 { ctf_member_name: 0, ctf_member_type: 4, ctf_member_offset: 6 } }

/// `struct ctf_full_member`.
#[repr(C)]
pub struct CtfFullMember {
    pub ctf_member_name: u32,
    pub ctf_member_type: u16,
    pub ctf_member_unused: u16,
    pub ctf_member_offset_high: u32,
    pub ctf_member_offset_low: u32,
}
layout! { CtfFullMember: 16, 4 {
    ctf_member_name: 0, ctf_member_type: 4, ctf_member_unused: 6, ctf_member_offset_high: 8, ctf_member_offset_low: 12,
} }

/// `struct ctf`.
#[repr(C)]
pub struct Ctf {
    pub buf: *mut c_void,
    pub r#priv: *mut c_void,
    pub elf: *mut Elf,
    pub symtab: *mut ElfSymtab,
    pub ehdr: GElfEhdr,
    pub objects: Gobuffer,
    pub types: Gobuffer,
    pub funcs: Gobuffer,
    pub strings: *mut Strings,
    pub filename: *mut c_char,
    pub size: usize,
    pub swapped: c_int,
    pub in_fd: c_int,
    pub wordsize: u8,
    pub type_index: u32,
}
layout! { Ctf: 208, 8 {
    buf: 0, r#priv: 8, elf: 16, symtab: 24, ehdr: 32, objects: 96, types: 120, funcs: 144, strings: 168, filename: 176,
    size: 184, swapped: 192, in_fd: 196, wordsize: 200, type_index: 204,
} }

/// The last half-word of a short type: its size in bytes, or the type it refers to. Anonymous in C.
#[repr(C)]
#[derive(Clone, Copy)]
pub union CtfSizeOrType {
    pub ctf_size: u16,
    pub ctf_type: u16,
}
