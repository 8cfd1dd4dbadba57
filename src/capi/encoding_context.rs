//! What a proposed series for the encoder exports beyond the released library: a context that programs open before they encode and
//! close afterwards, and access to the BTF that an encoder makes.
//!
//! A program need not open a context: encoders work without one. With one open, encoders that are not deleted yet go when it is
//! closed.

use std::ptr;

use parking_lot::Mutex;

use super::elf::{elf_symtab__delete, elf_symtab__new};
use super::encoder::{BtfEncoder, btf_encoder__delete, object_of};
use super::entry::{entry, non_null};
use super::stdio;
use crate::abi::external::{Btf, DwflModule, Elf};

/// The encoders made since the context was opened; `None` while it is closed.
static OPEN: Mutex<Option<Vec<Listed>>> = Mutex::new(None);

/// An encoder that C holds.
#[derive(PartialEq)]
struct Listed(*mut BtfEncoder);

// SAFETY: an address that is only compared, until the program closes the context and with it gives all encoders up.
unsafe impl Send for Listed {}

/// Notes a new encoder, if there is a context.
pub(super) fn enter(encoder: *mut BtfEncoder) {
    if let Some(encoders) = OPEN.lock().as_mut() {
        encoders.push(Listed(encoder));
    }
}

/// Forgets an encoder that is being deleted.
pub(super) fn leave(encoder: *mut BtfEncoder) {
    if let Some(encoders) = OPEN.lock().as_mut() {
        encoders.retain(|listed| listed.0 != encoder);
    }
}

fn complain(function: &str, state: &str) {
    let message = format!("{function} was called while context is {state} initialized\n");
    // SAFETY: stderr is open for as long as the program runs.
    unsafe {
        stdio::put(stdio::stderr(), &[message.as_bytes()]);
    }
}

/// Opens the context: 0, or -1 after a message when it is open already.
///
/// cbindgen:ignore
#[unsafe(no_mangle)]
pub unsafe extern "C" fn btf_encoding_context__init() -> i32 {
    entry(|| {
        let mut open = OPEN.lock();
        if open.is_some() {
            complain("btf_encoding_context__init", "already");
            return -1;
        }
        *open = Some(Vec::new());
        0
    })
}

/// Closes the context and deletes the encoders that were made in it and are still there.
///
/// cbindgen:ignore
#[unsafe(no_mangle)]
pub unsafe extern "C" fn btf_encoding_context__exit() {
    entry(|| {
        let Some(encoders) = OPEN.lock().take() else { return complain("btf_encoding_context__exit", "not") };
        for Listed(encoder) in encoders {
            // SAFETY: made by btf_encoder__new and not deleted yet, or it would not be listed; the program gives it up.
            unsafe { btf_encoder__delete(encoder) }
        }
    })
}

/// To be called for each file of a load, before its units: 0, or -1 for one without a symbol table, whose functions cannot be encoded.
///
/// Symbols are collected when the file is loaded, once for all its encoders, so that nothing is kept here.
///
/// cbindgen:ignore
#[unsafe(no_mangle)]
pub unsafe extern "C" fn btf_encoder__pre_load_module(_module: *mut DwflModule, elf: *mut Elf) -> i32 {
    entry(|| {
        non_null!(elf);
        if OPEN.lock().is_none() {
            complain("btf_encoder__pre_load_module", "not");
            return -1;
        }
        // SAFETY: the program's own handle.
        unsafe {
            let symbols = elf_symtab__new(ptr::null(), elf);
            non_null!(symbols);
            elf_symtab__delete(symbols);
        }
        0
    })
}

/// What the encoder has made so far, as an object of the process's libbpf. It belongs to the encoder and lives as long; NULL, after a
/// message, when libbpf is not there.
///
/// cbindgen:ignore
#[unsafe(no_mangle)]
pub unsafe extern "C" fn btf_encoder__btf(encoder: *mut BtfEncoder) -> *mut Btf {
    entry(|| {
        non_null!(encoder);
        // SAFETY: an encoder of ours.
        match unsafe { object_of(&mut *encoder) } {
            Ok(object) => object,
            Err(why) => {
                let message = format!("btf_encoder__btf: {why}\n");
                // SAFETY: stderr is open for as long as the program runs.
                unsafe { stdio::put(stdio::stderr(), &[message.as_bytes()]) };
                ptr::null_mut()
            }
        }
    })
}
