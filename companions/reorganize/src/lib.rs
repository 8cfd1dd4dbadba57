//! `libdwarves_reorganize.so.1`: moves the members of a struct so that its holes close.
//!
//! Programs bind every name at start, so all four are here; bodies that still have to come say so on stderr, once.

#![allow(non_snake_case)]
#![allow(clippy::missing_safety_doc)]

use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicBool, Ordering};

/// Opaque here: `struct class`, `struct class_member`, `struct cu`, `FILE`.
type Opaque = c_void;

fn missing(told: &AtomicBool, name: &str) {
    if !told.swap(true, Ordering::Relaxed) {
        eprintln!("libdwarves_reorganize: {name} is not implemented yet");
    }
}

macro_rules! missing {
    ($name:literal) => {{
        static TOLD: AtomicBool = AtomicBool::new(false);
        missing(&TOLD, $name)
    }};
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn class__subtract_offsets_from(_: *mut Opaque, _: *mut Opaque, _: u16) {
    missing!("class__subtract_offsets_from");
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn class__add_offsets_from(_: *mut Opaque, _: *mut Opaque, _: u16) {
    missing!("class__add_offsets_from");
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn class__fixup_alignment(_: *mut Opaque, _: *const Opaque) {
    missing!("class__fixup_alignment");
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn class__reorganize(_: *mut Opaque, _: *const Opaque, _: c_int, _: *mut Opaque) {
    missing!("class__reorganize");
}
