//! The tag profile for files whose units refer to each other: all units in memory at once.
//!
//! Where any unit may refer to any other, the host sees one unit that holds them all, as its interface has ids within a unit only. Where units
//! refer to type units alone, the host sees a unit of all types first, and then each unit as it is; what that one refers to of the type
//! units is taken in with it once more, out of sight but for those references.

use super::alternate;
use super::dwarf::{FileContext, Host, LoadError, Profile, UnitFacts, leave, left_out, next_header};
use super::plan::{self, Files, Plan};
use super::queue::{Decoded, Steal, Work};
use super::workers;
use crate::dwarf::DwarfError;
use crate::dwarf::abbrev::{Abbrevs, Attrs, Slot};
use crate::dwarf::file::DwarfFile;
use crate::dwarf::source::{Source, Unit, read_unit_entry};
use crate::dwarf::unit::Bases;
use gimli::constants as dw;
use parking_lot::Mutex;
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// The units of a file, and of its alternate file behind them.
pub struct Whole<'a> {
    pub main: Source<'a>,
    pub alternate: Option<Source<'a>>,
}

/// A unit to be taken in.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    pub in_alternate: bool,
    /// Position among the source's units.
    pub unit: u32,
    /// Key of the first child of the unit's own entry, in the source's buffer.
    pub key: u32,
    /// It serves references only.
    pub hidden: bool,
}

/// All units of one file.
pub(super) struct AllUnits {
    buf: Vec<u8>,
    units: Vec<Unit>,
    /// Of each unit, the key of its first child; `None` when it has none.
    keys: Vec<Option<u32>>,
    names: Vec<Vec<u8>>,
}

impl AllUnits {
    pub(super) fn read<Handle, P: Profile<Handle>>(
        say: &dyn Fn(&str),
        profile: &P,
        file: &DwarfFile,
    ) -> Result<AllUnits, LoadError> {
        let size = file.info_size();
        if size >= u64::from(u32::MAX) {
            return Err(LoadError::TooLarge { size });
        }
        let mut all = AllUnits { buf: Vec::new(), units: Vec::new(), keys: Vec::new(), names: Vec::new() };
        read_sections(file, size, &mut all.buf)?;
        let (mut table, mut attrs, mut offset) = (Vec::new(), Attrs::default(), 0);
        while let Some(header) = next_header(say, file, &mut offset) {
            let mut unit = Unit {
                header,
                bases: Bases::default(),
                abbrevs: Abbrevs::default(),
                start: header.offset as u32,
                end: (header.offset + header.size) as u32,
                language: 0,
                producer_clang: false,
            };
            let entry = file
                .read_abbrevs(&header, &mut table, &mut unit.abbrevs, |tag, at| profile.wanted(tag, at))
                .and_then(|()| read_unit_entry(file, &all.buf, &mut unit, &mut attrs));
            let (mut key, mut name) = (None, Vec::new());
            match entry {
                Ok(None) => {}
                Ok(Some((_, has_children, first))) => {
                    let source = Source::new(file, &all.buf, std::slice::from_ref(&unit), 0);
                    name = source.string(&unit, &attrs, Slot::Name).unwrap_or_default().to_vec();
                    let producer = source.string(&unit, &attrs, Slot::Producer);
                    let clang = producer.is_some_and(|p| memchr::memmem::find(p, b"clang").is_some());
                    unit.producer_clang = clang;
                    key = has_children.then_some(first);
                }
                Err(e) => say(&left_out(file, header.offset, &e)),
            }
            all.units.push(unit);
            all.keys.push(key);
            all.names.push(name);
        }
        Ok(all)
    }

    fn source<'a>(&'a self, file: &'a DwarfFile) -> Source<'a> {
        Source::new(file, &self.buf, &self.units, 0)
    }

    /// Offset of the unit at a position.
    pub(super) fn offset(&self, unit: usize) -> u64 {
        self.units[unit].header.offset
    }

    fn position(&self, offset: u64) -> Option<usize> {
        self.units.binary_search_by_key(&offset, |unit| unit.header.offset).ok()
    }

    fn step(&self, unit: usize, in_alternate: bool, hidden: bool) -> Option<Step> {
        Some(Step { in_alternate, unit: unit as u32, key: self.keys[unit]?, hidden })
    }

    /// Positions of the unit with an id among those that are no type units, and of the type units that it needs, directly or through
    /// others; of all type units for no id. `None` when there is no such unit.
    pub(super) fn needed(&self, file: &DwarfFile, id: Option<u32>) -> Result<Option<Vec<usize>>, DwarfError> {
        let is_type_unit = |i: &usize| self.units[*i].header.is_type_unit();
        let all = 0..self.units.len();
        match id {
            None => Ok(Some(all.filter(is_type_unit).collect())),
            Some(id) => match all.filter(|i| !is_type_unit(i)).nth(id as usize) {
                Some(index) => self.with_types(file, index, &mut Attrs::default()).map(Some),
                None => Ok(None),
            },
        }
    }

    /// A unit and the type units that it needs.
    fn with_types(&self, file: &DwarfFile, index: usize, attrs: &mut Attrs) -> Result<Vec<usize>, DwarfError> {
        let source = self.source(file);
        let (mut order, mut done) = (vec![index], 0);
        let mut seen = FxHashSet::from_iter([index]);
        while let Some(&unit) = order.get(done) {
            done += 1;
            let needed = self.types_of(&source, unit, attrs)?;
            order.extend(needed.into_iter().filter(|&needed| seen.insert(needed)));
        }
        Ok(order)
    }

    /// Takes in the units at some positions, as those of one split file are.
    pub(super) fn build<Handle, P: Profile<Handle>>(
        &self,
        profile: &P,
        file: &DwarfFile,
        wanted: &[usize],
        handle: &mut Handle,
        product: &mut P::Product,
        messages: &mut Vec<String>,
    ) -> Result<(), DwarfError> {
        let mut starts = vec![None; self.units.len()];
        for &i in wanted {
            starts[i] = self.keys[i];
        }
        profile.build(self.source(file), &starts, handle, product, &mut profile.scratch(), messages)
    }

    /// The type units that a unit refers to by their signatures.
    fn types_of(&self, source: &Source<'_>, index: usize, attrs: &mut Attrs) -> Result<Vec<usize>, DwarfError> {
        let mut found = Vec::new();
        let unit = &self.units[index];
        let (Some(key), true) = (self.keys[index], unit.abbrevs.has_outward) else { return Ok(found) };
        let mut c = source.cursor(unit, key);
        while !c.is_empty() {
            let code = c.uleb()?;
            if code == 0 {
                continue;
            }
            let Some(abbrev) = unit.abbrevs.get(code) else {
                return Err(c.invalid("an abbreviation code of the unit's table", code));
            };
            unit.abbrevs.take(abbrev, &mut c, attrs)?;
            for slot in
                [Slot::Type, Slot::Signature, Slot::AbstractOrigin, Slot::Specification, Slot::ContainingType, Slot::Import]
            {
                let Some((dw::DW_FORM_ref_sig8, signature)) = attrs.get(slot) else { continue };
                let Some(&place) = source.file.signatures().get(&signature) else { continue };
                let at = self.units.partition_point(|unit| unit.header.offset <= place);
                found.extend(at.checked_sub(1));
            }
        }
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }
}

/// Reads the whole space of units, which may lie in several sections.
fn read_sections(file: &DwarfFile, size: u64, buf: &mut Vec<u8>) -> Result<(), DwarfError> {
    let (mut offset, mut part) = (0, Vec::new());
    while offset < size {
        let next = file.next_section(offset).min(size);
        file.read_info(offset, next - offset, &mut part)?;
        buf.append(&mut part);
        offset = next;
    }
    Ok(())
}

/// One unit of all units.
pub(super) fn load_merged<H, P>(host: &H, profile: &P, context: &Arc<FileContext>, jobs: usize) -> Result<(), LoadError>
where
    H: Host,
    P: Profile<H::Handle, Product = H::Product>,
{
    let forms = context.dwarf.outward_forms()?;
    if forms.alternate && context.alternate.is_none() {
        host.message(&alternate::missing(context.dwarf.elf()));
    }
    let files = Files { main: context.dwarf.clone(), alternate: context.alternate.clone() };
    let Some(plan) = plan::plan(host, &files, workers::useful(jobs, &context.dwarf))? else { return Ok(()) };
    let plan = context.plan.get_or_init(|| Arc::new(plan));
    let (language, addr_size, producer_clang) = (plan.language, plan.addr_size, plan.producer_clang);
    let mut handle = host.create(context, &UnitFacts { id: 0, name: b"", language, addr_size, producer_clang });
    let mut product = profile.empty();
    build_merged(&|text| host.message(text), profile, context, plan, &mut handle, &mut product)?;
    match host.steal(handle, product, &[]) {
        Steal::Abort => Err(LoadError::Aborted),
        Steal::Continue | Steal::Stop => Ok(()),
    }
}

/// Takes in all units of the plan as one.
pub(super) fn build_merged<Handle, P: Profile<Handle>>(
    say: &dyn Fn(&str),
    profile: &P,
    context: &FileContext,
    plan: &Plan,
    handle: &mut Handle,
    product: &mut P::Product,
) -> Result<(), LoadError> {
    let main = AllUnits::read(say, profile, &context.dwarf)?;
    let alternate = context.alternate.as_deref().map(|file| AllUnits::read(say, profile, file)).transpose()?;
    let mut steps = Vec::new();
    for &(index, _) in &plan.order {
        let planned = &plan.units[index as usize];
        let all = if planned.in_alternate { alternate.as_ref() } else { Some(&main) };
        let step = all.and_then(|all| all.step(all.position(planned.header.offset)?, planned.in_alternate, false));
        steps.extend(step);
    }
    // The others refer to them.
    let is_type_unit = |step: &Step| !step.in_alternate && main.units[step.unit as usize].header.is_type_unit();
    steps.sort_by_key(|step| !is_type_unit(step));
    let behind = context.dwarf.info_size();
    let mut whole = Whole { main: main.source(&context.dwarf), alternate: None };
    if let (Some(all), Some(file)) = (&alternate, &context.alternate) {
        whole.main.alternate = Some((file, behind));
        let mut source = all.source(file);
        source.shift = behind;
        whole.alternate = Some(source);
    }
    profile.build_whole(whole, &steps, handle, product, &mut profile.scratch())?;
    Ok(())
}

/// A unit of all types, then the others.
pub(super) fn load_with_types<H, P>(host: &H, profile: &P, context: &Arc<FileContext>, jobs: usize) -> Result<(), LoadError>
where
    H: Host,
    P: Profile<H::Handle, Product = H::Product>,
{
    let all = AllUnits::read(&|text| host.message(text), profile, &context.dwarf)?;
    let is_type_unit = |i: &usize| all.units[*i].header.is_type_unit();
    let types: Vec<usize> = (0..all.units.len()).filter(is_type_unit).collect();
    if let Some(first) = types.first().map(|&i| &all.units[i]) {
        let (language, addr_size, producer_clang) = (first.language, first.header.addr_size, first.producer_clang);
        let mut handle = host.create(context, &UnitFacts { id: 0, name: b"", language, addr_size, producer_clang });
        let mut product = profile.empty();
        if host.wants(&handle) {
            let steps: Vec<Step> = types.iter().filter_map(|&i| all.step(i, false, false)).collect();
            let whole = Whole { main: all.source(&context.dwarf), alternate: None };
            profile.build_whole(whole, &steps, &mut handle, &mut product, &mut profile.scratch())?;
        }
        // Whatever the host says of it, the others follow.
        host.steal(handle, product, &[]);
    }
    let others = (0..all.units.len()).filter(|i| !is_type_unit(i)).collect();
    let work = Others { host, profile, context, all: &all, others, next: Mutex::new(0) };
    let by_turns = jobs <= 1 && host.filters();
    let finished = workers::run(&work, &mut (), workers::useful(jobs, &context.dwarf), by_turns);
    leave(host, jobs, finished.left.into_iter().map(|(_, (handle, ..))| handle));
    finished.outcome.into_result()
}

struct Others<'a, H: Host, P> {
    host: &'a H,
    profile: &'a P,
    context: &'a Arc<FileContext>,
    all: &'a AllUnits,
    /// Positions of the units that are no type units.
    others: Vec<usize>,
    next: Mutex<u32>,
}

impl<H: Host, P: Profile<H::Handle, Product = H::Product>> Work for Others<'_, H, P> {
    type Item = (H::Handle, H::Product, Vec<String>);
    type Scratch = (P::Scratch, Attrs);
    type Stage = ();

    fn scratch(&self) -> Self::Scratch {
        (self.profile.scratch(), Attrs::default())
    }

    fn decode(&self, (scratch, attrs): &mut Self::Scratch) -> Decoded<Self::Item> {
        let id = {
            let mut next = self.next.lock();
            *next += 1;
            *next - 1
        };
        let Some(&index) = self.others.get(id as usize) else { return Decoded::End };
        let (all, unit) = (self.all, &self.all.units[index]);
        let facts = UnitFacts {
            id,
            name: &all.names[index],
            language: unit.language,
            addr_size: unit.header.addr_size,
            producer_clang: unit.producer_clang,
        };
        let mut handle = self.host.create(self.context, &facts);
        let (mut product, mut messages) = (self.profile.empty(), Vec::new());
        if self.host.wants(&handle) {
            let result = self.steps(index, attrs).and_then(|steps| {
                let whole = Whole { main: all.source(&self.context.dwarf), alternate: None };
                self.profile.build_whole(whole, &steps, &mut handle, &mut product, scratch)
            });
            if let Err(e) = result {
                messages.push(left_out(&self.context.dwarf, unit.header.offset, &e));
            }
        }
        Decoded::Item(id, (handle, product, messages))
    }

    fn steal(&self, (): &mut (), _: u32, (handle, product, messages): Self::Item) -> Steal {
        self.host.steal(handle, product, &messages)
    }
}

impl<H: Host, P> Others<'_, H, P> {
    /// The unit, and the type units that it needs, directly or through others.
    fn steps(&self, index: usize, attrs: &mut Attrs) -> Result<Vec<Step>, DwarfError> {
        let order = self.all.with_types(&self.context.dwarf, index, attrs)?;
        Ok(order.iter().filter_map(|&unit| self.all.step(unit, false, unit != index)).collect())
    }
}
