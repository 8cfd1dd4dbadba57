//! How DWARF facts become BTF.

pub mod fragment;
pub mod elf_functions;
pub mod kfuncs;
pub mod report;
