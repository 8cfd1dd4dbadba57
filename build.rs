//! The run-time name of the library; the companions carry theirs in the same way.

fn main() {
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libdwarves.so.1");
    println!("cargo:rerun-if-changed=build.rs");
}
