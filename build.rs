//! The run-time name of the library, and what it is linked with.

#[path = "companions/library.rs"]
mod library;

fn main() {
    library::link("libdwarves.so.1");
}
