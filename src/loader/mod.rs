//! Files, threads and their order.

pub mod dwarf;
pub mod queue;
mod sync;
