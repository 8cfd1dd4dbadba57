//! Writing to C's streams, so that our output and the program's own keep their order.

use std::ffi::{CStr, c_char};
use std::io::{self, Write};

use libc::FILE;

unsafe extern "C" {
    #[link_name = "stdout"]
    static STDOUT: *mut FILE;
    #[link_name = "stderr"]
    static STDERR: *mut FILE;
}

/// C's `stdout`, as the program may have set it.
pub fn stdout() -> *mut FILE {
    // SAFETY: libc initialises the variable before anything runs.
    unsafe { STDOUT }
}

/// C's `stderr`.
pub fn stderr() -> *mut FILE {
    // SAFETY: as above.
    unsafe { STDERR }
}

/// A C stream as a writer that counts what it wrote, in bytes.
pub struct Stream {
    fp: *mut FILE,
    written: usize,
}

impl Stream {
    /// # Safety
    /// `fp` is an open stream for as long as the writer is used.
    pub unsafe fn new(fp: *mut FILE) -> Stream {
        Stream { fp, written: 0 }
    }

    pub fn written(&self) -> usize {
        self.written
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // SAFETY: an open stream by the constructor's condition.
        let done = unsafe { libc::fwrite(bytes.as_ptr().cast(), 1, bytes.len(), self.fp) };
        self.written += done;
        if done == 0 && !bytes.is_empty() { Err(io::Error::last_os_error()) } else { Ok(done) }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Writes the parts in one go and returns the number of bytes written.
///
/// # Safety
/// `fp` is an open stream.
pub unsafe fn put(fp: *mut FILE, parts: &[&[u8]]) -> usize {
    // SAFETY: passed on.
    let mut stream = unsafe { Stream::new(fp) };
    // A stream that takes nothing shows in the count, as with fprintf.
    let _ = stream.write_all(&parts.concat());
    stream.written()
}

/// The bytes of a C string; what printf prints for NULL.
///
/// # Safety
/// `s` is NULL or a string that lives during `'a`.
pub unsafe fn text<'a>(s: *const c_char) -> &'a [u8] {
    // SAFETY: a string by the caller's word.
    if s.is_null() { b"(null)" } else { unsafe { CStr::from_ptr(s) }.to_bytes() }
}

/// Whether two C strings are the same; NULL equals nothing.
///
/// # Safety
/// Both are NULL or strings.
pub unsafe fn same(a: *const c_char, b: *const c_char) -> bool {
    // SAFETY: strings by the caller's word.
    !a.is_null() && !b.is_null() && unsafe { libc::strcmp(a, b) == 0 }
}

/// Puts `bytes` and a NUL into a buffer of `len` bytes, shortened to fit, as snprintf does.
///
/// # Safety
/// `bf` has room for `len` bytes.
pub unsafe fn fill(bf: *mut c_char, len: usize, bytes: &[u8]) {
    if bf.is_null() || len == 0 {
        return;
    }
    let fits = bytes.len().min(len - 1);
    // SAFETY: `fits + 1` bytes are within the buffer.
    unsafe {
        std::ptr::copy_nonoverlapping(bytes.as_ptr(), bf.cast(), fits);
        *bf.add(fits) = 0;
    }
}
