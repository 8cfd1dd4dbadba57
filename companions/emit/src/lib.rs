//! `libdwarves_emit.so.1`: writes out a type together with everything its definition needs, in an order that compiles.
//!
//! What was written is kept in three lists that the caller owns, across units: names tell whether a type of another unit was
//! written before. The definitions a type needs may be nested to any depth, so they are worked off on a stack of our own.

#![allow(non_snake_case)]
#![allow(clippy::missing_safety_doc)]

#[path = "../../../src/abi/mod.rs"]
#[allow(dead_code, unused_imports)]
mod abi;
mod base_type;
mod emitted;
mod print;
mod work;

use std::ffi::{c_char, c_int};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;

use libc::FILE;

use abi::{ConfFprintf, Cu, Ftype, ListHead, Tag, Type, TypeEmissions};
use work::Work;

/// What is asked of `libdwarves.so.1`, which the program has loaded.
mod library {
    use super::abi::{BaseType, ConfFprintf, Cu, Tag, Type, TypeId};
    use libc::FILE;
    use std::ffi::c_char;

    // C knows `struct cus`, which a unit points to, by name only.
    #[allow(improper_ctypes)]
    unsafe extern "C" {
        pub fn __base_type__name(bt: *const BaseType) -> *const c_char;
        pub fn cu__type(cu: *const Cu, id: TypeId) -> *mut Tag;
        pub fn enumeration__fprintf(tag: *const Tag, cu: *const Cu, conf: *const ConfFprintf, fp: *mut FILE) -> usize;
        pub fn tag__fprintf(tag: *mut Tag, cu: *const Cu, conf: *const ConfFprintf, fp: *mut FILE) -> usize;
        pub fn type__check_structs_at_unnatural_alignments(ty: *mut Type, cu: *const Cu);
        pub fn typedef__fprintf(tag: *const Tag, cu: *const Cu, conf: *const ConfFprintf, fp: *mut FILE) -> usize;
    }
}

/// A panic must not unwind into C; it becomes `error`.
fn entry<R>(error: R, body: impl FnOnce() -> R) -> R {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or(error)
}

/// Empties the three lists and remembers `conf`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn type_emissions__init(emissions: *mut TypeEmissions, conf: *mut ConfFprintf) {
    if emissions.is_null() {
        return;
    }
    // SAFETY: the caller's structure, writable and not yet initialised.
    unsafe {
        emitted::forget(&raw const (*emissions).definitions);
        emitted::forget(&raw const (*emissions).fwd_decls);
        ListHead::init(&raw mut (*emissions).definitions);
        ListHead::init(&raw mut (*emissions).base_type_definitions);
        ListHead::init(&raw mut (*emissions).fwd_decls);
        (*emissions).conf_fprintf = conf;
    }
}

/// The definition of that kind and name which was written; NULL if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn type_emissions__find_definition(
    emissions: *const TypeEmissions,
    tag: u16,
    name: *const c_char,
) -> *mut Type {
    entry(ptr::null_mut(), || {
        if emissions.is_null() {
            return ptr::null_mut();
        }
        // SAFETY: initialised lists, NULL or a string.
        unsafe { emitted::definition(emissions, name, |ty| (*ty).namespace.tag.tag == tag) }
    })
}

/// The struct, union or enumeration of that name, but of another kind, which was written; NULL if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn type_emissions__find_shadow_definition(
    emissions: *const TypeEmissions,
    tag: u16,
    name: *const c_char,
) -> *mut Type {
    entry(ptr::null_mut(), || {
        if emissions.is_null() {
            return ptr::null_mut();
        }
        // SAFETY: initialised lists, NULL or a string.
        unsafe { emitted::shadow(emissions, tag, name) }
    })
}

/// Writes one definition and a newline; nothing for a type that could not be referred to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn type__emit(tag: *mut Tag, cu: *mut Cu, prefix: *const c_char, suffix: *const c_char, fp: *mut FILE) {
    entry((), || {
        if !tag.is_null() && !fp.is_null() {
            // SAFETY: a type of this unit, NULL or strings, an open stream.
            unsafe { print::definition(tag, cu, prefix, suffix, fp) }
        }
    });
}

/// Writes what a type's definition needs, but not the definition itself; 1 if the type is new, 0 if it was written before.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn type__emit_definitions(
    tag: *mut Tag,
    cu: *mut Cu,
    emissions: *mut TypeEmissions,
    fp: *mut FILE,
) -> c_int {
    entry(0, || {
        if tag.is_null() || emissions.is_null() || fp.is_null() {
            return 0;
        }
        // SAFETY: a type of this unit, initialised lists, an open stream.
        unsafe { Work::new(cu, emissions, fp).run(|work| work.define(tag)).into() }
    })
}

/// Writes what a function's return type and parameters need, then a newline; 1 if there was anything.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ftype__emit_definitions(
    ftype: *mut Ftype,
    cu: *mut Cu,
    emissions: *mut TypeEmissions,
    fp: *mut FILE,
) -> c_int {
    entry(0, || {
        if ftype.is_null() || emissions.is_null() || fp.is_null() {
            return 0;
        }
        // SAFETY: a function type of this unit, initialised lists, an open stream.
        unsafe { Work::new(cu, emissions, fp).run(|work| work.function_type(ftype)).into() }
    })
}
