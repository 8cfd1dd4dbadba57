//! A set of compilation units: `struct cus`, which C only ever sees by address.

use std::any::Any;
use std::ffi::c_void;

use parking_lot::RawMutex;

use super::ListHead;

/// `struct cus`. `lock` guards `cus` and `nr_entries`; C takes and releases it through two separate calls.
///
/// cbindgen:ignore
#[repr(C)]
pub struct Cus {
    pub cus: ListHead,
    pub nr_entries: u32,
    pub lock: RawMutex,
    pub loader_exit: Option<unsafe extern "C" fn(*mut Cus)>,
    pub r#priv: *mut c_void,
    /// What a Rust loader keeps for as long as the set lives (names of tags point into it).
    pub hooks: Vec<Box<dyn Any + Send>>,
}
