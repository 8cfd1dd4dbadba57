//! The run-time name of the library, and what it is linked with.

#[path = "../library.rs"]
mod library;

fn main() {
    library::link("libdwarves_reorganize.so.1");
}
