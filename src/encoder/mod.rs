//! How DWARF facts become BTF.
//!
//! Workers make a [`fragment::Fragment`] of each unit ([`builder`], [`resolve`], [`signature`], [`identity`]). The ordered stage gives them to
//! the [`Encoder`], unit after unit: types go to the BTF at once ([`merge`]), functions are kept until all are known ([`functions`]),
//! variables are added and noted for their sections ([`variables`]). In the end the BTF is deduplicated and written.

pub mod ambiguous;
pub mod builder;
mod circles;
mod convention;
pub mod elf_functions;
pub mod fragment;
pub mod functions;
pub mod identity;
pub mod kfuncs;
pub mod merge;
pub mod merged;
pub mod names;
pub mod options;
mod packed;
mod places;
mod records;
pub mod report;
mod resolve;
pub mod same_names;
mod signature;
pub mod source;
mod type_hash;
pub mod variables;
pub mod verbose;

use crate::btf::{BaseEnd, Btf, BtfError, DedupOptions, Endian, TypeId};
use crate::dwarf::file::DwarfFile;
use crate::elf::ElfFile;
use crate::elf::edit::{self, NewSection};
use crate::elf::output;
use crate::phases::{self, Phase};
use ambiguous::Ambiguous;
use elf_functions::ElfFunctions;
use fragment::Fragment;
use functions::SavedFunctions;
use kfuncs::Kfuncs;
use merge::{Dropping, FileNames, Merger};
use names::Names;
use options::Options;
use report::{Report, text};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use variables::{VariableError, Variables};

/// Why encoding failed.
#[derive(Debug)]
#[non_exhaustive]
pub enum EncodeError {
    Elf(crate::elf::ElfError),
    Btf(BtfError),
    /// A variable that must not be encoded, and no leave to skip it; the report has been told which.
    Variable,
    /// The base cannot be had.
    Base(String),
    /// Deduplication failed.
    Dedup(BtfError),
    /// The distilled base could not be made.
    Distill(BtfError),
    Edit(edit::EditError),
    Output(output::OutputError),
    /// The workers ended before their work was done.
    Workers(String),
}

impl fmt::Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EncodeError::Elf(e) => e.fmt(f),
            EncodeError::Btf(e) => e.fmt(f),
            EncodeError::Variable => f.write_str("a variable cannot be encoded"),
            EncodeError::Base(why) => write!(f, "base BTF: {why}"),
            EncodeError::Dedup(e) => write!(f, "deduplication failed: {e}"),
            EncodeError::Distill(e) => write!(f, "could not generate distilled base BTF: {e}"),
            EncodeError::Edit(e) => e.fmt(f),
            EncodeError::Output(e) => e.fmt(f),
            EncodeError::Workers(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for EncodeError {}

impl From<BtfError> for EncodeError {
    fn from(e: BtfError) -> Self {
        EncodeError::Btf(e)
    }
}

impl From<crate::elf::ElfError> for EncodeError {
    fn from(e: crate::elf::ElfError) -> Self {
        EncodeError::Elf(e)
    }
}

/// A unit as a worker hands it over.
pub struct Unit<'a> {
    pub name: &'a [u8],
    pub file: &'a Arc<DwarfFile>,
    pub functions: &'a Arc<ElfFunctions>,
    pub fragment: &'a Fragment,
    /// Of the file.
    pub ambiguous: &'a Ambiguous,
}

/// The BTF that a new one is split from, which may still be being read: it is asked for when all has been added.
pub struct LateBase {
    pub end: BaseEnd,
    pub get: Box<dyn FnOnce() -> Result<Arc<Btf>, String> + Send>,
}

impl From<Arc<Btf>> for LateBase {
    fn from(base: Arc<Btf>) -> LateBase {
        LateBase { end: base.end(), get: Box::new(|| Ok(base)) }
    }
}

/// Makes one BTF of many units.
pub struct Encoder {
    btf: Btf,
    base: Option<LateBase>,
    options: Options,
    /// The first unit's file: its sections decide where variables are, its `.BTF_ids` which functions are kfuncs.
    path: PathBuf,
    tables: Vec<Arc<ElfFunctions>>,
    kfuncs: Kfuncs,
    saved: SavedFunctions,
    variables: Variables,
    names: Option<FileNames>,
    merger: Merger,
    force_collisions: bool,
}

impl Encoder {
    /// `elf` is the first unit's file, `functions` those of its symbol table, `base` that of the new BTF.
    pub fn new(
        elf: &ElfFile,
        functions: &Arc<ElfFunctions>,
        options: Options,
        base: Option<LateBase>,
        report: &mut dyn Report,
    ) -> Result<Encoder, EncodeError> {
        let endian = if elf.little_endian() { Endian::Little } else { Endian::Big };
        let mut btf = match &base {
            Some(base) => Btf::new_split_behind(base.end, endian),
            None => Btf::new(endian),
        };
        // What the base says of kinds holds for what is split from it.
        btf.set_layout(options.layout && base.is_none());
        let variables = Variables::new(elf, &options, functions);
        let kfuncs = if options.tag_kfuncs { Kfuncs::collect(elf, functions, report) } else { Kfuncs::default() };
        Ok(Encoder {
            btf,
            base,
            path: elf.path().to_path_buf(),
            tables: vec![functions.clone()],
            kfuncs,
            saved: SavedFunctions::default(),
            variables,
            names: None,
            merger: Merger::default(),
            force_collisions: options.force_collisions,
            options,
        })
    }

    /// Whether the first file has a section of per-CPU variables.
    pub fn has_percpu_section(&self) -> bool {
        self.variables.has_percpu_section()
    }

    /// Adds a unit; units come in the order of their file.
    pub fn add(&mut self, unit: &Unit<'_>, report: &mut dyn Report) -> Result<(), EncodeError> {
        self.start_file(unit.file);
        let names = self.names.as_mut().expect("set above");
        let fragment = unit.fragment;
        // There each unit has strings of its own.
        if unit.file.elf().is_relocatable() && !fragment.has_same_names {
            names.begin_unit(fragment);
        }
        let first = TypeId(self.btf.type_count());
        let _phase = phases::enter(Phase::MergeTypes);
        // A log shows every type of every unit, so none may be left out then.
        let drop = Dropping { on: !report.verbose(), same: true, ambiguous: unit.ambiguous };
        self.merger.add_types(&mut self.btf, fragment, names, &drop)?;
        verbose::added(&self.btf, first, report);
        let map = std::mem::take(&mut self.merger);
        let result = self.add_rest(unit, |id| map.type_id(id), report);
        self.merger = map;
        result
    }

    /// Adds all of a unit but its types. `type_id` gives the final ids.
    fn add_rest(&mut self, unit: &Unit<'_>, type_id: impl Fn(u32) -> TypeId, report: &mut dyn Report) -> Result<(), EncodeError> {
        self.add_tags(unit.fragment, &type_id, report)?;
        if report.verbose() {
            self.tell_left_out(unit.fragment, report);
        }
        self.add_functions(unit.fragment, unit.functions, &type_id)?;
        self.add_variables(unit, &type_id, report)
    }

    fn add_tags(
        &mut self,
        fragment: &Fragment,
        type_id: impl Fn(u32) -> TypeId,
        report: &mut dyn Report,
    ) -> Result<(), EncodeError> {
        let names = self.names.as_mut().expect("set with the types");
        for tag in &fragment.decl_tags {
            let id = self.btf.add_decl_tag(names.bytes(fragment, &tag.value), type_id(tag.type_id), tag.component_idx)?;
            verbose::added(&self.btf, id, report);
        }
        Ok(())
    }

    fn add_functions(
        &mut self,
        fragment: &Fragment,
        functions: &Arc<ElfFunctions>,
        type_id: impl Fn(u32) -> TypeId,
    ) -> Result<(), EncodeError> {
        let _phase = phases::enter(Phase::MergeFunctions);
        let table = self.table(functions);
        let names = self.names.as_mut().expect("set with the types");
        Ok(self.saved.add(&mut self.btf, fragment, table, names, type_id)?)
    }

    fn add_variables(
        &mut self,
        unit: &Unit<'_>,
        type_id: impl Fn(u32) -> TypeId,
        report: &mut dyn Report,
    ) -> Result<(), EncodeError> {
        let _phase = phases::enter(Phase::MergeVariables);
        if self.options.vars() {
            let names = self.names.as_mut().expect("set with the types");
            self.variables.add(&mut self.btf, unit.fragment, unit.name, names, type_id, report).map_err(|e| match e {
                VariableError::Refused => EncodeError::Variable,
                VariableError::Btf(e) => EncodeError::Btf(e),
            })?;
        }
        Ok(())
    }

    /// Says which functions of the unit do not get into the BTF.
    fn tell_left_out(&self, fragment: &Fragment, report: &mut dyn Report) {
        let Some(names) = &self.names else { return };
        for name in &fragment.enums_with_functions {
            let name = names.bytes(fragment, name);
            report.error(&text!("BTF: DW_TAG_subprogram in enumeration '", name, "' not supported, skipping\n"));
        }
        for name in &fragment.unknown_functions {
            let name = names.bytes(fragment, name);
            report.out(&text!("could not find function '", name, "' in the ELF functions table\n"));
        }
    }

    /// The number of a file's function table.
    fn table(&mut self, functions: &Arc<ElfFunctions>) -> u16 {
        let at = self.tables.iter().position(|t| Arc::ptr_eq(t, functions)).unwrap_or_else(|| {
            self.tables.push(functions.clone());
            self.tables.len() - 1
        });
        // 65536 files in one run share the last number; their functions are then told apart by name only.
        u16::try_from(at).unwrap_or(u16::MAX)
    }

    /// Completes the BTF: functions, sections of variables, deduplication. `consistent_protos`: leave out functions whose prototypes
    /// differ between units.
    pub fn finish(&mut self, consistent_protos: bool, report: &mut dyn Report) -> Result<(), EncodeError> {
        phases::last_unit_is_in();
        let mut phase = phases::enter(Phase::SavedFunctions);
        let tables: Vec<&ElfFunctions> = self.tables.iter().map(|t| &**t).collect();
        let saved = std::mem::take(&mut self.saved);
        let options = Options { consistent_protos, ..self.options.clone() };
        saved.emit(&mut self.btf, &tables, &self.kfuncs, &options, report)?;
        phase.then(Phase::DataSections);
        let variables = std::mem::take(&mut self.variables);
        variables.tell_ignored(&self.path, report);
        variables.emit(&mut self.btf, &self.path, report)?;
        self.names = None;
        self.merger = Merger::default();
        if let Some(base) = self.base.take() {
            phase.then(Phase::Base);
            let base = (base.get)().map_err(EncodeError::Base)?;
            self.btf.set_base(base).map_err(|e| EncodeError::Base(e.to_string()))?;
        }
        if self.is_empty() {
            return Ok(());
        }
        phase.then(Phase::Dedup);
        let force_collisions = self.force_collisions;
        let options = DedupOptions { force_collisions, cut_circles: true };
        let done = self.btf.dedup(&options).map_err(EncodeError::Dedup)?;
        let path = self.path.display();
        if let Some(first) = done.gave_up {
            let place = places::of_type(&self.path, &self.btf, first).unwrap_or_else(|| format!("{path}: BTF type {}", first.0));
            let what = "from this type on, too many are alike to compare them all: the BTF has some of them more than once";
            report.error(&text!(format_args!("{place}: {what}\n")));
        }
        if done.circles > 0 {
            let (count, what) =
                (done.circles, "lead from unit to unit and back to themselves: taken for void where the circle closes");
            report.error(&text!(format_args!("{path}: {count} types {what}\n")));
        }
        Ok(())
    }

    /// Whether there is nothing to write.
    pub fn is_empty(&self) -> bool {
        self.btf.type_count() == 1
    }

    pub fn btf(&self) -> &Btf {
        &self.btf
    }

    /// Writes the BTF to a file of its own.
    pub fn write_detached(&self, path: &Path) -> Result<(), EncodeError> {
        let _phase = phases::enter(Phase::Write);
        output::write_detached(path, &[&self.btf.to_bytes()]).map_err(EncodeError::Output)
    }

    /// Puts the BTF into the ELF file that it was made from, as section `.BTF`; with a distilled base `.BTF.base`, too.
    pub fn write_elf(&self) -> Result<(), EncodeError> {
        let _phase = phases::enter(Phase::Write);
        if self.options.distilled_base && self.btf.base().is_some() {
            let (split, base) = self.btf.distill_base().map_err(EncodeError::Distill)?;
            let (split, base) = (split.to_bytes(), base.to_bytes());
            let sections = [NewSection { name: b".BTF", data: &split }, NewSection { name: b".BTF.base", data: &base }];
            return edit::set_sections(&self.path, &sections).map_err(EncodeError::Edit);
        }
        let bytes = self.btf.to_bytes();
        edit::set_sections(&self.path, &[NewSection { name: b".BTF", data: &bytes }]).map_err(EncodeError::Edit)
    }
}
