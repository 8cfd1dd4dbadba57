//! What the build scripts of the three libraries have in common.

use std::env::var;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Tells cargo how to link a library that is found as `soname`.
pub fn link(soname: &str) {
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,{soname}");
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=RUSTC_LINKER");
    if let Some(folder) = unwinder() {
        println!("cargo:rustc-link-search=native={}", folder.display());
        println!("cargo:rustc-link-lib=static:-bundle=gcc_eh");
    }
}

/// Where the compiler has the unwinder as an archive. Panics are caught before they reach C, so that a library can have its own, and programs need not
/// load libgcc_s, whose start alone asks the processor a dozen times what it is: on a virtual machine that is a seventh of the time in
/// which pahole starts. Without an archive it is libgcc_s's.
fn unwinder() -> Option<PathBuf> {
    let is = |name: &str, value: &str| var(name).is_ok_and(|is| is == value);
    if !is("CARGO_CFG_TARGET_OS", "linux") || !is("CARGO_CFG_TARGET_ENV", "gnu") {
        return None;
    }
    let native = var("HOST").is_ok() && var("HOST") == var("TARGET");
    let compiler = var("RUSTC_LINKER").ok().or_else(|| native.then(|| "cc".to_owned()))?;
    let asked = Command::new(compiler).arg("-print-file-name=libgcc_eh.a").output().ok()?;
    let archive = PathBuf::from(String::from_utf8(asked.stdout).ok()?.trim_end());
    // The bare name comes back where there is none.
    archive.is_file().then(|| archive.parent().map(Path::to_owned))?
}
