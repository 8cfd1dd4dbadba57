//! The run-time name of the library.

fn main() {
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libdwarves_emit.so.1");
    println!("cargo:rerun-if-changed=build.rs");
}
