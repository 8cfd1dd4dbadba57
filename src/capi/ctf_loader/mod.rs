//! The loader `ctf`: Solaris CTF as one unit of C-visible tags.
//!
//! Types have CTF's own ids; functions and variables, which stand for symbols, are numbered apart, from 0 on.

mod fixup;
mod tags;

use std::ffi::{CStr, OsStr, c_char, c_int};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::circles;
use super::entry::{entry, non_null};
use super::held::{Block, hand_over};
use super::objects::formats;
use super::stdio;
use crate::abi::{ConfLoad, Cu, Cus, NewCu};
use crate::loader::ctf::{CtfError, CtfFile, Kind, Record, Typed};

/// `LANG_C`, which CTF is always taken for: it does not tell.
const LANG_C: u16 = 2;

/// Everything that tags are made of.
struct Source {
    file: CtfFile,
    types: Vec<Record>,
    functions: Vec<Typed>,
    objects: Vec<Typed>,
}

impl Source {
    fn read(path: &Path) -> Result<Source, CtfError> {
        let file = CtfFile::read(path)?;
        let (functions, objects) = file.symbols()?;
        let types = file.content.types()?;
        Ok(Source { file, types, functions, objects })
    }
}

/// `load_file` of `ctf__ops`. 0; negative when there is no CTF in the file, or it is damaged. `conf` may be NULL.
///
/// cbindgen:ignore
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ctf__load_file(cus: *mut Cus, conf: *mut ConfLoad, filename: *const c_char) -> c_int {
    entry(|| {
        non_null!(cus, filename);
        // SAFETY: a set, NULL or a conf, and a string by the caller's word.
        unsafe { load(cus, conf, CStr::from_ptr(filename)) }
    })
}

unsafe fn load(cus: *mut Cus, conf: *mut ConfLoad, filename: &CStr) -> c_int {
    let source = match Source::read(Path::new(OsStr::from_bytes(filename.to_bytes()))) {
        Ok(source) => source,
        Err(CtfError::NoFunction(kind)) => {
            say(&format!("function__new: Expected function type, got {kind}"));
            return -libc::ENOMEM;
        }
        Err(CtfError::Short(_) | CtfError::Kind(_)) => return -libc::EINVAL,
        Err(_) => return -1,
    };
    for record in source.types.iter().filter(|record| record.kind == Kind::Unknown) {
        let is_root = if record.is_root { "yes" } else { "no" };
        say(&format!("CTF: idx: {}, off: {}, root: {is_root} Unknown", record.id, record.offset));
    }
    let Some(size) = tags::bytes_needed(&source) else { return -libc::ENOMEM };
    let Some(mut block) = Block::zeroed(size) else { return -libc::ENOMEM };
    let addr_size = source.file.word_size;
    let cu = Cu::create(&NewCu { name: filename, filename, addr_size, build_id: &[], use_obstack: false });
    if cu.is_null() {
        return -libc::ENOMEM;
    }
    // SAFETY: the unit is fresh and nobody else's; the block has room for all tags of this file.
    unsafe {
        (*cu).language = LANG_C;
        (*cu).dfops = formats()[2];
        (*cu).set_little_endian(source.file.little_endian);
        if tags::build(&source, cu, &mut block).is_err() {
            Cu::destroy(cu);
            return -libc::EINVAL;
        }
        circles::cut(cu, 0..(*cu).types_table.nr_entries, "CTF");
        fixup::members(cu);
        hand_over(cus, conf, cu, block, Vec::new(), Box::new(source));
        0
    }
}

fn say(text: &str) {
    // SAFETY: stderr is open for as long as the program runs.
    unsafe {
        stdio::put(stdio::stderr(), &[text.as_bytes(), b"\n"]);
    }
}
