//! Loading the units of a file: each becomes what the *profile* makes of it, in any order, and is handed over in the file's order.
//!
//! The host (a C program behind the ABI, or a test) says which units it wants and takes the products. Files whose units refer to each
//! other are handed over as one unit that holds them all, as the host's interface has no other way to resolve such references.

use super::alternate;
use super::plan::{self, Files, Plan};
use super::queue::{Decoded, Outcome, Steal, Work};
use super::separate;
use super::split::{Skeleton, SplitFiles};
use super::whole::{self, Step, Whole};
use super::workers;
use crate::dwarf::DwarfError;
use crate::dwarf::abbrev::{Abbrevs, Attrs, Slot};
use crate::dwarf::file::DwarfFile;
use crate::dwarf::source::{Source, Unit, read_unit_entry};
use crate::dwarf::unit::{Bases, UnitHeader};
use crate::elf::{ElfError, ElfFile};
use crate::phases::{self, Phase};
use gimli::constants as dw;
use parking_lot::Mutex;
use std::fmt;
use std::sync::{Arc, OnceLock};

/// Why a file could not be loaded.
#[derive(Debug)]
#[non_exhaustive]
pub enum LoadError {
    Elf(ElfError),
    Dwarf(DwarfError),
    /// There is no DWARF in the file.
    NoDwarf,
    /// The host asked for the end.
    Aborted,
    /// A worker panicked.
    Panicked(String),
    NoThread(std::io::Error),
    /// Units that refer to each other, in a section too large for it.
    TooLarge {
        size: u64,
    },
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LoadError::Elf(e) => e.fmt(f),
            LoadError::Dwarf(e) => e.fmt(f),
            LoadError::NoDwarf => f.write_str("no DWARF in the file"),
            LoadError::Aborted => f.write_str("loading was aborted"),
            LoadError::Panicked(what) => write!(f, "a worker panicked: {what}"),
            LoadError::NoThread(e) => write!(f, "no worker thread could be started: {e}"),
            LoadError::TooLarge { size } => {
                write!(f, ".debug_info of {size} bytes whose units refer to each other, expected at most 4 GiB")
            }
        }
    }
}

impl std::error::Error for LoadError {}

impl From<ElfError> for LoadError {
    fn from(e: ElfError) -> Self {
        LoadError::Elf(e)
    }
}

impl From<DwarfError> for LoadError {
    fn from(e: DwarfError) -> Self {
        LoadError::Dwarf(e)
    }
}

/// What is known of a unit before its entries are read.
#[derive(Clone, Copy, Debug)]
pub struct UnitFacts<'a> {
    /// Position in the file, from 0.
    pub id: u32,
    pub name: &'a [u8],
    /// DW_LANG number.
    pub language: u32,
    /// In bytes.
    pub addr_size: u8,
    pub producer_clang: bool,
}

/// Who wants the units.
pub trait Host: Sync {
    /// The host's own object for a unit.
    type Handle: Send;
    /// What the profile makes of a unit.
    type Product: Send;

    /// Makes it; called by any worker.
    fn create(&self, file: &Arc<FileContext>, facts: &UnitFacts<'_>) -> Self::Handle;

    /// Whether the unit's entries are wanted; called by any worker.
    fn wants(&self, handle: &Self::Handle) -> bool;

    /// Whether [`wants`](Host::wants) asks the program, which with one worker is asked between the units that it is handed, not meanwhile.
    fn filters(&self) -> bool {
        false
    }

    /// Whether a unit of a merged file is wanted, of which only name and language are known.
    fn wants_part(&self, facts: &UnitFacts<'_>) -> bool;

    /// Hands a unit over, in the order of ids. `messages` are texts for the user.
    fn steal(&self, handle: Self::Handle, product: Self::Product, messages: &[String]) -> Steal;

    /// A unit that was made but is not handed over, because loading ended before its turn; in the order of ids.
    fn keep(&self, handle: Self::Handle);

    /// A unit that was made and is not to be known of.
    fn discard(&self, handle: Self::Handle);

    /// A text for the user that belongs to no unit.
    fn message(&self, text: &str);
}

/// What is made of units.
pub trait Profile<Handle>: Sync {
    type Product: Send;
    /// What a worker keeps from unit to unit.
    type Scratch;

    fn scratch(&self) -> Self::Scratch;

    /// Which attributes are looked at, by tag.
    fn wanted(&self, tag: dw::DwTag, at: dw::DwAt) -> Option<Slot>;

    /// What a unit without entries becomes.
    fn empty(&self) -> Self::Product;

    /// Whether products lead into the sections of split files, which have to stay then.
    fn keeps_files(&self) -> bool {
        true
    }

    /// Whether files whose units refer to each other are taken in unit by unit; else by [`Profile::build_whole`].
    fn takes_plans(&self) -> bool {
        false
    }

    /// Takes in such a file, now or when the product is used, on `jobs` workers.
    fn take_plan(&self, _plan: Arc<Plan>, _jobs: usize, _product: &mut Self::Product) {}

    /// Takes in units of such a file, in the order of `steps`.
    fn build_whole(
        &self,
        _whole: Whole<'_>,
        _steps: &[Step],
        _handle: &mut Handle,
        _product: &mut Self::Product,
        _scratch: &mut Self::Scratch,
    ) -> Result<(), DwarfError> {
        Ok(())
    }

    /// Takes in the entries of the source's units, each from the key of the first child of its own entry on; `None` for units to be passed
    /// over. After an error the product is that of a unit without entries.
    fn build(
        &self,
        source: Source<'_>,
        starts: &[Option<u32>],
        handle: &mut Handle,
        product: &mut Self::Product,
        scratch: &mut Self::Scratch,
        messages: &mut Vec<String>,
    ) -> Result<(), DwarfError>;
}

/// One file being loaded. Lives as long as units of it do.
pub struct FileContext {
    pub dwarf: Arc<DwarfFile>,
    /// The file that dwz has moved to what several files have in common.
    pub alternate: Option<Arc<DwarfFile>>,
    pub(super) split: SplitFiles,
    /// Of a file that was loaded as one unit of many.
    pub(super) plan: OnceLock<Arc<Plan>>,
    pub build_id: Vec<u8>,
}

impl FileContext {
    pub fn open(elf: ElfFile) -> Result<Arc<FileContext>, LoadError> {
        let elf = Arc::new(elf);
        let mut dwarf = DwarfFile::open(elf.clone())?;
        if dwarf.is_none() {
            // A split file by itself: all but addresses is in it.
            dwarf = DwarfFile::open_split(elf.clone())?;
        }
        let dwarf = match dwarf {
            Some(dwarf) => dwarf,
            None => separate::find(&elf)?.ok_or(LoadError::NoDwarf)?,
        };
        let build_id = elf.build_id().ok().flatten().unwrap_or_default();
        let alternate = alternate::find(dwarf.elf()).map(Arc::new);
        Ok(Arc::new(FileContext {
            dwarf: Arc::new(dwarf),
            alternate,
            split: SplitFiles::default(),
            plan: OnceLock::new(),
            build_id,
        }))
    }

    /// A source of units that refer to no others, but may have their names in the alternate file.
    fn source<'a>(&'a self, buf: &'a [u8], units: &'a [Unit], base: u64) -> Source<'a> {
        let mut source = Source::new(&self.dwarf, buf, units, base);
        source.alternate = self.alternate.as_deref().map(|file| (file, self.dwarf.info_size()));
        source
    }
}

/// Loads all units of the file on `jobs` workers.
pub fn load<H, P>(host: &H, profile: &P, context: &Arc<FileContext>, jobs: usize, force_merging: bool) -> Result<(), LoadError>
where
    H: Host,
    P: Profile<H::Handle, Product = H::Product>,
{
    let (links, names_are_missing) = links(context)?;
    if names_are_missing {
        host.message(&alternate::missing(context.dwarf.elf()));
    }
    let (links, force_merging) = match links {
        // Units in files of their own cannot refer to each other, whatever is asked for.
        Links::Split => (Links::None, false),
        links => (links, force_merging),
    };
    if links == Links::Missing && !force_merging {
        host.message(&alternate::missing(context.dwarf.elf()));
    } else if profile.takes_plans() {
        if force_merging || links != Links::None {
            return load_planned(host, profile, context, jobs);
        }
    } else if force_merging || links == Links::Any {
        return whole::load_merged(host, profile, context, jobs);
    } else if links == Links::Types {
        return whole::load_with_types(host, profile, context, jobs);
    }
    let work = Units { host, profile, context, next: Mutex::new(Next { offset: 0, id: 0 }) };
    let by_turns = jobs <= 1 && host.filters();
    let finished = workers::run(&work, &mut (), workers::useful(jobs, &context.dwarf), by_turns);
    leave(host, jobs, finished.left.into_iter().map(|(_, item)| item.handle));
    finished.outcome.into_result()
}

/// Units that were decoded before loading ended and are not handed over. With one worker there are none in the C library.
pub(super) fn leave<H: Host>(host: &H, jobs: usize, units: impl Iterator<Item = H::Handle>) {
    if jobs <= 1 { units.for_each(|unit| host.discard(unit)) } else { units.for_each(|unit| host.keep(unit)) }
}

/// Whether the file's units refer to type units, and to no others.
pub(super) fn refer_to_types(context: &FileContext) -> Result<bool, LoadError> {
    Ok(links(context)?.0 == Links::Types)
}

/// Decodes one unit, apart from the others; also the texts for the user.
pub(super) fn decode_one<H, P>(
    host: &H,
    profile: &P,
    context: &Arc<FileContext>,
    id: u32,
    header: UnitHeader,
) -> (H::Product, Vec<String>)
where
    H: Host,
    P: Profile<H::Handle, Product = H::Product>,
{
    let work = Units { host, profile, context, next: Mutex::new(Next { offset: 0, id: 0 }) };
    let item = work.decode_unit(id, header, &mut work.scratch());
    (item.product, item.messages)
}

impl Outcome {
    pub(super) fn into_result(self) -> Result<(), LoadError> {
        match self {
            Outcome::Done | Outcome::Stopped => Ok(()),
            Outcome::Aborted => Err(LoadError::Aborted),
            Outcome::Panicked(what) => Err(LoadError::Panicked(what)),
            Outcome::NoThread(e) => Err(LoadError::NoThread(e)),
        }
    }
}

/// One unit of all units, which the profile takes in later, unit by unit.
fn load_planned<H, P>(host: &H, profile: &P, context: &Arc<FileContext>, jobs: usize) -> Result<(), LoadError>
where
    H: Host,
    P: Profile<H::Handle, Product = H::Product>,
{
    let forms = context.dwarf.outward_forms()?;
    if forms.alternate && context.alternate.is_none() {
        host.message(&alternate::missing(context.dwarf.elf()));
    }
    let files = Files { main: context.dwarf.clone(), alternate: context.alternate.clone() };
    let jobs = workers::useful(jobs, &context.dwarf);
    let Some(plan) = plan::plan(host, &files, jobs)? else { return Ok(()) };
    let (language, addr_size, producer_clang) = (plan.language, plan.addr_size, plan.producer_clang);
    let handle = host.create(context, &UnitFacts { id: 0, name: b"", language, addr_size, producer_clang });
    let mut product = profile.empty();
    profile.take_plan(Arc::new(plan), jobs, &mut product);
    match host.steal(handle, product, &[]) {
        Steal::Abort => Err(LoadError::Aborted),
        Steal::Continue | Steal::Stop => Ok(()),
    }
}

/// How units of a file refer to each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Links {
    None,
    /// To type units only.
    Types,
    /// To an alternate file, which is not there.
    Missing,
    /// To split files.
    Split,
    Any,
}

/// Told from the Linux note of a link with LTO, and from forms for such references in the abbreviation tables.
/// Also whether names are in an alternate file that is not there, without references to it.
fn links(context: &FileContext) -> Result<(Links, bool), LoadError> {
    const LINUX_ELFNOTE_LTO_INFO: u32 = 0x101;
    let dwarf = &*context.dwarf;
    let forms = dwarf.outward_forms()?;
    if forms.split && !forms.ref_addr && !forms.alternate && !forms.signature {
        return Ok((Links::Split, false));
    }
    for note in dwarf.elf().notes()? {
        if note.name == b"Linux" && note.kind == LINUX_ELFNOTE_LTO_INFO && note.desc.iter().any(|&b| b != 0) {
            return Ok((Links::Any, false));
        }
    }
    let links = if forms.ref_addr || forms.alternate && context.alternate.is_some() {
        Links::Any
    } else if forms.alternate {
        Links::Missing
    } else if forms.signature {
        Links::Types
    } else {
        Links::None
    };
    Ok((links, forms.alternate_strings && !forms.alternate && context.alternate.is_none()))
}

struct Next {
    offset: u64,
    id: u32,
}

/// The queue's work: one item a unit.
struct Units<'a, H: Host, P> {
    host: &'a H,
    profile: &'a P,
    context: &'a Arc<FileContext>,
    next: Mutex<Next>,
}

struct Item<H: Host> {
    handle: H::Handle,
    product: H::Product,
    messages: Vec<String>,
}

/// What a worker keeps.
struct WorkerScratch<S> {
    unit: Vec<u8>,
    /// What a skeleton stands for.
    split: Vec<u8>,
    table: Vec<u8>,
    abbrevs: Abbrevs,
    attrs: Attrs,
    profile: S,
}

impl<H: Host, P: Profile<H::Handle, Product = H::Product>> Work for Units<'_, H, P> {
    type Item = Item<H>;
    type Scratch = WorkerScratch<P::Scratch>;
    type Stage = ();

    fn scratch(&self) -> Self::Scratch {
        let profile = self.profile.scratch();
        WorkerScratch {
            unit: Vec::new(),
            split: Vec::new(),
            table: Vec::new(),
            abbrevs: Abbrevs::remembering(),
            attrs: Attrs::default(),
            profile,
        }
    }

    fn decode(&self, scratch: &mut Self::Scratch) -> Decoded<Self::Item> {
        match self.claim() {
            Some((id, header)) => Decoded::Item(id, self.decode_unit(id, header, scratch)),
            None => Decoded::End,
        }
    }

    fn steal(&self, (): &mut (), _: u32, item: Self::Item) -> Steal {
        let _phase = phases::enter(Phase::Units);
        self.host.steal(item.handle, item.product, &item.messages)
    }
}

impl<H: Host, P: Profile<H::Handle, Product = H::Product>> Units<'_, H, P> {
    fn claim(&self) -> Option<(u32, UnitHeader)> {
        let mut next = self.next.lock();
        loop {
            let header = next_header(&|text| self.host.message(text), &self.context.dwarf, &mut next.offset)?;
            if !header.is_type_unit() {
                next.id += 1;
                return Some((next.id - 1, header));
            }
        }
    }

    fn decode_unit(&self, id: u32, header: UnitHeader, scratch: &mut WorkerScratch<P::Scratch>) -> Item<H> {
        let mut product = self.profile.empty();
        let mut messages = Vec::new();
        let mut handle = None;
        if let Err(e) = self.try_decode(id, header, scratch, &mut product, &mut handle, &mut messages) {
            messages.push(left_out(&self.context.dwarf, header.offset, &e));
        }
        let handle = handle.unwrap_or_else(|| {
            let addr_size = header.addr_size;
            self.host.create(self.context, &UnitFacts { id, name: b"", language: 0, addr_size, producer_clang: false })
        });
        Item { handle, product, messages }
    }

    fn try_decode(
        &self,
        id: u32,
        header: UnitHeader,
        scratch: &mut WorkerScratch<P::Scratch>,
        product: &mut P::Product,
        handle: &mut Option<H::Handle>,
        messages: &mut Vec<String>,
    ) -> Result<(), DwarfError> {
        let dwarf = &*self.context.dwarf;
        let mut phase = phases::enter(Phase::Read);
        // Relocated sections are in memory.
        let mut read = std::mem::take(&mut scratch.unit);
        let bytes = match dwarf.info_in_memory(header.offset, header.size) {
            Some(bytes) => bytes,
            None => {
                dwarf.read_info(header.offset, header.size, &mut read)?;
                &read
            }
        };
        let end = u32::try_from(header.size).map_err(|_| too_large(header))?;
        phase.then(Phase::Abbreviations);
        dwarf.read_abbrevs(&header, &mut scratch.table, &mut scratch.abbrevs, |tag, at| self.profile.wanted(tag, at))?;
        let mut unit = Unit {
            header,
            bases: Bases::default(),
            abbrevs: std::mem::take(&mut scratch.abbrevs),
            start: 0,
            end,
            language: 0,
            producer_clang: false,
        };
        phase.then(Phase::Entry);
        let result = self.decode_in_memory(id, (bytes, &mut unit), scratch, product, handle, messages);
        scratch.abbrevs = unit.abbrevs;
        scratch.unit = read;
        result
    }

    fn decode_in_memory(
        &self,
        id: u32,
        (bytes, unit): (&[u8], &mut Unit),
        scratch: &mut WorkerScratch<P::Scratch>,
        product: &mut P::Product,
        handle: &mut Option<H::Handle>,
        messages: &mut Vec<String>,
    ) -> Result<(), DwarfError> {
        let dwarf = &*self.context.dwarf;
        let base = unit.header.offset;
        let Some((tag, has_children, key)) = read_unit_entry(dwarf, bytes, unit, &mut scratch.attrs)? else {
            return Ok(());
        };
        let source = self.context.source(bytes, std::slice::from_ref(unit), base);
        if let Some(skeleton) = Skeleton::of(&source, unit, &scratch.attrs).filter(|_| !dwarf.is_split()) {
            return self.decode_split(id, &skeleton, scratch, product, handle, messages);
        }
        let units = std::slice::from_ref(unit);
        let source = self.context.source(bytes, units, base);
        let clang = is_clang(&source, &units[0], &scratch.attrs);
        let facts = facts(id, &source, &units[0], &scratch.attrs, clang);
        let made = handle.insert(self.host.create(self.context, &facts));
        if tag == dw::DW_TAG_partial_unit {
            // It holds what other files import.
            return Ok(());
        }
        if tag == dw::DW_TAG_skeleton_unit {
            let path = dwarf.elf().path().display();
            messages.push(format!("{path}: .debug_info+{base:#x}: skeleton unit without the name of a .dwo file, left out"));
            return Ok(());
        }
        if !self.host.wants(made) || !has_children {
            return Ok(());
        }
        unit.producer_clang = clang;
        let units = std::slice::from_ref(&*unit);
        let source = self.context.source(bytes, units, base);
        self.profile.build(source, &[Some(key)], made, product, &mut scratch.profile, messages)
    }

    /// The unit that a skeleton stands for, from its own file.
    fn decode_split(
        &self,
        id: u32,
        skeleton: &Skeleton,
        scratch: &mut WorkerScratch<P::Scratch>,
        product: &mut P::Product,
        handle: &mut Option<H::Handle>,
        messages: &mut Vec<String>,
    ) -> Result<(), DwarfError> {
        let main = &*self.context.dwarf;
        let found = match self.context.split.find(main, skeleton) {
            Ok(found) => found,
            Err(why) => {
                messages.push(why);
                return Ok(());
            }
        };
        if self.profile.keeps_files() {
            self.context.split.keep(&found.file);
        }
        let wanted = |tag, at| self.profile.wanted(tag, at);
        let file = &*found.file;
        let mut units = match found.read(skeleton, &mut scratch.split, &mut scratch.table, &mut scratch.attrs, wanted) {
            Ok(units) => units,
            Err(e) => {
                messages.push(left_out(file, found.offset(), &e));
                return Ok(());
            }
        };
        // The unit itself is the one that was asked for; the others are type units.
        let Some(own) = units.units.iter().position(|u| !u.header.is_type_unit()) else {
            let (path, (section, at)) = (file.elf().path().display(), file.place(found.offset()));
            messages.push(format!(
                "{path}: {section}+{at:#x}: only type units, expected the unit that a skeleton stands for, left out"
            ));
            return Ok(());
        };
        let key = units.units[own].start;
        let mut source = Source::new(file, &scratch.split, &units.units, 0);
        source.addresses = Some(main);
        source.entry(key + units.units[own].header.header_size, &mut scratch.attrs);
        let clang = is_clang(&source, &units.units[own], &scratch.attrs);
        let facts = facts(id, &source, &units.units[own], &scratch.attrs, clang);
        let made = handle.insert(self.host.create(self.context, &facts));
        if !self.host.wants(made) {
            return Ok(());
        }
        for unit in &mut units.units {
            unit.producer_clang = clang;
        }
        let mut source = Source::new(file, &scratch.split, &units.units, 0);
        source.addresses = Some(main);
        if let Err(e) = self.profile.build(source, &units.starts, made, product, &mut scratch.profile, messages) {
            messages.push(left_out(file, found.offset(), &e));
        }
        Ok(())
    }
}

/// What to tell of a unit that cannot be read.
pub(super) fn left_out(file: &DwarfFile, offset: u64, error: &DwarfError) -> String {
    let (path, (section, at)) = (file.elf().path().display(), file.place(offset));
    format!("{path}: {error}, the unit at {section}+{at:#x} is left out")
}

fn too_large(header: UnitHeader) -> DwarfError {
    DwarfError::Invalid {
        section: ".debug_info",
        offset: header.offset,
        expected: "a unit smaller than 4 GiB",
        found: header.size,
    }
}

fn is_clang(source: &Source<'_>, unit: &Unit, attrs: &Attrs) -> bool {
    source.string(unit, attrs, Slot::Producer).is_some_and(|p| memchr::memmem::find(p, b"clang").is_some())
}

fn facts<'a>(id: u32, source: &Source<'a>, unit: &Unit, attrs: &Attrs, producer_clang: bool) -> UnitFacts<'a> {
    UnitFacts {
        id,
        name: source.string(unit, attrs, Slot::Name).unwrap_or_default(),
        language: unit.language,
        addr_size: unit.header.addr_size,
        producer_clang,
    }
}

/// The header at `offset`, which moves on to the next. Units of unknown versions are passed with a message.
pub(super) fn next_header(say: &dyn Fn(&str), dwarf: &DwarfFile, offset: &mut u64) -> Option<UnitHeader> {
    loop {
        match dwarf.unit_header(*offset) {
            Ok(header) => {
                *offset = header.map_or(*offset, |h| h.offset + h.size);
                return header;
            }
            Err(e) => {
                let path = dwarf.elf().path().display();
                match e {
                    DwarfError::Version { size, .. } => {
                        say(&format!("{path}: {e}, left out"));
                        *offset += size;
                    }
                    // Where the next unit starts is not known.
                    _ => {
                        say(&format!("{path}: {e}, this unit and the rest of the section are left out"));
                        *offset = dwarf.next_section(*offset);
                    }
                }
            }
        }
    }
}
