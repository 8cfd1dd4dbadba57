//! The encode profile for files whose units refer to each other: parts by all workers, put together in order.
//!
//! The host sees one unit. Its entries are read when the host gives it to the encoder: so no more parts are in memory than workers
//! have on their way, and the encoder is what they are put together in.

use super::dwarf::left_out;
use super::encode::EncodeContext;
use super::plan::{Plan, PlannedUnit};
use super::queue::{Decoded, Outcome, Steal, Work};
use super::workers;
use crate::dwarf::DwarfError;
use crate::dwarf::abbrev::{Abbrevs, Attrs, Slot};
use crate::dwarf::source::{read_unit, read_unit_entry};
use crate::encoder::ambiguous::Ambiguous;
use crate::encoder::builder::{Builder, Scratch};
use crate::encoder::identity::{IdentityScratch, identify};
use crate::encoder::merged::{Assembly, Copy, Part};
use crate::encoder::options::Abi;
use crate::encoder::report::{Report, text};
use crate::encoder::source::{SourceNames, wanted};
use crate::encoder::{EncodeError, Encoder};
use crate::phases::{self, Phase};
use parking_lot::Mutex;
use std::sync::Arc;

/// A file that is still to be read.
pub struct MergedFile {
    plan: Arc<Plan>,
    jobs: usize,
}

impl MergedFile {
    pub fn new(plan: Arc<Plan>, jobs: usize) -> MergedFile {
        MergedFile { plan, jobs }
    }

    pub fn plan(&self) -> &Arc<Plan> {
        &self.plan
    }

    /// Reads all units on the workers and adds them to the encoder as one unit called `name`.
    pub fn encode(
        &self,
        encoder: &mut Encoder,
        context: &EncodeContext,
        name: &[u8],
        report: &mut (dyn Report + Send),
    ) -> Result<(), EncodeError> {
        let (file, targets) = (&context.dwarf, self.plan.targets.len());
        let verbose = report.verbose();
        let assembly = Assembly::new(encoder, file, &context.functions, targets, self.plan.addr_size, verbose);
        let mut stage = Stage { assembly, report, error: None };
        let work = Parts {
            file: self,
            context,
            next: Mutex::new(0),
            ambiguous: Ambiguous::default(),
            pool: Mutex::default(),
            scratches: Mutex::default(),
        };
        let outcome = workers::run(&work, &mut stage, self.jobs, false).outcome;
        // The memory of parts is not needed while functions are weighed.
        drop(work);
        if let Some(error) = stage.error {
            return Err(error);
        }
        match outcome {
            Outcome::Done => {
                let _phase = phases::enter(Phase::MergeFunctions);
                stage.assembly.finish(file, name, |target| self.plan.place_of(target), stage.report)
            }
            other => Err(EncodeError::Workers(other.to_string())),
        }
    }
}

/// Whoever steals puts together.
struct Stage<'a> {
    assembly: Assembly<'a>,
    report: &'a mut (dyn Report + Send),
    error: Option<EncodeError>,
}

struct Parts<'a> {
    file: &'a MergedFile,
    context: &'a EncodeContext,
    /// Position in the plan's order.
    next: Mutex<u32>,
    ambiguous: Ambiguous,
    /// Parts whose memory may be used again.
    pool: Mutex<Vec<Part>>,
    /// A decode takes what it works with from here: there are more workers than decodes at a time.
    scratches: Mutex<Vec<DecodeScratch>>,
}

struct Item {
    part: Part,
    copy: Copy,
    messages: Vec<String>,
}

/// What a decode works with.
struct DecodeScratch {
    buf: Vec<u8>,
    table: Vec<u8>,
    abbrevs: Abbrevs,
    attrs: Attrs,
    builder: Scratch,
    identity: IdentityScratch,
}

impl DecodeScratch {
    fn new() -> DecodeScratch {
        DecodeScratch {
            buf: Vec::new(),
            table: Vec::new(),
            abbrevs: Abbrevs::remembering(),
            attrs: Attrs::default(),
            builder: Scratch::default(),
            identity: IdentityScratch::default(),
        }
    }
}

impl<'a> Work for Parts<'a> {
    type Item = Item;
    type Scratch = ();
    type Stage = Stage<'a>;

    fn scratch(&self) {}

    fn decode(&self, (): &mut ()) -> Decoded<Item> {
        let plan = &self.file.plan;
        let at = {
            let mut next = self.next.lock();
            *next += 1;
            *next - 1
        };
        let Some(&(unit, copy)) = plan.order.get(at as usize) else { return Decoded::End };
        let unit = &plan.units[unit as usize];
        let mut part = self.pool.lock().pop().unwrap_or_default();
        let mut messages = Vec::new();
        let mut scratch = self.scratches.lock().pop().unwrap_or_else(DecodeScratch::new);
        if let Err(e) = self.build(unit, &mut part, &mut scratch, &mut messages) {
            part.clear();
            messages.push(left_out(plan.files.file(unit.in_alternate), unit.header.offset, &e));
        }
        self.scratches.lock().push(scratch);
        Decoded::Item(at, Item { part, copy, messages })
    }

    fn steal(&self, stage: &mut Stage<'a>, _: u32, item: Item) -> Steal {
        let _phase = phases::enter(Phase::MergeTypes);
        let Item { mut part, copy, messages } = item;
        // What is wrong with a unit was said with its first copy.
        if !matches!(copy, Copy::Last(_)) {
            for message in messages {
                stage.report.error(&text!(message.as_str(), "\n"));
            }
        }
        if let Err(e) = stage.assembly.add(&part, copy, &self.ambiguous) {
            stage.error = Some(e);
            return Steal::Abort;
        }
        part.clear();
        self.pool.lock().push(part);
        Steal::Continue
    }
}

impl Parts<'_> {
    fn build(
        &self,
        planned: &PlannedUnit,
        part: &mut Part,
        scratch: &mut DecodeScratch,
        messages: &mut Vec<String>,
    ) -> Result<(), DwarfError> {
        let (plan, context) = (&self.file.plan, self.context);
        let (files, options) = (&plan.files, &context.options);
        let (header, in_alternate) = (planned.header, planned.in_alternate);
        let file = files.file(in_alternate);
        let abbrevs = std::mem::take(&mut scratch.abbrevs);
        let mut phase = phases::enter(Phase::Abbreviations);
        let mut unit = read_unit(file, header, &mut scratch.buf, &mut scratch.table, abbrevs, wanted)?;
        let Some((_, _, key)) = read_unit_entry(file, &scratch.buf, &mut unit, &mut scratch.attrs)? else {
            return Ok(());
        };
        let units = std::slice::from_ref(&unit);
        let source = files.source(in_alternate, &scratch.buf, units, header.offset, plan.outer());
        let producer = source.string(&unit, &scratch.attrs, Slot::Producer);
        let clang = producer.is_some_and(|p| memchr::memmem::find(p, b"clang").is_some());
        unit.producer_clang = clang;
        let units = std::slice::from_ref(&unit);
        let source = files.source(in_alternate, &scratch.buf, units, header.offset, plan.outer());
        let kabi_prefix = options.kabi_prefix.as_deref();
        let names = SourceNames { source, kabi_prefix, local: in_alternate };
        let abi = Abi::of(context.dwarf.elf().machine());
        phase.then(Phase::Walk);
        let mut builder = Builder::new(names, options, abi, &mut scratch.builder, part.fragment());
        builder.walk(&units[0], key)?;
        phase.then(Phase::Resolve);
        let rest = builder.finish_part(&context.functions, plan.targets_in(planned));
        rest.into(part);
        scratch.builder.take_messages(messages);
        phase.then(Phase::Hashes);
        if !options.no_drop {
            identify(part.fragment(), &self.ambiguous, &mut scratch.identity);
        }
        scratch.abbrevs = unit.abbrevs;
        Ok(())
    }
}
