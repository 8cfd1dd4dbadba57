//! The job queue under a scheduler that tries out interleavings: no schedule may hang, lose an item, or steal out of order,
//! endings included. The queue is compiled here a second time, over this file's `sync` instead of the loader's.

#[path = "../src/loader/queue.rs"]
#[allow(dead_code)]
mod queue;

/// What `loader::sync` is to the library, with the scheduler's lock, condition variable and threads.
mod sync {
    use std::io;

    use shuttle::sync::{Condvar, Mutex, MutexGuard};

    pub struct Monitor<T> {
        value: Mutex<T>,
        changed: Condvar,
    }

    pub type Guard<'a, T> = MutexGuard<'a, T>;

    impl<T> Monitor<T> {
        pub fn new(value: T) -> Self {
            Monitor { value: Mutex::new(value), changed: Condvar::new() }
        }

        pub fn lock(&self) -> Guard<'_, T> {
            self.value.lock().unwrap()
        }

        pub fn wait<'a>(&'a self, guard: Guard<'a, T>) -> Guard<'a, T> {
            self.changed.wait(guard).unwrap()
        }

        pub fn wake_one(&self) {
            self.changed.notify_one();
        }

        pub fn wake_all(&self) {
            self.changed.notify_all();
        }

        pub fn into_inner(self) -> T {
            self.value.into_inner().unwrap()
        }
    }

    pub fn run_threads(
        count: usize,
        allow: impl Fn(usize) -> io::Result<()>,
        body: impl Fn() + Sync,
        beside: impl FnOnce(usize),
    ) -> (usize, io::Result<()>) {
        shuttle::thread::scope(|scope| {
            let mut started = 0;
            let result = (0..count).try_for_each(|index| {
                allow(index)?;
                scope.spawn(&body);
                started += 1;
                Ok(())
            });
            beside(started);
            (started, result)
        })
    }
}

use queue::{Decoded, Outcome, Steal, Work, run_allowing, run_beside};
use shuttle::sync::Mutex;

#[derive(Clone, Copy, PartialEq, Debug)]
enum Ending {
    Natural,
    DecodeAborts(u32),
    StealAborts(u32),
    StealStops(u32),
    StealPanics(u32),
    DecodePanics(u32),
}

struct Model {
    claim: Mutex<u32>,
    units: u32,
    step: u32,
    ending: Ending,
}

impl Work for Model {
    type Item = u32;
    type Scratch = ();
    type Stage = Vec<u32>;

    fn scratch(&self) {}

    fn decode(&self, (): &mut ()) -> Decoded<u32> {
        let id = {
            let mut claim = self.claim.lock().unwrap();
            if *claim >= self.units * self.step {
                return Decoded::End;
            }
            let id = *claim;
            *claim += self.step;
            id
        };
        shuttle::thread::yield_now();
        match self.ending {
            Ending::DecodeAborts(at) if at == id => Decoded::Abort,
            Ending::DecodePanics(at) if at == id => std::panic::resume_unwind(Box::new("decode")),
            _ => Decoded::Item(id, id + 100),
        }
    }

    fn steal(&self, stage: &mut Vec<u32>, id: u32, item: u32) -> Steal {
        assert_eq!(item, id + 100);
        stage.push(id);
        shuttle::thread::yield_now();
        match self.ending {
            Ending::StealAborts(at) if at == id => Steal::Abort,
            Ending::StealStops(at) if at == id => Steal::Stop,
            Ending::StealPanics(at) if at == id => std::panic::resume_unwind(Box::new("steal")),
            _ => Steal::Continue,
        }
    }
}

/// In the place of a number of workers: one worker, and the caller steals.
const BESIDE: usize = 0;

/// One run of the model, as one schedule of the scheduler sees it.
fn check(units: u32, step: u32, jobs: usize, at_once: usize, started: usize, ending: Ending) {
    let work = Model { claim: Mutex::new(0), units, step, ending };
    let mut stolen = Vec::new();
    let allow = |index| if index < started { Ok(()) } else { Err(std::io::ErrorKind::WouldBlock.into()) };
    let finished = if jobs == BESIDE {
        run_beside(&work, &mut stolen)
    } else {
        let finished = run_allowing(&work, &mut stolen, jobs, at_once, allow);
        assert_eq!(finished.workers, jobs.min(started));
        finished
    };
    assert!(stolen.iter().copied().eq((0..stolen.len() as u32).map(|i| i * step)), "{stolen:?}");
    assert!(finished.left.iter().all(|&(id, item)| item == id + 100 && !stolen.contains(&id)));
    assert!(finished.left.is_sorted_by_key(|&(id, _)| id));
    match (ending, &finished.outcome) {
        (Ending::Natural, Outcome::Done) => {
            assert_eq!(stolen.len(), units as usize);
            assert!(finished.left.is_empty());
        }
        (Ending::StealAborts(at), Outcome::Aborted)
        | (Ending::StealStops(at), Outcome::Stopped)
        | (Ending::StealPanics(at), Outcome::Panicked(_)) => assert_eq!(stolen.last(), Some(&at)),
        (Ending::DecodeAborts(at), Outcome::Aborted) | (Ending::DecodePanics(at), Outcome::Panicked(_)) => {
            assert!(stolen.iter().all(|&id| id < at));
        }
        other => panic!("{other:?}"),
    }
}

fn every_ending(units: u32) -> Vec<Ending> {
    let mut endings = vec![Ending::Natural];
    for at in 0..units {
        endings.extend([
            Ending::DecodeAborts(at),
            Ending::StealAborts(at),
            Ending::StealStops(at),
            Ending::StealPanics(at),
            Ending::DecodePanics(at),
        ]);
    }
    endings
}

#[test]
fn random_schedules() {
    for (units, jobs) in [(1, BESIDE), (5, BESIDE), (1, 2), (3, 2), (5, 2), (4, 3), (7, 3), (9, 4)] {
        for ending in every_ending(units) {
            for at_once in 1..=jobs.max(1) {
                shuttle::check_random(move || check(units, 1, jobs, at_once, jobs, ending), 20);
            }
        }
    }
}

/// So many units that several are left for who waits before he is woken.
#[test]
fn a_caller_who_is_not_woken_for_each_unit() {
    for ending in
        [Ending::Natural, Ending::StealStops(70), Ending::DecodePanics(75), Ending::StealPanics(78), Ending::DecodeAborts(79)]
    {
        shuttle::check_random(move || check(80, 1, BESIDE, 1, 1, ending), 300);
        shuttle::check_pct(move || check(80, 1, BESIDE, 1, 1, ending), 300, 3);
    }
}

#[test]
fn schedules_with_few_changes_of_thread() {
    for (units, jobs) in [(6, BESIDE), (3, 2), (5, 3), (6, 4)] {
        for ending in every_ending(units) {
            shuttle::check_pct(move || check(units, 1, jobs, jobs, jobs, ending), 40, 3);
            shuttle::check_pct(move || check(units, 1, jobs, jobs.saturating_sub(1), jobs, ending), 40, 3);
        }
    }
}

#[test]
fn every_schedule_of_the_smallest() {
    for ending in every_ending(2) {
        for (jobs, at_once) in [(2, 1), (2, 2), (BESIDE, 1)] {
            shuttle::check_dfs(move || check(2, 1, jobs, at_once, jobs, ending), Some(800));
        }
    }
}

#[test]
fn gaps_and_threads_that_do_not_start() {
    shuttle::check_random(|| check(6, 5, 2, 2, 2, Ending::Natural), 500);
    shuttle::check_random(|| check(6, 5, 3, 2, 3, Ending::Natural), 500);
    shuttle::check_random(|| check(6, 5, BESIDE, 1, 1, Ending::Natural), 500);
    for started in 1..4 {
        shuttle::check_random(move || check(6, 1, 4, 3, started, Ending::Natural), 200);
        shuttle::check_random(move || check(6, 1, 4, 3, started, Ending::StealAborts(3)), 200);
    }
}

/// A decode that waits for another worker to begin the next one, behind a ring of full tickets: whoever sleeps through work that
/// he could do hangs here.
#[test]
fn nobody_sleeps_while_there_is_work() {
    struct Pairs(sync::Monitor<u32>);
    impl Work for Pairs {
        type Item = ();
        type Scratch = ();
        type Stage = u32;
        fn scratch(&self) {}
        fn decode(&self, (): &mut ()) -> Decoded<()> {
            let mut claimed = self.0.lock();
            if *claimed == 8 {
                return Decoded::End;
            }
            let id = *claimed;
            *claimed += 1;
            self.0.wake_all();
            while id == 5 && *claimed == 6 {
                claimed = self.0.wait(claimed);
            }
            Decoded::Item(id, ())
        }
        fn steal(&self, stage: &mut u32, _: u32, (): ()) -> Steal {
            *stage += 1;
            Steal::Continue
        }
    }
    for jobs in [2, 3] {
        let run = move || {
            let mut stolen = 0;
            let finished = run_allowing(&Pairs(sync::Monitor::new(0)), &mut stolen, jobs, jobs, |_| Ok(()));
            assert!(matches!(finished.outcome, Outcome::Done));
            assert_eq!(stolen, 8);
        };
        shuttle::check_random(run, 400);
        shuttle::check_pct(run, 400, 3);
    }
}

/// One worker fails before its first job while the others work or wait.
#[test]
fn a_scratch_that_panics() {
    struct Scratches(Mutex<u32>, Model);
    impl Work for Scratches {
        type Item = u32;
        type Scratch = ();
        type Stage = Vec<u32>;
        fn scratch(&self) {
            let mut made = self.0.lock().unwrap();
            *made += 1;
            if *made == 2 {
                drop(made);
                std::panic::resume_unwind(Box::new("scratch"));
            }
        }
        fn decode(&self, scratch: &mut ()) -> Decoded<u32> {
            let decoded = self.1.decode(scratch);
            // No end but by the panic.
            if let Decoded::Item(1, _) = decoded {
                while *self.0.lock().unwrap() < 2 {
                    shuttle::thread::yield_now();
                }
            }
            decoded
        }
        fn steal(&self, stage: &mut Vec<u32>, id: u32, item: u32) -> Steal {
            self.1.steal(stage, id, item)
        }
    }
    let run = || {
        let model = Model { claim: Mutex::new(0), units: 8, step: 1, ending: Ending::Natural };
        let finished = run_allowing(&Scratches(Mutex::new(0), model), &mut Vec::new(), 3, 3, |_| Ok(()));
        assert!(matches!(finished.outcome, Outcome::Done | Outcome::Panicked(_)));
    };
    shuttle::check_random(run, 1000);
}
