//! Loading files: `cus__load_*` and the `load_file` of each format.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::Path;
use std::ptr;
use std::sync::Arc;

use parking_lot::Mutex;

use super::entry::{entry, missing, non_null};
use super::objects::formats;
use super::stdio;
use crate::abi::cu::{CuSide, NewCu};
use crate::abi::{ConfLoad, Cu, Cus, LoadStealKind};
use crate::elf::ElfFile;
use crate::encoder::fragment::Fragment;
use crate::encoder::options::{Abi, Options};
use crate::loader::dwarf::{self, FileContext, Host, LoadError, UnitFacts};
use crate::loader::queue::Steal;

/// cbindgen:ignore
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ctf__load_file(_cus: *mut Cus, _conf: *mut ConfLoad, _filename: *const c_char) -> c_int {
    missing("ctf__load_file")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cus__load_dir(
    _cus: *mut Cus,
    _conf: *mut ConfLoad,
    _dirname: *const c_char,
    _filename_mask: *const c_char,
    _recursive: c_int,
) -> c_int {
    missing("cus__load_dir")
}

/// Tries the formats of `conf->format_path` (names between commas), or all, until one takes the file. 0; -EINVAL when none takes it;
/// -ENOTSUP for an unknown format's name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cus__load_file(cus: *mut Cus, conf: *mut ConfLoad, filename: *const c_char) -> c_int {
    entry(|| {
        non_null!(cus, filename);
        // SAFETY: a set, NULL or a conf, and a string by the caller's word.
        unsafe { load_file(cus, conf, filename) }
    })
}

unsafe fn load_file(cus: *mut Cus, conf: *mut ConfLoad, filename: *const c_char) -> c_int {
    // SAFETY: passed on by cus__load_file.
    unsafe {
        let wanted = if conf.is_null() { ptr::null_mut() } else { (*conf).format_path };
        if wanted.is_null() {
            let taken = formats().into_iter().any(|format| try_format(format, cus, conf, filename));
            return if taken { 0 } else { -libc::EINVAL };
        }
        for name in CStr::from_ptr(wanted).to_bytes().split(|&b| b == b',') {
            let named = |format: &*mut crate::abi::cu::DebugFmtOps| CStr::from_ptr((**format).name).to_bytes() == name;
            let Some(format) = formats().into_iter().find(named) else { return -libc::ENOTSUP };
            if try_format(format, cus, conf, filename) {
                return 0;
            }
        }
        -libc::EINVAL
    }
}

unsafe fn try_format(
    format: *mut crate::abi::cu::DebugFmtOps,
    cus: *mut Cus,
    conf: *mut ConfLoad,
    filename: *const c_char,
) -> bool {
    // SAFETY: passed on; formats are static.
    unsafe {
        if let Some(printing) = conf.as_mut().and_then(|conf| conf.conf_fprintf.as_mut()) {
            printing.set_has_alignment_info((*format).has_alignment_info);
        }
        (*format).load_file.is_some_and(|load| load(cus, conf, filename) == 0)
    }
}

/// Loads each file of a NULL-terminated array, or the running kernel when it is empty. 0, or minus the position (from 1) of the first
/// file that cannot be loaded, with `errno` set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cus__load_files(cus: *mut Cus, conf: *mut ConfLoad, filenames: *mut *mut c_char) -> c_int {
    entry(|| {
        non_null!(cus, filenames);
        // SAFETY: an array that ends in NULL by the caller's word.
        unsafe {
            let mut count = 0;
            loop {
                let filename = *filenames.add(count);
                if filename.is_null() {
                    break;
                }
                count += 1;
                let error = load_file(cus, conf, filename);
                if error != 0 {
                    *libc::__errno_location() = -error;
                    return -(count as c_int);
                }
            }
            if count > 0 { 0 } else { load_running_kernel(cus, conf) }
        }
    })
}

/// The running kernel: its BTF first, then a vmlinux of its build id.
unsafe fn load_running_kernel(cus: *mut Cus, conf: *mut ConfLoad) -> c_int {
    // SAFETY: passed on by cus__load_files.
    unsafe {
        let formats_wanted = match conf.as_ref() {
            Some(conf) if !conf.format_path.is_null() => Some(CStr::from_ptr(conf.format_path).to_bytes()),
            _ => None,
        };
        let tries_btf = formats_wanted.is_none_or(|f| memchr::memmem::find(f, b"btf").is_some());
        if tries_btf {
            let path = super::kernel::vmlinux_path__btf_filename();
            let btf = formats()[1];
            if !path.is_null() && libc::access(path, libc::R_OK) == 0 && try_format(btf, cus, conf, path) {
                return 0;
            }
        }
        if formats_wanted == Some(b"btf") {
            return -1;
        }
        let Some(path) = super::kernel::find_running_kernel() else { return -libc::EINVAL };
        let Ok(path) = CString::new(path.into_os_string().into_encoded_bytes()) else { return -libc::EINVAL };
        load_file(cus, conf, path.as_ptr())
    }
}

/// `load_file` of `btf__ops`.
pub(super) unsafe extern "C" fn btf_load_file(_cus: *mut Cus, _conf: *mut ConfLoad, _filename: *const c_char) -> c_int {
    missing("btf__ops.load_file")
}

/// `load_file` of `dwarf__ops`.
pub(super) unsafe extern "C" fn dwarf_load_file(cus: *mut Cus, conf: *mut ConfLoad, filename: *const c_char) -> c_int {
    entry(|| {
        non_null!(cus, filename);
        // SAFETY: a set, NULL or a conf, and a string by the caller's word.
        unsafe {
            if conf.as_ref().is_none_or(|conf| !is_encoding(conf)) {
                return missing("loading DWARF for printing");
            }
            load_dwarf(cus, conf, CStr::from_ptr(filename))
        }
    })
}

/// Whether the program is `pahole -J`: nobody else sets all of these. It only ever shows the units to the encoder, so that no tags are
/// needed.
fn is_encoding(conf: &ConfLoad) -> bool {
    conf.use_obstack && conf.ignore_labels && conf.ignore_alignment_attr && conf.ignore_inline_expansions && conf.get_addr_info
}

/// A unit's own part, for [`super::encoder`].
pub(super) struct EncodeUnit {
    pub context: Arc<FileContext>,
    pub fragment: Arc<Mutex<Fragment>>,
}

unsafe fn load_dwarf(cus: *mut Cus, conf: *mut ConfLoad, filename: &CStr) -> c_int {
    use std::os::unix::ffi::OsStrExt;
    let path = Path::new(std::ffi::OsStr::from_bytes(filename.to_bytes()));
    // SAFETY: a valid conf by the caller's word.
    let conf_ref = unsafe { &*conf };
    if !hash_bits_fit(conf_ref) {
        say(&format!("libdwarves: {} hash bits are more than the maximum", conf_ref.hashtable_bits));
        return -libc::E2BIG;
    }
    let elf = match ElfFile::open(path) {
        Ok(elf) => elf,
        Err(e) => return fail(&e),
    };
    let context = match FileContext::open(elf, options(conf_ref)) {
        Ok(context) => context,
        Err(e @ LoadError::NoDwarf) => return fail(&format!("{}: {e}", path.display())),
        Err(e) => return fail(&e),
    };
    let host = Program { cus, conf, filename: filename.to_owned() };
    let jobs = usize::try_from(conf_ref.nr_jobs).unwrap_or(0);
    match dwarf::load(&host, &context, jobs, conf_ref.force_cu_merging) {
        Ok(()) => 0,
        Err(LoadError::Aborted) => -1,
        Err(e) => fail(&e),
    }
}

/// The sizes of hash tables that we do not have, refused as C refuses them.
fn hash_bits_fit(conf: &ConfLoad) -> bool {
    let max = match conf.max_hashtable_bits {
        0 => 21,
        n => n,
    };
    max <= 31 && conf.hashtable_bits <= max
}

fn fail(error: &dyn std::fmt::Display) -> c_int {
    say(&format!("libdwarves: {error}"));
    -1
}

fn say(text: &str) {
    // SAFETY: stderr is open for as long as the program runs.
    unsafe {
        stdio::put(stdio::stderr(), &[text.as_bytes(), b"\n"]);
    }
}

/// The encoder's options as the program set them.
pub(super) fn options(conf: &ConfLoad) -> Options {
    let kabi_prefix = if conf.kabi_prefix.is_null() {
        None
    } else {
        // SAFETY: a string that the program keeps; only its first kabi_prefix_len bytes count.
        let prefix = unsafe { CStr::from_ptr(conf.kabi_prefix) }.to_bytes();
        Some(prefix[..prefix.len().min(usize::from(conf.kabi_prefix_len))].to_vec())
    };
    Options {
        decl_tags: !conf.skip_encoding_btf_decl_tag,
        type_tags: !conf.skip_encoding_btf_type_tag,
        enum64: !conf.skip_encoding_btf_enum64,
        floats: conf.btf_gen_floats,
        percpu_vars: !conf.skip_encoding_btf_vars,
        global_vars: conf.encode_btf_global_vars,
        force: conf.btf_encode_force,
        consistent_protos: conf.skip_encoding_btf_inconsistent_proto,
        tag_kfuncs: conf.btf_decl_tag_kfuncs,
        distilled_base: conf.btf_gen_distilled_base,
        attributes: conf.btf_attributes,
        true_signature: conf.true_signature,
        fixup_silly_bitfields: conf.fixup_silly_bitfields,
        no_drop: is_set(c"DWARVES_NO_DROP"),
        force_collisions: is_set(c"DWARVES_FORCE_COLLISIONS"),
        kabi_prefix,
    }
}

/// Whether a switch for tests is on.
fn is_set(name: &CStr) -> bool {
    // SAFETY: a string that is looked at at once.
    unsafe {
        let value = libc::getenv(name.as_ptr());
        !value.is_null() && *value != 0
    }
}

/// The C program as the loader's host.
struct Program {
    cus: *mut Cus,
    conf: *mut ConfLoad,
    filename: CString,
}

// SAFETY: the set has its own lock; the conf is not changed while loading, and its callbacks are made for being called from workers.
unsafe impl Sync for Program {}

/// A unit that is in no set yet.
struct Handle {
    cu: *mut Cu,
    context: Arc<FileContext>,
}

// SAFETY: nobody else knows the unit's address.
unsafe impl Send for Handle {}

impl Program {
    fn conf(&self) -> &ConfLoad {
        // SAFETY: valid while loading.
        unsafe { &*self.conf }
    }

    fn add(&self, cu: *mut Cu) {
        // SAFETY: both are valid, and the unit is in no set.
        unsafe { Cus::with_lock(self.cus, || Cus::add(self.cus, cu)) }
    }
}

impl Host for Program {
    type Handle = Handle;

    fn create(&self, file: &Arc<FileContext>, facts: &UnitFacts<'_>) -> Handle {
        let elf = file.dwarf.elf();
        let name = CString::new(facts.name).unwrap_or_default();
        let cu = Cu::create(&NewCu {
            name: &name,
            filename: &self.filename,
            addr_size: facts.addr_size,
            build_id: &file.build_id,
            use_obstack: self.conf().use_obstack,
        });
        assert!(!cu.is_null(), "out of memory for a unit");
        let abi = Abi::of(elf.machine());
        // SAFETY: freshly made, nobody else knows it.
        unsafe {
            let cu = &mut *cu;
            cu.id = facts.id;
            cu.language = facts.language as u16;
            cu.dfops = formats()[0];
            cu.set_uses_global_strings(true);
            cu.set_extra_dbg_info(self.conf().extra_dbg_info);
            cu.set_has_addr_info(self.conf().get_addr_info);
            cu.set_little_endian(elf.little_endian());
            cu.set_producer_clang(facts.producer_clang);
            cu.set_agg_use_two_regs(abi.two_register_aggregates);
            cu.nr_register_params = abi.register_params as u8;
            for (to, from) in cu.register_params.iter_mut().zip(abi.registers) {
                // As location operations: DW_OP_reg0 is 0x50.
                *to = if from < 0 { -1 } else { 0x50 + c_int::from(from) };
            }
        }
        Handle { cu, context: file.clone() }
    }

    fn wants(&self, handle: &Handle) -> bool {
        // SAFETY: the program's filter, on a unit of ours.
        self.conf().early_cu_filter.is_none_or(|filter| unsafe { !filter(handle.cu).is_null() })
    }

    fn wants_part(&self, facts: &UnitFacts<'_>) -> bool {
        let Some(filter) = self.conf().early_cu_filter else { return true };
        let name = CString::new(facts.name).unwrap_or_default();
        // SAFETY: zeroes are a valid unit, which the filter sees for the length of the call.
        unsafe {
            let mut part: Cu = std::mem::zeroed();
            part.name = name.as_ptr();
            part.language = facts.language as u16;
            !filter(&raw mut part).is_null()
        }
    }

    fn steal(&self, handle: Handle, fragment: Arc<Mutex<Fragment>>, messages: &[String]) -> Steal {
        for message in messages {
            say(message);
        }
        let Handle { cu, context } = handle;
        // SAFETY: the unit is valid and ours until the program has seen it; then it is in the set or destroyed.
        unsafe {
            if let Some(side) = CuSide::of(cu) {
                side.hook = Some(Box::new(EncodeUnit { context, fragment }));
            }
            self.add(cu);
            let Some(steal) = self.conf().steal else { return Steal::Continue };
            match steal(cu, self.conf) {
                LoadStealKind::DELETE => {
                    Cus::with_lock(self.cus, || Cus::remove(self.cus, cu));
                    Cu::destroy(cu);
                    Steal::Continue
                }
                LoadStealKind::STOP_LOADING => Steal::Stop,
                LoadStealKind::ABORT => Steal::Abort,
                _ => Steal::Continue,
            }
        }
    }

    fn keep(&self, handle: Handle) {
        self.add(handle.cu);
    }

    fn message(&self, text: &str) {
        say(text);
    }
}

/// What a unit of ours holds for the encoder; `None` for a unit of another format.
///
/// # Safety
/// `cu` is valid.
pub(super) unsafe fn encode_unit<'a>(cu: *mut Cu) -> Option<&'a EncodeUnit> {
    // SAFETY: passed on; the hook changes only before the program sees the unit.
    unsafe { CuSide::of(cu)?.hook.as_ref()?.downcast_ref() }
}

/// Finds a function of another library in the process.
pub(super) fn find_symbol(name: &CStr) -> *mut c_void {
    // SAFETY: a plain look-up.
    unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) }
}
