//! Files, threads and their order.

pub mod queue;
mod sync;
