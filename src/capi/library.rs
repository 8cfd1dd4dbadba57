//! `dwarves_*`, error texts and small helpers that belong to no data structure.

use std::ffi::{CStr, c_char, c_int};
use std::sync::atomic::{AtomicU16, Ordering};

use libc::FILE;

use super::entry::{entry, non_null};
use super::names::tag_name;
use super::objects::formats;
use super::stdio::{put, stderr, text};
use crate::abi::external::ArgpState;
use crate::abi::{ConfFprintf, ConfLoad, Cus, ListHead};

/// The release whose behaviour this library has, as programs print it.
const VERSION: &[u8] = b"v1.32\n";
const NUMERIC_VERSION: &[u8] = b"132\n";
const DEVEL_VERSION: &[u8] = b"v1.32-tarball-gfa725d687ce3\n";

/// What the printer uses when its configuration names no cache line size, in bytes; 0 until one was resolved.
static CACHELINE_SIZE: AtomicU16 = AtomicU16::new(0);

/// The cache line size to print with, in bytes; 64 when nobody resolved one.
///
/// # Safety
/// `conf` is NULL or valid.
pub(crate) unsafe fn cacheline_size(conf: *const ConfFprintf) -> u16 {
    // SAFETY: valid by the caller's word.
    let own = unsafe { conf.as_ref() }.map_or(0, |conf| conf.cacheline_size);
    match (own, CACHELINE_SIZE.load(Ordering::Relaxed)) {
        (0, 0) => 64,
        (0, default) => default,
        (own, _) => own,
    }
}

/// Runs the formats' init hooks; 0, or the first error, after undoing what was done.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dwarves__init() -> c_int {
    entry(|| {
        for (index, ops) in formats().into_iter().enumerate() {
            // SAFETY: the descriptors are static; programs may change them before they start.
            unsafe {
                let Some(init) = (*ops).init else { continue };
                let error = init();
                if error != 0 {
                    for ops in formats().into_iter().take(index).rev() {
                        if let Some(exit) = (*ops).exit {
                            exit();
                        }
                    }
                    return error;
                }
            }
        }
        0
    })
}

/// Runs the formats' exit hooks.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dwarves__exit() {
    entry(|| {
        for ops in formats() {
            // SAFETY: as above.
            unsafe {
                if let Some(exit) = (*ops).exit {
                    exit();
                }
            }
        }
    })
}

/// Settles the cache line size: the user's, the machine's, or 64 bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dwarves__resolve_cacheline_size(conf: *const ConfLoad, user_cacheline_size: u16) {
    entry(|| {
        // SAFETY: sysconf takes any number; conf and what it points at are NULL or valid.
        unsafe {
            let size = match user_cacheline_size {
                0 => u16::try_from(libc::sysconf(libc::_SC_LEVEL1_DCACHE_LINESIZE)).ok().filter(|&size| size > 0),
                user => Some(user),
            };
            let size = size.unwrap_or(64);
            if let Some(printing) = conf.as_ref().and_then(|conf| conf.conf_fprintf.as_mut()) {
                printing.cacheline_size = size;
            }
            CACHELINE_SIZE.store(size, Ordering::Relaxed);
        }
    })
}

/// Prints the version; an argp hook.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dwarves_print_version(fp: *mut FILE, _state: *mut ArgpState) {
    entry(|| {
        non_null!(fp);
        // SAFETY: an open stream.
        unsafe { put(fp, &[VERSION]) };
    })
}

/// Prints the version as a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dwarves_print_numeric_version(fp: *mut FILE) {
    entry(|| {
        non_null!(fp);
        // SAFETY: an open stream.
        unsafe { put(fp, &[NUMERIC_VERSION]) };
    })
}

/// Prints the version with what it was built from; an argp hook.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dwarves_print_devel_version(fp: *mut FILE, _state: *mut ArgpState) {
    entry(|| {
        non_null!(fp);
        // SAFETY: an open stream.
        unsafe { put(fp, &[DEVEL_VERSION]) };
    })
}

unsafe fn error_text<'a>(errno: c_int) -> &'a [u8] {
    // SAFETY: strerror gives a string for every number.
    unsafe { text(libc::strerror(errno)) }
}

/// Prints why `cus__load_file` failed with `err`, a negative errno, on stderr.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cus__print_error_msg(progname: *const c_char, cus: *const Cus, filename: *const c_char, err: c_int) {
    entry(|| {
        // SAFETY: strings, and NULL or a valid set.
        unsafe {
            if err == -libc::EINVAL || (!cus.is_null() && ListHead::is_empty(&raw const (*cus).cus)) {
                put(stderr(), &[text(progname), b": couldn't load debugging info from ", text(filename), b"\n"]);
            } else {
                put(stderr(), &[text(progname), b": ", error_text(err.wrapping_neg()), b"\n"]);
            }
        }
    })
}

/// Prints why `cus__load_files` failed with `err`, which says at which argument; the bytes printed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cus__fprintf_load_files_err(
    _cus: *mut Cus,
    tool: *const c_char,
    argv: *mut *mut c_char,
    err: c_int,
    output: *mut FILE,
) -> c_int {
    // SAFETY: errno is the calling thread's; read before anything can change it.
    let errno = unsafe { *libc::__errno_location() };
    entry(|| {
        non_null!(argv, output);
        let Ok(index) = usize::try_from(-1 - i64::from(err)) else { return 0 };
        // SAFETY: the program's own array, with the index it was told.
        unsafe {
            let reason = if errno == 0 { &b"No debugging information found"[..] } else { error_text(errno) };
            put(output, &[text(tool), b": ", text(*argv.add(index)), b": ", reason, b"\n"]) as c_int
        }
    })
}

/// Tells that a type was not found, and ends the program.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tag__not_found_die(
    file: *const c_char,
    line: c_int,
    func: *const c_char,
    tag: c_int,
    name: *const c_char,
) {
    entry(|| {
        let kind = tag_name(tag as u32).map_or(&b"(null)"[..], CStr::to_bytes);
        // SAFETY: strings.
        unsafe {
            let at = format!("({line}, related to the type of tag DW_TAG_");
            let report = b"\"): tag not found, please report to acme@kernel.org\n";
            put(stderr(), &[text(file), b"::", text(func), at.as_bytes(), kind, b" \"", text(name), report]);
            libc::exit(1)
        }
    })
}

/// Lower-cases a string in place and returns it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn strlwr(s: *mut c_char) -> *mut c_char {
    entry(|| {
        non_null!(s);
        let mut at = s;
        // SAFETY: a writable string; the locale decides, as with C's tolower.
        unsafe {
            while *at != 0 {
                *at = libc::tolower(c_int::from(*at)) as c_char;
                at = at.add(1);
            }
        }
        s
    })
}
