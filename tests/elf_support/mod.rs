//! What the ELF tests share: building small inputs, running tools, and starting the test program again as a child.
#![allow(dead_code)] // Each test program uses a part of it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A C program with functions, initialised, uninitialised, thread-local and static data, and enough types to make real DWARF.
pub const PROGRAM: &str = r#"
#include <stdio.h>
struct pair { int first; char text[3]; struct pair *next; };
int table[100];
struct pair global = { 1, "ab", 0 };
__thread int per_thread = 3;
static int aligned __attribute__((aligned(4096))) = 4;
__attribute__((noinline)) int sum(struct pair *p) { static long calls; calls++; return p->first + per_thread + aligned + (int)calls; }
int main(int argc, char **argv) { printf("sum %d\n", sum(&global) + table[argc]); return 0; }
"#;

/// The same without a C library, for compilers of other machines.
pub const FREESTANDING: &str = r#"
struct pair { int first; char text[3]; struct pair *next; };
struct pair global = { 1, "ab", 0 };
int other(int);
static inline int three(int x) { return other(x) * 3; }
int sum(struct pair *p) { return p->first + three(p->text[1]); }
int loop(int n) { int i; for (i = 0; i < n; i++) other(three(i)); return i; }
"#;

pub fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Runs a command that has to succeed, and returns what it printed.
pub fn run(command: &mut Command) -> String {
    let output = output(command);
    assert!(output.status.success(), "{command:?}: {}: {}", output.status, String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

pub fn output(command: &mut Command) -> Output {
    command.output().unwrap_or_else(|err| panic!("{command:?} cannot be started ({err}); scripts/setup installs what tests need"))
}

/// Compiles `source` to `dir/name`.
pub fn compile(dir: &Path, compiler: &str, args: &[&str], source: &str, name: &str) -> PathBuf {
    let input = dir.join(format!("{name}.c"));
    fs::write(&input, source).unwrap();
    let out = dir.join(name);
    run(Command::new(compiler).args(args).arg("-o").arg(&out).arg(&input));
    out
}

/// An object with `count` allocated sections of its own, and a symbol at the start of each.
pub fn many_sections(dir: &Path, count: usize, name: &str) -> PathBuf {
    let mut text = String::new();
    for i in 0..count {
        text.push_str(&format!(".section .s{i},\"a\"\n.globl sym{i}\nsym{i}: .byte 1\n"));
    }
    let input = dir.join(format!("{name}.s"));
    fs::write(&input, text).unwrap();
    let out = dir.join(name);
    run(Command::new("cc").arg("-c").arg("-o").arg(&out).arg(&input));
    out
}

/// The folder with a kernel's `vmlinux` and `modules`, which `scripts/setup` fetches.
pub fn kernel() -> PathBuf {
    let place = root().join("target/kernel-amd64");
    assert!(place.join("modules").is_dir(), "no kernel in {}: run scripts/setup kernel first", place.display());
    place
}

/// All modules of that kernel, in the order of their names.
pub fn modules() -> Vec<PathBuf> {
    fn collect(dir: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                collect(&path, found);
            } else if path.extension().is_some_and(|extension| extension == "ko") {
                found.push(path);
            }
        }
    }
    let mut found = Vec::new();
    collect(&kernel().join("modules"), &mut found);
    found.sort();
    assert!(!found.is_empty(), "the kernel has no modules: run scripts/setup kernel again");
    found
}

/// The calling test program, to be started once more: its test `task_of_a_child` then does what `task` says with `path`. `wrapper` is a
/// shell script that ends by running `"$@"`, for limits that only a process of its own should have.
pub fn child(task: &str, path: &Path, wrapper: &str) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", wrapper, "sh"]).arg(std::env::current_exe().unwrap());
    command.args(["--exact", "task_of_a_child", "--nocapture", "--quiet"]).env("ELF_TEST_TASK", task).env("ELF_TEST_PATH", path);
    command
}

/// The same as a user who is not root, nor the owner of anything. The program is copied to `dir`, where that user can read it.
pub fn unprivileged_child(task: &str, path: &Path, dir: &Path) -> Command {
    let mut command = child(task, path, "exec \"$@\"");
    if is_root() {
        let program = dir.join("test-program");
        fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
        command = Command::new("setpriv");
        command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(&program);
        command
            .args(["--exact", "task_of_a_child", "--nocapture", "--quiet"])
            .env("ELF_TEST_TASK", task)
            .env("ELF_TEST_PATH", path);
    }
    command
}

/// What the test `task_of_a_child` has to do, if this process is one.
pub fn task() -> Option<(String, PathBuf)> {
    Some((std::env::var("ELF_TEST_TASK").ok()?, PathBuf::from(std::env::var_os("ELF_TEST_PATH")?)))
}

pub fn is_root() -> bool {
    run(Command::new("id").arg("-u")).trim() == "0"
}

/// Names in a directory, sorted.
pub fn names(dir: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// A pseudo-random sequence, the same in every run (xorshift).
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit.max(1) as u64) as usize
    }
}
