//! BTF objects of the process's libbpf: programs hand them over, and expect them back.
//!
//! They are opaque and belong to the libbpf that made them, so that everything goes through its public functions. Those are looked
//! up when needed: a program that has no such objects need not have libbpf.

use std::ffi::{CStr, c_void};
use std::mem::transmute_copy;
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::{Builder, JoinHandle, panicking};

use super::load::find_symbol;
use crate::abi::external::Btf as Object;
use crate::btf::{BaseEnd, Btf, BtfError, Index};
use crate::encoder::LateBase;
use crate::loader::btf::Base;
use crate::phases::{self, Phase};
use crate::system;

type RawData = unsafe extern "C" fn(*const Object, *mut u32) -> *const c_void;
type BaseBtf = unsafe extern "C" fn(*const Object) -> *const Object;
type PointerSize = unsafe extern "C" fn(*const Object) -> usize;
type TypeCount = unsafe extern "C" fn(*const Object) -> u32;
type TypeById = unsafe extern "C" fn(*const Object, u32) -> *const c_void;
type SetPointerSize = unsafe extern "C" fn(*mut Object, usize) -> i32;
type New = unsafe extern "C" fn(*const c_void, u32) -> *mut Object;
type NewSplit = unsafe extern "C" fn(*const c_void, u32, *mut Object) -> *mut Object;
type Version = unsafe extern "C" fn() -> u32;
type Free = unsafe extern "C" fn(*mut Object);

/// Bases of bases that are followed at most.
const MAX_BASES: u32 = 16;

/// The highest addresses are errnos, where a libbpf below 1.0 is told to return such.
const MAX_ERRNO: usize = 4095;

/// libbpf's function `name`.
///
/// # Safety
/// `F` is the type that libbpf declares for it.
unsafe fn function<F>(name: &CStr) -> Result<F, String> {
    const { assert!(size_of::<F>() == size_of::<*mut c_void>()) }
    let address = find_symbol(name);
    if address.is_null() {
        return Err(format!("{} is in no library of this process, which has to bring libbpf", name.to_string_lossy()));
    }
    // SAFETY: an address of that function, by the caller's word.
    Ok(unsafe { transmute_copy(&address) })
}

/// Reads an object's types, and its base's.
///
/// # Safety
/// `object` is an object of the process's libbpf.
pub(super) unsafe fn base_of(object: *const Object) -> Result<Base, String> {
    // SAFETY: passed on; the functions have had these types since they exist.
    unsafe {
        let pointer_size = function::<PointerSize>(c"btf__pointer_size").map_or(0, |pointer_size| pointer_size(object));
        let pointer_size = u32::try_from(pointer_size).ok().filter(|size| matches!(size, 4 | 8));
        Ok(Base { btf: read(object, MAX_BASES, |_, bytes, base| Btf::parse(bytes, base))?, pointer_size })
    }
}

/// As the `btf` of [`base_of`], without a copy of what libbpf has.
///
/// # Safety
/// `object` is an object of the process's libbpf, and nobody changes or frees it, or looks at the result thereafter.
pub(super) unsafe fn borrowed_base(object: *const Object) -> Result<Arc<Btf>, String> {
    let checked = checks_references();
    // SAFETY: passed on; the bytes live with the object.
    unsafe {
        let types = function::<TypeCount>(c"btf__type_cnt").ok();
        let by_id = function::<TypeById>(c"btf__type_by_id").ok();
        read(object, MAX_BASES, |object, bytes, base| {
            let bytes = std::slice::from_raw_parts(bytes.as_ptr(), bytes.len());
            let address = |id| by_id.map_or(0, |by_id| by_id(object, id).addr());
            let index = types.map(|types| Index { types: types(object), address: &address });
            Btf::base_in_place(bytes, as_words, base, checked, index.as_ref())
        })
    }
}

/// Whether the process's libbpf refuses BTF that refers to names or types that do not exist: from 1.3 on.
fn checks_references() -> bool {
    // SAFETY: the functions have had this type since they exist.
    let number = |name| unsafe { function::<Version>(name).map_or(0, |version| version()) };
    (number(c"libbpf_major_version"), number(c"libbpf_minor_version")) >= (1, 3)
}

/// Where an object ends, by what libbpf counts and its header says; `None` where one or the other does not tell.
///
/// # Safety
/// `object` is an object of the process's libbpf.
unsafe fn end_of(object: *const Object) -> Option<BaseEnd> {
    // SAFETY: passed on.
    unsafe {
        let types = function::<TypeCount>(c"btf__type_cnt").ok()?(object);
        let below = function::<BaseBtf>(c"btf__base_btf").map_or(ptr::null(), |base_btf| base_btf(object));
        // Bases of bases are rare, and read in a moment where they are not large.
        if !below.is_null() {
            return None;
        }
        let mut size = 0;
        let data = function::<RawData>(c"btf__raw_data").ok()?(object, &mut size);
        let bytes = (!data.is_null()).then(|| std::slice::from_raw_parts(data.cast::<u8>(), size as usize))?;
        Some(BaseEnd { types, strings: Btf::string_bytes_of(bytes)? })
    }
}

/// The bytes as words, if they lie as words do.
pub(super) fn as_words(bytes: &[u8]) -> Option<&[u32]> {
    // SAFETY: any four bytes are a number.
    match unsafe { bytes.align_to() } {
        ([], words, []) => Some(words),
        _ => None,
    }
}

unsafe fn read(
    object: *const Object,
    depth: u32,
    parse: impl Fn(*const Object, &[u8], Option<Arc<Btf>>) -> Result<Btf, BtfError> + Copy,
) -> Result<Arc<Btf>, String> {
    // SAFETY: passed on; the bytes live with the object.
    unsafe {
        let raw_data = function::<RawData>(c"btf__raw_data")?;
        let below = function::<BaseBtf>(c"btf__base_btf").map_or(ptr::null(), |base_btf| base_btf(object));
        let base = match depth.checked_sub(1) {
            _ if below.is_null() => None,
            Some(depth) => Some(read(below, depth, parse)?),
            None => return Err("bases are split too often".to_string()),
        };
        let mut size = 0;
        let data = raw_data(object, &mut size);
        if data.is_null() {
            return Err("btf__raw_data gives nothing".to_string());
        }
        let bytes = std::slice::from_raw_parts(data.cast::<u8>(), size as usize);
        parse(object, bytes, base).map(Arc::new).map_err(|e| e.to_string())
    }
}

/// The base that a file will be encoded against, read by a thread of its own while the file is opened: a module takes less time than its
/// kernel's BTF. Whoever needs the base first waits for it, or reads it.
pub(super) struct EarlyBase {
    object: *const Object,
    /// Where it ends, if that is known before it is read.
    end: Option<BaseEnd>,
    btf: OnceLock<Result<Arc<Btf>, String>>,
    /// Loading is over, and with it the word that the object is there: another may have its address.
    over: AtomicBool,
}

// SAFETY: the object is looked at by one thread at a time, inside of the lock, and the program does not touch it while it loads.
unsafe impl Send for EarlyBase {}
// SAFETY: as above.
unsafe impl Sync for EarlyBase {}

/// The thread that reads a base; dropping it waits for the thread.
pub(super) struct Reading {
    base: Arc<EarlyBase>,
    thread: Option<JoinHandle<()>>,
}

impl EarlyBase {
    /// Starts to read. Without a thread, the base is read when it is asked for.
    ///
    /// # Safety
    /// `object` is an object of the process's libbpf that lives longer than what is returned.
    pub(super) unsafe fn read(object: *const Object) -> Reading {
        // SAFETY: passed on. Asked before there is a thread, as libbpf may make the bytes when they are asked for first.
        let end = unsafe { end_of(object) };
        let base = Arc::new(EarlyBase { object, end, btf: OnceLock::new(), over: AtomicBool::new(false) });
        let reader = base.clone();
        let read = move || {
            let _phase = phases::enter(Phase::Base);
            // An error is told to who asks.
            let _ = reader.get().map(|btf| btf.prepare_strings(false));
        };
        let thread = Builder::new().name("dwarves".into()).spawn(read).ok();
        if let Some(thread) = &thread {
            system::run_elsewhere(thread);
        }
        Reading { base, thread }
    }

    pub(super) fn is_of(&self, object: *const Object) -> bool {
        ptr::eq(self.object, object) && !self.over.load(Ordering::Relaxed)
    }

    /// The base for an encoder, which asks for it when it has to.
    pub(super) fn late(self: &Arc<EarlyBase>) -> Result<LateBase, String> {
        match self.end {
            Some(end) => {
                let base = self.clone();
                Ok(LateBase { end, get: Box::new(move || base.get()) })
            }
            None => self.get().map(LateBase::from),
        }
    }

    fn get(&self) -> Result<Arc<Btf>, String> {
        // SAFETY: by the word of who made this; `is_of` keeps away who comes later. An encoder's base outlives it, as C has it, too.
        self.btf.get_or_init(|| unsafe { borrowed_base(self.object) }).clone()
    }
}

impl Reading {
    pub(super) fn base(&self) -> Arc<EarlyBase> {
        self.base.clone()
    }
}

impl Drop for Reading {
    fn drop(&mut self) {
        if let Some(thread) = self.thread.take() {
            // What is left to do is shared.
            if !panicking() {
                let _ = self.base.get().map(|btf| btf.prepare_strings(true));
            }
            // A panic in it is met again by who asks for the base.
            let _ = thread.join();
        }
        self.base.over.store(true, Ordering::Relaxed);
    }
}

/// An object of libbpf's that was made here, and is freed here.
pub(super) struct Made(*mut Object);

impl Made {
    /// Has libbpf make an object of serialised BTF, split from `base` unless that is NULL, of a program with addresses of
    /// `addr_size` bytes.
    ///
    /// # Safety
    /// `base` is NULL or an object of the process's libbpf that lives longer.
    pub(super) unsafe fn new(bytes: &[u8], base: *mut Object, addr_size: u8) -> Result<Made, String> {
        let size = u32::try_from(bytes.len()).map_err(|_| "more than 4 GiB of BTF".to_string())?;
        // SAFETY: passed on; libbpf copies the bytes.
        let object = unsafe {
            if base.is_null() {
                function::<New>(c"btf__new")?(bytes.as_ptr().cast(), size)
            } else {
                function::<NewSplit>(c"btf__new_split")?(bytes.as_ptr().cast(), size, base)
            }
        };
        if object.is_null() || object.addr() > usize::MAX - MAX_ERRNO {
            return Err("libbpf does not take the BTF".to_string());
        }
        // SAFETY: as above. An older libbpf takes the size from `long`, as it does for other objects.
        unsafe {
            if let Ok(set_pointer_size) = function::<SetPointerSize>(c"btf__set_pointer_size") {
                set_pointer_size(object, addr_size.into());
            }
        }
        Ok(Made(object))
    }

    pub(super) fn as_ptr(&self) -> *mut Object {
        self.0
    }
}

impl Drop for Made {
    fn drop(&mut self) {
        // SAFETY: made by libbpf, freed once.
        unsafe {
            if let Ok(free) = function::<Free>(c"btf__free") {
                free(self.0);
            }
        }
    }
}
