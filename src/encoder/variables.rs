//! Variables of static storage, and the data sections they lie in.
//!
//! A section is a DATASEC that lists its variables by offset. By default only the kernel's per-CPU variables are encoded, on
//! demand those of all sections. DWARF says where a variable lies, not in which section: the section table decides.

use std::collections::BTreeMap;
use std::path::Path;

use object::elf::{SHT_NOBITS, SHT_PROGBITS};
use rustc_hash::FxHashSet;

use super::elf_functions::ElfFunctions;
use super::fragment::Fragment;
use super::names::Names;
use super::options::Options;
use super::places;
use super::report::{Report, text};
use super::verbose;
use crate::btf::{Btf, BtfError, Kind, SecInfo, TypeId, VarLinkage};
use crate::elf::ElfFile;

const PERCPU_SECTION: &[u8] = b".data..percpu";
/// Names of variables that compilers and macros make up, and nobody looks for.
const MADE_UP: [&[u8]; 5] =
    [b"__UNIQUE_ID", b"__tpstrtab_", b"__exitcall_", b"__gendwarfksyms_ptr_", b"__func_stack_frame_non_standard_"];
/// A longer name is not valid in the kernel's BTF, in bytes.
const MAX_NAME: usize = 128;
/// Messages about variables; each takes a search of the file.
const MAX_MESSAGES: usize = 16;

/// The sections of a file, and the variables found in them so far.
#[derive(Default, Debug)]
pub struct Variables {
    sections: Vec<Section>,
    /// Which section an address lies in: start to end and section. Where sections overlap the first one has it.
    by_addr: BTreeMap<u64, (u64, usize)>,
    /// Section and name of each object in the wanted sections, from the symbol table.
    objects: FxHashSet<(u32, Box<[u8]>)>,
    has_percpu: bool,
    /// Skip what cannot be encoded instead of failing.
    force: bool,
    /// What BTF cannot count, to be told in the end.
    ignored: Vec<Ignored>,
}

/// A variable that is left out.
#[derive(Debug)]
struct Ignored {
    name: Box<[u8]>,
    addr: u64,
    size: u64,
    /// In its section.
    offset: u64,
}

#[derive(Debug)]
struct Section {
    name: Box<[u8]>,
    /// As DWARF counts addresses: laid out also in relocatable files.
    addr: u64,
    /// Its variables are wanted.
    wanted: bool,
    vars: Vec<SecInfo>,
}

/// Why the encoding of a unit's variables failed. The report has been told.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum VariableError {
    /// A name that the kernel does not take, or a variable of type void, and no leave to skip it.
    Refused,
    Btf(BtfError),
}

impl std::fmt::Display for VariableError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            VariableError::Refused => f.write_str("a variable's name or type cannot be encoded"),
            VariableError::Btf(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for VariableError {}

impl From<BtfError> for VariableError {
    fn from(error: BtfError) -> Self {
        VariableError::Btf(error)
    }
}

impl Variables {
    /// Reads the section table. The options say which sections' variables are wanted, and whether to skip bad ones; `functions` comes with
    /// the symbols of the objects in them ([`wanted_sections`]).
    pub fn new(elf: &ElfFile, options: &Options, functions: &ElfFunctions) -> Variables {
        let sections = elf.sections().iter().map(|section| (&*section.name, section.sh_type, section.addr, section.size));
        let mut variables = Variables::from_sections(sections, options);
        variables.objects.extend(functions.objects().iter().cloned());
        variables
    }

    /// From name, type, address and size of each section, the null section first.
    fn from_sections<'a>(sections: impl Iterator<Item = (&'a [u8], u32, u64, u64)>, options: &Options) -> Variables {
        let mut variables = Variables { force: options.force, ..Variables::default() };
        for (index, (name, kind, addr, size)) in sections.enumerate() {
            let percpu = name == PERCPU_SECTION;
            variables.has_percpu |= percpu;
            let wanted = is_wanted(name, options);
            variables.sections.push(Section { name: name.into(), addr, wanted, vars: Vec::new() });
            if index != 0 && (kind == SHT_PROGBITS.0 || kind == SHT_NOBITS.0) {
                variables.claim(addr, addr.saturating_add(size), index);
            }
        }
        variables
    }

    /// Gives the parts of `start..end` that nobody has yet to section `index`.
    fn claim(&mut self, start: u64, end: u64, index: usize) {
        let mut free = start;
        while free < end {
            if let Some((_, &(taken, _))) = self.by_addr.range(..=free).next_back() {
                if taken > free {
                    free = taken;
                    continue;
                }
            }
            let until = self.by_addr.range(free..).next().map_or(end, |(&next, _)| next.min(end));
            self.by_addr.insert(free, (until, index));
            free = until;
        }
    }

    /// Whether the file has a section of per-CPU variables.
    pub fn has_percpu_section(&self) -> bool {
        self.has_percpu
    }

    /// The section that `addr` lies in.
    fn section_of(&self, addr: u64) -> Option<usize> {
        let (_, &(end, index)) = self.by_addr.range(..=addr).next_back()?;
        (addr < end).then_some(index)
    }

    /// Adds a unit's variables to the BTF, whose types are there already. `type_id` turns the fragment's ids into final
    /// ones, `unit` is the unit's name for messages.
    pub fn add(
        &mut self,
        btf: &mut Btf,
        fragment: &Fragment,
        unit: &[u8],
        names: &mut impl Names,
        type_id: impl Fn(u32) -> TypeId,
        report: &mut dyn Report,
    ) -> Result<(), VariableError> {
        if report.verbose() {
            report.out(&text!("search cu '", unit, "' for percpu global variables.\n"));
        }
        for var in &fragment.vars {
            let Some(section) = self.section_of(var.addr).filter(|&section| self.sections[section].wanted) else { continue };
            let offset = var.addr - self.sections[section].addr;
            let name = names.bytes(fragment, &var.name);
            if var.name.is_none() || MADE_UP.iter().any(|prefix| name.starts_with(prefix)) {
                continue;
            }
            // Variables of sections that are not linked have the address 0, too.
            if offset == 0 && !self.objects.contains(&(section as u32, name.into())) {
                continue;
            }
            if !is_valid_name(name) {
                refuse_name(name, self.force, report);
                if self.force {
                    continue;
                }
                return Err(VariableError::Refused);
            }
            if var.type_id == 0 {
                report.error(&text!("error: found variable '", name, "' in CU '", unit, "' that has void type\n"));
                if self.force {
                    continue;
                }
                return Err(VariableError::Refused);
            }
            let (Ok(size @ 1..), Ok(place)) = (u32::try_from(var.size), u32::try_from(offset)) else {
                // One without a size brings nothing; that BTF cannot count another one is not for readers of a log alone.
                if report.verbose() {
                    report.error(&ignored(name, var.size, offset));
                } else if !matches!(var.size, 0 | u64::MAX) {
                    self.ignored.push(Ignored { name: name.into(), addr: var.addr, size: var.size, offset });
                }
                continue;
            };
            if report.verbose() {
                let text =
                    text!("Variable '", name, "' from CU '", unit, "' at address ", format_args!("{offset:#x}"), " encoded\n");
                report.out(&text);
            }
            let linkage = if var.external { VarLinkage::GlobalAllocated } else { VarLinkage::Static };
            let ty = type_id(var.type_id);
            let id = match btf.add_var(name, linkage, ty) {
                Ok(id) => id,
                Err(error) => {
                    let details = format!("type={} linkage={} Error emitting BTF type", ty.0, linkage as u32);
                    report.error(&verbose::failed(btf, Kind::Var, name, &details, error));
                    let text = text!("error: failed to encode variable '", name, "' at addr ", format_args!("{offset:#x}"), "\n");
                    report.error(&text);
                    return Err(error.into());
                }
            };
            verbose::added(btf, id, report);
            for annot in &fragment.annots[var.annots.start as usize..var.annots.end as usize] {
                let (value, component) = (names.bytes(fragment, &annot.value), annot.component_idx);
                match btf.add_decl_tag(value, id, component) {
                    Ok(tag) => verbose::added(btf, tag, report),
                    Err(error) => {
                        let details = format!("component_idx={component} Error emitting BTF type");
                        report.error(&verbose::failed(btf, Kind::DeclTag, value, &details, error));
                        report.error(&text!(
                            "error: failed to encode tag '",
                            value,
                            "' to variable '",
                            name,
                            "' with component_idx ",
                            component,
                            "\n",
                        ));
                        // A tag without text says nothing, and is no reason to lose the variable.
                        if !value.is_empty() {
                            return Err(error.into());
                        }
                    }
                }
            }
            self.sections[section].vars.push(SecInfo { type_id: id, offset: place, size });
        }
        Ok(())
    }

    /// Says which variables of the file were left out because BTF cannot count them.
    pub fn tell_ignored(&self, path: &Path, report: &mut dyn Report) {
        for (told, Ignored { name, addr, size, offset }) in self.ignored.iter().enumerate() {
            let file = path.display();
            if told == MAX_MESSAGES {
                let more = self.ignored.len() - told;
                report.error(&text!(format_args!("{file}: {more} more variables are left out for their size or place\n")));
                return;
            }
            let place = places::of_variable(path, name, *addr).unwrap_or_else(|| file.to_string());
            let (what, count) = if *size > u64::from(u32::MAX) { ("of size", size) } else { ("at offset", offset) };
            report.error(&text!(format_args!("{place}: variable '"), &**name, "' ", what, " ", *count));
            report.error(b": BTF counts to 4294967295, the variable is left out\n");
        }
    }

    /// Writes a DATASEC for each section with variables, in the order of the section table. What the BTF refuses is told
    /// and left out. `path` is for messages.
    pub fn emit(mut self, btf: &mut Btf, path: &Path, report: &mut dyn Report) -> Result<(), BtfError> {
        for section in self.sections.iter_mut().filter(|section| !section.vars.is_empty()) {
            section.vars.sort_by_key(|var| var.offset);
            if section.vars.len() > usize::from(u16::MAX) {
                let (count, name) = (section.vars.len(), &*section.name);
                let place = format!("{}: section '", path.display());
                report.error(&text!(place.as_str(), name, "' has ", count, " variables, only the first 65535 are listed\n"));
                section.vars.truncate(usize::from(u16::MAX));
            }
            let size = section.vars.last().map_or(0, |last| last.offset.wrapping_add(last.size));
            let id = match btf.add_datasec(&section.name, size) {
                Ok(id) => id,
                Err(error) => {
                    let details = format!("size={size} vlen={} Error emitting BTF type", section.vars.len());
                    report.error(&verbose::failed(btf, Kind::Datasec, &section.name, &details, error));
                    continue;
                }
            };
            for var in &section.vars {
                btf.add_datasec_var_info(var.type_id, var.offset, var.size)?;
            }
            verbose::added(btf, id, report);
        }
        Ok(())
    }
}

fn is_wanted(section: &[u8], options: &Options) -> bool {
    options.global_vars || options.percpu_vars && section == PERCPU_SECTION
}

/// Of each section, by number, whether its variables are wanted.
pub fn wanted_sections(elf: &ElfFile, options: &Options) -> Vec<bool> {
    elf.sections().iter().map(|section| is_wanted(&section.name, options)).collect()
}

/// What the kernel takes for the name of a variable.
fn is_valid_name(name: &[u8]) -> bool {
    let is_other = |c: u8| c == b'_' || c == b'.';
    name.len() <= MAX_NAME
        && name.first().is_some_and(|&c| is_other(c) || c.is_ascii_alphabetic())
        && name.iter().all(|&c| is_other(c) || c.is_ascii_alphanumeric())
}

fn refuse_name(name: &[u8], force: bool, report: &mut dyn Report) {
    let message = "Found invalid variable name when encoding btf";
    if !force {
        report.error(&text!("PAHOLE: Error: ", message, " (sym: '", name, "').\n"));
        report.error(b"PAHOLE: Error: Use '--btf_encode_force' to ignore such symbols and force emit the btf.\n");
    } else if report.verbose() {
        report.error(&text!("PAHOLE: Warning: ", message, ", ignored (sym: '", name, "').\n"));
    }
}

/// Why a variable of this size, or so far behind in its section, is left out.
fn ignored(name: &[u8], size: u64, offset: u64) -> Vec<u8> {
    match size {
        0 => text!("Ignoring zero-sized variable '", name, "'...\n"),
        size if size > u64::from(u32::MAX) => text!("Ignoring over-sized variable '", name, "'...\n"),
        _ => text!("Ignoring variable '", name, "' - its offset ", offset, " doesn't fit in a u32\n"),
    }
}

#[cfg(test)]
mod tests;
