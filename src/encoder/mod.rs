//! How DWARF facts become BTF.

pub mod fragment;
