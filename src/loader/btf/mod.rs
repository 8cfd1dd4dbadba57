//! BTF of a file: the file itself (raw BTF), or its `.BTF` section.
//!
//! A section `.BTF.base` beside it is the distilled base that the BTF was split from. With a base at hand the BTF is relocated to
//! that; without one the distilled base serves as base.
//!
//! Programs show their users libbpf's words about files it cannot read, so that errors here carry them, see
//! [`BtfFileError::libbpf_message`].

mod complaint;
mod error;

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use object::elf::SHT_PROGBITS;

use crate::btf::Btf;
use crate::elf::{ElfError, ElfFile};

pub use error::BtfFileError;

const SECTION: &str = ".BTF";
const BASE_SECTION: &str = ".BTF.base";
const EXT_SECTION: &str = ".BTF.ext";

/// Either byte order of the number that BTF starts with.
const MAGICS: [[u8; 2]; 2] = [[0x9f, 0xeb], [0xeb, 0x9f]];

/// Sizes of the ELF header in bytes.
const ELF32_HEADER: usize = 52;
const ELF64_HEADER: usize = 64;

/// Whether libelf recognises a file that starts like this, as far as it has such a header.
fn is_elf_header(start: &[u8]) -> bool {
    let whole = match start {
        [0x7f, b'E', b'L', b'F', 1, 1 | 2, 1, ..] => ELF32_HEADER,
        [0x7f, b'E', b'L', b'F', 2, 1 | 2, 1, ..] => ELF64_HEADER,
        _ => return false,
    };
    start.len() >= whole
}

/// Assumed where nothing tells, in bytes.
const POINTER_SIZE: u32 = 8;

/// What split BTF is read on top of.
#[derive(Clone)]
pub struct Base {
    pub btf: Arc<Btf>,
    /// Of a pointer in the program described, in bytes, where it is known.
    pub pointer_size: Option<u32>,
}

/// The BTF of a file.
pub struct BtfFile {
    pub btf: Btf,
    /// Of a pointer in the program described, in bytes: told by the ELF class, the base, or the size of `long`, in this order;
    /// 8 when there is none of them.
    pub pointer_size: u32,
}

impl BtfFile {
    /// Reads `path`. `base` is what the BTF was split from, if it was split; standalone BTF may be read with a base too, and comes
    /// out wrong then, as the format has no mark for that. `room` may make a place for the bytes of raw BTF, and `words` give its words, see
    /// [`Btf::read_in_place`].
    pub fn read(
        path: &Path,
        base: Option<&Base>,
        room: impl FnOnce(usize) -> Option<&'static mut [u8]>,
        words: impl FnOnce(&'static [u8]) -> Option<&'static [u32]>,
    ) -> Result<BtfFile, BtfFileError> {
        let unreadable = |source| BtfFileError::Unreadable { path: path.to_owned(), source };
        let mut file = File::open(path).map_err(unreadable)?;
        let mut start = Vec::new();
        file.by_ref().take(ELF64_HEADER as u64).read_to_end(&mut start).map_err(unreadable)?;
        let magic = start.first_chunk().ok_or_else(|| unreadable(io::ErrorKind::UnexpectedEof.into()))?;
        if !MAGICS.contains(magic) {
            if !is_elf_header(&start) {
                let source = ElfError::NotElf { path: path.to_owned() };
                return Err(BtfFileError::Elf { path: path.to_owned(), source: Box::new(source) });
            }
            drop(file);
            return BtfFile::read_elf(path, base);
        }
        let size = file.metadata().map_err(unreadable)?.len();
        let size = usize::try_from(size).map_err(|_| unreadable(io::ErrorKind::FileTooLarge.into()))?;
        let mut bytes = start.as_slice().chain(&mut file);
        let btf = Btf::read_in_place(&mut bytes, size, room, words, base.map(|base| base.btf.clone())).map_err(unreadable)?;
        let btf = btf.map_err(|source| BtfFileError::Btf {
            path: path.to_owned(),
            message: std::fs::read(path).ok().and_then(|bytes| complaint::about(&bytes, base.map(|base| &*base.btf))),
            source,
        })?;
        Ok(BtfFile::new(btf, base, None))
    }

    fn read_elf(path: &Path, base: Option<&Base>) -> Result<BtfFile, BtfFileError> {
        let elf = ElfFile::open(path).map_err(|source| BtfFileError::Elf { path: path.to_owned(), source: Box::new(source) })?;
        let sections = Sections::find(&elf)?;
        let Some(own) = sections.own else { return Err(BtfFileError::NoBtf { path: path.to_owned() }) };
        let distilled = match &sections.base {
            Some(bytes) => Some(Arc::new(parse(path, bytes, None)?)),
            None => None,
        };
        let class = Some(if elf.is_64() { 8 } else { 4 });
        let btf = match (distilled, base) {
            (Some(distilled), None) => parse(path, &own, Some(&distilled))?,
            (Some(distilled), Some(base)) => {
                let mut btf = parse(path, &own, Some(&distilled))?;
                btf.relocate(base.btf.clone()).map_err(|source| BtfFileError::Relocate {
                    path: path.to_owned(),
                    message: complaint::about_relocation(&distilled, source),
                    source,
                })?;
                btf
            }
            (None, base) => parse(path, &own, base.map(|base| &base.btf))?,
        };
        Ok(BtfFile::new(btf, base, class))
    }

    fn new(btf: Btf, base: Option<&Base>, class: Option<u32>) -> BtfFile {
        let told = class.or_else(|| base?.pointer_size).or_else(|| btf.pointer_size());
        BtfFile { btf, pointer_size: told.unwrap_or(POINTER_SIZE) }
    }
}

fn parse(path: &Path, bytes: &[u8], base: Option<&Arc<Btf>>) -> Result<Btf, BtfFileError> {
    Btf::parse(bytes, base.cloned()).map_err(|source| BtfFileError::Btf {
        path: path.to_owned(),
        message: complaint::about(bytes, base.map(Arc::as_ref)),
        source,
    })
}

/// What the sections of interest contain.
#[derive(Default)]
struct Sections {
    own: Option<Vec<u8>>,
    base: Option<Vec<u8>>,
}

impl Sections {
    /// Of several sections of a name the last one counts, and none may lack contents.
    fn find(elf: &ElfFile) -> Result<Sections, BtfFileError> {
        let mut found = Sections::default();
        if elf.sections().is_empty() {
            let path = elf.path().to_owned();
            let source = ElfError::Header { path: path.clone(), what: "there are no sections".to_string() };
            return Err(BtfFileError::Elf { path, source: Box::new(source) });
        }
        for (number, section) in elf.sections().iter().enumerate().skip(1) {
            let name = [SECTION, BASE_SECTION, EXT_SECTION].into_iter().find(|name| *section.name == *name.as_bytes());
            let Some(name) = name else { continue };
            let path = || elf.path().to_owned();
            if section.sh_type != SHT_PROGBITS.0 {
                return Err(BtfFileError::SectionType { path: path(), number, name, found: section.sh_type });
            }
            let bytes = elf.read_raw(number).map_err(|source| BtfFileError::Section {
                path: path(),
                number,
                name,
                source: Box::new(source),
            })?;
            match name {
                SECTION => found.own = Some(bytes),
                BASE_SECTION => found.base = Some(bytes),
                // Looked at only because libbpf objects to it.
                _ => {}
            }
        }
        Ok(found)
    }
}
