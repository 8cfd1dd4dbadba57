//! `libdwarves_reorganize.so.1`: moves the members of a struct so that its holes close.
//!
//! The caller hands over a copy of the struct. What a member is moved to, and in which order, is what the C library does, whose
//! rules of thumb know nothing of alignment beyond the size of an address. Their result is therefore looked at when they are done:
//! a struct that became larger, or whose members lie on each other, is put back as it was.
//!
//! Offsets and sizes are bytes unless a name says bits.

#![allow(non_snake_case)]
#![allow(clippy::missing_safety_doc)]

#[path = "../../../src/abi/mod.rs"]
#[allow(dead_code, unused_imports)]
mod abi;
mod fixup;
mod log;
mod moves;
mod offsets;
mod original;
mod search;

use std::ffi::c_int;
use std::panic::{AssertUnwindSafe, catch_unwind};

use libc::FILE;

use abi::{Class, ClassMember, Cu};
use log::Log;

/// What is asked of `libdwarves.so.1`, which the program has loaded.
mod library {
    use super::abi::{Class, ClassMember, Cu, Type};
    use libc::FILE;

    // C knows `struct cus`, which a unit points to, by name only.
    #[allow(improper_ctypes)]
    unsafe extern "C" {
        pub fn class__find_holes(cls: *mut Class);
        pub fn class__fprintf(cls: *mut Class, cu: *const Cu, fp: *mut FILE) -> usize;
        pub fn type__find_first_biggest_size_base_type_member(ty: *mut Type, cu: *const Cu) -> *mut ClassMember;
        pub fn type__last_member(ty: *mut Type) -> *mut ClassMember;
    }
}

/// A panic must not unwind into C.
fn entry(body: impl FnOnce()) {
    let _ = catch_unwind(AssertUnwindSafe(body));
}

/// Lowers the offsets of all members behind `from`, and the padding with them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn class__subtract_offsets_from(cls: *mut Class, from: *mut ClassMember, size: u16) {
    entry(|| {
        if !cls.is_null() && !from.is_null() {
            // SAFETY: a class and one of its members.
            unsafe { offsets::lower(cls, from, size.into()) }
        }
    });
}

/// Raises the offsets of all members behind `from`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn class__add_offsets_from(cls: *mut Class, from: *mut ClassMember, size: u16) {
    entry(|| {
        if !cls.is_null() && !from.is_null() {
            // SAFETY: a class and one of its members.
            unsafe { offsets::raise(cls, from, size.into()) }
        }
    });
}

/// Aligns members again after some were removed or resized.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn class__fixup_alignment(cls: *mut Class, cu: *const Cu) {
    entry(|| {
        if !cls.is_null() && !cu.is_null() {
            // SAFETY: a class of this unit.
            unsafe { fixup::fixup(cls, cu) }
        }
    });
}

/// Closes holes by moving members; with `verbose` each move is told on `fp`, from 2 on with the struct as it is then.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn class__reorganize(cls: *mut Class, cu: *const Cu, verbose: c_int, fp: *mut FILE) {
    entry(|| {
        if !cls.is_null() && !cu.is_null() {
            // SAFETY: a class of this unit, an open stream where one is needed.
            unsafe { moves::reorganize(cls, cu, &Log::new(verbose, fp, cu)) }
        }
    });
}
