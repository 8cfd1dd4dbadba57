//! The symbol table wrapper that C programs iterate with libelf's own accessors.

use std::ffi::c_char;

use super::external::ElfData;

/// `struct elf_symtab`: everything but the structure and the name is libelf's.
#[repr(C)]
pub struct ElfSymtab {
    pub nr_syms: u32,
    pub syms: *mut ElfData,
    pub symstrs: *mut ElfData,
    pub syms_sec_idx_table: *mut ElfData,
    pub name: *mut c_char,
}
layout! { ElfSymtab: 40, 8 { nr_syms: 0, syms: 8, symstrs: 16, syms_sec_idx_table: 24, name: 32 } }
