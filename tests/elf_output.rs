//! Writing files of BTF alone: to new and existing files, links, pipes and devices, with and without success.

mod elf_support;

use dwarves::elf::{OutputError, write_detached};
use elf_support::*;
use std::fs::{self, File};
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt, symlink};
use std::path::Path;
use std::process::{Command, Stdio};

const PARTS: [&[u8]; 3] = [b"first ", b"", b"second"];

#[test]
fn new_and_existing_files() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("vmlinux.btf");
    // The mode of a new file depends on the umask, which a whole process shares.
    run(&mut child("write 12", &path, "umask 007; exec \"$@\""));
    assert_eq!(fs::metadata(&path).unwrap().mode() & 0o7777, 0o640);
    assert_eq!(fs::read(&path).unwrap(), [1; 12]);
    fs::remove_file(&path).unwrap();
    run(&mut child("write 12", &path, "umask 077; exec \"$@\""));
    assert_eq!(fs::metadata(&path).unwrap().mode() & 0o7777, 0o600);

    fs::set_permissions(&path, fs::Permissions::from_mode(0o664)).unwrap();
    write_detached(&path, &PARTS).unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"first second");
    assert_eq!(fs::metadata(&path).unwrap().mode() & 0o7777, 0o664);
    write_detached(&path, &[]).unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"");
    assert_eq!(names(dir.path()), ["vmlinux.btf"]);
}

#[test]
fn links() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    fs::create_dir(at("sub")).unwrap();
    symlink("sub/target", at("link")).unwrap();
    symlink(at("link"), at("absolute")).unwrap();
    // The target does not exist yet, and then it does.
    for contents in [b"one", b"two"] {
        write_detached(&at("absolute"), &[contents]).unwrap();
        assert!(fs::symlink_metadata(at("link")).unwrap().is_symlink());
        assert_eq!(fs::read(at("sub/target")).unwrap(), contents);
    }
    fs::hard_link(at("sub/target"), at("second")).unwrap();
    write_detached(&at("link"), &[&[b'x'; 5000]]).unwrap();
    assert_eq!(fs::read(at("second")).unwrap(), [b'x'; 5000]);
    write_detached(&at("second"), &[b"short"]).unwrap();
    assert_eq!(fs::read(at("sub/target")).unwrap(), b"short");
    assert_eq!(names(&at("sub")), ["target"]);

    symlink("loop", at("loop")).unwrap();
    assert!(matches!(write_detached(&at("loop"), &PARTS), Err(OutputError::Create { .. })));
    assert!(matches!(write_detached(&at("none/file"), &PARTS), Err(OutputError::Create { .. })));
    assert!(matches!(write_detached(&at("sub"), &PARTS), Err(OutputError::Create { .. })));
}

#[test]
fn devices_and_pipes() {
    let error = write_detached(Path::new("/dev/full"), &PARTS).unwrap_err();
    assert_eq!(error.to_string(), "/dev/full: cannot be written: No space left on device (os error 28)");
    assert!(fs::metadata("/dev/full").unwrap().file_type().is_char_device());
    write_detached(Path::new("/dev/null"), &PARTS).unwrap();
    assert!(fs::metadata("/dev/null").unwrap().file_type().is_char_device());

    let dir = tempfile::tempdir().unwrap();
    let fifo = dir.path().join("fifo");
    run(Command::new("mkfifo").arg(&fifo));
    let reader = Command::new("cat").arg(&fifo).stdout(Stdio::piped()).spawn().unwrap();
    write_detached(&fifo, &PARTS).unwrap();
    assert_eq!(reader.wait_with_output().unwrap().stdout, b"first second");
    assert!(fs::metadata(&fifo).unwrap().file_type().is_fifo());
}

#[test]
fn standard_output() {
    // A pipe, and a regular file: that very file is written, and not replaced by another one.
    let stdout = run(&mut child("write 3", Path::new("/dev/stdout"), "exec \"$@\""));
    assert!(stdout.contains("\x01\x01\x01"), "{stdout:?}");
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("out");
    let file = File::create(&path).unwrap();
    let before = fs::metadata(&path).unwrap().ino();
    let status = child("write 3", Path::new("/dev/fd/7"), "exec 7>&1 >/dev/null; exec \"$@\"").stdout(file).status().unwrap();
    assert!(status.success());
    assert_eq!(fs::read(&path).unwrap(), [1; 3]);
    assert_eq!(fs::metadata(&path).unwrap().ino(), before);
}

/// Not a test of its own: what the other tests let a process with limits do. Ends with status 3 if writing failed.
#[test]
fn task_of_a_child() {
    let Some((task, path)) = task() else { return };
    let data = vec![1; task.strip_prefix("write ").unwrap().parse().unwrap()];
    if let Err(error) = write_detached(&path, &[&data]) {
        eprintln!("{error}");
        std::process::exit(3);
    }
}

#[test]
fn a_failure_leaves_the_old_file_or_none() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("vmlinux.btf");
    let limited = || {
        let output = output(&mut child("write 1000000", &path, "trap '' XFSZ; ulimit -f 64; exec \"$@\""));
        assert_eq!(output.status.code(), Some(3), "{}", String::from_utf8_lossy(&output.stderr));
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(message.contains("vmlinux.btf: cannot be written: File too large"), "{message}");
    };
    limited();
    assert!(names(dir.path()).is_empty());
    fs::write(&path, "good").unwrap();
    limited();
    assert_eq!(fs::read(&path).unwrap(), b"good");
    fs::hard_link(&path, dir.path().join("second")).unwrap();
    limited();
    assert_eq!(fs::read(&path).unwrap(), b"good");
    assert_eq!(names(dir.path()), ["second", "vmlinux.btf"]);
}

#[test]
fn rights_of_others() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("vmlinux.btf");
    fs::write(&path, "old").unwrap();
    let rights = |path: &Path, mode: u32| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    rights(dir.path(), if is_root() { 0o755 } else { 0o555 });
    rights(&path, 0o444);
    if is_root() {
        let output = output(&mut unprivileged_child("write 9", &path, dir.path()));
        assert_eq!(output.status.code(), Some(3));
        assert!(String::from_utf8_lossy(&output.stderr).contains("cannot be opened for writing: Permission denied"));
        assert_eq!(fs::read(&path).unwrap(), b"old");
    }
    // The directory may not be written to, the file may: changed in place.
    rights(&path, 0o666);
    let before = fs::metadata(&path).unwrap();
    run(&mut unprivileged_child("write 2", &path, dir.path()));
    assert_eq!(fs::read(&path).unwrap(), [1; 2]);
    let after = fs::metadata(&path).unwrap();
    assert_eq!((before.ino(), before.uid(), before.mode()), (after.ino(), after.uid(), after.mode()));
    let output = output(&mut unprivileged_child("write 2", &dir.path().join("new"), dir.path()));
    assert_eq!(output.status.code(), Some(3), "a new file cannot be made there");
    rights(dir.path(), 0o755);
    assert!(!dir.path().join("new").exists());
}
