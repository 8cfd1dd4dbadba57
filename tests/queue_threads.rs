//! The job queue over real threads: order, endings of every kind at every step, and threads that cannot be started.

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Barrier, Mutex};
use std::thread::{self, ThreadId};

use dwarves::loader::queue::{
    Decoded, Finished, MAX_WORKERS, Outcome, Steal, Work, run, run_allowing, run_beside, run_beside_allowing, run_here,
};

#[derive(Clone, Copy, PartialEq, Debug)]
enum Event {
    Panic,
    Abort,
    Stop,
}

/// `units` numbers, claimed in order; an event may happen in the decode or the steal of one.
struct Numbers {
    claim: Mutex<u32>,
    units: u32,
    step: u32,
    in_decode: Option<(u32, Event)>,
    in_steal: Option<(u32, Event)>,
    alive: AtomicUsize,
    most_alive: AtomicUsize,
    stealing: AtomicUsize,
    scratches: AtomicUsize,
}

impl Numbers {
    fn new(units: u32) -> Self {
        Numbers {
            claim: Mutex::new(0),
            units,
            step: 1,
            in_decode: None,
            in_steal: None,
            alive: AtomicUsize::new(0),
            most_alive: AtomicUsize::new(0),
            stealing: AtomicUsize::new(0),
            scratches: AtomicUsize::new(0),
        }
    }
}

impl Work for Numbers {
    type Item = u64;
    type Scratch = ();
    type Stage = Vec<u32>;

    fn scratch(&self) {
        self.scratches.fetch_add(1, SeqCst);
    }

    fn decode(&self, (): &mut ()) -> Decoded<u64> {
        let id = {
            let mut claim = self.claim.lock().unwrap();
            if *claim >= self.units * self.step {
                return Decoded::End;
            }
            let id = *claim;
            *claim += self.step;
            id
        };
        let alive = self.alive.fetch_add(1, SeqCst) + 1;
        self.most_alive.fetch_max(alive, SeqCst);
        // Uneven work, so that results come in out of order.
        for _ in 0..(id.wrapping_mul(2654435761) >> 22) {
            std::hint::spin_loop();
        }
        match self.in_decode {
            Some((at, Event::Panic)) if at == id => panic!("decode {id}"),
            Some((at, _)) if at == id => Decoded::Abort,
            _ => Decoded::Item(id, u64::from(id) * 3),
        }
    }

    fn steal(&self, stage: &mut Vec<u32>, id: u32, item: u64) -> Steal {
        assert_eq!(self.stealing.fetch_add(1, SeqCst), 0, "two steals at once");
        assert_eq!(item, u64::from(id) * 3);
        self.alive.fetch_sub(1, SeqCst);
        stage.push(id);
        self.stealing.fetch_sub(1, SeqCst);
        match self.in_steal {
            Some((at, Event::Panic)) if at == id => panic!("steal {id}"),
            Some((at, Event::Abort)) if at == id => Steal::Abort,
            Some((at, Event::Stop)) if at == id => Steal::Stop,
            _ => Steal::Continue,
        }
    }
}

fn assert_prefix(stolen: &[u32]) {
    assert!(stolen.iter().copied().eq(0..stolen.len() as u32), "out of order: {stolen:?}");
}

/// The stolen ids and those left over are in order, and none is in both.
fn assert_split(stolen: &[u32], finished: &Finished<u64>) {
    assert_prefix(stolen);
    let left: Vec<u32> = finished.left.iter().map(|&(id, _)| id).collect();
    assert!(left.is_sorted_by(|a, b| a < b));
    assert!(left.iter().all(|&id| id as usize >= stolen.len()));
    assert!(finished.left.iter().all(|&(id, item)| item == u64::from(id) * 3));
}

#[test]
fn steals_in_order_for_any_number_of_workers() {
    for jobs in 0..=64 {
        let work = Numbers::new(200);
        let mut stolen = Vec::new();
        let finished = run(&work, &mut stolen, jobs);
        assert!(matches!(finished.outcome, Outcome::Done), "{:?}", finished.outcome);
        assert_eq!(stolen.len(), 200);
        assert_prefix(&stolen);
        assert!(finished.left.is_empty());
        let workers = jobs.max(1);
        assert_eq!(finished.workers, workers);
        assert_eq!(work.scratches.load(SeqCst), workers);
        assert!(work.most_alive.load(SeqCst) <= 2 * workers, "more items alive than tickets");
    }
}

/// Numbers that look at who works: the caller steals, and decodes when he is alone.
struct Watched {
    numbers: Numbers,
    caller: ThreadId,
    is_alone: bool,
}

impl Watched {
    fn new(numbers: Numbers, is_alone: bool) -> Watched {
        Watched { numbers, caller: thread::current().id(), is_alone }
    }
}

impl Work for Watched {
    type Item = u64;
    type Scratch = ();
    type Stage = Vec<u32>;

    fn scratch(&self) {
        assert_eq!(thread::current().id() == self.caller, self.is_alone);
    }

    fn decode(&self, scratch: &mut ()) -> Decoded<u64> {
        assert_eq!(thread::current().id() == self.caller, self.is_alone);
        self.numbers.decode(scratch)
    }

    fn steal(&self, stage: &mut Vec<u32>, id: u32, item: u64) -> Steal {
        assert_eq!(thread::current().id(), self.caller);
        self.numbers.steal(stage, id, item)
    }
}

#[test]
fn the_caller_steals_alone_or_beside_one_worker() {
    for (units, is_alone) in [0, 1, 2, 3, 200].into_iter().flat_map(|units| [(units, true), (units, false)]) {
        let work = Watched::new(Numbers::new(units), is_alone);
        let mut stolen = Vec::new();
        let finished = if is_alone { run_here(&work, &mut stolen) } else { run_beside(&work, &mut stolen) };
        assert!(matches!(finished.outcome, Outcome::Done), "{:?}", finished.outcome);
        assert_eq!((stolen.len(), finished.workers), (units as usize, usize::from(!is_alone)));
        assert_prefix(&stolen);
        let most = if is_alone { 1 } else { 8 };
        assert!(finished.left.is_empty() && work.numbers.most_alive.load(SeqCst) <= most);
    }
    let work = Watched::new(Numbers { in_steal: Some((3, Event::Stop)), ..Numbers::new(9) }, true);
    let finished = run_here(&work, &mut Vec::new());
    assert!(matches!(finished.outcome, Outcome::Stopped) && finished.left.is_empty());
    let refused = run_beside_allowing(&Numbers::new(3), &mut Vec::new(), |_| Err(io::ErrorKind::WouldBlock.into()));
    assert!(matches!(refused.outcome, Outcome::NoThread(_)));
}

#[test]
fn few_units_or_none() {
    for units in 0..4 {
        for jobs in [1, 2, 3, 8] {
            let mut stolen = Vec::new();
            let finished = run(&Numbers::new(units), &mut stolen, jobs);
            assert!(matches!(finished.outcome, Outcome::Done));
            assert_eq!(stolen.len(), units as usize);
            assert_prefix(&stolen);
        }
    }
}

#[test]
fn gaps_between_ids_do_not_hang() {
    for jobs in [1, 2, 5] {
        let work = Numbers { step: 7, ..Numbers::new(50) };
        let mut stolen = Vec::new();
        let finished = run(&work, &mut stolen, jobs);
        assert!(matches!(finished.outcome, Outcome::Done));
        assert!(stolen.into_iter().eq((0..50).map(|i| i * 7)));
    }
}

#[test]
fn a_steal_can_end_the_run_at_any_unit() {
    quiet();
    for event in [Event::Stop, Event::Abort, Event::Panic] {
        for jobs in [0, 1, 2, 3, 16] {
            for at in 0..20 {
                let work = Numbers { in_steal: Some((at, event)), ..Numbers::new(20) };
                let mut stolen = Vec::new();
                let finished = if jobs == 0 { run_beside(&work, &mut stolen) } else { run(&work, &mut stolen, jobs) };
                match (event, &finished.outcome) {
                    (Event::Stop, Outcome::Stopped) | (Event::Abort, Outcome::Aborted) => {}
                    (Event::Panic, Outcome::Panicked(message)) => assert_eq!(*message, format!("steal {at}")),
                    other => panic!("{other:?}"),
                }
                assert_eq!(stolen.len(), at as usize + 1, "{event:?} at {at}");
                assert_split(&stolen, &finished);
            }
        }
    }
}

#[test]
fn a_decode_can_end_the_run_at_any_unit() {
    quiet();
    for event in [Event::Abort, Event::Panic] {
        for jobs in [0, 1, 2, 3, 16] {
            for at in 0..20 {
                let work = Numbers { in_decode: Some((at, event)), ..Numbers::new(20) };
                let mut stolen = Vec::new();
                let finished = if jobs == 0 { run_beside(&work, &mut stolen) } else { run(&work, &mut stolen, jobs) };
                match (event, &finished.outcome) {
                    (Event::Abort, Outcome::Aborted) => {}
                    (Event::Panic, Outcome::Panicked(message)) => assert_eq!(*message, format!("decode {at}")),
                    other => panic!("{other:?}"),
                }
                assert!(stolen.len() <= at as usize);
                if jobs == 1 {
                    assert_eq!(stolen.len(), at as usize, "one worker steals what is due before it decodes on");
                }
                assert_split(&stolen, &finished);
            }
        }
    }
}

#[test]
fn a_panicking_scratch_ends_the_run() {
    struct NoScratch;
    impl Work for NoScratch {
        type Item = ();
        type Scratch = ();
        type Stage = ();
        fn scratch(&self) {
            panic!("{}", String::from("no scratch"));
        }
        fn decode(&self, (): &mut ()) -> Decoded<()> {
            Decoded::End
        }
        fn steal(&self, (): &mut (), _: u32, (): ()) -> Steal {
            Steal::Continue
        }
    }
    quiet();
    assert!(matches!(run(&NoScratch, &mut (), 3).outcome, Outcome::Panicked(message) if message == "no scratch"));
}

#[test]
fn threads_that_do_not_start_are_done_without() {
    for fails_at in 0..10 {
        let work = Numbers::new(60);
        let mut stolen = Vec::new();
        let refuse = |index| if index == fails_at { Err(io::Error::from(io::ErrorKind::WouldBlock)) } else { Ok(()) };
        let finished = run_allowing(&work, &mut stolen, 10, 10, refuse);
        assert_eq!(finished.workers, fails_at);
        assert_eq!(work.scratches.load(SeqCst), fails_at);
        if fails_at == 0 {
            assert!(matches!(finished.outcome, Outcome::NoThread(error) if error.kind() == io::ErrorKind::WouldBlock));
            assert!(stolen.is_empty());
        } else {
            assert!(matches!(finished.outcome, Outcome::Done));
            assert_eq!(stolen.len(), 60);
            assert_prefix(&stolen);
        }
    }
}

#[test]
fn absurd_job_counts_are_cut() {
    for jobs in [MAX_WORKERS + 1, 100_000, usize::MAX] {
        let mut stolen = Vec::new();
        let finished = run(&Numbers::new(100), &mut stolen, jobs);
        assert!(matches!(finished.outcome, Outcome::Done));
        assert_eq!(stolen.len(), 100);
        assert!((1..=MAX_WORKERS).contains(&finished.workers));
    }
}

#[test]
fn two_runs_at_once() {
    /// Each run's first unit waits until the other run has begun, too.
    struct Meeting<'a>(&'a Barrier, Numbers);
    impl Work for Meeting<'_> {
        type Item = u64;
        type Scratch = ();
        type Stage = Vec<u32>;
        fn scratch(&self) {}
        fn decode(&self, scratch: &mut ()) -> Decoded<u64> {
            let decoded = self.1.decode(scratch);
            if matches!(decoded, Decoded::Item(0, _)) {
                self.0.wait();
            }
            decoded
        }
        fn steal(&self, stage: &mut Vec<u32>, id: u32, item: u64) -> Steal {
            self.1.steal(stage, id, item)
        }
    }
    let barrier = Barrier::new(2);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let mut stolen = Vec::new();
                let finished = run(&Meeting(&barrier, Numbers::new(50)), &mut stolen, 2);
                assert!(matches!(finished.outcome, Outcome::Done));
                assert_eq!(stolen.len(), 50);
            });
        }
    });
}

/// Panics of the workers are expected here; those of the test itself still show.
fn quiet() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if std::thread::current().name() != Some("dwarves") {
                usual(info);
            }
        }));
    });
}
