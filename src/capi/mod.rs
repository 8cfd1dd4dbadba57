//! The exported functions of `libdwarves.so.1`: one thin layer that checks what C hands over and converts it.
//!
//! The exported names, and which of them do their work, are listed in [`symbols`].

// Callers of every function here follow the C library's rules: addresses are NULL or valid for the call, strings end in NUL,
// lists are initialised. They are the same for all and stand here once.
#![allow(clippy::missing_safety_doc)]
#![allow(non_upper_case_globals)]

pub mod encoder;
pub mod entry;
pub mod load;
pub mod memory;
pub mod objects;
pub mod origin;
pub mod pending;
