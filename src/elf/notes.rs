//! Notes, the build id among them, and the sections that name separate files of debugging information.

use super::{ElfError, ElfFile};
use object::elf;

/// One note of a SHT_NOTE section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// Who defines the type: `GNU`, `Linux`; without the terminating zero.
    pub name: Vec<u8>,
    /// `n_type`
    pub kind: u32,
    /// The contents, in the file's byte order.
    pub desc: Vec<u8>,
    /// Number of the section it is in.
    pub section: usize,
}

/// Where `.gnu_debuglink` or `.gnu_debugaltlink` points.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DebugLink {
    /// File name (`.gnu_debuglink`) or path (`.gnu_debugaltlink`), without the terminating zero.
    pub file: Vec<u8>,
    /// What the other file must match: the CRC-32 of its bytes in this file's byte order, or its build id.
    pub check: Vec<u8>,
}

impl ElfFile {
    /// All notes of all SHT_NOTE sections, in file order. A note that does not fit its section ends that section, as in libelf.
    pub fn notes(&self) -> Result<Vec<Note>, ElfError> {
        let sections = self.sections();
        let with_notes: Vec<usize> = (0..sections.len()).filter(|&i| sections[i].sh_type == elf::SHT_NOTE.0).collect();
        self.check_total_size(0, &with_notes)?;
        let mut notes = Vec::new();
        for index in with_notes {
            let data = self.section_data(index)?.load()?;
            self.notes_in(index, &data, sections[index].align == 8, &mut notes);
        }
        Ok(notes)
    }

    /// Names are padded to four bytes; contents too, or to eight in a section aligned so (`.note.gnu.property`).
    fn notes_in(&self, section: usize, data: &[u8], aligned_8: bool, notes: &mut Vec<Note>) {
        let align = if aligned_8 { 8 } else { 4 };
        let pad = |position: usize| position.checked_next_multiple_of(align);
        let mut at = 0;
        while let Some(header) = data.get(at..).filter(|rest| rest.len() >= 12) {
            let name_size = self.codec.u32(header, 0) as usize;
            let desc_size = self.codec.u32(header, 4) as usize;
            let name_start = at + 12;
            let name_end = name_start.checked_add(name_size);
            let Some(name) = name_end.and_then(|end| data.get(name_start..end)) else { return };
            let Some(desc_start) = name_end.and_then(pad) else { return };
            let Some(desc_end) = desc_start.checked_add(desc_size) else { return };
            let Some(desc) = data.get(desc_start..desc_end) else { return };
            notes.push(Note {
                name: name.strip_suffix(b"\0").unwrap_or(name).to_vec(),
                kind: self.codec.u32(header, 8),
                desc: desc.to_vec(),
                section,
            });
            let Some(next) = pad(desc_end) else { return };
            at = next;
        }
    }

    /// The GNU build id, if there is one.
    pub fn build_id(&self) -> Result<Option<Vec<u8>>, ElfError> {
        let is_build_id = |note: &Note| note.kind == elf::NT_GNU_BUILD_ID.0 && note.name == b"GNU";
        Ok(self.notes()?.into_iter().find(is_build_id).map(|note| note.desc))
    }

    /// `.gnu_debuglink`: name of the file with the debugging information, and its CRC-32.
    pub fn debug_link(&self) -> Result<Option<DebugLink>, ElfError> {
        let Some((data, end)) = self.link_section(b".gnu_debuglink")? else { return Ok(None) };
        let check = (end + 1).next_multiple_of(4);
        Ok(data.get(check..check + 4).map(|check| DebugLink { file: data[..end].to_vec(), check: check.to_vec() }))
    }

    /// `.gnu_debugaltlink`: path of a file with debugging information shared by several files (dwz), and its build id.
    pub fn debug_alt_link(&self) -> Result<Option<DebugLink>, ElfError> {
        let Some((data, end)) = self.link_section(b".gnu_debugaltlink")? else { return Ok(None) };
        Ok(Some(DebugLink { file: data[..end].to_vec(), check: data[end + 1..].to_vec() }))
    }

    /// A section that starts with a file name, and where the name's zero byte is.
    fn link_section(&self, name: &[u8]) -> Result<Option<(Vec<u8>, usize)>, ElfError> {
        let Some(index) = self.section_index(name) else { return Ok(None) };
        let data = self.section_data(index)?.load()?;
        Ok(memchr::memchr(0, &data).filter(|&end| end > 0).map(|end| (data, end)))
    }
}
