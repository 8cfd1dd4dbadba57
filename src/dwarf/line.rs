//! The file tables of `.debug_line` (DWARF 2 to 5): which name a file number stands for.
//!
//! Only the header of a line program is read. A name is what debuggers print: the directory, a slash and the file, or the file alone where
//! its path is absolute; directories are taken as they stand, without the compilation directory in front of them.

use super::file::DwarfFile;
use gimli::{AttributeValue, DebugLine, DebugLineOffset, EndianSlice, Reader as _, RunTimeEndian};

type Bytes<'a> = EndianSlice<'a, RunTimeEndian>;

/// The names of a unit's files, by number; empty for the numbers that stand for no file.
pub type FileNames = Vec<Vec<u8>>;

/// The file table at `offset` of `.debug_line`. `None` when it is missing or damaged, or when an entry names a directory that is not there.
///
/// `comp_dir` is the unit's DW_AT_comp_dir, directory 0 of the versions before 5.
pub fn file_names(file: &DwarfFile, offset: u64, addr_size: u8, comp_dir: Option<&[u8]>) -> Option<FileNames> {
    let endian = if file.is_big_endian() { RunTimeEndian::Big } else { RunTimeEndian::Little };
    let section = DebugLine::new(file.debug_line()?, endian);
    let offset = DebugLineOffset(usize::try_from(offset).ok()?);
    let program = section.program(offset, addr_size, None, None).ok()?;
    let header = program.header();
    let string = |value: AttributeValue<Bytes<'_>>| string_of(file, value);
    let mut directories = Vec::new();
    let mut names = Vec::new();
    if header.version() < 5 {
        directories.push(comp_dir.map(<[u8]>::to_vec));
        names.push(b"???".to_vec());
    }
    for directory in header.include_directories() {
        directories.push(Some(string(*directory)?));
    }
    for entry in header.file_names() {
        let name = string(entry.path_name())?;
        let directory = directories.get(usize::try_from(entry.directory_index()).ok()?)?;
        names.push(match directory {
            Some(directory) if name.first() != Some(&b'/') => [&directory[..], b"/", &name].concat(),
            _ => name,
        });
    }
    Some(names)
}

fn string_of(file: &DwarfFile, value: AttributeValue<Bytes<'_>>) -> Option<Vec<u8>> {
    match value {
        AttributeValue::String(s) => Some(s.to_slice().ok()?.into_owned()),
        AttributeValue::DebugStrRef(offset) => super::cursor::str_at(file.debug_str(), offset.0 as u64).map(<[u8]>::to_vec),
        AttributeValue::DebugLineStrRef(offset) => file.line_str(offset.0 as u64).map(<[u8]>::to_vec),
        _ => None,
    }
}
