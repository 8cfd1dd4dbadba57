//! DWARF to BTF, and how structs lie in memory: the library behind pahole and its companions.
//!
//! Layers, lowest first; a lower one never imports a higher one:
//!
//! - [`phases`]: what time is spent on, when somebody asks.
//! - [`system`]: system calls that std has not.
//! - [`elf`]: sections, symbols, relocations; adding a section to a file.
//! - [`dwarf`]: units, abbreviations, forms, location expressions.
//! - [`btf`]: the BTF format: builder, deduplication, distillation.
//! - [`encoder`]: how DWARF facts become BTF.
//! - [`loader`]: files, threads and their order.
//! - [`tree`]: DWARF to trees of those structures.
//! - [`abi`]: the C structures of `libdwarves.so.1`.
//! - [`print`]: those structures as C source, with their layout in comments.
//! - [`capi`]: the exported C functions.

pub mod abi;
pub mod btf;
pub mod capi;
pub mod dwarf;
pub mod elf;
pub mod encoder;
pub mod loader;
pub mod phases;
pub mod print;
mod system;
pub mod tree;
