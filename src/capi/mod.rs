//! The exported functions of `libdwarves.so.1`: one thin layer that checks what C hands over and converts it.
//!
//! Functions are grouped by what they work on. Each passes [`entry`].

// Callers of every function here follow the C library's rules: addresses are NULL or valid for the call, strings end in NUL,
// lists are initialised. They are the same for all and stand here once.
#![allow(clippy::missing_safety_doc)]
#![allow(non_upper_case_globals)]

pub mod bitfield;
pub mod btf_loader;
mod circles;
pub mod ctf;
pub mod ctf_loader;
pub mod ctf_write;
pub mod cu;
pub mod cus;
pub mod dwarf_loader;
pub mod elf;
pub mod encoder;
pub mod encoding_context;
pub mod entry;
pub mod find;
pub mod gobuffer;
mod held;
pub mod holes;
pub mod kernel;
pub mod kinds;
pub mod languages;
pub mod libbpf;
pub mod libelf;
pub mod library;
pub mod link;
pub mod load;
pub mod memory;
pub mod names;
pub mod objects;
pub mod origin;
pub mod print;
pub mod rbtree;
pub mod release;
pub mod size;
pub mod stdio;
pub mod strlist;
pub mod walk;
