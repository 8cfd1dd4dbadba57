//! What has to be known of all units before any of them can be taken in, where units refer to each other.
//!
//! One pass over the entries, by all workers, finds which entries units refer to outside of themselves. Then it is known in which order
//! units are taken in, some of them twice: see [`Plan::order`].

mod pointees;

use super::dwarf::{Host, LoadError, UnitFacts, left_out, next_header};
use super::queue::{Decoded, Steal, Work};
use super::workers;
use crate::dwarf::DwarfError;
use crate::dwarf::abbrev::{Abbrevs, Attrs, Slot};
use crate::dwarf::file::DwarfFile;
use crate::dwarf::pointee::Pointee;
use crate::dwarf::source::{Outer, Source, Unit, number, read_unit, read_unit_entry};
use crate::dwarf::unit::UnitHeader;
use crate::encoder::merged::Copy;
use gimli::constants as dw;
use parking_lot::Mutex;
use std::sync::Arc;

/// Imports of imports of imports... are followed down to this depth.
const MAX_IMPORTS: u32 = 64;

/// The main file, and the alternate one with its place behind the main one.
#[derive(Clone)]
pub struct Files {
    pub main: Arc<DwarfFile>,
    pub alternate: Option<Arc<DwarfFile>>,
}

impl Files {
    pub fn file(&self, in_alternate: bool) -> &DwarfFile {
        match &self.alternate {
            Some(file) if in_alternate => file,
            _ => &self.main,
        }
    }

    /// A source of one unit that knows its neighbours.
    pub fn source<'a>(&'a self, in_alternate: bool, buf: &'a [u8], units: &'a [Unit], base: u64, outer: Outer<'a>) -> Source<'a> {
        let behind = self.main.info_size();
        let mut source = Source::new(self.file(in_alternate), buf, units, base);
        source.shift = if in_alternate { behind } else { 0 };
        source.alternate = self.alternate.as_deref().map(|file| (file, behind));
        source.outer = Some(outer);
        source
    }
}

/// A unit of a plan.
#[derive(Clone, Copy, Debug)]
pub struct PlannedUnit {
    pub header: UnitHeader,
    pub in_alternate: bool,
}

/// See the [module](self).
pub struct Plan {
    pub files: Files,
    pub units: Vec<PlannedUnit>,
    /// Positions in `units`, in the order in which they are taken in: first those of the alternate file that are imported, then those of the
    /// main one, each before the first time that it is imported once more.
    pub order: Vec<(u32, Copy)>,
    /// Places of the entries that other units refer to, in order.
    pub targets: Vec<u64>,
    /// See [`Outer::functions`].
    pub functions: Vec<u64>,
    /// Facts of the first unit: language, address size, whether clang made it.
    pub language: u32,
    pub addr_size: u8,
    pub producer_clang: bool,
}

impl Plan {
    /// What units refer to of each other.
    pub fn outer(&self) -> Outer<'_> {
        Outer { targets: &self.targets, functions: &self.functions }
    }

    /// File, section and offset of the entry that a target is, and its unit, for messages.
    pub fn place_of(&self, target: u32) -> String {
        let (behind, place) = (self.files.main.info_size(), self.targets.get(target as usize).copied().unwrap_or(0));
        let (file, offset) = match &self.files.alternate {
            Some(file) if place >= behind => (file, place - behind),
            _ => (&self.files.main, place),
        };
        let (section, at) = file.place(offset);
        let in_alternate = place >= behind && self.files.alternate.is_some();
        let holds = |unit: &&PlannedUnit| {
            unit.in_alternate == in_alternate && (unit.header.offset..unit.header.offset + unit.header.size).contains(&offset)
        };
        let unit = self.units.iter().find(holds).map_or(0, |unit| file.place(unit.header.offset).1);
        format!("{}: {section}+{at:#x}, in the unit at {unit:#x}", file.elf().path().display())
    }

    /// The positions of targets that lie in the unit, with their keys in a buffer that holds just the unit.
    pub fn targets_in(&self, unit: &PlannedUnit) -> impl Iterator<Item = (u32, u32)> {
        let start = unit.header.offset + if unit.in_alternate { self.files.main.info_size() } else { 0 };
        let from = self.targets.partition_point(|&t| t < start);
        let to = self.targets.partition_point(|&t| t < start + unit.header.size);
        self.targets[from..to].iter().zip(from as u32..).map(move |(&t, i)| (i, (t - start) as u32))
    }
}

/// Makes the plan. `None` when the file has no units.
pub fn plan<H: Host>(host: &H, files: &Files, jobs: usize) -> Result<Option<Plan>, LoadError> {
    let scan = Scan { host, files, next: Mutex::new(Next { in_alternate: files.alternate.is_some(), offset: 0, id: 0 }) };
    let mut found = Vec::new();
    workers::run(&scan, &mut found, jobs, false).outcome.into_result()?;
    let Some(first) = found.iter().find(|s| !s.unit.in_alternate).map(|s| (s.language, s.unit.header.addr_size, s.clang)) else {
        return Ok(None);
    };
    let order = order(&found, files.main.info_size());
    let mut targets: Vec<u64> = found.iter_mut().flat_map(|s| std::mem::take(&mut s.targets)).collect();
    targets.sort_unstable();
    targets.dedup();
    let mut pointees: Vec<u64> = found.iter_mut().flat_map(|s| std::mem::take(&mut s.pointees)).collect();
    pointees.sort_unstable();
    pointees.dedup();
    let functions = pointees::functions(files, &found, pointees);
    let (language, addr_size, producer_clang) = first;
    let units = found.into_iter().map(|s| s.unit).collect();
    Ok(Some(Plan { files: files.clone(), units, order, targets, functions, language, addr_size, producer_clang }))
}

/// What one pass over a unit has found.
struct Scanned {
    unit: PlannedUnit,
    name: Vec<u8>,
    /// Partial units have none.
    has_language: bool,
    language: u32,
    clang: bool,
    wanted: bool,
    /// Places of imported units' first entries.
    imports: Vec<u64>,
    targets: Vec<u64>,
    /// Places of types of other units that pointers to members lead to.
    pointees: Vec<u64>,
    message: Option<String>,
}

struct Next {
    in_alternate: bool,
    offset: u64,
    id: u32,
}

struct Scan<'a, H> {
    host: &'a H,
    files: &'a Files,
    next: Mutex<Next>,
}

/// What a worker keeps.
#[derive(Default)]
struct Scratch {
    buf: Vec<u8>,
    table: Vec<u8>,
    attrs: Attrs,
}

impl<H: Host> Work for Scan<'_, H> {
    type Item = Scanned;
    type Scratch = Scratch;
    type Stage = Vec<Scanned>;

    fn scratch(&self) -> Scratch {
        Scratch::default()
    }

    fn decode(&self, scratch: &mut Scratch) -> Decoded<Scanned> {
        let Some((id, unit)) = self.claim() else { return Decoded::End };
        let mut scanned = Scanned {
            unit,
            name: Vec::new(),
            has_language: false,
            language: 0,
            clang: false,
            wanted: false,
            imports: Vec::new(),
            targets: Vec::new(),
            pointees: Vec::new(),
            message: None,
        };
        if let Err(e) = self.scan(&mut scanned, scratch) {
            scanned.message = Some(left_out(self.files.file(unit.in_alternate), unit.header.offset, &e));
            scanned.wanted = false;
        }
        Decoded::Item(id, scanned)
    }

    fn steal(&self, found: &mut Vec<Scanned>, _: u32, mut scanned: Scanned) -> Steal {
        if let Some(message) = &scanned.message {
            self.host.message(message);
        }
        // A unit without a language holds what others import, and is wanted when one of them is.
        if scanned.wanted && scanned.has_language {
            let addr_size = scanned.unit.header.addr_size;
            let (language, producer_clang) = (scanned.language, scanned.clang);
            scanned.wanted = self.host.wants_part(&UnitFacts { id: 0, name: &scanned.name, language, addr_size, producer_clang });
        }
        found.push(scanned);
        Steal::Continue
    }
}

impl<H: Host> Scan<'_, H> {
    fn claim(&self) -> Option<(u32, PlannedUnit)> {
        let mut next = self.next.lock();
        loop {
            let in_alternate = next.in_alternate;
            if let Some(header) = next_header(&|text| self.host.message(text), self.files.file(in_alternate), &mut next.offset) {
                next.id += 1;
                return Some((next.id - 1, PlannedUnit { header, in_alternate }));
            }
            if !in_alternate {
                return None;
            }
            (next.in_alternate, next.offset) = (false, 0);
        }
    }

    fn scan(&self, scanned: &mut Scanned, scratch: &mut Scratch) -> Result<(), DwarfError> {
        let PlannedUnit { header, in_alternate } = scanned.unit;
        let file = self.files.file(in_alternate);
        let mut unit = read_unit(file, header, &mut scratch.buf, &mut scratch.table, Abbrevs::default(), wanted)?;
        let attrs = &mut scratch.attrs;
        let Some((_, has_children, key)) = read_unit_entry(file, &scratch.buf, &mut unit, attrs)? else {
            return Ok(());
        };
        let units = std::slice::from_ref(&unit);
        let source = self.files.source(in_alternate, &scratch.buf, units, header.offset, Outer::default());
        scanned.name = source.string(&unit, attrs, Slot::Name).unwrap_or_default().to_vec();
        scanned.has_language = number(attrs, Slot::Language).is_some();
        scanned.language = unit.language;
        scanned.clang = source.string(&unit, attrs, Slot::Producer).is_some_and(|p| memchr::memmem::find(p, b"clang").is_some());
        scanned.wanted = has_children;
        if attrs.has(Slot::DwoName) {
            let (path, (section, at)) = (file.elf().path().display(), file.place(header.offset));
            scanned.message = Some(format!(
                "{path}: {section}+{at:#x}: entries in a file of their own, though units refer to each other, left out"
            ));
        }
        if !unit.abbrevs.has_outward {
            return Ok(());
        }
        let mut c = source.cursor(&unit, key);
        while !c.is_empty() {
            let code = c.uleb()?;
            if code == 0 {
                continue;
            }
            let Some(abbrev) = unit.abbrevs.get(code) else {
                return Err(c.invalid("an abbreviation code of the unit's table", code));
            };
            unit.abbrevs.take(abbrev, &mut c, attrs)?;
            for slot in [Slot::Type, Slot::AbstractOrigin, Slot::Specification, Slot::Annotation, Slot::Signature] {
                let place = attrs.get(slot).and_then(|(form, value)| source.outward_place(form, value));
                scanned.targets.extend(place.filter(|&p| source.key_of(p).is_none()));
            }
            if let Some((form, value)) = attrs.get(Slot::Import) {
                scanned.imports.extend(source.outward_place(form, value));
            }
            if abbrev.tag == dw::DW_TAG_ptr_to_member_type {
                if let Pointee::Outer(place) = source.pointee(&unit, attrs) {
                    scanned.pointees.push(place);
                }
            }
        }
        Ok(())
    }
}

/// What is looked at: all that leads out of a unit and matters to somebody, and what says whether a unit is wanted.
fn wanted(tag: dw::DwTag, at: dw::DwAt) -> Option<Slot> {
    let of_unit =
        matches!(tag, dw::DW_TAG_compile_unit | dw::DW_TAG_partial_unit | dw::DW_TAG_skeleton_unit | dw::DW_TAG_type_unit);
    Some(match at {
        dw::DW_AT_name if of_unit => Slot::Name,
        dw::DW_AT_language if of_unit => Slot::Language,
        dw::DW_AT_producer if of_unit => Slot::Producer,
        dw::DW_AT_str_offsets_base if of_unit => Slot::StrOffsetsBase,
        dw::DW_AT_dwo_name | dw::DW_AT_GNU_dwo_name if of_unit => Slot::DwoName,
        dw::DW_AT_type => Slot::Type,
        dw::DW_AT_abstract_origin => Slot::AbstractOrigin,
        dw::DW_AT_specification => Slot::Specification,
        dw::DW_AT_signature => Slot::Signature,
        dw::DW_AT_import if tag == dw::DW_TAG_imported_unit => Slot::Import,
        // DW_AT_GNU_annotation
        dw::DwAt(0x2139) => Slot::Annotation,
        _ => return None,
    })
}

/// Where units start among places, in order, with their positions in `found`.
fn starts(found: &[Scanned], behind: u64) -> Vec<(u64, u32)> {
    let mut starts: Vec<(u64, u32)> =
        found.iter().zip(0..).map(|(s, i)| (s.unit.header.offset + if s.unit.in_alternate { behind } else { 0 }, i)).collect();
    starts.sort_unstable();
    starts
}

/// The unit that a place lies in, or the last one before it.
fn unit_at(starts: &[(u64, u32)], place: u64) -> Option<u32> {
    starts[..starts.partition_point(|&(start, _)| start <= place)].last().map(|&(_, i)| i)
}

/// See [`Plan::order`]. `behind` is where the alternate file's places start.
fn order(found: &[Scanned], behind: u64) -> Vec<(u32, Copy)> {
    let starts = starts(found, behind);
    let unit_at = |place: u64| unit_at(&starts, place);
    let imports = |i: u32| found[i as usize].imports.iter().filter_map(|&place| unit_at(place));
    let import_from = |i: u32, from: usize| {
        let rest = found[i as usize].imports.get(from..)?;
        rest.iter().zip(from + 1..).find_map(|(&place, next)| Some((unit_at(place)?, next)))
    };

    // Of the alternate file, what is imported by what is wanted. dwz imports whatever it refers to; DWARF 5 does not ask for that.
    let refers = |i: u32| found[i as usize].targets.iter().filter(|&&place| place >= behind).filter_map(|&place| unit_at(place));
    let mut reached = vec![false; found.len()];
    let mut to_visit: Vec<u32> =
        found.iter().zip(0..).filter(|(s, _)| s.wanted && !s.unit.in_alternate).map(|(_, i)| i).collect();
    while let Some(i) = to_visit.pop() {
        for import in imports(i).chain(refers(i)) {
            if !std::mem::replace(&mut reached[import as usize], true) {
                to_visit.push(import);
            }
        }
    }
    let mut order = Vec::new();
    let all = found.iter().zip(0u32..);
    order.extend(all.clone().filter(|(s, i)| s.unit.in_alternate && s.wanted && reached[*i as usize]).map(|(_, i)| i));
    let mut imported = vec![false; found.len()];
    for (_, i) in all.filter(|(s, _)| s.wanted && !s.unit.in_alternate) {
        // The path of imports being followed: a unit, and how many of its imports are done.
        let mut path = vec![(i, 0)];
        while let Some((unit, done)) = path.pop() {
            match import_from(unit, done) {
                Some((next, done)) => {
                    path.push((unit, done));
                    let s = &found[next as usize];
                    let is_new = s.wanted && !s.unit.in_alternate && (path.len() as u32) < MAX_IMPORTS;
                    if is_new && !std::mem::replace(&mut imported[next as usize], true) {
                        path.push((next, 0));
                    }
                }
                None => order.push(unit),
            }
        }
    }
    let mut last = vec![0; found.len()];
    let mut count = vec![0; found.len()];
    for (&unit, at) in order.iter().zip(0..) {
        last[unit as usize] = at;
        count[unit as usize] += 1;
    }
    let copy = |unit: u32, at: usize| match (count[unit as usize], last[unit as usize] == at) {
        (1, _) => Copy::Only,
        (_, false) => Copy::Early(unit),
        (_, true) => Copy::Last(unit),
    };
    order.iter().zip(0..).map(|(&unit, at)| (unit, copy(unit, at))).collect()
}
