//! A growing byte buffer addressed by offsets; offset 0 means "none", so the first entry has offset 1.

use std::ffi::{c_char, c_uint};

/// `struct gobuffer`: `index` and `allocated_size` in bytes.
#[repr(C)]
pub struct Gobuffer {
    pub entries: *mut c_char,
    pub nr_entries: c_uint,
    pub index: c_uint,
    pub allocated_size: c_uint,
}
layout! { Gobuffer: 24, 8 { entries: 0, nr_entries: 8, index: 12, allocated_size: 16 } }
