//! `ctf__*`, reading: a file's `.SUNW_ctf` section and its strings. Files are held open with the program's libelf.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;

use super::elf::{elf_section_by_name, elf_symtab__delete, elf_symtab__new};
use super::entry::{entry, non_null};
use super::gobuffer::__gobuffer__delete;
use super::libelf::Libelf;
use super::objects::ctf_is_verbose;
use super::stdio::{put, stderr, text};
use crate::abi::Ctf;
use crate::abi::CtfHeader;
use crate::abi::external::{Elf, GElfShdr, GElfSym, Strings};
use crate::loader::ctf::{Content, CtfError};

/// References with this bit set are into another table of strings.
const EXTERNAL_STRING: u32 = 1 << 31;

const ELF_C_READ_MMAP: c_int = 8;
const EV_CURRENT: u32 = 1;
const EI_CLASS: usize = 4;
const STT_OBJECT: u8 = 1;
const STT_FUNC: u8 = 2;

unsafe fn is_defined_and_visible(sym: *const GElfSym, kind: u8) -> bool {
    // SAFETY: a valid symbol.
    let sym = unsafe { &*sym };
    sym.st_info & 0xf == kind && sym.st_name != 0 && sym.st_shndx != 0 && sym.st_other & 3 == 0 && sym.st_size != 0
}

/// Whether a symbol has no function record.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ctf__ignore_symtab_function(sym: *const GElfSym, sym_name: *const c_char) -> bool {
    entry(|| {
        if sym.is_null() || sym_name.is_null() {
            return true;
        }
        // SAFETY: a valid symbol and its name.
        unsafe { !is_defined_and_visible(sym, STT_FUNC) || text(sym_name).starts_with(b"__libc_csu_") }
    })
}

/// Whether a symbol has no object record.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ctf__ignore_symtab_object(sym: *const GElfSym, sym_name: *const c_char) -> bool {
    entry(|| {
        if sym.is_null() || sym_name.is_null() {
            return true;
        }
        // SAFETY: a valid symbol and its name.
        unsafe { !is_defined_and_visible(sym, STT_OBJECT) || text(sym_name).contains(&b'.') }
    })
}

/// A half-word of the section, in the machine's byte order.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ctf__get16(ctf: *mut Ctf, p: *mut u16) -> u16 {
    entry(|| {
        non_null!(ctf, p);
        // SAFETY: records may stand anywhere.
        unsafe { if (*ctf).swapped != 0 { p.read_unaligned().swap_bytes() } else { p.read_unaligned() } }
    })
}

/// A word of the section, in the machine's byte order.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ctf__get32(ctf: *mut Ctf, p: *mut u32) -> u32 {
    entry(|| {
        non_null!(ctf, p);
        // SAFETY: as above.
        unsafe { if (*ctf).swapped != 0 { p.read_unaligned().swap_bytes() } else { p.read_unaligned() } }
    })
}

/// Writes a half-word in the section's byte order.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ctf__put16(ctf: *mut Ctf, p: *mut u16, val: u16) {
    entry(|| {
        non_null!(ctf, p);
        // SAFETY: as above.
        unsafe { p.write_unaligned(if (*ctf).swapped != 0 { val.swap_bytes() } else { val }) }
    })
}

/// Writes a word in the section's byte order.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ctf__put32(ctf: *mut Ctf, p: *mut u32, val: u32) {
    entry(|| {
        non_null!(ctf, p);
        // SAFETY: as above.
        unsafe { p.write_unaligned(if (*ctf).swapped != 0 { val.swap_bytes() } else { val }) }
    })
}

/// Opens a file, or takes over the handle of one that is open. NULL when it is no ELF file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ctf__new(filename: *const c_char, elf: *mut Elf) -> *mut Ctf {
    entry(|| {
        non_null!(filename);
        let Some(lib) = Libelf::get() else { return ptr::null_mut() };
        // SAFETY: a string, and NULL or the program's own handle; zeroes are a valid Ctf.
        unsafe {
            let ctf = libc::calloc(1, size_of::<Ctf>()).cast::<Ctf>();
            non_null!(ctf);
            (*ctf).in_fd = -1;
            (*ctf).elf = elf;
            (*ctf).filename = libc::strdup(filename);
            if (*ctf).filename.is_null() || (elf.is_null() && !open(ctf, lib)) {
                ctf__delete(ctf);
                return ptr::null_mut();
            }
            if (lib.gelf_getehdr)((*ctf).elf, &raw mut (*ctf).ehdr).is_null() {
                if ctf_is_verbose() {
                    put(stderr(), &[b"ctf__new: cannot get elf header.\n"]);
                }
                ctf__delete(ctf);
                return ptr::null_mut();
            }
            (*ctf).wordsize = match (*ctf).ehdr.e_ident[EI_CLASS] {
                1 => 4,
                2 => 8,
                _ => 0,
            };
            ctf
        }
    })
}

unsafe fn open(ctf: *mut Ctf, lib: &Libelf) -> bool {
    // SAFETY: the name is a string.
    unsafe {
        (*ctf).in_fd = libc::open((*ctf).filename, libc::O_RDONLY);
        if (*ctf).in_fd < 0 {
            return false;
        }
        if (lib.elf_version)(EV_CURRENT) == 0 {
            put(stderr(), &[b"ctf__new: cannot set libelf version.\n"]);
            return false;
        }
        (*ctf).elf = (lib.elf_begin)((*ctf).in_fd, ELF_C_READ_MMAP, ptr::null_mut());
        if (*ctf).elf.is_null() {
            put(stderr(), &[b"ctf__new: cannot read ", text((*ctf).filename), b" ELF file.\n"]);
        }
        !(*ctf).elf.is_null()
    }
}

/// Closes what [`ctf__new`] opened and frees everything.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ctf__delete(ctf: *mut Ctf) {
    entry(|| {
        non_null!(ctf);
        // SAFETY: a structure of ctf__new; a handle is its own when the file descriptor is.
        unsafe {
            if (*ctf).in_fd >= 0 {
                if let Some(lib) = Libelf::get() {
                    (lib.elf_end)((*ctf).elf);
                }
                libc::close((*ctf).in_fd);
            }
            for buffer in [&raw mut (*ctf).objects, &raw mut (*ctf).types, &raw mut (*ctf).funcs] {
                __gobuffer__delete(buffer);
            }
            elf_symtab__delete((*ctf).symtab);
            libc::free((*ctf).filename.cast());
            libc::free((*ctf).buf);
            libc::free(ctf.cast());
        }
    })
}

/// Reads `.SUNW_ctf` to `buf`, decompressed: 0, `-ESRCH` without such a section, another negative errno for a damaged one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ctf__load(ctf: *mut Ctf) -> c_int {
    entry(|| {
        non_null!(ctf);
        // SAFETY: an open file.
        unsafe {
            let mut header = GElfShdr::default();
            let section = elf_section_by_name((*ctf).elf, &mut header, c".SUNW_ctf".as_ptr(), ptr::null_mut());
            let Some(lib) = Libelf::get().filter(|_| !section.is_null()) else { return -libc::ESRCH };
            let Some(data) = (lib.elf_getdata)(section, ptr::null_mut()).as_ref() else {
                put(stderr(), &[b"ctf__load: cannot get data of CTF section.\n"]);
                return -1;
            };
            if data.d_buf.is_null() {
                return -libc::EINVAL;
            }
            match load(ctf, std::slice::from_raw_parts(data.d_buf.cast(), data.d_size)) {
                Ok(()) => 0,
                Err(errno) => -errno,
            }
        }
    })
}

unsafe fn load(ctf: *mut Ctf, section: &[u8]) -> Result<(), c_int> {
    let content = Content::read(section).map_err(|error| match error {
        CtfError::Version(_) => libc::ENOTSUP,
        _ => libc::EINVAL,
    })?;
    let bytes = content.bytes();
    // SAFETY: the block has room for all bytes.
    unsafe {
        let buf = libc::malloc(bytes.len());
        if buf.is_null() {
            return Err(libc::ENOMEM);
        }
        ptr::copy_nonoverlapping(bytes.as_ptr(), buf.cast(), bytes.len());
        libc::free((*ctf).buf);
        (*ctf).buf = buf;
        (*ctf).size = bytes.len();
        (*ctf).swapped = content.swapped().into();
    }
    Ok(())
}

/// The string of a reference: NULL for the empty one, a text that says what is wrong with a bad one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ctf__string(ctf: *mut Ctf, reference: u32) -> *mut c_char {
    entry(|| {
        non_null!(ctf);
        if reference & EXTERNAL_STRING != 0 {
            return c"(external ref)".as_ptr().cast_mut();
        }
        // SAFETY: a loaded section: `size` bytes, a whole header among them.
        unsafe {
            non_null!((*ctf).buf);
            let header = (*ctf).buf.cast::<CtfHeader>();
            let strings = ctf__get32(ctf, &raw mut (*header).ctf_str_off);
            if reference >= ctf__get32(ctf, &raw mut (*header).ctf_str_len) {
                return c"(ref out-of-bounds)".as_ptr().cast_mut();
            }
            let bytes = std::slice::from_raw_parts((*ctf).buf.cast::<u8>(), (*ctf).size);
            let at = size_of::<CtfHeader>() + strings as usize + reference as usize;
            match bytes.get(at..).map(CStr::from_bytes_until_nul) {
                Some(Ok(string)) if string.is_empty() => ptr::null_mut(),
                Some(Ok(string)) => string.as_ptr().cast_mut(),
                _ => c"(string table truncated)".as_ptr().cast_mut(),
            }
        }
    })
}

/// The section with its header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ctf__get_buffer(ctf: *mut Ctf) -> *mut c_void {
    entry(|| {
        non_null!(ctf);
        // SAFETY: a valid structure.
        unsafe { (*ctf).buf }
    })
}

/// How many bytes [`ctf__get_buffer`] has.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ctf__get_size(ctf: *mut Ctf) -> usize {
    entry(|| {
        non_null!(ctf);
        // SAFETY: a valid structure.
        unsafe { (*ctf).size }
    })
}

/// Opens the symbol table; 0 or -1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ctf__load_symtab(ctf: *mut Ctf) -> c_int {
    entry(|| {
        non_null!(ctf);
        // SAFETY: an open file.
        unsafe {
            (*ctf).symtab = elf_symtab__new(c".symtab".as_ptr(), (*ctf).elf);
            if (*ctf).symtab.is_null() { -1 } else { 0 }
        }
    })
}

/// Stores a table of strings for a writer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ctf__set_strings(ctf: *mut Ctf, strings: *mut Strings) {
    entry(|| {
        non_null!(ctf);
        // SAFETY: a valid structure.
        unsafe { (*ctf).strings = strings }
    })
}
