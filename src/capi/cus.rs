//! `cus__*` but for loading: the set of units and its lock.

use std::ffi::{c_char, c_int, c_void};
use std::ptr;

use super::entry::{entry, non_null};
use super::find::{cu__find_function_at_addr, cu__find_struct_by_name};
use super::stdio::same;
use crate::abi::{Cu, Cus, Function, ListHead, Tag, TypeId};

/// An empty set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cus__new() -> *mut Cus {
    entry(Cus::create)
}

/// Frees the set, the units in it, and what the loader kept for them, after running the loader's hook.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cus__delete(cus: *mut Cus) {
    entry(|| {
        non_null!(cus);
        // SAFETY: a set of cus__new, given up by the caller.
        unsafe { Cus::destroy(cus) }
    })
}

/// Takes the set's lock, which is not recursive.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cus__lock(cus: *mut Cus) {
    entry(|| {
        non_null!(cus);
        // SAFETY: a valid set.
        unsafe { Cus::lock(cus) }
    })
}

/// Gives the set's lock back.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cus__unlock(cus: *mut Cus) {
    entry(|| {
        non_null!(cus);
        // SAFETY: a valid set, locked by the caller.
        unsafe { Cus::unlock(cus) }
    })
}

/// Whether no unit is linked.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cus__empty(cus: *const Cus) -> bool {
    entry(|| {
        non_null!(cus);
        // SAFETY: a valid set.
        unsafe { ListHead::is_empty(&raw const (*cus).cus) }
    })
}

/// How many units are linked.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cus__nr_entries(cus: *const Cus) -> u32 {
    entry(|| {
        non_null!(cus);
        // SAFETY: a valid set.
        unsafe { (*cus).nr_entries }
    })
}

/// Appends a unit; the caller holds the lock.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __cus__add(cus: *mut Cus, cu: *mut Cu) {
    entry(|| {
        non_null!(cus, cu);
        // SAFETY: a valid set, and a unit that is in none.
        unsafe { Cus::add(cus, cu) }
    })
}

/// Appends a unit under the lock.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cus__add(cus: *mut Cus, cu: *mut Cu) {
    entry(|| {
        non_null!(cus, cu);
        // SAFETY: as above.
        unsafe { Cus::with_lock(cus, || Cus::add(cus, cu)) }
    })
}

/// Unlinks a unit without freeing it; the caller holds the lock.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __cus__remove(cus: *mut Cus, cu: *mut Cu) {
    entry(|| {
        non_null!(cus, cu);
        // SAFETY: a unit of this set.
        unsafe { Cus::remove(cus, cu) }
    })
}

/// Unlinks a unit, without freeing it, under the lock.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cus__remove(cus: *mut Cus, cu: *mut Cu) {
    entry(|| {
        non_null!(cus, cu);
        // SAFETY: a unit of this set.
        unsafe { Cus::with_lock(cus, || Cus::remove(cus, cu)) }
    })
}

/// The loader's private pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cus__priv(cus: *mut Cus) -> *mut c_void {
    entry(|| {
        non_null!(cus);
        // SAFETY: a valid set.
        unsafe { (*cus).r#priv }
    })
}

/// Stores the loader's private pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cus__set_priv(cus: *mut Cus, r#priv: *mut c_void) {
    entry(|| {
        non_null!(cus);
        // SAFETY: a valid set.
        unsafe { (*cus).r#priv = r#priv }
    })
}

/// Registers the hook that `cus__delete` runs, with the lock held.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cus__set_loader_exit(cus: *mut Cus, loader_exit: Option<unsafe extern "C" fn(*mut Cus)>) {
    entry(|| {
        non_null!(cus);
        // SAFETY: a valid set.
        unsafe { (*cus).loader_exit = loader_exit }
    })
}

/// Calls `iterator` for every unit, or what `filter` makes of it, until it returns non-zero. The lock is held meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cus__for_each_cu(
    cus: *mut Cus,
    iterator: Option<unsafe extern "C" fn(*mut Cu, *mut c_void) -> c_int>,
    cookie: *mut c_void,
    filter: Option<unsafe extern "C" fn(*mut Cu) -> *mut Cu>,
) {
    entry(|| {
        non_null!(cus);
        let Some(iterator) = iterator else { return };
        // SAFETY: a valid set; the program's functions take its units.
        unsafe {
            Cus::with_lock(cus, || {
                for unit in Cus::units(cus) {
                    let unit = filter.map_or(unit, |filter| filter(unit));
                    if !unit.is_null() && iterator(unit, cookie) != 0 {
                        break;
                    }
                }
            })
        }
    })
}

/// The only unit, when there is exactly one, else the first of that name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cus__find_pair(cus: *mut Cus, name: *const c_char) -> *mut Cu {
    entry(|| {
        non_null!(cus);
        // SAFETY: a valid set and a string.
        unsafe {
            Cus::with_lock(cus, || {
                let only = (*cus).nr_entries == 1;
                Cus::units(cus).find(|&unit| only || same((*unit).name, name)).unwrap_or(ptr::null_mut())
            })
        }
    })
}

/// What `find` finds in the first unit where it finds something; that unit goes to `*cu`.
unsafe fn first_in<T>(cus: *mut Cus, cu: *mut *mut Cu, find: impl Fn(*mut Cu) -> *mut T) -> *mut T {
    // SAFETY: a valid set; cu is NULL or writable.
    unsafe {
        Cus::with_lock(cus, || {
            for unit in Cus::units(cus) {
                let found = find(unit);
                if !found.is_null() {
                    if !cu.is_null() {
                        *cu = unit;
                    }
                    return found;
                }
            }
            ptr::null_mut()
        })
    }
}

/// The first struct, class or interface of that name in any unit; its unit and id go to `*cu` and `*id`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cus__find_struct_by_name(
    cus: *mut Cus,
    cu: *mut *mut Cu,
    name: *const c_char,
    include_decls: c_int,
    id: *mut TypeId,
) -> *mut Tag {
    entry(|| {
        non_null!(cus);
        // SAFETY: passed on.
        unsafe { first_in(cus, cu, |unit| cu__find_struct_by_name(unit, name, include_decls, id)) }
    })
}

/// The function at an address in any unit; its unit goes to `*cu`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cus__find_function_at_addr(cus: *mut Cus, addr: u64, cu: *mut *mut Cu) -> *mut Function {
    entry(|| {
        non_null!(cus);
        // SAFETY: passed on.
        unsafe { first_in(cus, cu, |unit| cu__find_function_at_addr(unit, addr)) }
    })
}
