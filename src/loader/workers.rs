//! How many threads a load gets, and which of them does what.

use super::queue::{self, Finished, Work};
use crate::dwarf::file::DwarfFile;
use std::num::NonZero;
use std::sync::OnceLock;

/// Processors that this process may use, `usize::MAX` if that cannot be told. To ask the system takes longer than a small file.
fn processors() -> usize {
    static PROCESSORS: OnceLock<usize> = OnceLock::new();
    *PROCESSORS.get_or_init(|| std::thread::available_parallelism().map_or(usize::MAX, NonZero::get))
}

/// Whether a file is read sooner than the threads for it are there.
pub(super) fn is_small(dwarf: &DwarfFile) -> bool {
    const SMALL: u64 = 512 << 10;
    dwarf.info_size() < SMALL
}

/// How many of `jobs` workers have something to do: a unit, and so much of one that starting a thread pays. At least one, but none for a small
/// file.
pub(super) fn useful(jobs: usize, dwarf: &DwarfFile) -> usize {
    const BYTES_A_WORKER: u64 = 32 << 10;
    if is_small(dwarf) {
        return 0;
    }
    let jobs = jobs.max(1).min(1 + usize::try_from(dwarf.info_size() / BYTES_A_WORKER).unwrap_or(usize::MAX));
    let (mut units, mut offset) = (0, 0);
    while units < jobs {
        match dwarf.unit_header(offset) {
            Ok(Some(header)) => offset = header.offset + header.size,
            Ok(None) => return units.max(1),
            // It is met and told of again.
            Err(_) => return jobs,
        }
        units += 1;
    }
    jobs
}

/// Runs `work` on so many workers as are [useful]. One worker only decodes, and the calling thread steals beside it; where there is none,
/// `by_turns` says that nothing may be decoded meanwhile, or there is no processor for it, the calling thread does both.
pub(super) fn run<W: Work>(work: &W, stage: &mut W::Stage, jobs: usize, by_turns: bool) -> Finished<W::Item> {
    match jobs {
        0 => queue::run_here(work, stage),
        1 if by_turns || processors() == 1 => queue::run_here(work, stage),
        1 => queue::run_beside(work, stage),
        // One decode more than there are processors, as it may wait for the file.
        _ => queue::run_limited(work, stage, jobs, processors().saturating_add(1)),
    }
}
