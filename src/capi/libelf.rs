//! The few functions of libelf that C programs' own handles are passed to.
//!
//! A program that calls `elf_symtab__new` has its libelf loaded, and iterates the result with that libelf's inline accessors; so it
//! has to be the same one. It is looked up when first needed, and a program that never needs it never loads it.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::mem::transmute_copy;
use std::sync::OnceLock;

use super::stdio::{put, stderr};
use crate::abi::external::{Elf, ElfData, ElfScn, GElfEhdr, GElfShdr};

/// Addresses of libelf's functions, under their own names.
pub(super) struct Libelf {
    pub elf_begin: unsafe extern "C" fn(c_int, c_int, *mut Elf) -> *mut Elf,
    pub elf_end: unsafe extern "C" fn(*mut Elf) -> c_int,
    pub elf_version: unsafe extern "C" fn(u32) -> u32,
    pub elf_getdata: unsafe extern "C" fn(*mut ElfScn, *mut ElfData) -> *mut ElfData,
    pub elf_getscn: unsafe extern "C" fn(*mut Elf, usize) -> *mut ElfScn,
    pub elf_getshdrstrndx: unsafe extern "C" fn(*mut Elf, *mut usize) -> c_int,
    pub elf_nextscn: unsafe extern "C" fn(*mut Elf, *mut ElfScn) -> *mut ElfScn,
    pub elf_scnshndx: unsafe extern "C" fn(*mut ElfScn) -> c_int,
    pub elf_strptr: unsafe extern "C" fn(*mut Elf, usize, usize) -> *mut c_char,
    pub gelf_getehdr: unsafe extern "C" fn(*mut Elf, *mut GElfEhdr) -> *mut GElfEhdr,
    pub gelf_getshdr: unsafe extern "C" fn(*mut ElfScn, *mut GElfShdr) -> *mut GElfShdr,
}

impl Libelf {
    /// The program's libelf, or the system's; `None`, after a message, when there is none.
    pub fn get() -> Option<&'static Libelf> {
        static LIBELF: OnceLock<Option<Libelf>> = OnceLock::new();
        LIBELF
            .get_or_init(|| {
                let libelf = Libelf::load();
                if libelf.is_none() {
                    // SAFETY: stderr is open.
                    unsafe { put(stderr(), &[b"libdwarves: libelf.so.1 is needed to look into a program's ELF handle\n"]) };
                }
                libelf
            })
            .as_ref()
    }

    fn load() -> Option<Libelf> {
        // SAFETY: loading libelf runs nothing of the program's; the handle stays open for ever.
        let own = unsafe { libc::dlopen(c"libelf.so.1".as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
        let find = |name: &CStr| -> Option<*mut c_void> {
            // SAFETY: valid handles and names.
            let global = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
            if !global.is_null() {
                return Some(global);
            }
            if own.is_null() {
                return None;
            }
            // SAFETY: as above.
            let address = unsafe { libc::dlsym(own, name.as_ptr()) };
            (!address.is_null()).then_some(address)
        };
        // SAFETY: the fields have the types that libelf.h declares for these names; function and data addresses are as large.
        unsafe {
            Some(Libelf {
                elf_begin: transmute_copy(&find(c"elf_begin")?),
                elf_end: transmute_copy(&find(c"elf_end")?),
                elf_version: transmute_copy(&find(c"elf_version")?),
                elf_getdata: transmute_copy(&find(c"elf_getdata")?),
                elf_getscn: transmute_copy(&find(c"elf_getscn")?),
                elf_getshdrstrndx: transmute_copy(&find(c"elf_getshdrstrndx")?),
                elf_nextscn: transmute_copy(&find(c"elf_nextscn")?),
                elf_scnshndx: transmute_copy(&find(c"elf_scnshndx")?),
                elf_strptr: transmute_copy(&find(c"elf_strptr")?),
                gelf_getehdr: transmute_copy(&find(c"gelf_getehdr")?),
                gelf_getshdr: transmute_copy(&find(c"gelf_getshdr")?),
            })
        }
    }
}
