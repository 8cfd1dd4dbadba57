//! `libdwarves_emit.so.1`: writes out a type together with everything its definition needs.
//!
//! Programs bind every name at start, so all six are here; bodies that still have to come say so on stderr, once.

#![allow(non_snake_case)]
#![allow(clippy::missing_safety_doc)]

use std::ffi::{c_char, c_int, c_void};
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};

/// Opaque here: `struct tag`, `struct cu` and the like are only handed on.
type Opaque = c_void;

/// `struct list_head`.
#[repr(C)]
pub struct ListHead {
    next: *mut ListHead,
    prev: *mut ListHead,
}

/// `struct type_emissions`: owned by the caller, three lists of what was emitted and how to print.
#[repr(C)]
pub struct TypeEmissions {
    definitions: ListHead,
    base_type_definitions: ListHead,
    fwd_decls: ListHead,
    conf_fprintf: *mut Opaque,
}

const _: () = assert!(size_of::<TypeEmissions>() == 56);

fn missing(told: &AtomicBool, name: &str) {
    if !told.swap(true, Ordering::Relaxed) {
        eprintln!("libdwarves_emit: {name} is not implemented yet");
    }
}

macro_rules! missing {
    ($name:literal) => {{
        static TOLD: AtomicBool = AtomicBool::new(false);
        missing(&TOLD, $name)
    }};
}

/// Empties the three lists and remembers `conf`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn type_emissions__init(emissions: *mut TypeEmissions, conf: *mut Opaque) {
    if emissions.is_null() {
        return;
    }
    // SAFETY: the caller's structure, valid and not yet initialised.
    unsafe {
        for head in
            [&raw mut (*emissions).definitions, &raw mut (*emissions).base_type_definitions, &raw mut (*emissions).fwd_decls]
        {
            head.write(ListHead { next: head, prev: head });
        }
        (*emissions).conf_fprintf = conf;
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn type_emissions__find_definition(_: *const TypeEmissions, _: u16, _: *const c_char) -> *mut Opaque {
    missing!("type_emissions__find_definition");
    ptr::null_mut()
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn type_emissions__find_shadow_definition(
    _: *const TypeEmissions,
    _: u16,
    _: *const c_char,
) -> *mut Opaque {
    missing!("type_emissions__find_shadow_definition");
    ptr::null_mut()
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn type__emit(_: *mut Opaque, _: *mut Opaque, _: *const c_char, _: *const c_char, _: *mut Opaque) {
    missing!("type__emit");
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn type__emit_definitions(_: *mut Opaque, _: *mut Opaque, _: *mut TypeEmissions, _: *mut Opaque) -> c_int {
    missing!("type__emit_definitions");
    0
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ftype__emit_definitions(_: *mut Opaque, _: *mut Opaque, _: *mut TypeEmissions, _: *mut Opaque) -> c_int {
    missing!("ftype__emit_definitions");
    0
}
