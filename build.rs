fn main() { println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libdwarves.so.1"); }
