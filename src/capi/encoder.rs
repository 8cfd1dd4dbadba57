//! `btf_encoder__*`: turning the units a program is shown into BTF.

use std::ffi::{c_char, c_int};

use super::entry::missing;
use crate::abi::external::Btf;
use crate::abi::{ConfLoad, Cu};

/// `struct btf_encoder`, opaque to C.
///
/// cbindgen:ignore
pub struct BtfEncoder(());

#[unsafe(no_mangle)]
pub unsafe extern "C" fn btf_encoder__delete(_encoder: *mut BtfEncoder) {
    missing("btf_encoder__delete")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn btf_encoder__encode(_encoder: *mut BtfEncoder, _conf: *mut ConfLoad) -> c_int {
    missing("btf_encoder__encode")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn btf_encoder__encode_cu(_encoder: *mut BtfEncoder, _cu: *mut Cu, _conf_load: *mut ConfLoad) -> c_int {
    missing("btf_encoder__encode_cu")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn btf_encoder__new(
    _cu: *mut Cu,
    _detached_filename: *const c_char,
    _base_btf: *mut Btf,
    _verbose: bool,
    _conf_load: *mut ConfLoad,
) -> *mut BtfEncoder {
    missing("btf_encoder__new")
}
