//! Loading files: `cus__load_*` and the `load_file` of each format.

use std::ffi::{CStr, CString, OsStr, OsString, c_char, c_int, c_void};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;
use std::ptr;

use super::entry::{entry, non_null};
use super::objects::formats;
use super::stdio;
use crate::abi::{ConfLoad, Cus};

/// Loads the files of a folder whose names match a pattern, and with `recursive` those of the folders in it; links count as files. Ends with the
/// first that does not load. 0; -1 for a folder that cannot be read, after its parents' names on stdout; else what [`cus__load_file`] returns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cus__load_dir(
    cus: *mut Cus,
    conf: *mut ConfLoad,
    dirname: *const c_char,
    filename_mask: *const c_char,
    recursive: c_int,
) -> c_int {
    entry(|| {
        non_null!(cus, dirname, filename_mask);
        // SAFETY: a set, NULL or a conf, and two strings by the caller's word.
        unsafe {
            let root = PathBuf::from(OsStr::from_bytes(CStr::from_ptr(dirname).to_bytes()));
            load_dir(cus, conf, root, CStr::from_ptr(filename_mask), recursive != 0)
        }
    })
}

unsafe fn load_dir(cus: *mut Cus, conf: *mut ConfLoad, root: PathBuf, mask: &CStr, recursive: bool) -> c_int {
    let Ok(entries) = std::fs::read_dir(&root) else { return -1 };
    // The folders being read, each in the one before.
    let mut open = vec![(root, entries)];
    let mut error = 0;
    while let Some((folder, entries)) = open.last_mut() {
        let Some(found) = entries.next() else {
            open.pop();
            continue;
        };
        let kind = found.and_then(|found| Ok((found.file_name(), found.file_type()?)));
        let Ok((name, kind)) = kind else {
            error = -1;
            break;
        };
        let path = [folder.as_os_str().as_bytes(), b"/", name.as_bytes()].concat();
        let path = PathBuf::from(OsString::from_vec(path));
        if kind.is_dir() {
            if recursive {
                match std::fs::read_dir(&path) {
                    Ok(entries) => open.push((path, entries)),
                    Err(_) => error = -1,
                }
            }
        } else if let (Ok(name), Ok(path)) = (CString::new(name.as_bytes()), CString::new(path.into_os_string().into_vec())) {
            // SAFETY: strings, and the rest passed on.
            unsafe {
                if libc::fnmatch(mask.as_ptr(), name.as_ptr(), 0) == 0 {
                    error = load_file(cus, conf, path.as_ptr());
                }
            }
        }
        if error != 0 {
            break;
        }
    }
    if error == -1 {
        for (folder, _) in open.iter().rev() {
            // SAFETY: stdout is open for as long as the program runs.
            unsafe { stdio::put(stdio::stdout(), &[folder.as_os_str().as_bytes(), b"\n"]) };
        }
    }
    error
}

/// Tries the formats of `conf->format_path` (names between commas), or all, until one takes the file. 0; -EINVAL when none takes it;
/// -ENOTSUP for an unknown format's name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cus__load_file(cus: *mut Cus, conf: *mut ConfLoad, filename: *const c_char) -> c_int {
    entry(|| {
        non_null!(cus, filename);
        // SAFETY: a set, NULL or a conf, and a string by the caller's word.
        unsafe { load_file(cus, conf, filename) }
    })
}

unsafe fn load_file(cus: *mut Cus, conf: *mut ConfLoad, filename: *const c_char) -> c_int {
    // SAFETY: passed on by cus__load_file.
    unsafe {
        let wanted = if conf.is_null() { ptr::null_mut() } else { (*conf).format_path };
        if wanted.is_null() {
            let taken = formats().into_iter().any(|format| try_format(format, cus, conf, filename));
            return if taken { 0 } else { -libc::EINVAL };
        }
        for name in CStr::from_ptr(wanted).to_bytes().split(|&b| b == b',') {
            let named = |format: &*mut crate::abi::cu::DebugFmtOps| CStr::from_ptr((**format).name).to_bytes() == name;
            let Some(format) = formats().into_iter().find(named) else { return -libc::ENOTSUP };
            if try_format(format, cus, conf, filename) {
                return 0;
            }
        }
        -libc::EINVAL
    }
}

unsafe fn try_format(
    format: *mut crate::abi::cu::DebugFmtOps,
    cus: *mut Cus,
    conf: *mut ConfLoad,
    filename: *const c_char,
) -> bool {
    // SAFETY: passed on; formats are static.
    unsafe {
        if let Some(printing) = conf.as_mut().and_then(|conf| conf.conf_fprintf.as_mut()) {
            printing.set_has_alignment_info((*format).has_alignment_info);
        }
        (*format).load_file.is_some_and(|load| load(cus, conf, filename) == 0)
    }
}

/// Loads each file of a NULL-terminated array, or the running kernel when it is empty. 0, or minus the position (from 1) of the first
/// file that cannot be loaded, with `errno` set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cus__load_files(cus: *mut Cus, conf: *mut ConfLoad, filenames: *mut *mut c_char) -> c_int {
    entry(|| {
        non_null!(cus, filenames);
        // SAFETY: an array that ends in NULL by the caller's word.
        unsafe {
            let mut count = 0;
            loop {
                let filename = *filenames.add(count);
                if filename.is_null() {
                    break;
                }
                count += 1;
                let error = load_file(cus, conf, filename);
                if error != 0 {
                    *libc::__errno_location() = -error;
                    return -(count as c_int);
                }
            }
            if count > 0 { 0 } else { load_running_kernel(cus, conf) }
        }
    })
}

/// The running kernel: its BTF first, then a vmlinux of its build id.
unsafe fn load_running_kernel(cus: *mut Cus, conf: *mut ConfLoad) -> c_int {
    // SAFETY: passed on by cus__load_files.
    unsafe {
        let formats_wanted = match conf.as_ref() {
            Some(conf) if !conf.format_path.is_null() => Some(CStr::from_ptr(conf.format_path).to_bytes()),
            _ => None,
        };
        let tries_btf = formats_wanted.is_none_or(|f| memchr::memmem::find(f, b"btf").is_some());
        if tries_btf {
            let path = super::kernel::vmlinux_path__btf_filename();
            let btf = formats()[1];
            if !path.is_null() && libc::access(path, libc::R_OK) == 0 && try_format(btf, cus, conf, path) {
                return 0;
            }
        }
        if formats_wanted == Some(b"btf") {
            return -1;
        }
        let Some(path) = super::kernel::find_running_kernel() else { return -libc::EINVAL };
        let Ok(path) = CString::new(path.into_os_string().into_encoded_bytes()) else { return -libc::EINVAL };
        load_file(cus, conf, path.as_ptr())
    }
}

/// Finds a function of another library in the process.
pub(super) fn find_symbol(name: &CStr) -> *mut c_void {
    // SAFETY: a plain look-up.
    unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) }
}
