//! Files, threads and their order.

pub mod btf;
pub mod ctf;
pub mod dwarf;
pub mod encode;
pub mod queue;
mod sync;
