//! Exported functions whose bodies are still to come: each says so on stderr, once, and returns its error value.

use std::ffi::{c_char, c_int};

use super::encoder::BtfEncoder;
use super::entry::missing;
use crate::abi::external::*;
use crate::abi::*;

/// cbindgen:ignore
#[unsafe(no_mangle)]
pub unsafe extern "C" fn elf_functions__new(_elf: *mut Elf) -> *mut ElfFunctions {
    missing("elf_functions__new")
}

/// cbindgen:ignore
#[unsafe(no_mangle)]
pub unsafe extern "C" fn variable_in_sec(_encoder: *mut BtfEncoder, _name: *const c_char, _shndx: usize) -> bool {
    missing("variable_in_sec")
}
