//! Deduplication.

/// How [`Btf::dedup`] works.
#[derive(Clone, Copy, Default, Debug)]
pub struct DedupOptions {
    /// Treat all hashes as equal, to test that results do not depend on them.
    pub force_collisions: bool,
    /// Leave forward declarations alone that no comparison of types resolved; for passes before the last.
    pub skip_fwd_resolution: bool,
}
