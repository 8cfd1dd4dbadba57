//! Loading files: `cus__load_*` and the `load_file` of each format.

use std::ffi::{c_char, c_int};

use super::entry::missing;
use crate::abi::{ConfLoad, Cus};

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ctf__load_file(_cus: *mut Cus, _conf: *mut ConfLoad, _filename: *const c_char) -> c_int {
    missing("ctf__load_file")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cus__load_dir(
    _cus: *mut Cus,
    _conf: *mut ConfLoad,
    _dirname: *const c_char,
    _filename_mask: *const c_char,
    _recursive: c_int,
) -> c_int {
    missing("cus__load_dir")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cus__load_file(_cus: *mut Cus, _conf: *mut ConfLoad, _filename: *const c_char) -> c_int {
    missing("cus__load_file")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cus__load_files(_cus: *mut Cus, _conf: *mut ConfLoad, _filenames: *mut *mut c_char) -> c_int {
    missing("cus__load_files")
}

/// `load_file` of `dwarf__ops`.
pub(super) unsafe extern "C" fn dwarf_load_file(_cus: *mut Cus, _conf: *mut ConfLoad, _filename: *const c_char) -> c_int {
    missing("dwarf__ops.load_file")
}

/// `load_file` of `btf__ops`.
pub(super) unsafe extern "C" fn btf_load_file(_cus: *mut Cus, _conf: *mut ConfLoad, _filename: *const c_char) -> c_int {
    missing("btf__ops.load_file")
}
