//! The few system calls that std does not wrap, as safe functions.

use std::ffi::CString;
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, IntoRawFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Whether `link_open_file` can work: it needs `/proc`.
pub fn can_link_open_files() -> bool {
    Path::new("/proc/self/fd").exists()
}

/// Gives the open file, made with O_TMPFILE and so far without a name, the name `path`. Fails if that exists.
pub fn link_open_file(file: &File, path: &Path) -> io::Result<()> {
    let from = CString::new(format!("/proc/self/fd/{}", file.as_raw_fd()))?;
    let to = CString::new(path.as_os_str().as_bytes())?;
    // SAFETY: both are NUL-terminated strings that live until the call returns, and linkat keeps neither.
    let result = unsafe { libc::linkat(libc::AT_FDCWD, from.as_ptr(), libc::AT_FDCWD, to.as_ptr(), libc::AT_SYMLINK_FOLLOW) };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Closes the file and says whether that failed: NFS and quotas may report a full disk only here, and dropping a `File` says
/// nothing.
pub fn close(file: File) -> io::Result<()> {
    let fd = file.into_raw_fd();
    // SAFETY: `into_raw_fd` gave up ownership, so the descriptor is open and nobody else closes it.
    if unsafe { libc::close(fd) } == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Copies extended attributes, access control lists among them. What cannot be copied is left out: most need privileges.
pub fn copy_attributes(from: &File, to: &File) {
    let Some(names) = read_grown(|buf: &mut [u8]| {
        // SAFETY: the pointer and length describe `buf`, which the call only writes to; the descriptor is open.
        unsafe { libc::flistxattr(from.as_raw_fd(), buf.as_mut_ptr().cast(), buf.len()) }
    }) else {
        return;
    };
    for name in names.split_inclusive(|&byte| byte == 0).filter(|name| name.len() > 1 && name.ends_with(&[0])) {
        let Some(value) = read_grown(|buf: &mut [u8]| {
            // SAFETY: as above; `name` ends with a zero byte (filtered for it) and outlives the call.
            unsafe { libc::fgetxattr(from.as_raw_fd(), name.as_ptr().cast(), buf.as_mut_ptr().cast(), buf.len()) }
        }) else {
            continue;
        };
        // SAFETY: as above; `value` is only read.
        unsafe { libc::fsetxattr(to.as_raw_fd(), name.as_ptr().cast(), value.as_ptr().cast(), value.len(), 0) };
    }
}

/// Calls `read` with no buffer for the size and then with one that large. `None` on errors, one of which is that the value grew
/// in between.
fn read_grown(read: impl Fn(&mut [u8]) -> libc::ssize_t) -> Option<Vec<u8>> {
    let mut buf = vec![0; usize::try_from(read(&mut [])).ok()?];
    if !buf.is_empty() {
        let length = usize::try_from(read(&mut buf)).ok()?;
        buf.truncate(length);
    }
    Some(buf)
}
