//! The few primitives that the job queue is built from: a lock with one condition variable, and threads that end before their
//! scope does.
//!
//! They stand apart so that a test can compile the very same queue over a scheduler that tries out interleavings: the queue
//! names them by `super::sync`, and the test brings another module of this name.

use std::io;

use parking_lot::{Condvar, Mutex, MutexGuard};

/// Stack of a worker, in bytes. Callbacks run C code that was written for a main thread's stack. Address space only: pages
/// come with use.
const STACK: usize = 8 << 20;

/// A value behind a lock, and a condition variable to wait on for changes of it.
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
        self.value.lock()
    }

    /// Releases the lock until woken (or for no reason), and takes it again.
    pub fn wait<'a>(&'a self, mut guard: Guard<'a, T>) -> Guard<'a, T> {
        self.changed.wait(&mut guard);
        guard
    }

    pub fn wake_one(&self) {
        self.changed.notify_one();
    }

    pub fn wake_all(&self) {
        self.changed.notify_all();
    }

    pub fn into_inner(self) -> T {
        self.value.into_inner()
    }
}

/// Starts up to `count` threads that each run `body`, runs `beside` with the number of them, and returns when all of them have ended.
///
/// `allow` is asked before each thread, with its index. The first refusal, its own or the system's, ends the starting; it is
/// returned with the number of threads that did start.
pub fn run_threads(
    count: usize,
    allow: impl Fn(usize) -> io::Result<()>,
    body: impl Fn() + Sync,
    beside: impl FnOnce(usize),
) -> (usize, io::Result<()>) {
    std::thread::scope(|scope| {
        let start = |index| {
            let builder = std::thread::Builder::new().name("dwarves".into()).stack_size(STACK);
            allow(index).and_then(|()| builder.spawn_scoped(scope, &body).map(drop))
        };
        let mut started = 0;
        let result = (0..count).try_for_each(|index| start(index).map(|()| started += 1));
        beside(started);
        (started, result)
    })
}
