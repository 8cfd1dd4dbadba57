//! Types of other libraries whose addresses, or values, stand in our structures.
//!
//! Nothing here is looked into except where a comment says so; the C header names the owner's type instead.

use std::ffi::{c_char, c_int, c_long, c_uint, c_void};

macro_rules! opaque {
    ($($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        #[repr(C)]
        pub struct $name {
            _opaque: [u8; 0],
            _not_send: std::marker::PhantomData<(*mut u8, std::marker::PhantomPinned)>,
        }
    )*};
}

opaque! {
    /// libelf's handle of a file.
    Elf
    /// libelf's handle of a section.
    ElfScn
    /// libdwfl's module.
    DwflModule
    /// An operation of a location expression, libdw's `Dwarf_Op`.
    DwarfOp
    /// libbpf's `struct btf`.
    Btf
    /// A string table of the CTF encoder, which no program uses any more.
    Strings
    /// pahole's own.
    ClassMemberFilter
    /// argp's parser state.
    ArgpState
    /// The table of a file's function symbols.
    ElfFunctions
}

/// libelf's `Elf_Data`: the bytes of (a part of) a section.
///
/// cbindgen:ignore
#[repr(C)]
pub struct ElfData {
    pub d_buf: *mut c_void,
    pub d_type: c_int,
    pub d_version: c_uint,
    /// In bytes.
    pub d_size: usize,
    pub d_off: i64,
    pub d_align: usize,
}

/// gelf's section header, `Elf64_Shdr`.
///
/// cbindgen:ignore
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct GElfShdr {
    pub sh_name: u32,
    pub sh_type: u32,
    pub sh_flags: u64,
    pub sh_addr: u64,
    pub sh_offset: u64,
    pub sh_size: u64,
    pub sh_link: u32,
    pub sh_info: u32,
    pub sh_addralign: u64,
    pub sh_entsize: u64,
}

/// gelf's symbol, `Elf64_Sym`.
///
/// cbindgen:ignore
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct GElfSym {
    pub st_name: u32,
    pub st_info: u8,
    pub st_other: u8,
    pub st_shndx: u16,
    pub st_value: u64,
    pub st_size: u64,
}

/// gelf's file header, `Elf64_Ehdr`.
///
/// cbindgen:ignore
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct GElfEhdr {
    pub e_ident: [u8; 16],
    pub e_type: u16,
    pub e_machine: u16,
    pub e_version: u32,
    pub e_entry: u64,
    pub e_phoff: u64,
    pub e_shoff: u64,
    pub e_flags: u32,
    pub e_ehsize: u16,
    pub e_phentsize: u16,
    pub e_phnum: u16,
    pub e_shentsize: u16,
    pub e_shnum: u16,
    pub e_shstrndx: u16,
}

/// glibc's `struct obstack`, whose place in `struct cu` has to be kept.
///
/// The library allocates from its own arena; `extra_arg` holds what belongs to a unit beyond the C structure.
///
/// cbindgen:ignore
#[repr(C)]
pub struct Obstack {
    pub chunk_size: c_long,
    pub chunk: *mut c_void,
    pub object_base: *mut c_char,
    pub next_free: *mut c_char,
    pub chunk_limit: *mut c_char,
    pub temp: *mut c_void,
    pub alignment_mask: c_int,
    pub chunkfun: *mut c_void,
    pub freefun: *mut c_void,
    pub extra_arg: *mut c_void,
    pub flags: c_uint,
}

layout! { ElfData: 40, 8 { d_buf: 0, d_type: 8, d_version: 12, d_size: 16, d_off: 24, d_align: 32 } }
layout! { GElfShdr: 64, 8 {
    sh_name: 0, sh_type: 4, sh_flags: 8, sh_addr: 16, sh_offset: 24, sh_size: 32, sh_link: 40, sh_info: 44, sh_addralign:
    48, sh_entsize: 56,
} }
layout! { GElfSym: 24, 8 { st_name: 0, st_info: 4, st_other: 5, st_shndx: 6, st_value: 8, st_size: 16 } }
layout! { GElfEhdr: 64, 8 {
    e_ident: 0, e_type: 16, e_machine: 18, e_version: 20, e_entry: 24, e_phoff: 32, e_shoff: 40, e_flags: 48,
} }
layout! { Obstack: 88, 8 {
    chunk_size: 0, chunk: 8, object_base: 16, next_free: 24, chunk_limit: 32, temp: 40, alignment_mask: 48, chunkfun: 56,
    freefun: 64, extra_arg: 72, flags: 80,
} }
