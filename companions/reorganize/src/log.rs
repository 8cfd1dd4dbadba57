//! What is told about each step.

use std::ffi::{CStr, c_char, c_int};

use libc::FILE;

use crate::abi::{Class, ClassMember, Cu};
use crate::library;

/// Where steps are told, if at all.
pub struct Log {
    verbose: c_int,
    fp: *mut FILE,
    cu: *const Cu,
}

impl Log {
    /// A NULL stream takes nothing.
    pub fn new(verbose: c_int, fp: *mut FILE, cu: *const Cu) -> Log {
        Log { verbose: if fp.is_null() { 0 } else { verbose }, fp, cu }
    }

    /// One line made of the parts.
    pub fn line(&self, parts: &[&[u8]]) {
        if self.verbose != 0 {
            let line = [b"/* ", &parts.concat()[..], b" */\n"].concat();
            // SAFETY: an open stream.
            unsafe { libc::fwrite(line.as_ptr().cast(), 1, line.len(), self.fp) };
        }
    }

    /// The struct as it is now.
    ///
    /// # Safety
    /// A class of the log's unit.
    pub unsafe fn show(&self, class: *mut Class) {
        if self.verbose > 1 {
            // SAFETY: a class of this unit, an open stream.
            unsafe {
                library::class__fprintf(class, self.cu, self.fp);
                libc::fputc(b'\n'.into(), self.fp);
            }
        }
    }
}

/// A member's name.
///
/// # Safety
/// A valid member.
pub unsafe fn name<'a>(member: *const ClassMember) -> &'a [u8] {
    // SAFETY: NULL or a string.
    unsafe {
        let name: *const c_char = (*member).name;
        if name.is_null() { b"(null)" } else { CStr::from_ptr(name).to_bytes() }
    }
}
