//! Memory that a thread of its own takes from the system ahead of those who fill it.
//!
//! To clear pages and hand them out takes a third of the time that a large file's tags take. Where a processor has nothing else to do it is done
//! there; whoever finds nothing ready does it himself.

use std::num::NonZero;
use std::thread;

use parking_lot::{Condvar, Mutex};

use super::memory::Piece;

/// Most pieces that are ready at a time, and no more than were taken before: what is left at the end was in vain.
const MOST: usize = 8;

#[derive(Default)]
pub(super) struct Supply {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    ready: Vec<Piece>,
    /// How many were asked for.
    taken: usize,
    /// Whether the thread is at work.
    open: bool,
}

impl State {
    fn room(&self) -> usize {
        self.taken.min(MOST).saturating_sub(self.ready.len())
    }
}

impl Supply {
    /// A piece of [`Piece::USUAL`] bytes, if one is ready.
    pub fn take(&self) -> Option<Piece> {
        let mut state = self.state.lock();
        if !state.open {
            return None;
        }
        state.taken += 1;
        let piece = state.ready.pop();
        // Not for each one: to wake somebody takes time, too.
        if state.room() > MOST / 2 || state.taken < MOST {
            self.changed.notify_one();
        }
        piece
    }

    /// Does `work` while memory is taken ahead, if fewer than all processors are busy with its `jobs` threads.
    pub fn during<T>(&self, jobs: usize, work: impl FnOnce() -> T) -> T {
        if thread::available_parallelism().map_or(1, NonZero::get) <= jobs {
            return work();
        }
        thread::scope(|scope| {
            self.state.lock().open = true;
            let _end = End(self);
            // It is no loss if there can be no thread.
            let _ = thread::Builder::new().name("dwarves-pages".into()).spawn_scoped(scope, || self.run());
            work()
        })
    }

    fn run(&self) {
        let mut state = self.state.lock();
        while state.open {
            if state.room() == 0 {
                self.changed.wait(&mut state);
                continue;
            }
            drop(state);
            let piece = Piece::new(Piece::USUAL);
            state = self.state.lock();
            // It may have ended meanwhile; and whoever needs memory will say that there is none.
            let Some(piece) = piece.filter(|_| state.open) else { break };
            state.ready.push(piece);
        }
    }
}

/// Ends the thread, also when the work panics.
struct End<'a>(&'a Supply);

impl Drop for End<'_> {
    fn drop(&mut self) {
        let mut state = self.0.state.lock();
        state.open = false;
        let left = std::mem::take(&mut state.ready);
        drop(state);
        self.0.changed.notify_all();
        drop(left);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_there_during_the_work_only() {
        let supply = Supply::default();
        assert!(supply.take().is_none());
        let got = supply.during(0, || {
            (0..1000)
                .filter(|_| {
                    thread::yield_now();
                    supply.take().is_some()
                })
                .count()
        });
        assert!(got <= 1000);
        assert!(supply.take().is_none() && supply.state.lock().ready.is_empty());
        assert!(supply.during(usize::MAX, || supply.take().is_none()));
    }
}
