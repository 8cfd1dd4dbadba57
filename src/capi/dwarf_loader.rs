//! `load_file` of `dwarf__ops`: the C program as host of the DWARF loader, in either profile.

use std::ffi::{CStr, CString, c_char, c_int};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;

use super::entry::{entry, non_null};
use super::libbpf::{EarlyBase, Reading};
use super::objects::{formats, keeps_bitfield_types};
use super::{bitfield, languages, names, size, stdio};
use crate::abi::cu::{CuSide, NewCu};
use crate::abi::{ConfLoad, Cu, Cus, LoadStealKind, Tag};
use crate::dwarf::DwarfError;
use crate::dwarf::abbrev::Slot;
use crate::dwarf::source::{Source, Unit};
use crate::elf::{ElfError, ElfFile};
use crate::encoder::options::{Abi, Options};
use crate::loader::again;
use crate::loader::dwarf::{self, FileContext, Host, LoadError, Profile, UnitFacts};
use crate::loader::encode::{EncodeContext, Share};
use crate::loader::queue::Steal;
use crate::loader::whole::{Step, Whole};
use crate::phases::{self, Phase};
use crate::tree;
use gimli::constants as dw;

pub(super) unsafe extern "C" fn dwarf_load_file(cus: *mut Cus, conf: *mut ConfLoad, filename: *const c_char) -> c_int {
    entry(|| {
        non_null!(cus, filename);
        // SAFETY: a set, NULL or a conf, and a string by the caller's word.
        unsafe {
            // ctracer has no wishes; zeroes are the defaults.
            let mut defaults: ConfLoad = std::mem::zeroed();
            let conf = if conf.is_null() { &raw mut defaults } else { conf };
            load(cus, conf, CStr::from_ptr(filename))
        }
    })
}

/// Whether the program is `pahole -J`: nobody else sets all of these. It only ever shows the units to the encoder, so that no tags are
/// needed.
fn is_encoding(conf: &ConfLoad) -> bool {
    conf.use_obstack && conf.ignore_labels && conf.ignore_alignment_attr && conf.ignore_inline_expansions && conf.get_addr_info
}

/// From how many bytes of entries on it pays to have memory taken ahead. Their tags are eight times as large.
const SUPPLIED: u64 = 4 << 20;

unsafe fn load(cus: *mut Cus, conf: *mut ConfLoad, filename: &CStr) -> c_int {
    use std::os::unix::ffi::OsStrExt;
    let path = Path::new(std::ffi::OsStr::from_bytes(filename.to_bytes()));
    // SAFETY: a valid conf by the caller's word.
    let conf_ref = unsafe { &*conf };
    if !hash_bits_fit(conf_ref) {
        return -libc::E2BIG;
    }
    // What is no ELF file, or has no DWARF, may be of another format: nothing to tell, unless there is no other way to encode it.
    let encoding = is_encoding(conf_ref);
    if encoding && is_set(c"DWARVES_PHASES") {
        phases::start();
    }
    // SAFETY: the program's object, which it keeps while it encodes.
    let base = (encoding && !conf_ref.base_btf.is_null()).then(|| unsafe { EarlyBase::read(conf_ref.base_btf) });
    let phase = phases::enter(Phase::Open);
    let elf = match ElfFile::open(path) {
        Ok(elf) => elf,
        Err(ElfError::Open { .. } | ElfError::NotElf { .. }) if !encoding => return -1,
        Err(e) => return fail(&e),
    };
    let file = match FileContext::open(elf) {
        Ok(file) => file,
        Err(LoadError::NoDwarf) if !encoding => return -1,
        Err(e) => return fail(&named(path, &e)),
    };
    drop(phase);
    let filename = filename.to_owned();
    let jobs = usize::try_from(conf_ref.nr_jobs).unwrap_or(0);
    let merge = conf_ref.force_cu_merging;
    let result = if encoding {
        EncodeContext::new(file.dwarf.clone(), options(conf_ref), jobs).and_then(|context| {
            let host = Program {
                cus,
                conf,
                filename,
                kind: Encoding {
                    context: context.clone(),
                    file: file.clone(),
                    wishes: Arc::new(tree_options(conf_ref)),
                    base: base.as_ref().map(Reading::base),
                },
            };
            dwarf::load(&host, &*context, &file, jobs, merge)
        })
    } else {
        let arenas = tree::Arenas::default();
        // SAFETY: a valid set. Tags and their names outlive their units.
        unsafe { Cus::keep(cus, Box::new((arenas.clone(), file.clone()))) };
        let memory = Some((arenas.clone(), file.clone()));
        let profile = Trees { options: Arc::new(tree_options(conf_ref)), arenas: arenas.clone() };
        let host = Program { cus, conf, filename, kind: Printing { memory } };
        let load = || dwarf::load(&host, &profile, &file, jobs, merge);
        if file.dwarf.info_size() < SUPPLIED { load() } else { arenas.supplied(jobs.max(1), load) }
    };
    match result {
        Ok(()) => 0,
        Err(LoadError::Aborted) => -1,
        Err(e) => fail(&named(path, &e)),
    }
}

/// The error with the file's name, which those of ELF have already.
fn named(path: &Path, error: &LoadError) -> String {
    match error {
        LoadError::Elf(_) | LoadError::Dwarf(DwarfError::Elf(_)) => error.to_string(),
        _ => format!("{}: {error}", path.display()),
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
        layout: conf.btf_gen_layout,
        attributes: conf.btf_attributes,
        true_signature: conf.true_signature,
        fixup_silly_bitfields: conf.fixup_silly_bitfields,
        has_base: !conf.base_btf.is_null(),
        no_drop: is_set(c"DWARVES_NO_DROP"),
        force_collisions: is_set(c"DWARVES_FORCE_COLLISIONS"),
        kabi_prefix,
    }
}

/// Whether a switch for tests and measuring is on.
fn is_set(name: &CStr) -> bool {
    // SAFETY: a string that is looked at at once.
    unsafe {
        let value = libc::getenv(name.as_ptr());
        !value.is_null() && *value != 0
    }
}

/// What the trees are to hold, as the program set it.
fn tree_options(conf: &ConfLoad) -> tree::Options {
    let kabi_prefix = options(conf).kabi_prefix.map(|bytes| tree::KabiPrefix {
        text: conf.kabi_prefix,
        whole: bytes.len() < usize::from(conf.kabi_prefix_len),
        bytes,
    });
    tree::Options {
        decl_info: conf.extra_dbg_info,
        addr_info: conf.get_addr_info,
        ignore_alignment: conf.ignore_alignment_attr,
        ignore_labels: conf.ignore_labels,
        ignore_inline_expansions: conf.ignore_inline_expansions,
        decl_tags: !conf.skip_encoding_btf_decl_tag,
        type_tags: !conf.skip_encoding_btf_type_tag,
        fixup_silly_bitfields: conf.fixup_silly_bitfields,
        recode_bitfields: !keeps_bitfield_types(),
        true_signature: conf.true_signature,
        kabi_prefix,
        library: tree::Library {
            tag_size: size::tag__size,
            name_to_size: names::base_type__name_to_size,
            recode_bitfield: bitfield::class_member__dwarf_recode_bitfield,
            tag_name: |tag| names::tag_name(tag.into()).map_or("(null)".into(), |name| name.to_string_lossy().into_owned()),
            language_name: |language| languages::name_of(language as c_int).to_string_lossy().into_owned(),
        },
    }
}

/// The tag profile.
struct Trees {
    options: Arc<tree::Options>,
    arenas: tree::Arenas,
}

impl Profile<Handle> for Trees {
    type Product = Vec<tree::Message>;
    type Scratch = tree::builder::Scratch;

    fn scratch(&self) -> Self::Scratch {
        tree::builder::Scratch::new(self.arenas.clone())
    }

    fn wanted(&self, tag: dw::DwTag, at: dw::DwAt) -> Option<Slot> {
        tree::attrs::wanted(tag, at, self.options.decl_info, self.options.addr_info)
    }

    fn empty(&self) -> Self::Product {
        Vec::new()
    }

    fn build(
        &self,
        source: Source<'_>,
        starts: &[Option<u32>],
        handle: &mut Handle,
        product: &mut Self::Product,
        scratch: &mut Self::Scratch,
        _: &mut Vec<String>,
    ) -> Result<(), DwarfError> {
        let units = source.units;
        let steps = units.iter().zip(starts).filter_map(|(unit, start)| Some((unit, (*start)?, false)));
        self.build_steps(source, None, steps, handle, product, scratch)
    }

    fn build_whole(
        &self,
        whole: Whole<'_>,
        steps: &[Step],
        handle: &mut Handle,
        product: &mut Self::Product,
        scratch: &mut Self::Scratch,
    ) -> Result<(), DwarfError> {
        let (main, alternate) = (whole.main.units, whole.alternate.as_ref().map(|source| source.units));
        let steps = steps.iter().filter_map(|step| {
            let units = if step.in_alternate { alternate? } else { main };
            Some((units.get(step.unit as usize)?, step.key, step.hidden))
        });
        self.build_steps(whole.main, whole.alternate, steps, handle, product, scratch)
    }
}

impl Trees {
    /// Takes in units, each from a key on, hidden or not.
    fn build_steps<'a>(
        &'a self,
        main: Source<'a>,
        alternate: Option<Source<'a>>,
        steps: impl Iterator<Item = (&'a Unit, u32, bool)>,
        handle: &mut Handle,
        product: &mut Vec<tree::Message>,
        scratch: &mut tree::builder::Scratch,
    ) -> Result<(), DwarfError> {
        // SAFETY: the unit is empty and in no set yet.
        let mut builder = unsafe { tree::builder::Builder::new(main, alternate, &self.options, handle.cu, scratch) };
        let mut result = Ok(());
        for (unit, key, hidden) in steps {
            result = builder.walk(unit, key, hidden);
            if result.is_err() {
                break;
            }
        }
        // What came before damage stays.
        builder.finish();
        *product = scratch.take_messages();
        result
    }
}

/// How the profiles differ to the host.
trait Kind: Sync {
    type Product: Send;
    /// What is left of the product while the program has the unit.
    type Kept;

    /// # Safety
    /// `cu` is valid and in no set.
    unsafe fn attach(&self, cu: *mut Cu, product: Self::Product) -> Self::Kept;

    /// The program did not want the unit any more.
    fn deleted(&self, kept: Self::Kept);
}

struct Encoding {
    context: Arc<EncodeContext>,
    file: Arc<FileContext>,
    wishes: Arc<tree::Options>,
    base: Option<Arc<EarlyBase>>,
}

/// A unit's own part, for [`super::encoder`].
pub(super) struct EncodeUnit {
    pub context: Arc<EncodeContext>,
    file: Arc<FileContext>,
    /// What tags are to hold.
    wishes: Arc<tree::Options>,
    pub share: Arc<Mutex<Share>>,
    /// What the program is expected to encode against.
    pub base: Option<Arc<EarlyBase>>,
    /// The memory of tags that somebody has asked for after all.
    tags: OnceLock<tree::Arenas>,
}

impl Kind for Encoding {
    type Product = Share;
    type Kept = Arc<Mutex<Share>>;

    unsafe fn attach(&self, cu: *mut Cu, share: Share) -> Arc<Mutex<Share>> {
        let share = Arc::new(Mutex::new(share));
        // SAFETY: passed on.
        if let Some(side) = unsafe { CuSide::of(cu) } {
            side.hook = Some(Box::new(EncodeUnit {
                context: self.context.clone(),
                file: self.file.clone(),
                wishes: self.wishes.clone(),
                share: share.clone(),
                base: self.base.clone(),
                tags: OnceLock::new(),
            }));
        }
        share
    }

    fn deleted(&self, kept: Arc<Mutex<Share>>) {
        if let Some(share) = Arc::into_inner(kept) {
            self.context.recycle(share.into_inner());
        }
    }
}

struct Printing {
    /// What tags and their names live in: it stays with the set, and with each unit, which the program may keep for longer.
    memory: Option<(tree::Arenas, Arc<FileContext>)>,
}

/// Kinds of tags that the user was told of, as far as C keeps count.
static TOLD: [AtomicBool; 0x410a + 64] = [const { AtomicBool::new(false) }; 0x410a + 64];

impl Kind for Printing {
    type Product = Vec<tree::Message>;
    type Kept = ();

    unsafe fn attach(&self, cu: *mut Cu, messages: Vec<tree::Message>) {
        // SAFETY: passed on.
        if let (Some(memory), Some(side)) = (&self.memory, unsafe { CuSide::of(cu) }) {
            side.hook = Some(Box::new(memory.clone()));
        }
        for message in messages {
            match message {
                tree::Message::Always(text) => say(&text),
                tree::Message::OncePerTag(tag, text) => {
                    if TOLD.get(usize::from(tag)).is_none_or(|told| !told.swap(true, Ordering::Relaxed)) {
                        say(&text);
                    }
                }
            }
        }
    }

    fn deleted(&self, (): ()) {}
}

/// The C program as the loader's host.
struct Program<K> {
    cus: *mut Cus,
    conf: *mut ConfLoad,
    filename: CString,
    kind: K,
}

// SAFETY: the set has its own lock; the conf is not changed while loading, and its callbacks are made for being called from workers.
unsafe impl<K: Sync> Sync for Program<K> {}

/// A unit that is in no set yet.
struct Handle {
    cu: *mut Cu,
}

impl Default for Handle {
    fn default() -> Handle {
        Handle { cu: std::ptr::null_mut() }
    }
}

// SAFETY: nobody else knows the unit's address.
unsafe impl Send for Handle {}

impl<K> Program<K> {
    fn conf(&self) -> &ConfLoad {
        // SAFETY: valid while loading.
        unsafe { &*self.conf }
    }

    fn add(&self, cu: *mut Cu) {
        // SAFETY: both are valid, and the unit is in no set.
        unsafe { Cus::with_lock(self.cus, || Cus::add(self.cus, cu)) }
    }
}

impl<K: Kind> Host for Program<K> {
    type Handle = Handle;
    type Product = K::Product;

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
        Handle { cu }
    }

    fn wants(&self, handle: &Handle) -> bool {
        // SAFETY: the program's filter, on a unit of ours.
        self.conf().early_cu_filter.is_none_or(|filter| unsafe { !filter(handle.cu).is_null() })
    }

    fn filters(&self) -> bool {
        self.conf().early_cu_filter.is_some()
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

    fn steal(&self, handle: Handle, product: K::Product, messages: &[String]) -> Steal {
        for message in messages {
            say(message);
        }
        let Handle { cu } = handle;
        // SAFETY: the unit is valid and ours until the program has seen it; then it is in the set or destroyed.
        unsafe {
            let kept = self.kind.attach(cu, product);
            self.add(cu);
            let Some(steal) = self.conf().steal else { return Steal::Continue };
            match steal(cu, self.conf) {
                LoadStealKind::DELETE => {
                    Cus::with_lock(self.cus, || Cus::remove(self.cus, cu));
                    Cu::destroy(cu);
                    self.kind.deleted(kept);
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

    fn discard(&self, handle: Handle) {
        // SAFETY: the program has never seen it.
        unsafe { Cu::destroy(handle.cu) };
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

/// Gives a unit that was loaded for encoding its tags, if it has none yet. They go with the unit, as tags of such units do.
///
/// # Safety
/// `cu` is NULL or valid, and used by this thread only.
pub(super) unsafe fn need_tags(cu: *const Cu) {
    // SAFETY: passed on.
    unsafe {
        if cu.is_null() || (*cu).types_table.nr_entries > 1 || (*cu).functions_table.nr_entries > 0 {
            return;
        }
        let cu = cu.cast_mut();
        let Some(unit) = encode_unit(cu) else { return };
        if unit.tags.get().is_some() {
            return;
        }
        let arenas = unit.tags.get_or_init(tree::Arenas::default).clone();
        let trees = Trees { options: unit.wishes.clone(), arenas };
        let plan = match &*unit.share.lock() {
            Share::Merged(merged) => Some(merged.plan().clone()),
            Share::Fragment(_) => None,
        };
        let messages = match plan {
            Some(plan) => again::take_in_merged(&trees, &unit.file, &plan, Handle { cu }).unwrap_or_else(|e| {
                say(&named(unit.file.dwarf.elf().path(), &e));
                Vec::new()
            }),
            // What there is to say of the unit was said when it was loaded.
            None => again::take_in(&trees, &unit.file, (*cu).id, Handle { cu }).map_or(Vec::new(), |(messages, _)| messages),
        };
        Printing { memory: None }.attach(cu, messages);
    }
}

/// Whether the loader made a tag of the unit, so that its memory does not go with it.
///
/// # Safety
/// `cu` is valid.
pub(super) unsafe fn is_loaded(cu: *mut Cu, tag: *const Tag) -> bool {
    // SAFETY: passed on; the hook changes only before the program sees the unit.
    let hook = unsafe { CuSide::of(cu).and_then(|side| side.hook.as_ref()) };
    let Some(hook) = hook else { return false };
    let encoded = || hook.downcast_ref::<EncodeUnit>().and_then(|unit| unit.tags.get());
    let arenas = hook.downcast_ref::<(tree::Arenas, Arc<FileContext>)>().map(|memory| &memory.0).or_else(encoded);
    arenas.is_some_and(|arenas| arenas.contains(tag.cast()))
}

/// The file of a unit that was loaded for printing; `None` for any other unit.
///
/// # Safety
/// `cu` is valid.
pub(super) unsafe fn printed_file<'a>(cu: *mut Cu) -> Option<&'a Arc<FileContext>> {
    // SAFETY: passed on; the hook changes only before the program sees the unit.
    let memory = unsafe { CuSide::of(cu)?.hook.as_ref()?.downcast_ref::<(tree::Arenas, Arc<FileContext>)>() }?;
    Some(&memory.1)
}
