//! Files, threads and their order.

pub mod again;
pub mod alternate;
pub mod btf;
pub mod ctf;
pub mod dwarf;
pub mod encode;
pub mod merged;
pub mod plan;
pub mod queue;
mod separate;
mod split;
mod sync;
pub mod whole;
mod workers;
