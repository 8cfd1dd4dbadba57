//! Changing a file so that any failure leaves it as it was.
//!
//! The normal way is a second file beside the first, completed and then renamed over it: others see the old contents or the new,
//! never half of each. It starts without a name (O_TMPFILE) where the file system can do that, so that not even SIGKILL leaves
//! anything behind. Renaming makes another file of it, though, which is not wanted or not possible where the file has several
//! hard links, where its owner cannot be given to the new one, where the directory may not be written to, and where the file is
//! itself a mount point. Then the bytes are changed in place, the old ones kept in memory until all has succeeded.

use super::output::OutputError;
use crate::system;
use std::fs::{self, File, Metadata, OpenOptions, Permissions};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt, PermissionsExt, fchown};
use std::path::{Path, PathBuf};

/// New contents: the first `keep` bytes of the old file, then `parts`, then `patches` written over them at their offsets.
pub struct Contents<'a> {
    pub keep: u64,
    pub parts: &'a [&'a [u8]],
    pub patches: &'a [(u64, &'a [u8])],
}

/// The file to be replaced; a handle whose position is the start of the file, and what `stat` says.
pub struct Old<'a> {
    pub file: &'a File,
    pub metadata: &'a Metadata,
}

/// How replacing a file ended without being done.
pub enum Failure {
    /// There cannot be a second file beside this one that takes its place; changing it in place may still work.
    NotBeside(OutputError),
    /// For good: disk full, input error.
    Final(OutputError),
}

impl Failure {
    pub fn into_error(self) -> OutputError {
        match self {
            Failure::NotBeside(err) | Failure::Final(err) => err,
        }
    }
}

/// Writes a new file with `contents` and puts it in the place of `path`, which must not be a symbolic link. Mode, owner and
/// attributes are those of `old`, or `new_mode` less the umask.
pub fn replace(path: &Path, old: Option<&Old<'_>>, new_mode: u32, contents: &Contents<'_>) -> Result<(), Failure> {
    let mode = if old.is_some() { 0o600 } else { new_mode };
    if system::can_link_open_files() {
        if let Ok(temporary) = Temporary::unnamed(path, mode) {
            match temporary.complete(path, old, contents) {
                Err(Completion::NoName) => {}
                result => return result.map_err(|err| err.into_failure(path)),
            }
        }
    }
    let temporary = Temporary::named(path, mode)
        .map_err(|source| Failure::NotBeside(OutputError::Create { path: path.to_owned(), source }))?;
    temporary.complete(path, old, contents).map_err(|err| err.into_failure(path))
}

/// Why a temporary file did not take the place of another.
enum Completion {
    /// The file system or `/proc` does not let an unnamed file be given a name.
    NoName,
    Owner(io::Error),
    Write(io::Error),
    Rename(io::Error),
}

impl Completion {
    fn into_failure(self, path: &Path) -> Failure {
        let path = path.to_owned();
        match self {
            Completion::NoName => Failure::NotBeside(OutputError::Create { path, source: io::ErrorKind::Unsupported.into() }),
            Completion::Write(source) => Failure::Final(OutputError::Write { path, source }),
            Completion::Owner(source) | Completion::Rename(source) => Failure::NotBeside(OutputError::Replace { path, source }),
        }
    }
}

/// A file beside the one to be replaced; removed when dropped.
struct Temporary {
    file: File,
    /// Its name, if it has one already.
    name: Option<PathBuf>,
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if let Some(name) = &self.name {
            // Nothing can be done about a failure, and the error that led here is the one to report.
            let _ = fs::remove_file(name);
        }
    }
}

/// `path`'s directory; the current one is spelled out.
fn directory(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A name beside `path` that nobody can have guessed. `RandomState` is seeded by the system, and differs in each call.
fn random_name(path: &Path) -> PathBuf {
    let random = RandomState::new().build_hasher().finish();
    let stem = path.file_name().map_or(&b""[..], |name| name.as_bytes());
    // Names are limited to 255 bytes; the stem only helps a person who finds the file.
    let stem = String::from_utf8_lossy(&stem[..stem.len().min(64)]).into_owned();
    directory(path).join(format!(".{stem}.{random:016x}"))
}

/// Calls `make` with random names until one is free.
fn with_random_name<T>(path: &Path, make: impl Fn(&Path) -> io::Result<T>) -> io::Result<(PathBuf, T)> {
    let mut attempts = 0;
    loop {
        let name = random_name(path);
        match make(&name) {
            Ok(made) => return Ok((name, made)),
            Err(err) if err.kind() == io::ErrorKind::AlreadyExists && attempts < 16 => attempts += 1,
            Err(err) => return Err(err),
        }
    }
}

impl Temporary {
    fn unnamed(path: &Path, mode: u32) -> io::Result<Temporary> {
        let mut options = OpenOptions::new();
        let file = options.read(true).write(true).mode(mode).custom_flags(libc::O_TMPFILE).open(directory(path))?;
        Ok(Temporary { file, name: None })
    }

    fn named(path: &Path, mode: u32) -> io::Result<Temporary> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create_new(true).mode(mode);
        let (name, file) = with_random_name(path, |name| options.open(name))?;
        Ok(Temporary { file, name: Some(name) })
    }

    fn complete(mut self, path: &Path, old: Option<&Old<'_>>, contents: &Contents<'_>) -> Result<(), Completion> {
        if let Some(old) = old {
            self.take_owner(old.metadata).map_err(Completion::Owner)?;
        }
        self.fill(old, contents).map_err(Completion::Write)?;
        if let Some(old) = old {
            // After the owner, since changing that takes set-user-ID away, and after the attributes, since a list of access
            // rights changes the mode.
            system::copy_attributes(old.file, &self.file);
            let mode = Permissions::from_mode(old.metadata.mode() & 0o7777);
            self.file.set_permissions(mode).map_err(Completion::Owner)?;
        }
        let name = match self.name.clone() {
            Some(name) => name,
            None => {
                let linked = with_random_name(path, |name| system::link_open_file(&self.file, name));
                let (name, ()) = linked.map_err(|_| Completion::NoName)?;
                self.name = Some(name.clone());
                name
            }
        };
        // Some file systems report only on closing that data could not be stored; a copy of the descriptor is closed to hear of
        // it while `self` still owns the file.
        self.file.try_clone().and_then(system::close).map_err(Completion::Write)?;
        fs::rename(&name, path).map_err(Completion::Rename)?;
        self.name = None;
        Ok(())
    }

    fn take_owner(&self, wanted: &Metadata) -> io::Result<()> {
        let current = self.file.metadata()?;
        if (current.uid(), current.gid()) == (wanted.uid(), wanted.gid()) {
            return Ok(());
        }
        fchown(&self.file, Some(wanted.uid()), Some(wanted.gid()))
    }

    fn fill(&mut self, old: Option<&Old<'_>>, contents: &Contents<'_>) -> io::Result<()> {
        if let Some(old) = old.filter(|_| contents.keep > 0) {
            // Between two files `io::copy` lets the kernel copy, which shares the blocks where the file system can.
            let copied = io::copy(&mut old.file.take(contents.keep), &mut self.file)?;
            if copied != contents.keep {
                return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "it became shorter while it was read"));
            }
        }
        for part in contents.parts {
            self.file.write_all(part)?;
        }
        for (offset, bytes) in contents.patches {
            self.file.write_all_at(bytes, *offset)?;
        }
        Ok(())
    }
}

/// Writes `writes` (offset and bytes, in this order) into the open file and gives it `length` bytes. On failure it gets back the
/// bytes it had.
pub fn overwrite(file: &File, path: &Path, writes: &[(u64, &[u8])], length: u64) -> Result<(), OutputError> {
    let failed = |source| OutputError::Write { path: path.to_owned(), source };
    let old_length = file.metadata().map_err(failed)?.len();
    let mut saved = Vec::new();
    for (offset, bytes) in writes {
        let size = old_length.saturating_sub(*offset).min(bytes.len() as u64);
        let mut old = vec![0; size as usize];
        file.read_exact_at(&mut old, *offset).map_err(failed)?;
        saved.push((*offset, old));
    }
    let write_all = || {
        writes.iter().try_for_each(|(offset, bytes)| file.write_all_at(bytes, *offset))?;
        file.set_len(length)?;
        file.try_clone().and_then(system::close)
    };
    write_all().map_err(|source| {
        // The old blocks are still allocated, so putting the bytes back needs no space. The first error is the one to report.
        for (offset, old) in saved.iter().rev() {
            let _ = file.write_all_at(old, *offset);
        }
        let _ = file.set_len(old_length);
        failed(source)
    })
}
