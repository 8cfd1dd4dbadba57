//! The few system calls that std does not wrap, as safe functions.

use std::ffi::CString;
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, IntoRawFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::thread::JoinHandleExt;
use std::path::Path;
use std::thread::JoinHandle;

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

/// Has a thread that this one has just started run on other processors than this one is on, if it may use any. In a process that has just begun a new
/// thread waits half of the time behind the one that started it, two to four milliseconds, while another processor is idle.
pub fn run_elsewhere<T>(thread: &JoinHandle<T>) {
    // SAFETY: the set is plain bits, whose size is told; a handle is that of a thread as long as it is not joined.
    unsafe {
        let mut others: libc::cpu_set_t = std::mem::zeroed();
        let size = size_of_val(&others);
        let here = usize::try_from(libc::sched_getcpu()).ok().filter(|&cpu| cpu < 8 * size);
        if let (0, Some(here)) = (libc::sched_getaffinity(0, size, &mut others), here) {
            libc::CPU_CLR(here, &mut others);
            // Refused where nothing is left: then it stays where it is.
            libc::pthread_setaffinity_np(thread.as_pthread_t(), size, &others);
        }
    }
}

/// Takes the pages of so much of a vector's room at once, which costs a third of getting them one by one as they are touched. Where the system cannot
/// do so, they come as they are touched.
pub fn take_pages<T>(vector: &mut Vec<T>, count: usize) {
    let room = vector.spare_capacity_mut();
    let bytes = size_of_val(&room[..count.min(room.len())]);
    // SAFETY: asks for no value, and nothing is written to the pages: those of memory that the vector has, of which the first and the last
    // may have others' beside.
    unsafe {
        let page = usize::try_from(libc::sysconf(libc::_SC_PAGESIZE)).unwrap_or(4096);
        let inside = room.as_mut_ptr().addr() % page;
        libc::madvise(room.as_mut_ptr().byte_sub(inside).cast(), bytes + inside, libc::MADV_POPULATE_WRITE);
    }
}

/// Tells the processor that the element at `index` will be read soon. No more than a hint, whatever the index is.
#[inline]
pub fn prefetch<T>(slice: &[T], index: usize) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: all processors of the architecture have it, and none faults on an address that cannot be read.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(slice.as_ptr().wrapping_add(index).cast()) }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (slice, index);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_that_is_moved_runs() {
        for number in 0..20 {
            let thread = std::thread::spawn(move || number + 1);
            run_elsewhere(&thread);
            assert_eq!(thread.join().expect("no panic"), number + 1);
        }
    }

    #[test]
    fn what_a_vector_has_stays() {
        for room in [0, 1, 100, 100_000] {
            let mut vector = Vec::with_capacity(room + 3);
            vector.extend([1u32, 2, 3]);
            for count in [0, room, usize::MAX] {
                take_pages(&mut vector, count);
                assert_eq!(vector, [1, 2, 3]);
            }
        }
    }
}
