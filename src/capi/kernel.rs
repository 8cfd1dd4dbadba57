//! `vmlinux_path__*`: where the running kernel's types are.

use std::ffi::{CStr, CString, OsString, c_char};
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::ptr;
use std::sync::OnceLock;

use super::entry::entry;
use crate::elf::ElfFile;

const NOTES: &str = "/sys/kernel/notes";
const NT_GNU_BUILD_ID: usize = 3;
/// SHA-1, in bytes: what the linker makes for the kernel.
const BUILD_ID_LEN: usize = 20;

/// The running kernel's BTF: what PAHOLE_VMLINUX_BTF_FILENAME says at the first call, or where the kernel shows it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vmlinux_path__btf_filename() -> *const c_char {
    static NAME: OnceLock<CString> = OnceLock::new();
    entry(|| {
        NAME.get_or_init(|| {
            // SAFETY: a string that is copied at once.
            let name = unsafe { libc::getenv(c"PAHOLE_VMLINUX_BTF_FILENAME".as_ptr()) };
            // SAFETY: not NULL here.
            if name.is_null() { c"/sys/kernel/btf/vmlinux".into() } else { unsafe { CStr::from_ptr(name) }.into() }
        })
        .as_ptr()
    })
}

/// The path, in malloc-ed memory, of a vmlinux with the running kernel's build id; NULL when none is found.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vmlinux_path__find_running_kernel() -> *const c_char {
    entry(|| {
        let Some(path) = find_running_kernel() else { return ptr::null() };
        let Ok(path) = CString::new(path.into_os_string().into_vec()) else { return ptr::null() };
        // SAFETY: strdup copies the string.
        unsafe { libc::strdup(path.as_ptr()).cast_const() }
    })
}

/// The first of the usual places that holds a file with the running kernel's build id.
pub(crate) fn find_running_kernel() -> Option<PathBuf> {
    let wanted = gnu_build_id(&fs::read(NOTES).ok()?)?;
    candidates(&wanted).into_iter().find(|path| {
        let found = ElfFile::open(path).and_then(|file| file.build_id());
        matches!(found, Ok(Some(build_id)) if build_id == wanted)
    })
}

fn candidates(build_id: &[u8]) -> Vec<PathBuf> {
    let mut paths = vec![PathBuf::from("vmlinux"), PathBuf::from("/boot/vmlinux")];
    if let Some(release) = kernel_release() {
        paths.push(format!("/boot/vmlinux-{release}").into());
        paths.push(format!("/usr/lib/debug/boot/vmlinux-{release}").into());
        paths.push(format!("/lib/modules/{release}/build/vmlinux").into());
        paths.push(format!("/usr/lib/debug/lib/modules/{release}/vmlinux").into());
        paths.push(format!("/usr/lib/debug/boot/vmlinux-{release}.debug").into());
    }
    if let Some(home) = home() {
        let hex: String = build_id.iter().map(|byte| format!("{byte:02x}")).collect();
        paths.push(Path::new(&home).join(".cache/debuginfod_client").join(hex).join("debuginfo"));
    }
    paths
}

fn kernel_release() -> Option<String> {
    let release = fs::read_to_string("/proc/sys/kernel/osrelease").ok()?;
    Some(release.trim_end().to_owned())
}

fn home() -> Option<OsString> {
    // SAFETY: a string that is copied at once; std's own reader does not take the lock C code would need.
    let home = unsafe { libc::getenv(c"HOME".as_ptr()) };
    // SAFETY: not NULL here.
    (!home.is_null()).then(|| OsString::from_vec(unsafe { CStr::from_ptr(home) }.to_bytes().to_vec()))
}

/// The build id in a run of notes as the kernel shows its own, in the machine's byte order.
fn gnu_build_id(mut notes: &[u8]) -> Option<Vec<u8>> {
    let word = |notes: &[u8], at: usize| -> Option<usize> {
        usize::try_from(u32::from_ne_bytes(notes.get(at..at + 4)?.try_into().ok()?)).ok()
    };
    loop {
        let (name_len, desc_len, kind) = (word(notes, 0)?, word(notes, 4)?, word(notes, 8)?);
        let desc_at = 12 + name_len.checked_next_multiple_of(4)?;
        let desc = notes.get(desc_at..desc_at.checked_add(desc_len)?)?;
        if kind == NT_GNU_BUILD_ID && notes.get(12..12 + name_len) == Some(&b"GNU\0"[..]) {
            return (desc_len == BUILD_ID_LEN).then(|| desc.to_vec());
        }
        notes = notes.get(desc_at.checked_add(desc_len.checked_next_multiple_of(4)?)?..)?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn note(kind: u32, name: &[u8], desc: &[u8]) -> Vec<u8> {
        let mut note = Vec::new();
        for word in [name.len() as u32, desc.len() as u32, kind] {
            note.extend_from_slice(&word.to_ne_bytes());
        }
        for part in [name, desc] {
            note.extend_from_slice(part);
            note.resize(note.len().next_multiple_of(4), 0);
        }
        note
    }

    #[test]
    fn finds_the_build_id_behind_other_notes() {
        let mut notes = note(0x100, b"Xen\0", b"abcde");
        notes.extend(note(3, b"GNU\0", &[7; 20]));
        assert_eq!(gnu_build_id(&notes), Some(vec![7; 20]));
        assert_eq!(gnu_build_id(&notes[..notes.len() - 1]), None);
        assert_eq!(gnu_build_id(&[]), None);
    }
}
