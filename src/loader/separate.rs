//! Debugging information in a file of its own, as `strip` and distributions leave it.
//!
//! Looked for where elfutils looks (`dwfl_standard_find_debuginfo`, without its servers): by build id as
//! `/usr/lib/debug/.build-id/NN/NNNN.debug`, then by the name in `.gnu_debuglink` (or, without one, that of the file with `.debug` behind it) in
//! the file's folder, in `.debug` there, and below `/usr/lib/debug` in a folder of the same path. A file counts when its build id is that
//! of the program, or, where the program has none, its contents have the checksum of the link.

use crate::dwarf::DwarfError;
use crate::dwarf::file::DwarfFile;
use crate::elf::ElfFile;
use std::ffi::{OsStr, OsString};
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const DEBUG_ROOT: &str = "/usr/lib/debug";

/// The debugging information of a program that has none itself; `None` when there is none elsewhere either.
pub(super) fn find(program: &Arc<ElfFile>) -> Result<Option<DwarfFile>, DwarfError> {
    let id = program.build_id().ok().flatten().filter(|id| id.len() > 2);
    let link = link(program);
    let path = std::fs::canonicalize(program.path()).unwrap_or_else(|_| program.path().to_path_buf());
    for candidate in candidates(&path, id.as_deref(), link.as_ref().map(|(name, _)| name)) {
        if candidate == path {
            continue;
        }
        let Ok(file) = ElfFile::open(&candidate) else { continue };
        let is_the_one = match (&id, &link) {
            (Some(id), _) => file.build_id().ok().flatten().as_ref() == Some(id),
            (None, Some((_, checksum))) => crc32(&candidate).is_some_and(|crc| crc == *checksum),
            (None, None) => false,
        };
        if is_the_one {
            if let Some(dwarf) = DwarfFile::open_for(program.clone(), Arc::new(file))? {
                return Ok(Some(dwarf));
            }
        }
    }
    Ok(None)
}

/// Name and checksum of `.gnu_debuglink`.
fn link(program: &ElfFile) -> Option<(OsString, u32)> {
    let bytes = program.read_raw(program.section_index(b".gnu_debuglink")?).ok()?;
    let end = memchr::memchr(0, &bytes)?;
    // The checksum is aligned to four bytes, in the file's byte order.
    let crc = *bytes.get((end / 4 + 1) * 4..)?.first_chunk::<4>()?;
    let crc = if program.little_endian() { u32::from_le_bytes(crc) } else { u32::from_be_bytes(crc) };
    Some((OsStr::from_bytes(&bytes[..end]).to_owned(), crc))
}

fn candidates(path: &Path, id: Option<&[u8]>, link: Option<&OsString>) -> Vec<PathBuf> {
    let mut paths = Vec::new();
    if let Some(id) = id {
        let hex: String = id.iter().map(|b| format!("{b:02x}")).collect();
        paths.push(Path::new(DEBUG_ROOT).join(".build-id").join(&hex[..2]).join(format!("{}.debug", &hex[2..])));
    }
    let (Some(folder), Some(own)) = (path.parent(), path.file_name()) else { return paths };
    let name = link.map_or_else(
        || {
            let mut name = own.to_owned();
            name.push(".debug");
            name
        },
        OsString::clone,
    );
    paths.push(folder.join(&name));
    paths.push(folder.join(".debug").join(&name));
    paths.push(Path::new(DEBUG_ROOT).join(folder.strip_prefix("/").unwrap_or(folder)).join(&name));
    paths
}

/// The checksum of a file's contents that links use (ISO 3309, as in zlib).
fn crc32(path: &Path) -> Option<u32> {
    let mut table = [0u32; 256];
    for (entry, i) in table.iter_mut().zip(0u32..) {
        *entry = (0..8).fold(i, |c, _| if c & 1 != 0 { 0xedb8_8320 ^ c >> 1 } else { c >> 1 });
    }
    let mut file = std::fs::File::open(path).ok()?;
    let mut buf = vec![0; 1 << 16];
    let mut crc = u32::MAX;
    loop {
        match file.read(&mut buf).ok()? {
            0 => return Some(!crc),
            n => crc = buf[..n].iter().fold(crc, |c, &b| table[((c ^ u32::from(b)) & 0xff) as usize] ^ c >> 8),
        }
    }
}
