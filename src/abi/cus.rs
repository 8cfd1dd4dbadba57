//! A set of compilation units: `struct cus`, which C only ever sees by address.

use std::any::Any;
use std::ffi::c_void;
use std::ptr;

use parking_lot::RawMutex;
use parking_lot::lock_api::RawMutex as _;

use super::{Cu, ListHead};

/// `struct cus`. C takes and releases the lock through two separate calls.
///
/// cbindgen:ignore
pub struct Cus {
    /// Linked through [`Cu::node`], in the order of adding.
    pub cus: ListHead,
    pub nr_entries: u32,
    lock: RawMutex,
    pub loader_exit: Option<unsafe extern "C" fn(*mut Cus)>,
    pub r#priv: *mut c_void,
    /// What Rust loaders keep for as long as the set lives, such as the strings that names of tags point into.
    hooks: Vec<Box<dyn Any + Send>>,
}

/// `cus` is valid in every call; that is the one safety condition here.
#[allow(clippy::missing_safety_doc)]
impl Cus {
    pub fn create() -> *mut Cus {
        let cus = Box::into_raw(Box::new(Cus {
            cus: ListHead { next: ptr::null_mut(), prev: ptr::null_mut() },
            nr_entries: 0,
            lock: RawMutex::INIT,
            loader_exit: None,
            r#priv: ptr::null_mut(),
            hooks: Vec::new(),
        }));
        // SAFETY: the head has its final address now.
        unsafe { ListHead::init(&raw mut (*cus).cus) };
        cus
    }

    /// Frees the set and the units that are still in it, then what the loaders kept for them.
    pub unsafe fn destroy(cus: *mut Cus) {
        // SAFETY: create boxed the set; the walk allows for units that disappear.
        unsafe {
            Cus::lock(cus);
            for node in ListHead::nodes(&raw const (*cus).cus) {
                ListHead::unlink(node);
                Cu::destroy(node.cast());
            }
            if let Some(exit) = (*cus).loader_exit {
                exit(cus);
            }
            Cus::unlock(cus);
            drop(Box::from_raw(cus));
        }
    }

    pub unsafe fn lock(cus: *mut Cus) {
        // SAFETY: see above; the field is reached without a reference to the whole set.
        unsafe { (*cus).lock.lock() }
    }

    /// The caller holds the lock.
    pub unsafe fn unlock(cus: *mut Cus) {
        // SAFETY: see above.
        unsafe { (*cus).lock.unlock() }
    }

    /// Runs `body` with the lock held, and gives the lock back when it panics, too.
    pub unsafe fn with_lock<R>(cus: *mut Cus, body: impl FnOnce() -> R) -> R {
        struct Unlock(*mut Cus);
        impl Drop for Unlock {
            fn drop(&mut self) {
                // SAFETY: locked below, by this thread.
                unsafe { Cus::unlock(self.0) }
            }
        }
        // SAFETY: see above.
        unsafe { Cus::lock(cus) };
        let _unlock = Unlock(cus);
        body()
    }

    /// Appends a unit; the caller holds the lock, or has the set to itself.
    pub unsafe fn add(cus: *mut Cus, cu: *mut Cu) {
        // SAFETY: see above.
        unsafe {
            (*cus).nr_entries += 1;
            ListHead::add_tail(&raw mut (*cus).cus, &raw mut (*cu).node);
        }
    }

    /// Takes a unit out without freeing it; the caller holds the lock, or has the set to itself.
    pub unsafe fn remove(cus: *mut Cus, cu: *mut Cu) {
        // SAFETY: see above.
        unsafe {
            (*cus).nr_entries = (*cus).nr_entries.saturating_sub(1);
            ListHead::unlink(&raw mut (*cu).node);
        }
    }

    /// The units, in order; the caller holds the lock, or has the set to itself.
    pub unsafe fn units(cus: *const Cus) -> impl Iterator<Item = *mut Cu> {
        // SAFETY: units are linked by their first field.
        unsafe { ListHead::nodes(&raw const (*cus).cus).map(|node| node.cast::<Cu>()) }
    }

    /// Keeps `hook` until the set is freed, after its units.
    pub unsafe fn keep(cus: *mut Cus, hook: Box<dyn Any + Send>) {
        // SAFETY: see above; only this method and the destructor touch the hooks.
        unsafe { Cus::with_lock(cus, || (*cus).hooks.push(hook)) }
    }
}
