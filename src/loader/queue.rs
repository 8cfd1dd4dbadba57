//! The ordered job queue: units are decoded by several workers in any order and then *stolen* one at a time in the order of
//! their ids, as the callbacks of a loader expect.
//!
//! There are two tickets a worker. A ticket allows one decode; the decoded item then holds it until it is stolen, which makes it
//! a decode ticket again. So no more than two items a worker are alive, however uneven the units are, and a worker that meets
//! a huge unit does not stop the others at once. A steal that is due goes ahead of any decode, since items wait for it.
//!
//! Nobody may sleep through his job, and this is kept by one rule: whoever picks a job and leaves another one behind while
//! somebody waits wakes one waiter. Jobs appear only when a worker hands in a result, and that worker picks next, so one more
//! wake-up a pick is enough. The end, of whatever kind, is set under the lock and wakes everyone.
//!
//! The queue knows nothing of units or C: see [`Work`]. It holds no process-wide state, so several may run at once.

use std::any::Any;
use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::{fmt, io};

use super::sync::{self, Monitor};

/// More workers than this are not started, whatever is asked for: every worker costs a stack, scratch memory and two decoded
/// units, and the ordered stage has long become the limit.
pub const MAX_WORKERS: usize = 1024;

/// What the workers do. Every method is called from worker threads.
pub trait Work: Sync {
    /// A decoded unit.
    type Item: Send;
    /// What a worker keeps from job to job; made and dropped in its thread.
    type Scratch;
    /// What the ordered stage works on. Whoever steals has it to himself.
    type Stage: Send;

    fn scratch(&self) -> Self::Scratch;

    /// Claims the next unit, under a lock of its own, and decodes it. Never called again by a worker after
    /// [`Decoded::End`] or an abort, but others may still be on their way to it.
    ///
    /// Ids grow in the order of the claims. They should be without gaps: behind a gap nothing is stolen before all
    /// running decodes have ended. An error that should count only when its turn comes belongs in the item.
    fn decode(&self, scratch: &mut Self::Scratch) -> Decoded<Self::Item>;

    /// The item's turn: after every item of a lower id, never two at once.
    fn steal(&self, scratch: &mut Self::Scratch, stage: &mut Self::Stage, id: u32, item: Self::Item) -> Steal;
}

/// What came of one decode.
#[derive(Debug)]
pub enum Decoded<I> {
    Item(u32, I),
    /// There are no more units.
    End,
    /// The load fails now; units not yet stolen are not stolen any more.
    Abort,
}

/// What the ordered stage wants after an item.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Steal {
    Continue,
    /// The load ends here, well.
    Stop,
    /// The load fails.
    Abort,
}

/// How a run ended. The first thing that ends a run decides.
#[derive(Debug)]
#[non_exhaustive]
pub enum Outcome {
    /// Everything was decoded and stolen.
    Done,
    Stopped,
    Aborted,
    /// A method of [`Work`] panicked, with this message.
    Panicked(String),
    /// Not one worker could be started.
    NoThread(io::Error),
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Outcome::Done => f.write_str("all units loaded"),
            Outcome::Stopped => f.write_str("loading stopped as asked"),
            Outcome::Aborted => f.write_str("loading aborted"),
            Outcome::Panicked(message) => write!(f, "a worker panicked: {message}"),
            Outcome::NoThread(error) => write!(f, "no worker thread could be started: {error}"),
        }
    }
}

/// What is left of a run.
#[derive(Debug)]
pub struct Finished<I> {
    pub outcome: Outcome,
    /// Items decoded but not stolen, because of a stop, an abort or a panic; in the order of their ids. The item whose
    /// steal ended the run is not among them: `steal` had it.
    pub left: Vec<(u32, I)>,
    /// Threads that ran.
    pub workers: usize,
}

/// Runs `work` on `jobs` workers (at least one, at most [`MAX_WORKERS`]), all of them threads, and returns when they have
/// ended. When only some of them can be started, those do the work.
pub fn run<W: Work>(work: &W, stage: &mut W::Stage, jobs: usize) -> Finished<W::Item> {
    run_allowing(work, stage, jobs, jobs, |_| Ok(()))
}

/// [`run`] with no more than `at_once` decodes at a time (at least one): more workers than there are processors take memory and no less
/// time.
pub fn run_limited<W: Work>(work: &W, stage: &mut W::Stage, jobs: usize, at_once: usize) -> Finished<W::Item> {
    run_allowing(work, stage, jobs, at_once, |_| Ok(()))
}

/// [`run_limited`], where `allow` can refuse to start the worker of an index.
pub fn run_allowing<W: Work>(
    work: &W,
    stage: &mut W::Stage,
    jobs: usize,
    at_once: usize,
    allow: impl Fn(usize) -> io::Result<()>,
) -> Finished<W::Item> {
    let jobs = jobs.clamp(1, MAX_WORKERS);
    let queue = Queue {
        state: Monitor::new(State {
            stage: Some(stage),
            tickets: 2 * jobs,
            at_once: at_once.max(1),
            workers: 0,
            ready: BinaryHeap::with_capacity(2 * jobs),
            next: 0,
            decoding: 0,
            waiting: 0,
            no_more: false,
            end: None,
        }),
    };
    let (workers, started) = sync::run_threads(jobs, allow, || queue.worker(work));
    let state = queue.state.into_inner();
    let outcome = match (workers, started) {
        (0, Err(error)) => Outcome::NoThread(error),
        _ => state.end.unwrap_or(Outcome::Done),
    };
    let mut left: Vec<_> = state.ready.into_vec().into_iter().map(|ready| (ready.id, ready.item)).collect();
    left.sort_by_key(|&(id, _)| id);
    Finished { outcome, left, workers }
}

/// A decoded item; the greatest in the heap is the one with the lowest id.
struct Ready<I> {
    id: u32,
    item: I,
}

impl<I> Ord for Ready<I> {
    fn cmp(&self, other: &Self) -> Ordering {
        other.id.cmp(&self.id)
    }
}

impl<I> PartialOrd for Ready<I> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<I> PartialEq for Ready<I> {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl<I> Eq for Ready<I> {}

struct State<'s, W: Work> {
    /// Taken out while somebody steals.
    stage: Option<&'s mut W::Stage>,
    /// Decodes that may begin.
    tickets: usize,
    /// Decodes that may run.
    at_once: usize,
    /// Workers that have begun.
    workers: usize,
    ready: BinaryHeap<Ready<W::Item>>,
    /// The id whose turn it is.
    next: u32,
    /// Decodes that have begun and not ended.
    decoding: usize,
    waiting: usize,
    /// A decode has seen the end of the input.
    no_more: bool,
    end: Option<Outcome>,
}

enum Job<'s, W: Work> {
    Decode,
    Steal(&'s mut W::Stage, u32, W::Item),
}

impl<'s, W: Work> State<'s, W> {
    /// Whether the item of the lowest id has its turn. Without running decodes no lower id can come any more.
    fn steal_is_due(&self) -> bool {
        self.stage.is_some() && self.ready.peek().is_some_and(|first| first.id <= self.next || self.decoding == 0)
    }

    fn decode_is_due(&self) -> bool {
        self.tickets > 0 && !self.no_more && self.decoding < self.at_once
    }

    fn pick(&mut self) -> Option<Job<'s, W>> {
        if self.steal_is_due() {
            if let (Some(stage), Some(first)) = (self.stage.take(), self.ready.pop()) {
                return Some(Job::Steal(stage, first.id, first.item));
            }
        }
        if self.decode_is_due() {
            self.tickets -= 1;
            self.decoding += 1;
            return Some(Job::Decode);
        }
        None
    }

    /// Whether one more worker can ever have a job: beside all decodes that may run, one steals.
    fn needs_more(&self) -> bool {
        self.workers <= self.at_once
    }

    /// Nothing runs and nothing can begin.
    fn is_finished(&self) -> bool {
        self.no_more && self.decoding == 0 && self.ready.is_empty() && self.stage.is_some()
    }

    fn end_with(&mut self, outcome: Outcome) {
        self.end.get_or_insert(outcome);
    }
}

struct Queue<'s, W: Work> {
    state: Monitor<State<'s, W>>,
}

impl<W: Work> Queue<'_, W> {
    /// One worker's life. A panic outside of the jobs, in making or dropping the scratch, ends the run like one inside.
    fn worker(&self, work: &W) {
        let ended = catch_unwind(AssertUnwindSafe(|| {
            let needed = {
                let mut state = self.state.lock();
                let needed = state.needs_more();
                state.workers += 1;
                needed
            };
            // Those that are not would only take turns with the others, each with memory of its own.
            if needed {
                let mut scratch = work.scratch();
                self.work_off(work, &mut scratch);
            }
        }));
        if let Err(payload) = ended {
            self.state.lock().end_with(Outcome::Panicked(message(&*payload)));
            self.state.wake_all();
        }
    }

    fn work_off(&self, work: &W, scratch: &mut W::Scratch) {
        let mut state = self.state.lock();
        loop {
            if state.end.is_some() {
                break;
            }
            let Some(job) = state.pick() else {
                if state.is_finished() {
                    state.end_with(Outcome::Done);
                    break;
                }
                state.waiting += 1;
                state = self.state.wait(state);
                state.waiting -= 1;
                continue;
            };
            if state.waiting > 0 && (state.steal_is_due() || state.decode_is_due()) {
                self.state.wake_one();
            }
            drop(state);
            match job {
                Job::Decode => {
                    let decoded = catch_unwind(AssertUnwindSafe(|| work.decode(scratch)));
                    state = self.state.lock();
                    state.decoding -= 1;
                    match decoded {
                        Ok(Decoded::Item(id, item)) => state.ready.push(Ready { id, item }),
                        Ok(Decoded::End) => state.no_more = true,
                        Ok(Decoded::Abort) => state.end_with(Outcome::Aborted),
                        Err(payload) => state.end_with(Outcome::Panicked(message(&*payload))),
                    }
                }
                Job::Steal(stage, id, item) => {
                    let stolen = catch_unwind(AssertUnwindSafe(|| work.steal(scratch, stage, id, item)));
                    state = self.state.lock();
                    state.stage = Some(stage);
                    state.next = id.saturating_add(1);
                    state.tickets += 1;
                    match stolen {
                        Ok(Steal::Continue) => {}
                        Ok(Steal::Stop) => state.end_with(Outcome::Stopped),
                        Ok(Steal::Abort) => state.end_with(Outcome::Aborted),
                        Err(payload) => state.end_with(Outcome::Panicked(message(&*payload))),
                    }
                }
            }
        }
        drop(state);
        self.state.wake_all();
    }
}

fn message(payload: &(dyn Any + Send)) -> String {
    match (payload.downcast_ref::<&str>(), payload.downcast_ref::<String>()) {
        (Some(text), _) => (*text).to_owned(),
        (_, Some(text)) => text.clone(),
        _ => "without a message".to_owned(),
    }
}
