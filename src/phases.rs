//! Where encoding spends its time, for whoever works on its speed: `DWARVES_PHASES=1` has the library print CPU time by phase.
//!
//! What runs in a phase is enclosed in a [`Span`]. Spans nest, and time counts for the innermost one. While nothing is measured, a span
//! costs the look at one flag; clocks are read only when it is set. The counts are those of the process, whatever number of files it
//! encodes: they serve a person at a terminal, and nothing in the library depends on them.

use std::cell::Cell;
use std::fmt::Write;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Instant;

use parking_lot::Mutex;

/// What a thread is at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// Sections, symbols and functions of the file.
    Open,
    /// The BTF that the new one is split from.
    Base,
    /// Bytes of units from the file.
    Read,
    Abbreviations,
    /// A unit's own entry, and the program's object for it.
    Entry,
    Walk,
    /// References inside the unit, and what depends on them.
    Resolve,
    /// Functions against the calling convention.
    Signatures,
    Hashes,
    /// Units as the program sees them, and what it does with them.
    Units,
    MergeTypes,
    MergeFunctions,
    MergeVariables,
    SavedFunctions,
    DataSections,
    Dedup,
    Write,
}

use Phase::*;

/// Who is busy, what with, under which name, in the order of the table.
const TABLE: [(Stage, Phase, &str); 17] = [
    (Stage::Start, Open, "ELF file and symbols"),
    (Stage::Start, Base, "base BTF"),
    (Stage::Workers, Read, "reading units"),
    (Stage::Workers, Abbreviations, "abbreviations"),
    (Stage::Workers, Entry, "units' own entries"),
    (Stage::Workers, Walk, "walk"),
    (Stage::Workers, Resolve, "references"),
    (Stage::Workers, Signatures, "signatures"),
    (Stage::Workers, Hashes, "hashes of types"),
    (Stage::Ordered, Units, "units and program"),
    (Stage::Ordered, MergeTypes, "types"),
    (Stage::Ordered, MergeFunctions, "functions"),
    (Stage::Ordered, MergeVariables, "variables"),
    (Stage::End, SavedFunctions, "saved functions"),
    (Stage::End, DataSections, "data sections"),
    (Stage::End, Dedup, "deduplication"),
    (Stage::End, Write, "writing"),
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Start,
    Workers,
    Ordered,
    End,
}

impl Stage {
    fn name(self) -> &'static str {
        match self {
            Stage::Start => "start",
            Stage::Workers => "workers",
            Stage::Ordered => "ordered",
            Stage::End => "end",
        }
    }
}

static MEASURING: AtomicBool = AtomicBool::new(false);

/// CPU time by phase, in nanoseconds.
static SPENT: [AtomicU64; TABLE.len()] = [const { AtomicU64::new(0) }; TABLE.len()];

/// When measuring began, and when the last unit was in.
static WALL: Mutex<(Option<Instant>, Option<Instant>)> = Mutex::new((None, None));

thread_local! {
    /// The phase that this thread is in, and its CPU time when that was last accounted for.
    static CURRENT: Cell<(Option<Phase>, u64)> = const { Cell::new((None, 0)) };
}

/// Measures from now on.
pub fn start() {
    WALL.lock().0.get_or_insert_with(Instant::now);
    MEASURING.store(true, Relaxed);
}

/// Everything from here to the value's end, on this thread, belongs to a phase.
#[must_use]
pub struct Span {
    /// The phase around it; the outer `None` while nothing is measured.
    around: Option<Option<Phase>>,
}

/// Enters a phase.
#[inline]
pub fn enter(phase: Phase) -> Span {
    if MEASURING.load(Relaxed) { Span { around: Some(switch(Some(phase))) } } else { Span { around: None } }
}

impl Span {
    /// Ends the phase and enters another.
    #[inline]
    pub fn then(&mut self, phase: Phase) {
        if self.around.is_some() {
            switch(Some(phase));
        }
    }
}

impl Drop for Span {
    #[inline]
    fn drop(&mut self) {
        if let Some(around) = self.around {
            switch(around);
        }
    }
}

/// Accounts for the time up to now; returns the phase that ended.
#[cold]
fn switch(to: Option<Phase>) -> Option<Phase> {
    let now = cpu_time(libc::CLOCK_THREAD_CPUTIME_ID);
    CURRENT.with(|current| {
        let (phase, since) = current.replace((to, now));
        if let Some(phase) = phase {
            SPENT[phase as usize].fetch_add(now.saturating_sub(since), Relaxed);
        }
        phase
    })
}

/// All units are in; what follows is the end.
pub fn last_unit_is_in() {
    if MEASURING.load(Relaxed) {
        WALL.lock().1 = Some(Instant::now());
    }
}

/// The table, for a person; `None` while nothing is measured. Counting starts anew.
pub fn report() -> Option<String> {
    if !MEASURING.load(Relaxed) {
        return None;
    }
    let whole = cpu_time(libc::CLOCK_PROCESS_CPUTIME_ID);
    let spent = SPENT.each_ref().map(|spent| spent.swap(0, Relaxed));
    let (start, end) = {
        let mut wall = WALL.lock();
        let now = Instant::now();
        let start = wall.0.replace(now).unwrap_or(now);
        (wall.1.take().unwrap_or(now) - start, now - start)
    };
    Some(table(&spent, whole, start.as_secs_f64() * 1e3, end.as_secs_f64() * 1e3))
}

/// `spent` and `whole` in nanoseconds of CPU time; until the last unit was in, and to the end, in milliseconds by the clock.
fn table(spent: &[u64; TABLE.len()], whole: u64, loaded: f64, done: f64) -> String {
    let measured: u64 = spent.iter().sum();
    let whole = whole.max(measured);
    let mut out = String::new();
    let mut line = |stage: &str, name: &str, time: u64| {
        let share = time as f64 / whole.max(1) as f64 * 100.0;
        let _ = writeln!(out, "phases: {stage:<8} {name:<22} {:>9.1} ms {share:>5.1} %", time as f64 / 1e6);
    };
    let mut last = None;
    for (stage, phase, name) in TABLE {
        let shown = if last.replace(stage) == Some(stage) { "" } else { stage.name() };
        line(shown, name, spent[phase as usize]);
    }
    line("rest", "program, libraries", whole - measured);
    line("sum", "CPU time", whole);
    for stage in [Stage::Workers, Stage::Ordered, Stage::End] {
        let rows = TABLE.iter().filter(|row| row.0 == stage);
        line("sum", stage.name(), rows.map(|row| spent[row.1 as usize]).sum());
    }
    let _ = writeln!(out, "phases: wall     units {loaded:.1} ms, end {:.1} ms, both {done:.1} ms", done - loaded);
    out
}

/// CPU time that a thread or the process has used so far, in nanoseconds.
fn cpu_time(clock: libc::clockid_t) -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is to a timespec that outlives the call, which only writes to it.
    if unsafe { libc::clock_gettime(clock, &raw mut time) } != 0 {
        return 0;
    }
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_stand_where_their_phases_count() {
        for (at, row) in TABLE.iter().enumerate() {
            assert_eq!(row.1 as usize, at, "{}", row.2);
        }
    }

    #[test]
    fn sums_and_rest() {
        let mut spent = [0; TABLE.len()];
        spent[Walk as usize] = 3_000_000;
        spent[MergeTypes as usize] = 1_000_000;
        spent[MergeVariables as usize] = 500_000;
        let table = table(&spent, 10_000_000, 2.0, 5.0);
        let row =
            |start: &str| table.lines().find(|line| line.starts_with(start)).unwrap().split_whitespace().collect::<Vec<_>>();
        assert_eq!(row("phases: rest").last_chunk::<4>().unwrap(), &["5.5", "ms", "55.0", "%"]);
        assert_eq!(row("phases: sum      ordered").last_chunk::<4>().unwrap(), &["1.5", "ms", "15.0", "%"]);
        assert!(table.ends_with("units 2.0 ms, end 3.0 ms, both 5.0 ms\n"), "{table}");
    }

    /// One test for all that measures, as the counts are the process's.
    #[test]
    fn time_counts_for_the_innermost_span() {
        let busy = || {
            let until = cpu_time(libc::CLOCK_THREAD_CPUTIME_ID) + 2_000_000;
            while cpu_time(libc::CLOCK_THREAD_CPUTIME_ID) < until {}
        };
        {
            let _span = enter(Read);
            busy();
        }
        assert!(report().is_none(), "nobody asked");
        start();
        {
            let mut span = enter(Units);
            {
                let _inner = enter(MergeTypes);
                busy();
            }
            span.then(Write);
            busy();
        }
        let spent = SPENT.each_ref().map(|spent| spent.load(Relaxed));
        assert!(spent[MergeTypes as usize] >= 2_000_000 && spent[Write as usize] >= 2_000_000);
        assert!(spent[Units as usize] < 2_000_000);
        assert!(report().is_some());
        assert_eq!(SPENT[MergeTypes as usize].load(Relaxed), 0);
        MEASURING.store(false, Relaxed);
    }
}
