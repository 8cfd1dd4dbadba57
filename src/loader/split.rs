//! Split DWARF: units whose entries are in files of their own (`.dwo`), or in one that many were put together to (`.dwp`).
//!
//! The main file has a skeleton for each, which names the file and has the addresses. Looked for is, in this order: the unit in `MAIN.dwp`
//! beside the main file; the named file in the main file's folder, then below the folder that it was compiled in; then a file of that name,
//! without its folders, beside the main file. A file counts only when it has the unit with the skeleton's id.

use crate::dwarf::DwarfError;
use crate::dwarf::abbrev::{Abbrevs, Attrs, Slot};
use crate::dwarf::file::DwarfFile;
use crate::dwarf::index::UnitIndex;
use crate::dwarf::source::{Source, Unit, number, read_unit, read_unit_entry};
use crate::dwarf::unit::UnitHeader;
use crate::elf::ElfFile;
use gimli::constants as dw;
use parking_lot::Mutex;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// What a skeleton unit says.
pub(super) struct Skeleton {
    offset: u64,
    name: PathBuf,
    comp_dir: PathBuf,
    id: u64,
    addr_base: u64,
}

impl Skeleton {
    /// `None` for a unit that is no skeleton; its attributes have been read.
    pub fn of(source: &Source<'_>, unit: &Unit, attrs: &Attrs) -> Option<Skeleton> {
        let path = |slot| source.string(unit, attrs, slot).map(|s| PathBuf::from(OsStr::from_bytes(s)));
        let id = match unit.header.kind {
            dw::DW_UT_skeleton => unit.header.signature,
            _ => number(attrs, Slot::DwoId)?,
        };
        Some(Skeleton {
            offset: unit.header.offset,
            name: path(Slot::DwoName)?,
            comp_dir: path(Slot::CompDir).unwrap_or_default(),
            id,
            addr_base: unit.bases.addr,
        })
    }
}

/// The split files of one main file.
#[derive(Default)]
pub(super) struct SplitFiles {
    /// Or why it cannot be read.
    package: OnceLock<Result<Option<Package>, String>>,
    kept: Mutex<Vec<Arc<DwarfFile>>>,
}

/// A `.dwp` file with its indices.
struct Package {
    file: Arc<DwarfFile>,
    units: Vec<u8>,
    types: Vec<u8>,
}

/// A unit that was found.
pub(super) struct Found<'a> {
    pub file: Arc<DwarfFile>,
    header: UnitHeader,
    /// The package's, for type units.
    package: Option<&'a Package>,
}

/// The unit, and type units that it needs, in one buffer.
pub(super) struct SplitUnits {
    pub units: Vec<Unit>,
    /// Key of each one's first child.
    pub starts: Vec<Option<u32>>,
}

impl SplitFiles {
    /// Has the file live as long as the main one.
    pub fn keep(&self, file: &Arc<DwarfFile>) {
        let mut kept = self.kept.lock();
        if !kept.iter().any(|k| Arc::ptr_eq(k, file)) {
            kept.push(file.clone());
        }
    }

    /// Finds the unit that the skeleton stands for, or says what is missing.
    pub fn find(&self, main: &DwarfFile, skeleton: &Skeleton) -> Result<Found<'_>, String> {
        let path = main.elf().path();
        let mut others = Vec::new();
        match self.package.get_or_init(|| Package::open(path)) {
            Ok(Some(package)) => {
                if let Some(found) = package.find(skeleton.id) {
                    return Ok(found);
                }
            }
            Ok(None) => {}
            Err(why) => others.push(why.clone()),
        }
        let beside = path.parent().unwrap_or(Path::new(""));
        let mut candidates = vec![beside.join(&skeleton.name), beside.join(&skeleton.comp_dir).join(&skeleton.name)];
        candidates.extend(skeleton.name.file_name().map(|name| beside.join(name)));
        for candidate in &candidates {
            match open(candidate) {
                Ok(Some(file)) => match own_unit(&file, skeleton.id) {
                    Some(header) => {
                        return Ok(Found { file: Arc::new(file), header, package: None });
                    }
                    None => others.push(format!("{} has no unit of this id", candidate.display())),
                },
                Ok(None) => {}
                Err(why) => others.push(why),
            }
        }
        others.dedup();
        let others = if others.is_empty() { String::new() } else { format!(" ({})", others.join(", ")) };
        let (at, name, dir) = (skeleton.offset, skeleton.name.display(), skeleton.comp_dir.display());
        Err(format!(
            "{}: .debug_info+{at:#x}: the .dwo file '{name}' of id {:#018x} is neither beside the file nor in '{dir}'{others}: the unit \
             is left out",
            path.display(),
            skeleton.id
        ))
    }
}

/// Opens a split file; `None` when there is none.
fn open(path: &Path) -> Result<Option<DwarfFile>, String> {
    if !path.is_file() {
        return Ok(None);
    }
    let elf = ElfFile::open(path).map_err(|e| e.to_string())?;
    match DwarfFile::open_split(Arc::new(elf)) {
        Ok(Some(file)) => Ok(Some(file)),
        Ok(None) => Err(format!("{} has no .debug_info.dwo", path.display())),
        Err(e) => Err(format!("{}: {e}", path.display())),
    }
}

/// The headers of all units; damage ends the walk.
fn headers(file: &DwarfFile) -> impl Iterator<Item = UnitHeader> {
    let mut offset = 0;
    std::iter::from_fn(move || {
        let header = file.unit_header(offset).ok().flatten()?;
        offset = header.offset + header.size;
        Some(header)
    })
}

/// The unit with this id. Before DWARF 5 the id is an attribute; the only unit of a `.dwo` file that is no type unit is it then.
fn own_unit(file: &DwarfFile, id: u64) -> Option<UnitHeader> {
    let mut units = headers(file).filter(|h| !h.is_type_unit());
    units.find(|h| h.version < 5 && has_id(file, h, id) || h.version >= 5 && h.signature == id)
}

fn has_id(file: &DwarfFile, header: &UnitHeader, id: u64) -> bool {
    let (mut buf, mut table, mut attrs) = (Vec::new(), Vec::new(), Attrs::default());
    let wanted = |_, at| (at == dw::DW_AT_GNU_dwo_id).then_some(Slot::DwoId);
    let Ok(mut unit) = read_unit(file, *header, &mut buf, &mut table, Abbrevs::default(), wanted) else { return false };
    match read_unit_entry(file, &buf, &mut unit, &mut attrs) {
        Ok(Some(_)) => number(&attrs, Slot::DwoId) == Some(id),
        _ => false,
    }
}

impl Package {
    fn open(main: &Path) -> Result<Option<Package>, String> {
        let mut name = main.as_os_str().to_owned();
        name.push(".dwp");
        let Some(file) = open(Path::new(&name))? else { return Ok(None) };
        let section = |name: &[u8]| {
            let elf = file.elf();
            elf.section_index(name).and_then(|index| elf.section_data(index).ok()?.load().ok()).unwrap_or_default()
        };
        let (units, types) = (section(b".debug_cu_index"), section(b".debug_tu_index"));
        Ok(Some(Package { file: Arc::new(file), units, types }))
    }

    fn find(&self, id: u64) -> Option<Found<'_>> {
        let share = UnitIndex::parse(&self.units, ".debug_cu_index", self.file.is_big_endian()).ok()?.find(id)?;
        let header = self.file.unit_header(share.unit).ok().flatten()?;
        Some(Found { file: self.file.clone(), header, package: Some(self) })
    }

    /// The type unit with this signature.
    fn find_type(&self, signature: u64) -> Option<UnitHeader> {
        let share = UnitIndex::parse(&self.types, ".debug_tu_index", self.file.is_big_endian()).ok()?.find(signature)?;
        let types = self.file.section_start(".debug_types").unwrap_or(0);
        let header = self.file.unit_header(types + share.unit).ok().flatten()?;
        (header.is_type_unit() && header.signature == signature).then_some(header)
    }
}

impl Found<'_> {
    /// Of the unit in its file's space of units.
    pub fn offset(&self) -> u64 {
        self.header.offset
    }

    /// Reads the unit and the type units that it leads to into `buf`.
    pub fn read(
        &self,
        skeleton: &Skeleton,
        buf: &mut Vec<u8>,
        table: &mut Vec<u8>,
        attrs: &mut Attrs,
        wanted: impl Fn(dw::DwTag, dw::DwAt) -> Option<Slot> + Copy,
    ) -> Result<SplitUnits, DwarfError> {
        let mut all = vec![self.header];
        match self.package {
            // A file of one unit has just the type units that this one needs.
            None => all.extend(headers(&self.file).filter(UnitHeader::is_type_unit)),
            Some(package) => self.types_needed(package, &mut all)?,
        }
        all.sort_by_key(|header| header.offset);
        let mut found = SplitUnits { units: Vec::new(), starts: Vec::new() };
        let mut one = Vec::new();
        buf.clear();
        for header in all {
            let mut unit = read_unit(&self.file, header, &mut one, table, Abbrevs::default(), wanted)?;
            let start = u32::try_from(buf.len()).ok().filter(|s| s.checked_add(unit.end).is_some_and(|end| end < 1 << 31));
            let start = start.ok_or(DwarfError::Invalid {
                section: ".debug_info",
                offset: header.offset,
                expected: "less than 2 GiB of types for one unit",
                found: buf.len() as u64,
            })?;
            buf.extend_from_slice(&one);
            (unit.start, unit.end) = (start, start + unit.end);
            let entry = read_unit_entry(&self.file, buf, &mut unit, attrs)?;
            unit.bases.addr = skeleton.addr_base;
            found.units.push(unit);
            found.starts.push(entry.filter(|&(_, has_children, _)| has_children).map(|(_, _, key)| key));
        }
        Ok(found)
    }

    /// Adds the type units of the package that the units of the list lead to, by whatever attribute.
    fn types_needed(&self, package: &Package, all: &mut Vec<UnitHeader>) -> Result<(), DwarfError> {
        let (mut buf, mut table, mut attrs) = (Vec::new(), Vec::new(), Attrs::default());
        let mut seen = rustc_hash::FxHashSet::default();
        let mut next = 0;
        while let Some(&header) = all.get(next) {
            next += 1;
            let unit = read_unit(&self.file, header, &mut buf, &mut table, Abbrevs::default(), leads_on)?;
            if !unit.abbrevs.has_outward {
                continue;
            }
            let source = Source::new(&self.file, &buf, std::slice::from_ref(&unit), 0);
            let mut c = source.cursor(&unit, header.header_size);
            while !c.is_empty() {
                let code = c.uleb()?;
                if code == 0 {
                    continue;
                }
                let Some(abbrev) = unit.abbrevs.get(code) else {
                    return Err(c.invalid("an abbreviation code of the unit's table", code));
                };
                unit.abbrevs.take(abbrev, &mut c, &mut attrs)?;
                for slot in [Slot::Type, Slot::Signature, Slot::Specification, Slot::AbstractOrigin] {
                    if let Some((dw::DW_FORM_ref_sig8, signature)) = attrs.get(slot) {
                        if seen.insert(signature) {
                            all.extend(package.find_type(signature));
                        }
                    }
                }
            }
        }
        Ok(())
    }
}

fn leads_on(_: dw::DwTag, at: dw::DwAt) -> Option<Slot> {
    Some(match at {
        dw::DW_AT_type => Slot::Type,
        dw::DW_AT_signature => Slot::Signature,
        dw::DW_AT_specification => Slot::Specification,
        dw::DW_AT_abstract_origin => Slot::AbstractOrigin,
        _ => return None,
    })
}
