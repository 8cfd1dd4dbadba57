//! The loader `btf`: BTF as one unit of C-visible tags.
//!
//! Ids are BTF's own, in all three tables of the unit. All tags stand in one block, in the order of their ids, each with its
//! members, enumerators or parameters right behind it; the block and the strings that names point into live as long as both the unit
//! and the set. So tags of a deleted unit stay readable, as programs expect, and so do those of a unit that the program took away
//! and keeps when the set is gone.

mod block;
mod decl_tags;
mod fixup;
mod measure;
mod tags;

use std::ffi::{CStr, OsStr, c_char, c_int, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr;
use std::sync::Arc;

use super::entry::{entry, non_null};
use super::library::cacheline_size;
use super::objects::formats;
use super::{libbpf, memory, stdio};
use crate::abi::cu::{CuSide, NewCu};
use crate::abi::{ConfLoad, Cu, Cus, LoadStealKind, Tag};
use crate::btf::{Btf, Endian};
use crate::loader::btf::BtfFile;
use block::Block;

/// `LANG_C`, which BTF is always taken for: it does not tell.
const LANG_C: u16 = 2;

/// What the tags of a unit consist of and point into.
struct Holding {
    block: Block,
    _btf: Btf,
    /// Tags whose attributes are in C memory.
    attributed: Vec<*mut Tag>,
}

// SAFETY: the pointers are into the block, which belongs to this structure.
unsafe impl Send for Holding {}
// SAFETY: nothing is changed through a shared reference.
unsafe impl Sync for Holding {}

impl Drop for Holding {
    fn drop(&mut self) {
        for &tag in &self.attributed {
            // SAFETY: the tag is in the block; attributes are NULL or of libc's memory, also after tag__delete.
            unsafe { libc::free((*tag).attributes.cast()) }
        }
    }
}

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
        let file = match BtfFile::read(Path::new(OsStr::from_bytes(filename.to_bytes())), base.as_ref()) {
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
        let Some((cu, holding)) = unit_of(file, filename, cacheline) else { return -libc::ENOMEM };
        Cus::keep(cus, Box::new(holding));
        if let Some(steal) = conf.as_ref().and_then(|conf| conf.steal)
            && steal(cu, conf) != LoadStealKind::KEEPIT
        {
            // Whatever the program wants, the unit is its own now.
            return 0;
        }
        Cus::with_lock(cus, || Cus::add(cus, cu));
        0
    }
}

/// A unit that is in no set yet, and what it holds on to; `None` when memory is short.
fn unit_of(file: BtfFile, filename: &CStr, cacheline: u16) -> Option<(*mut Cu, Arc<Holding>)> {
    let BtfFile { btf, pointer_size } = file;
    let addr_size = pointer_size as u8;
    let mut block = Block::zeroed(tags::bytes_needed(&btf)?)?;
    let cu = Cu::create(&NewCu { name: filename, filename, addr_size, build_id: &[], use_obstack: false });
    if cu.is_null() {
        return None;
    }
    // SAFETY: the unit is fresh and nobody else's; the block has room for all tags of this BTF.
    unsafe {
        (*cu).language = LANG_C;
        (*cu).dfops = formats()[1];
        (*cu).set_little_endian(btf.endian() == Endian::Little);
        if !tags::build(&btf, cu, &mut block) {
            Cu::destroy(cu);
            return None;
        }
        let attributed = decl_tags::attach(&btf, cu);
        fixup::members(&btf, cu, addr_size, cacheline);
        let holding = Arc::new(Holding { block, _btf: btf, attributed });
        if let Some(side) = CuSide::of(cu) {
            side.hook = Some(Box::new(holding.clone()));
        }
        Some((cu, holding))
    }
}

/// `tag__free` of `btf__ops`: tags of the file stay where they are until the whole block goes; others, such as clones, are freed.
pub(super) unsafe extern "C" fn tag_free(tag: *mut Tag, cu: *mut Cu) {
    entry(|| {
        non_null!(tag, cu);
        // SAFETY: a unit of this loader and one of its tags.
        unsafe {
            let hook = CuSide::of(cu).and_then(|side| side.hook.as_ref());
            let holding = hook.and_then(|hook| hook.downcast_ref::<Arc<Holding>>());
            if !holding.is_some_and(|holding| holding.block.contains(tag.cast())) {
                memory::cu__free(cu, tag.cast::<c_void>());
            }
        }
    })
}
