//! The encode profile: units become fragments.

use super::dwarf::{LoadError, Profile};
use super::merged::MergedFile;
use super::plan::Plan;
use super::workers;
use crate::dwarf::DwarfError;
use crate::dwarf::abbrev::Slot;
use crate::dwarf::file::DwarfFile;
use crate::dwarf::source::Source;
use crate::encoder::ambiguous::Ambiguous;
use crate::encoder::builder::{Builder, Scratch};
use crate::encoder::elf_functions::ElfFunctions;
use crate::encoder::fragment::Fragment;
use crate::encoder::identity::{IdentityScratch, identify};
use crate::encoder::options::{Abi, Options};
use crate::encoder::report::Report;
use crate::encoder::same_names::{NameMemory, SameNames};
use crate::encoder::source::{SourceNames, wanted};
use crate::encoder::variables::wanted_sections;
use crate::encoder::{EncodeError, Encoder, Unit};
use crate::phases::{self, Phase};
use gimli::constants as dw;
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What the fragments of one file share. Lives as long as units of it do.
pub struct EncodeContext {
    pub dwarf: Arc<DwarfFile>,
    pub functions: Arc<ElfFunctions>,
    pub options: Options,
    /// Names of a file in which each unit has strings of its own.
    same_names: Option<SameNames>,
    /// Those of a unit may wait until it has its turn.
    names_in_turn: Option<NamesInTurn>,
    /// There is nothing that a second unit could repeat.
    single_unit: bool,
    /// Names with more than one definition.
    ambiguous: Ambiguous,
    /// Fragments whose memory may be used again.
    pool: Mutex<Vec<Fragment>>,
    scratches: Mutex<Vec<EncodeScratch>>,
}

impl EncodeContext {
    /// For units that `jobs` workers decode.
    pub fn new(dwarf: Arc<DwarfFile>, options: Options, jobs: usize) -> Result<Arc<EncodeContext>, LoadError> {
        let _phase = phases::enter(Phase::Open);
        let wanted = wanted_sections(dwarf.program(), &options);
        let mut functions = ElfFunctions::collect(dwarf.program(), &wanted)?;
        if !functions.has_symbol_table() {
            // A stripped program has its symbols where its debugging information is.
            functions = ElfFunctions::collect(dwarf.elf(), &[])?;
        }
        let functions = Arc::new(functions);
        let first = dwarf.unit_header(0).ok().flatten();
        let single_unit = first.is_some_and(|first| first.size == dwarf.info_size());
        // Where nothing is dropped they spare work, if it is done ahead: to look for a name here takes as long as to add it.
        let spare = may_drop(&options) || !workers::is_small(&dwarf);
        let same_names =
            (dwarf.elf().is_relocatable() && !single_unit && spare).then(|| SameNames::for_section(dwarf.debug_str().len()));
        // What identities are made of has to be known with the unit.
        let may_wait = same_names.is_some() && jobs <= 1 && !may_drop(&options);
        let names_in_turn = may_wait.then(NamesInTurn::default);
        Ok(Arc::new(EncodeContext {
            dwarf,
            functions,
            options,
            same_names,
            names_in_turn,
            single_unit,
            ambiguous: Ambiguous::default(),
            pool: Mutex::default(),
            scratches: Mutex::default(),
        }))
    }

    /// Takes back what is not needed any more.
    pub fn recycle(&self, share: Share) {
        if let Share::Fragment(mut fragment) = share {
            fragment.clear();
            self.pool.lock().push(*fragment);
        }
    }
}

/// For the worker who is alone with the thread that takes what he makes: whoever of the two is ahead of the other looks at names.
#[derive(Default)]
struct NamesInTurn {
    /// Units that are made and not taken yet.
    waiting: AtomicUsize,
    memory: Mutex<NameMemory>,
}

/// What a unit brings to the BTF.
pub enum Share {
    Fragment(Box<Fragment>),
    /// All units of a file whose units refer to each other, still to be read.
    Merged(Box<MergedFile>),
}

impl Share {
    /// Adds the share of the unit called `name` to an encoder.
    pub fn add_to(
        &mut self,
        encoder: &mut Encoder,
        context: &EncodeContext,
        name: &[u8],
        report: &mut (dyn Report + Send),
    ) -> Result<(), EncodeError> {
        match self {
            Share::Fragment(fragment) => {
                if let Some(turn) = context.names_in_turn.as_ref().filter(|_| !fragment.has_same_names) {
                    let _phase = phases::enter(Phase::Hashes);
                    context.unify_names(fragment, &mut turn.memory.lock());
                }
                let (file, functions, ambiguous) = (&context.dwarf, &context.functions, &context.ambiguous);
                let added = encoder.add(&Unit { name, file, functions, fragment, ambiguous }, report);
                if let Some(turn) = &context.names_in_turn {
                    // Units without types are not counted, and a program may encode one twice.
                    let _ = turn.waiting.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |n| n.checked_sub(1));
                }
                added
            }
            Share::Merged(file) => file.encode(encoder, context, name, report),
        }
    }
}

/// What a decode works with.
#[derive(Default)]
struct EncodeScratch {
    builder: Scratch,
    identity: IdentityScratch,
    memory: NameMemory,
}

impl<Handle> Profile<Handle> for EncodeContext {
    type Product = Share;
    /// A decode takes what it works with from the context: there are more workers than decodes at a time.
    type Scratch = ();

    fn scratch(&self) {}

    fn wanted(&self, tag: dw::DwTag, at: dw::DwAt) -> Option<Slot> {
        wanted(tag, at)
    }

    fn empty(&self) -> Share {
        Share::Fragment(Box::new(self.pool.lock().pop().unwrap_or_default()))
    }

    fn keeps_files(&self) -> bool {
        false
    }

    fn takes_plans(&self) -> bool {
        true
    }

    fn take_plan(&self, plan: Arc<Plan>, jobs: usize, share: &mut Share) {
        *share = Share::Merged(Box::new(MergedFile::new(plan, jobs)));
    }

    fn build(
        &self,
        source: Source<'_>,
        starts: &[Option<u32>],
        _: &mut Handle,
        share: &mut Share,
        (): &mut (),
        messages: &mut Vec<String>,
    ) -> Result<(), DwarfError> {
        let Share::Fragment(fragment) = share else { return Ok(()) };
        let mut scratch = self.scratches.lock().pop().unwrap_or_default();
        let result = self.build_with(source, starts, fragment, &mut scratch, messages);
        self.scratches.lock().push(scratch);
        result
    }
}

/// Whether types that repeat those of earlier units are left out.
fn may_drop(options: &Options) -> bool {
    !options.no_drop && !options.has_base
}

impl EncodeContext {
    fn unify_names(&self, fragment: &mut Fragment, memory: &mut NameMemory) {
        if let Some(all) = &self.same_names {
            all.unify(self.dwarf.debug_str(), fragment, memory);
            fragment.has_same_names = true;
        }
    }

    fn build_with(
        &self,
        source: Source<'_>,
        starts: &[Option<u32>],
        fragment: &mut Fragment,
        scratch: &mut EncodeScratch,
        messages: &mut Vec<String>,
    ) -> Result<(), DwarfError> {
        let units = source.units;
        let abi = Abi::of(self.dwarf.elf().machine());
        let local = !std::ptr::eq(source.file, &*self.dwarf);
        let names = SourceNames { source, kabi_prefix: self.options.kabi_prefix.as_deref(), local };
        let mut phase = phases::enter(Phase::Walk);
        let mut builder = Builder::new(names, &self.options, abi, &mut scratch.builder, fragment);
        for (unit, start) in units.iter().zip(starts) {
            if let Some(key) = *start {
                if let Err(e) = builder.walk(unit, key) {
                    fragment.clear();
                    return Err(e);
                }
            }
        }
        phase.then(Phase::Resolve);
        builder.finish(Some(&self.functions));
        scratch.builder.take_messages(messages);
        phase.then(Phase::Hashes);
        // Of two units that wait, the one that comes next is soon begun with.
        let is_ahead = self.names_in_turn.as_ref().is_none_or(|turn| turn.waiting.fetch_add(1, Ordering::Relaxed) >= 2);
        if is_ahead {
            self.unify_names(fragment, &mut scratch.memory);
        }
        if units.len() == 1 && !self.single_unit && may_drop(&self.options) {
            identify(fragment, &self.ambiguous, &mut scratch.identity);
        }
        Ok(())
    }
}
