//! `elf_section_*`, `elf_symtab__*`, `elf_functions__new` and `exec_objcopy`: ELF files as programs hold them open with libelf.

use std::ffi::{CStr, OsStr, c_char, c_int};
use std::io::ErrorKind;
use std::os::unix::ffi::OsStrExt;
use std::process::Command;
use std::ptr;

use super::entry::{entry, non_null};
use super::libelf::Libelf;
use super::memory::strdup_or_null;
use super::stdio::same;
use crate::abi::ElfSymtab;
use crate::abi::external::{Elf, ElfFunctions, ElfScn, GElfShdr};

const SHT_SYMTAB_SHNDX: u32 = 18;
/// Of the C library's `struct elf_functions`, in bytes: a list entry, three pointers and a count.
const ELF_FUNCTIONS_SIZE: usize = 48;

/// The section of that name; its header goes to `*shp`, its index to `*index`. NULL when there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn elf_section_by_name(
    elf: *mut Elf,
    shp: *mut GElfShdr,
    name: *const c_char,
    index: *mut usize,
) -> *mut ElfScn {
    entry(|| {
        non_null!(elf, shp, name);
        let Some(lib) = Libelf::get() else { return ptr::null_mut() };
        // SAFETY: the program's own handle, used by its own libelf.
        unsafe {
            let mut names = 0;
            if (lib.elf_getshdrstrndx)(elf, &mut names) != 0 {
                return ptr::null_mut();
            }
            let mut section = ptr::null_mut();
            for number in 1.. {
                section = (lib.elf_nextscn)(elf, section);
                if section.is_null() || (lib.gelf_getshdr)(section, shp).is_null() {
                    break;
                }
                let found = (lib.elf_strptr)(elf, names, (*shp).sh_name as usize);
                if found.is_null() {
                    break;
                }
                if same(found, name) {
                    if !index.is_null() {
                        *index = number;
                    }
                    return section;
                }
            }
            ptr::null_mut()
        }
    })
}

/// The section of that index; its header goes to `*shp`, its name to `*name_out`. NULL when there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn elf_section_by_idx(
    elf: *mut Elf,
    shp: *mut GElfShdr,
    idx: c_int,
    name_out: *mut *const c_char,
) -> *mut ElfScn {
    entry(|| {
        non_null!(elf, shp);
        let Some(lib) = Libelf::get() else { return ptr::null_mut() };
        let Ok(idx) = usize::try_from(idx) else { return ptr::null_mut() };
        // SAFETY: the program's own handle, used by its own libelf.
        unsafe {
            let section = (lib.elf_getscn)(elf, idx);
            if section.is_null() || (lib.gelf_getshdr)(section, shp).is_null() {
                return ptr::null_mut();
            }
            if !name_out.is_null() {
                let mut names = 0;
                if (lib.elf_getshdrstrndx)(elf, &mut names) != 0 {
                    return ptr::null_mut();
                }
                *name_out = (lib.elf_strptr)(elf, names, (*shp).sh_name as usize);
            }
            section
        }
    })
}

/// Opens a symbol table, `.symtab` for a NULL name, for as long as the handle lives. NULL when it is missing or damaged.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn elf_symtab__new(name: *const c_char, elf: *mut Elf) -> *mut ElfSymtab {
    entry(|| {
        let name = if name.is_null() { c".symtab".as_ptr() } else { name };
        // SAFETY: the program's own handle; zeroes are a valid ElfSymtab.
        unsafe {
            let Some(found) = open_symtab(name, elf) else { return ptr::null_mut() };
            let symtab = libc::calloc(1, size_of::<ElfSymtab>()).cast::<ElfSymtab>();
            if symtab.is_null() {
                return symtab;
            }
            symtab.write(found);
            (*symtab).name = strdup_or_null(name);
            if (*symtab).name.is_null() {
                elf_symtab__delete(symtab);
                return ptr::null_mut();
            }
            symtab
        }
    })
}

/// The table without its name.
unsafe fn open_symtab(name: *const c_char, elf: *mut Elf) -> Option<ElfSymtab> {
    // SAFETY: the program's own handle, used by its own libelf.
    unsafe {
        let mut header = GElfShdr::default();
        let mut index = 0;
        let section = elf_section_by_name(elf, &mut header, name, &mut index);
        if section.is_null() {
            return None;
        }
        let lib = Libelf::get()?;
        let data = |section: *mut ElfScn| {
            let data = if section.is_null() { ptr::null_mut() } else { (lib.elf_getdata)(section, ptr::null_mut()) };
            (!data.is_null()).then_some(data)
        };
        let syms = data(section)?;
        let symstrs = data((lib.elf_getscn)(elf, header.sh_link as usize))?;
        let mut syms_sec_idx_table = ptr::null_mut();
        // Section numbers that do not fit the symbols are in a table of their own, which names its symbol table.
        if let Ok(extended @ 1..) = usize::try_from((lib.elf_scnshndx)(section)) {
            let extended = (lib.elf_getscn)(elf, extended);
            let mut extended_header = GElfShdr::default();
            if extended.is_null()
                || (lib.gelf_getshdr)(extended, &mut extended_header).is_null()
                || extended_header.sh_type != SHT_SYMTAB_SHNDX
                || extended_header.sh_link as usize != index
            {
                return None;
            }
            syms_sec_idx_table = data(extended)?;
        }
        let nr_syms = header.sh_size.checked_div(header.sh_entsize)?;
        Some(ElfSymtab { nr_syms: u32::try_from(nr_syms).ok()?, syms, symstrs, syms_sec_idx_table, name: ptr::null_mut() })
    }
}

/// Frees the wrapper; the data belong to libelf.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn elf_symtab__delete(symtab: *mut ElfSymtab) {
    entry(|| {
        non_null!(symtab);
        // SAFETY: a table of elf_symtab__new.
        unsafe {
            libc::free((*symtab).name.cast());
            libc::free(symtab.cast());
        }
    })
}

/// Something for a file with a `.symtab`, to be released with `free()`; NULL for others. In the C library it is the encoder's table of
/// functions, exported by accident: no header declares it and no function takes it. Ours are inside the encoder.
///
/// cbindgen:ignore
#[unsafe(no_mangle)]
pub unsafe extern "C" fn elf_functions__new(elf: *mut Elf) -> *mut ElfFunctions {
    entry(|| {
        non_null!(elf);
        // SAFETY: the program's own handle; nothing but the size of the result is known to anybody.
        unsafe {
            match open_symtab(c".symtab".as_ptr(), elf) {
                Some(_) => libc::calloc(1, ELF_FUNCTIONS_SIZE).cast(),
                None => ptr::null_mut(),
            }
        }
    })
}

/// Runs `objcopy --add-section add_section -- filename`: 0 when that exits with 0, `-ENOENT` without such a program, else -1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn exec_objcopy(objcopy: *const c_char, add_section: *const c_char, filename: *const c_char) -> c_int {
    entry(|| {
        non_null!(objcopy, add_section, filename);
        // SAFETY: strings.
        let argument = |s| unsafe { OsStr::from_bytes(CStr::from_ptr(s).to_bytes()) };
        let run = Command::new(argument(objcopy))
            .arg("--add-section")
            .arg(argument(add_section))
            .arg("--")
            .arg(argument(filename))
            .status();
        match run {
            Ok(status) if status.success() => 0,
            Err(error) if error.kind() == ErrorKind::NotFound => -libc::ENOENT,
            _ => -1,
        }
    })
}
