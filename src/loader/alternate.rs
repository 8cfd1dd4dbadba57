//! The alternate file: what `dwz -m` has moved out of several files, named by `.gnu_debugaltlink` or, in DWARF 5, `.debug_sup`.
//!
//! Looked for as libdw does it: by its build id below `/usr/lib/debug/.build-id`, then by the name in the link, which is relative to the
//! folder of the file that holds it. A file whose id is not the one of the link is not the one.

use crate::dwarf::file::DwarfFile;
use crate::elf::ElfFile;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Where debug files are kept by build id.
const DEBUG_ROOT: &str = "/usr/lib/debug";

/// What a file says of its alternate file.
struct Link {
    name: Vec<u8>,
    /// Build id, or the id of `.debug_sup`.
    id: Vec<u8>,
    is_sup: bool,
}

/// The alternate file of `elf`, if it names one that is there.
pub fn find(elf: &ElfFile) -> Option<DwarfFile> {
    let link = link(elf)?;
    let file = candidates(elf, &link).into_iter().find_map(|path| open(&path, &link))?;
    DwarfFile::open_alternate(Arc::new(file)).ok().flatten()
}

/// What to tell when it is not.
pub fn missing(elf: &ElfFile) -> String {
    format!(
        "WARNING: could not resolve dwz alternate debug file for {}\n         (.gnu_debugaltlink target missing or build-id mismatch?)\n         \
         Some types will not be available.\n         Installing the matching debuginfo package may fix this.",
        elf.path().display()
    )
}

fn link(elf: &ElfFile) -> Option<Link> {
    let section = |name: &[u8]| elf.read_raw(elf.section_index(name)?).ok();
    if let Some(bytes) = section(b".gnu_debugaltlink") {
        let end = memchr::memchr(0, &bytes)?;
        return Some(Link { name: bytes[..end].to_vec(), id: bytes[end + 1..].to_vec(), is_sup: false });
    }
    let (is_main, name, id) = supplement(&section(b".debug_sup")?)?;
    is_main.then_some(Link { name, id, is_sup: true })
}

/// `.debug_sup` (DWARF 5, 7.3.6): whether the file refers to a supplementary one, its name, and its id.
fn supplement(bytes: &[u8]) -> Option<(bool, Vec<u8>, Vec<u8>)> {
    // Version (2 bytes), is_supplementary, the name with its NUL, the id's length, the id.
    let is_main = *bytes.get(2)? == 0;
    let rest = &bytes[3..];
    let end = memchr::memchr(0, rest)?;
    // An id of 128 bytes and more is nobody's.
    let length = usize::from(*rest.get(end + 1)?);
    let id = rest.get(end + 2..end + 2 + length)?;
    Some((is_main, rest[..end].to_vec(), id.to_vec()))
}

fn candidates(elf: &ElfFile, link: &Link) -> Vec<PathBuf> {
    let mut paths = Vec::new();
    if link.id.len() > 1 {
        let hex: String = link.id.iter().map(|b| format!("{b:02x}")).collect();
        paths.push(Path::new(DEBUG_ROOT).join(".build-id").join(&hex[..2]).join(format!("{}.debug", &hex[2..])));
    }
    let name = Path::new(OsStr::from_bytes(&link.name));
    let path = std::fs::canonicalize(elf.path()).unwrap_or_else(|_| elf.path().to_path_buf());
    paths.push(path.parent().unwrap_or(Path::new("")).join(name));
    paths
}

fn open(path: &Path, link: &Link) -> Option<ElfFile> {
    let elf = ElfFile::open(path).ok()?;
    let id = if link.is_sup {
        supplement(&elf.read_raw(elf.section_index(b".debug_sup")?).ok()?)?.2
    } else {
        elf.build_id().ok().flatten()?
    };
    (id == link.id).then_some(elf)
}
