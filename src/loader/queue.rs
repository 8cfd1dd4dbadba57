//! The ordered job queue: units are decoded by several workers in any order and then *stolen* one at a time in the order of
//! their ids, as the callbacks of a loader expect.
//!
//! There are two tickets a worker. A ticket allows one decode; the decoded item then holds it until it is stolen, which makes it
//! a decode ticket again. So no more than two items a worker are alive, however uneven the units are, and a worker that meets
//! a huge unit does not stop the others at once. A steal that is due goes ahead of any decode, since items wait for it.
//!
//! Workers do both, or one worker decodes, with eight tickets, and the thread that runs the queue, which would only wait, steals. Or that
//! thread is the only worker.
//!
//! Nobody may sleep through his job, and this is kept by one rule: whoever has looked for a job and leaves another one behind while
//! somebody waits wakes one waiter. Jobs appear only when a result is handed in, and who does that looks for a job next, so one more
//! wake-up a look is enough; where the caller steals there are two threads, and who waits is the one that the job is for. He may be
//! left to wait until there are several jobs for him, but not by one who waits, too. The end, of whatever kind, is set under the lock
//! and wakes everyone.
//!
//! The queue knows nothing of units or C: see [`Work`]. It holds no process-wide state, so several may run at once.

use std::any::Any;
use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::{fmt, io};

use super::sync::{self, Guard, Monitor};

/// More workers than this are not started, whatever is asked for: every worker costs a stack, scratch memory and two decoded
/// units, and the ordered stage has long become the limit.
pub const MAX_WORKERS: usize = 1024;

/// Tickets of the one worker beside a caller who steals.
const BESIDE_CALLER: usize = 8;

/// What the workers do. Every method is called from worker threads, or from the caller's where he works or steals.
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
    fn steal(&self, stage: &mut Self::Stage, id: u32, item: Self::Item) -> Steal;
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
    Queue::new(stage, jobs, at_once.max(1), true).run(work, jobs, allow)
}

/// Runs `work` on the calling thread alone.
pub fn run_here<W: Work>(work: &W, stage: &mut W::Stage) -> Finished<W::Item> {
    Queue::new(stage, 1, 1, true).run(work, 0, |_| Ok(()))
}

/// Runs `work` on one worker, which decodes, and on the calling thread, which steals.
pub fn run_beside<W: Work>(work: &W, stage: &mut W::Stage) -> Finished<W::Item> {
    run_beside_allowing(work, stage, |_| Ok(()))
}

/// [`run_beside`], where `allow` can refuse to start the worker.
pub fn run_beside_allowing<W: Work>(
    work: &W,
    stage: &mut W::Stage,
    allow: impl Fn(usize) -> io::Result<()>,
) -> Finished<W::Item> {
    Queue::new(stage, 1, 1, false).run(work, 1, allow)
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
    /// So many jobs are left for who waits before he is woken.
    patience: usize,
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

enum Job<'s, 'w, W: Work> {
    Decode(&'w mut W::Scratch),
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

    /// Whether to wake who waits; `alone` is who would wait, too, otherwise. To wake somebody takes as long as a small unit: where
    /// there are tickets to spare several jobs are left for him, but few in the beginning, as the program may stop at one of the first.
    fn is_worth_waking(&self, alone: bool) -> bool {
        let most = if alone || self.no_more { 1 } else { self.patience };
        let enough = most.min(1 + self.next as usize / 16);
        self.steal_is_due() && self.ready.len() >= enough || self.decode_is_due() && self.tickets >= enough
    }

    /// A job for who steals or not, and decodes if he has the scratch for it.
    fn pick<'w>(&mut self, steals: bool, scratch: Option<&'w mut W::Scratch>) -> Option<Job<'s, 'w, W>> {
        if steals && self.steal_is_due() {
            if let (Some(stage), Some(first)) = (self.stage.take(), self.ready.pop()) {
                return Some(Job::Steal(stage, first.id, first.item));
            }
        }
        let scratch = scratch.filter(|_| self.decode_is_due())?;
        self.tickets -= 1;
        self.decoding += 1;
        Some(Job::Decode(scratch))
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
    /// Whether workers steal; else the caller does.
    workers_steal: bool,
}

impl<'s, W: Work> Queue<'s, W> {
    fn new(stage: &'s mut W::Stage, jobs: usize, at_once: usize, workers_steal: bool) -> Self {
        let tickets = if workers_steal { 2 * jobs } else { BESIDE_CALLER };
        let state = State {
            stage: Some(stage),
            tickets,
            patience: if workers_steal { 1 } else { tickets / 2 },
            at_once,
            workers: 0,
            ready: BinaryHeap::with_capacity(tickets),
            next: 0,
            decoding: 0,
            waiting: 0,
            no_more: false,
            end: None,
        };
        Queue { state: Monitor::new(state), workers_steal }
    }

    /// Runs with so many threads beside the caller; without any he works.
    fn run(self, work: &W, threads: usize, allow: impl Fn(usize) -> io::Result<()>) -> Finished<W::Item> {
        let beside = |started| {
            if threads == 0 {
                self.worker(work);
            } else if started > 0 && !self.workers_steal {
                self.work_off(work, true, None);
            }
        };
        let (workers, started) = sync::run_threads(threads, allow, || self.worker(work), beside);
        let state = self.state.into_inner();
        let outcome = match (workers, started) {
            (0, Err(error)) => Outcome::NoThread(error),
            _ => state.end.unwrap_or(Outcome::Done),
        };
        let mut left: Vec<_> = state.ready.into_vec().into_iter().map(|ready| (ready.id, ready.item)).collect();
        left.sort_by_key(|&(id, _)| id);
        Finished { outcome, left, workers }
    }

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
                self.work_off(work, self.workers_steal, Some(&mut work.scratch()));
            }
        }));
        if let Err(payload) = ended {
            self.state.lock().end_with(Outcome::Panicked(message(&*payload)));
            self.state.wake_all();
        }
    }

    /// Does what comes until the end; arguments as for [`State::pick`].
    fn work_off(&self, work: &W, steals: bool, mut scratch: Option<&mut W::Scratch>) {
        let mut state = self.state.lock();
        while state.end.is_none() {
            let job = state.pick(steals, scratch.as_deref_mut());
            if state.waiting > 0 && state.is_worth_waking(job.is_none()) {
                self.state.wake_one();
            }
            match job {
                Some(job) => {
                    drop(state);
                    state = self.work(work, job);
                }
                None if state.is_finished() => state.end_with(Outcome::Done),
                None => {
                    state.waiting += 1;
                    state = self.state.wait(state);
                    state.waiting -= 1;
                }
            }
        }
        drop(state);
        self.state.wake_all();
    }

    fn work(&self, work: &W, job: Job<'s, '_, W>) -> Guard<'_, State<'s, W>> {
        match job {
            Job::Decode(scratch) => {
                let decoded = catch_unwind(AssertUnwindSafe(|| work.decode(scratch)));
                let mut state = self.state.lock();
                state.decoding -= 1;
                match decoded {
                    Ok(Decoded::Item(id, item)) => state.ready.push(Ready { id, item }),
                    Ok(Decoded::End) => state.no_more = true,
                    Ok(Decoded::Abort) => state.end_with(Outcome::Aborted),
                    Err(payload) => state.end_with(Outcome::Panicked(message(&*payload))),
                }
                state
            }
            Job::Steal(stage, id, item) => {
                let stolen = catch_unwind(AssertUnwindSafe(|| work.steal(stage, id, item)));
                let mut state = self.state.lock();
                state.stage = Some(stage);
                state.next = id.saturating_add(1);
                state.tickets += 1;
                match stolen {
                    Ok(Steal::Continue) => {}
                    Ok(Steal::Stop) => state.end_with(Outcome::Stopped),
                    Ok(Steal::Abort) => state.end_with(Outcome::Aborted),
                    Err(payload) => state.end_with(Outcome::Panicked(message(&*payload))),
                }
                state
            }
        }
    }
}

fn message(payload: &(dyn Any + Send)) -> String {
    match (payload.downcast_ref::<&str>(), payload.downcast_ref::<String>()) {
        (Some(text), _) => (*text).to_owned(),
        (_, Some(text)) => text.clone(),
        _ => "without a message".to_owned(),
    }
}
