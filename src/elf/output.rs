//! Writing a file that is no ELF file but BTF alone (`pahole --btf_encode_detached`).

use super::replace::{self, Contents, Failure, Old};
use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Mode of a new file, before the umask; what the C library gives.
const MODE: u32 = 0o640;

/// How many symbolic links in a row are followed; the kernel's limit.
const MAX_LINKS: usize = 40;

/// Why a file could not be written. It is then what it was before (or does not exist, if it did not).
#[derive(Debug)]
#[non_exhaustive]
pub enum OutputError {
    /// The file could not be opened for writing, or not be created.
    Create { path: PathBuf, source: io::Error },
    /// Writing failed: no space left, for example.
    Write { path: PathBuf, source: io::Error },
    /// The new file is complete but could not take the old one's owner, mode or place.
    Replace { path: PathBuf, source: io::Error },
}

impl OutputError {
    /// The system's error.
    pub fn os_error(&self) -> &io::Error {
        match self {
            OutputError::Create { source, .. } | OutputError::Write { source, .. } | OutputError::Replace { source, .. } => {
                source
            }
        }
    }
}

impl fmt::Display for OutputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (path, what) = match self {
            OutputError::Create { path, .. } => (path, "cannot be opened for writing"),
            OutputError::Write { path, .. } => (path, "cannot be written"),
            OutputError::Replace { path, .. } => (path, "cannot be replaced"),
        };
        write!(f, "{}: {what}: {}", path.display(), self.os_error())
    }
}

impl std::error::Error for OutputError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(self.os_error())
    }
}

/// Makes `path` hold `parts`, one after the other.
///
/// A new file gets mode 0640 less the umask. An existing regular file is replaced by a new one with its mode, owner and attributes;
/// changed in place where it has other hard links or cannot be replaced (see `replace`). Of a symbolic link the target is meant,
/// existing or not. What is no regular file (terminal, pipe, device) is written to directly, and so is what a process has open
/// (`/dev/stdout`): its other end is not found by name.
pub fn write_detached(path: &Path, parts: &[&[u8]]) -> Result<(), OutputError> {
    let create_error = |source| OutputError::Create { path: path.to_owned(), source };
    match resolve(path).map_err(create_error)? {
        Target::New(target) => {
            let contents = Contents { keep: 0, parts, patches: &[] };
            replace::replace(&target, None, MODE, &contents).map_err(Failure::into_error)
        }
        Target::Existing(target) => write_existing(&target, parts),
        // By name and not through the process's own descriptor, so that a position it has in the file stays as it is.
        Target::Open if fs::metadata(path).is_ok_and(|metadata| metadata.is_file()) => {
            overwrite(&OpenOptions::new().read(true).write(true).open(path).map_err(create_error)?, path, parts)
        }
        Target::Open | Target::Special => {
            let file = OpenOptions::new().write(true).open(path).map_err(create_error)?;
            write_direct(&file, path, parts)
        }
    }
}

enum Target {
    /// Does not exist; the name is that of no symbolic link.
    New(PathBuf),
    /// A regular file.
    Existing(PathBuf),
    /// Named by a link in `/proc` to a file that a process has open.
    Open,
    /// A device, pipe, socket or directory.
    Special,
}

/// Follows symbolic links by hand: `fs::canonicalize` fails where the last target does not exist yet, and hides that a link was
/// one of `/proc`'s, which lead to open files whatever their text says.
fn resolve(path: &Path) -> io::Result<Target> {
    let mut current = path.to_owned();
    for _ in 0..MAX_LINKS {
        let metadata = match fs::symlink_metadata(&current) {
            Ok(metadata) => metadata,
            Err(err) if err.kind() == io::ErrorKind::NotFound => return Ok(Target::New(current)),
            Err(err) => return Err(err),
        };
        if metadata.is_file() {
            return Ok(Target::Existing(current));
        }
        if !metadata.is_symlink() {
            return Ok(Target::Special);
        }
        let parent = current.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        if fs::canonicalize(parent)?.starts_with("/proc") {
            return Ok(Target::Open);
        }
        // An absolute target replaces the whole path.
        current = parent.join(fs::read_link(&current)?);
    }
    Err(io::Error::from_raw_os_error(libc::ELOOP))
}

fn write_existing(path: &Path, parts: &[&[u8]]) -> Result<(), OutputError> {
    let create_error = |source| OutputError::Create { path: path.to_owned(), source };
    let file = OpenOptions::new().read(true).write(true).open(path).map_err(create_error)?;
    let metadata = file.metadata().map_err(create_error)?;
    if metadata.nlink() == 1 {
        let old = Old { file: &file, metadata: &metadata };
        let contents = Contents { keep: 0, parts, patches: &[] };
        match replace::replace(path, Some(&old), MODE, &contents) {
            Err(Failure::NotBeside(_)) => {}
            result => return result.map_err(Failure::into_error),
        }
    }
    overwrite(&file, path, parts)
}

fn overwrite(file: &File, path: &Path, parts: &[&[u8]]) -> Result<(), OutputError> {
    let mut writes = Vec::new();
    let mut length = 0;
    for part in parts {
        writes.push((length, *part));
        length += part.len() as u64;
    }
    replace::overwrite(file, path, &writes, length)
}

fn write_direct(mut file: &File, path: &Path, parts: &[&[u8]]) -> Result<(), OutputError> {
    let written = parts.iter().try_for_each(|part| file.write_all(part));
    written.map_err(|source| OutputError::Write { path: path.to_owned(), source })
}
