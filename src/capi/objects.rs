//! The exported data objects.
//!
//! pahole holds COPY relocations for some of them, so their sizes are part of the ABI, and the library reads its own objects
//! through the GOT: after start the program's copy is the one that counts.

use std::ptr;

use super::{btf_loader, ctf_loader, dwarf_loader, held, origin};
use crate::abi::{Cu, DebugFmtOps};

/// Indentation: as many TABs as a line can be indented by.
///
/// cbindgen:ignore
#[unsafe(no_mangle)]
pub static tabs: [u8; 17] = *b"\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\0";

/// Set by a program that was asked for the version as a number; nothing here reads it.
///
/// cbindgen:ignore
#[unsafe(no_mangle)]
pub static mut print_numeric_version: bool = false;

/// When false, the DWARF loader gives bit-field members synthetic types of exactly their width.
///
/// cbindgen:ignore
#[unsafe(no_mangle)]
pub static mut no_bitfield_type_recode: bool = true;

/// Makes `ctf__new` tell what is wrong with a file's header.
///
/// cbindgen:ignore
#[unsafe(no_mangle)]
pub static mut ctf__verbose: bool = false;

/// Whether bit-field members keep their declared types.
pub fn keeps_bitfield_types() -> bool {
    // SAFETY: programs set the flag before they load anything; it is only ever a valid bool.
    unsafe { ptr::read_volatile(&raw const no_bitfield_type_recode) }
}

/// Whether CTF header errors are to be printed.
pub(crate) fn ctf_is_verbose() -> bool {
    // SAFETY: as above.
    unsafe { ptr::read_volatile(&raw const ctf__verbose) }
}

unsafe extern "C" fn no_private_data(_cu: *mut Cu) {}

/// The DWARF loader.
///
/// cbindgen:ignore
#[unsafe(no_mangle)]
pub static mut dwarf__ops: DebugFmtOps = DebugFmtOps {
    name: c"dwarf".as_ptr(),
    load_file: Some(dwarf_loader::dwarf_load_file),
    tag__decl_file: Some(origin::decl_file),
    tag__decl_line: Some(origin::decl_line),
    tag__orig_id: Some(origin::orig_id),
    tag__alloc: Some(origin::tag_alloc),
    tag__free: Some(origin::tag_free),
    has_alignment_info: true,
    ..NO_OPS
};

/// The BTF loader.
///
/// cbindgen:ignore
#[unsafe(no_mangle)]
pub static mut btf__ops: DebugFmtOps =
    DebugFmtOps { name: c"btf".as_ptr(), load_file: Some(btf_loader::load_file), tag__free: Some(held::tag_free), ..NO_OPS };

/// The Solaris CTF loader.
///
/// cbindgen:ignore
#[unsafe(no_mangle)]
pub static mut ctf__ops: DebugFmtOps =
    DebugFmtOps { name: c"ctf".as_ptr(), load_file: Some(ctf_loader::ctf__load_file), tag__free: Some(held::tag_free), ..NO_OPS };

const NO_OPS: DebugFmtOps = DebugFmtOps {
    name: ptr::null(),
    init: None,
    exit: None,
    load_file: None,
    tag__decl_file: None,
    tag__decl_line: None,
    tag__orig_id: None,
    tag__alloc: None,
    tag__free: None,
    cu__delete: Some(no_private_data),
    has_alignment_info: false,
};

/// The descriptors in the order in which `cus__load_file` tries them.
pub(crate) fn formats() -> [*mut DebugFmtOps; 3] {
    [&raw mut dwarf__ops, &raw mut btf__ops, &raw mut ctf__ops]
}
