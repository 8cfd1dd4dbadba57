//! The loader `btf`: BTF as one unit of C-visible tags.
//!
//! Ids are BTF's own, in all three tables of the unit. All tags stand in one block, in the order of their ids, each with its
//! members, enumerators or parameters right behind it.

mod decl_tags;
mod fixup;
mod measure;
mod plan;
mod tags;

use std::ffi::{CStr, OsStr, c_char, c_int};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::{ptr, slice};

use super::circles;
use super::entry::{entry, non_null};
use super::held::{Block, LARGE, hand_over};
use super::library::cacheline_size;
use super::objects::formats;
use super::{libbpf, stdio};
use crate::abi::{ConfLoad, Cu, Cus, NewCu, Tag};
use crate::btf::Endian;
use crate::loader::btf::BtfFile;
use plan::Plan;

/// `LANG_C`, which BTF is always taken for: it does not tell.
const LANG_C: u16 = 2;

/// `load_file` of `btf__ops`. 0; negative when there is no BTF in the file, or it is damaged.
pub(super) unsafe extern "C" fn load_file(cus: *mut Cus, conf: *mut ConfLoad, filename: *const c_char) -> c_int {
    entry(|| {
        non_null!(cus, filename);
        // SAFETY: a set, NULL or a conf, and a string by the caller's word.
        unsafe { load(cus, conf, CStr::from_ptr(filename)) }
    })
}

unsafe fn load(cus: *mut Cus, conf: *mut ConfLoad, filename: &CStr) -> c_int {
    // SAFETY: passed on by load_file.
    unsafe {
        let base_object = conf.as_ref().map_or(ptr::null_mut(), |conf| conf.base_btf);
        let base = if base_object.is_null() {
            None
        } else {
            match libbpf::base_of(base_object) {
                Ok(base) => Some(base),
                Err(why) => {
                    stdio::put(stdio::stderr(), &[b"libdwarves: base BTF: ", why.as_bytes(), b"\n"]);
                    return -libc::EINVAL;
                }
            }
        };
        let mut bytes = None;
        let room = |size: usize| {
            if size < LARGE {
                return None;
            }
            let block = bytes.insert(Block::zeroed(size)?);
            let start = block.take::<u8>(size);
            // The block goes where the BTF goes, and not before it.
            Some(slice::from_raw_parts_mut(start, size))
        };
        let path = Path::new(OsStr::from_bytes(filename.to_bytes()));
        let file = match BtfFile::read(path, base.as_ref(), room, libbpf::as_words) {
            Ok(file) => file,
            Err(error) => {
                if let Some(message) = error.libbpf_message() {
                    stdio::put(stdio::stderr(), &[b"libbpf: ", message.as_bytes(), b"\n"]);
                }
                return -libc::EINVAL;
            }
        };
        let printing = conf.as_ref().map_or(ptr::null_mut(), |conf| conf.conf_fprintf);
        // A size of 0 means that of no cache line here, as programs that do not print leave it so; no structure at all, the default.
        let cacheline = printing.as_ref().map_or_else(|| cacheline_size(ptr::null()), |printing| printing.cacheline_size);
        let Some((cu, block, attributed)) = unit_of(&file, filename, cacheline) else { return -libc::ENOMEM };
        hand_over(cus, conf, cu, block, attributed, Box::new((file.btf, bytes)));
        0
    }
}

/// A unit that is in no set yet, the block with its tags, and those of them that have attributes; `None` when memory is short.
fn unit_of(file: &BtfFile, filename: &CStr, cacheline: u16) -> Option<(*mut Cu, Block, Vec<*mut Tag>)> {
    let btf = &file.btf;
    let addr_size = file.pointer_size as u8;
    let plan = Plan::of(btf);
    let mut block = Block::zeroed(plan.bytes?)?;
    let cu = Cu::create(&NewCu { name: filename, filename, addr_size, build_id: &[], use_obstack: false });
    if cu.is_null() {
        return None;
    }
    // SAFETY: the unit is fresh and nobody else's; the block has room for all tags of this BTF.
    unsafe {
        (*cu).language = LANG_C;
        (*cu).dfops = formats()[1];
        (*cu).set_little_endian(btf.endian() == Endian::Little);
        if !tags::build(btf, &plan, cu, &mut block, cacheline) {
            Cu::destroy(cu);
            return None;
        }
        circles::cut(cu, plan.forward.iter().copied(), "BTF");
        let attributed = decl_tags::attach(btf, &plan.decl_tags, cu);
        Some((cu, block, attributed))
    }
}
