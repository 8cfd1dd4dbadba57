//! Where in a file something stands of which only the BTF is left. The encoder keeps no entries' offsets: when there is something to tell, which is
//! hardly ever, the file is opened and searched once more.

use super::source::wanted;
use crate::btf::{Btf, Kind, TypeId};
use crate::dwarf::DwarfError;
use crate::dwarf::abbrev::{Abbrevs, Attrs, Slot};
use crate::dwarf::expr::read_ops;
use crate::dwarf::file::DwarfFile;
use crate::dwarf::source::{Source, Unit, number, read_unit, read_unit_entry};
use crate::elf::ElfFile;
use gimli::constants as dw;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

/// An entry on the way.
struct Entry<'a> {
    source: &'a Source<'a>,
    unit: &'a Unit,
    tag: dw::DwTag,
    key: u32,
    /// 0 at the top level of the unit.
    depth: usize,
    attrs: &'a Attrs,
}

impl Entry<'_> {
    fn name(&self) -> &[u8] {
        self.source.string(self.unit, self.attrs, Slot::Name).unwrap_or_default()
    }

    /// The address that is all of its location.
    fn address(&self) -> Option<u64> {
        let block = self.attrs.block(Slot::Location)?;
        let (header, mut ops) = (&self.unit.header, Vec::new());
        let (start, len, big) = (block.start as usize, block.len as usize, self.source.file.is_big_endian());
        let ref_size = header.offset_size;
        read_ops(self.source.buf, start, len, big, header.addr_size, ref_size, (".debug_info", 0), &mut ops).ok()?;
        match ops.first() {
            Some(op) if op.code == dw::DW_OP_addr => Some(op.operand),
            Some(op) if op.code == dw::DW_OP_addrx => self.source.address_at(self.unit, op.operand),
            _ => None,
        }
    }
}

/// Shows all entries but those of units themselves, until there is an answer; `None` where there is none.
fn search<T>(path: &Path, mut visit: impl FnMut(Entry<'_>) -> ControlFlow<T>) -> Option<T> {
    let file = DwarfFile::open(Arc::new(ElfFile::open(path).ok()?)).ok()??;
    let (mut offset, mut buf, mut table, mut attrs) = (0, Vec::new(), Vec::new(), Attrs::default());
    // Damage was told of when the file was read first: what is behind it was not taken in.
    while let Ok(Some(header)) = file.unit_header(offset) {
        offset = header.offset + header.size;
        let mut search_unit = || -> Result<Option<T>, DwarfError> {
            let mut unit = read_unit(&file, header, &mut buf, &mut table, Abbrevs::default(), wanted)?;
            let Some((_, _, key)) = read_unit_entry(&file, &buf, &mut unit, &mut attrs)? else { return Ok(None) };
            let source = Source::new(&file, &buf, std::slice::from_ref(&unit), header.offset);
            let (mut c, mut depth) = (source.cursor(&unit, key), 0usize);
            while !c.is_empty() {
                let key = c.pos() as u32;
                let code = c.uleb()?;
                if code == 0 {
                    depth = depth.saturating_sub(1);
                    continue;
                }
                let Some(abbrev) = unit.abbrevs.get(code) else { break };
                unit.abbrevs.take(abbrev, &mut c, &mut attrs)?;
                let entry = Entry { source: &source, unit: &unit, tag: abbrev.tag, key, depth, attrs: &attrs };
                if let ControlFlow::Break(found) = visit(entry) {
                    return Ok(Some(found));
                }
                depth += usize::from(abbrev.has_children);
            }
            Ok(None)
        };
        if let Ok(Some(found)) = search_unit() {
            return Some(found);
        }
    }
    None
}

/// Where the variable with a name and an address is defined.
pub(super) fn of_variable(path: &Path, name: &[u8], addr: u64) -> Option<String> {
    search(path, |entry| match entry.tag {
        // The name of a static member's definition stands where it is declared.
        dw::DW_TAG_variable if [name, b""].contains(&entry.name()) && entry.address() == Some(addr) => {
            ControlFlow::Break(entry.source.location(entry.key))
        }
        _ => ControlFlow::Continue(()),
    })
}

/// Where the first struct, union or typedef stands that has the name, size and members' names of one of the BTF.
pub(super) fn of_type(path: &Path, btf: &Btf, id: TypeId) -> Option<String> {
    let sought = btf.get(id)?;
    let (kind, name, size) = (sought.kind(), btf.str_at(sought.name()), sought.size());
    let mut members: Vec<&[u8]> = sought.members().map(|member| btf.str_at(member.name)).collect();
    members.sort_unstable();
    /// One that may be it, and its members so far.
    struct Candidate {
        place: String,
        depth: usize,
        members: Vec<Vec<u8>>,
    }
    let is_it = |candidate: &mut Candidate| {
        candidate.members.sort_unstable();
        candidate.members == members
    };
    let mut open: Vec<Candidate> = Vec::new();
    let found = search(path, |entry| {
        while open.last().is_some_and(|candidate| candidate.depth >= entry.depth) {
            if let Some(place) = open.pop().and_then(|mut candidate| is_it(&mut candidate).then_some(candidate.place)) {
                return ControlFlow::Break(place);
            }
        }
        let of_kind = match entry.tag {
            dw::DW_TAG_structure_type | dw::DW_TAG_class_type | dw::DW_TAG_interface_type => Kind::Struct,
            dw::DW_TAG_union_type => Kind::Union,
            dw::DW_TAG_typedef
            | dw::DW_TAG_template_alias
            | dw::DW_TAG_subrange_type
            | dw::DW_TAG_set_type
            | dw::DW_TAG_file_type => Kind::Typedef,
            dw::DW_TAG_member => {
                if let Some(candidate) = open.last_mut().filter(|candidate| candidate.depth + 1 == entry.depth) {
                    candidate.members.push(entry.name().to_vec());
                }
                return ControlFlow::Continue(());
            }
            _ => return ControlFlow::Continue(()),
        };
        let same_size = kind == Kind::Typedef || number(entry.attrs, Slot::ByteSize) == size.map(u64::from);
        if of_kind == kind && same_size && entry.name() == name {
            let place = entry.source.location(entry.key);
            open.push(Candidate { place, depth: entry.depth, members: Vec::new() });
        }
        ControlFlow::Continue(())
    });
    // The last entry of the file may have been one.
    found.or_else(|| open.iter_mut().rev().find_map(|candidate| is_it(candidate).then(|| candidate.place.clone())))
}
