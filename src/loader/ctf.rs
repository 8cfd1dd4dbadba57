//! Solaris CTF, version 2: the section `.SUNW_ctf` and the symbols that its functions and objects belong to.
//!
//! After the header come object types and function types, one for each symbol of that sort in table order, then type records and
//! strings. Type ids count records from 1 on, or from 0x8001 in a file whose parent has the others. Numbers are in the machine's byte
//! order.

use std::fmt;
use std::path::Path;

use crate::elf::compressed::Format;
use crate::elf::{ElfError, ElfFile, Symbol};

const SECTION: &[u8] = b".SUNW_ctf";
const MAGIC: u16 = 0xcff1;
const VERSION: u8 = 2;
const FLAG_COMPRESSED: u8 = 1;
/// Fields of the header, in bytes from its start.
const PARENT_LABEL: usize = 4;
const PARENT_NAME: usize = 8;
const OBJECTS: usize = 16;
const FUNCTIONS: usize = 20;
const TYPES: usize = 24;
const STRINGS: usize = 28;
const STRINGS_LEN: usize = 32;
/// The header is never compressed; offsets count from its end.
pub const HEADER_LEN: usize = 36;
/// What a section may grow to when it is decompressed, in bytes.
const MAX_LEN: u32 = 1 << 30;
/// The first id of a file without parent, and how much higher they are in one that has a parent.
const FIRST_ID: u32 = 1;
const CHILD_IDS: u32 = 0x8000;
/// Strings with this bit set are in another table.
const EXTERNAL_STRING: u32 = 1 << 31;
/// Stands for a size that follows in two words.
const LONG_SIZE: u16 = 0xffff;
/// Structs of fewer bytes have short member records.
const SHORT_MEMBER_LIMIT: u64 = 8192;

/// Why CTF cannot be read.
#[derive(Debug)]
#[non_exhaustive]
pub enum CtfError {
    Elf(ElfError),
    /// No `.SUNW_ctf` section.
    NoCtf,
    /// No symbol table: functions and objects have no names then.
    NoSymbols,
    /// Not CTF, of no known byte order, too short, or not to be decompressed.
    Header(&'static str),
    /// A version other than 2.
    Version(u8),
    /// A record reaches beyond the data; its offset in bytes.
    Short(usize),
    /// A type record of a kind that does not exist.
    Kind(u8),
    /// A function's record does not begin as one; the kind that is there.
    NoFunction(u8),
}

impl fmt::Display for CtfError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CtfError::Elf(e) => e.fmt(f),
            CtfError::NoCtf => f.write_str("no .SUNW_ctf section"),
            CtfError::NoSymbols => f.write_str("CTF without a symbol table"),
            CtfError::Header(what) => write!(f, "CTF header: {what}"),
            CtfError::Version(found) => write!(f, "CTF version {found}, expected 2"),
            CtfError::Short(at) => write!(f, "CTF ends within the record at {at:#x}"),
            CtfError::Kind(kind) => write!(f, "CTF type of unknown kind {kind}"),
            CtfError::NoFunction(kind) => write!(f, "CTF type of kind {kind} for a function"),
        }
    }
}

impl std::error::Error for CtfError {}

impl From<ElfError> for CtfError {
    fn from(e: ElfError) -> Self {
        CtfError::Elf(e)
    }
}

/// `CTF_TYPE_KIND_*`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Unknown,
    Integer,
    Float,
    Pointer,
    Array,
    Function,
    Struct,
    Union,
    Enum,
    Forward,
    Typedef,
    Volatile,
    Const,
    Restrict,
}

impl Kind {
    fn of_info(info: u16) -> Result<Kind, CtfError> {
        const ALL: [Kind; 14] = [
            Kind::Unknown,
            Kind::Integer,
            Kind::Float,
            Kind::Pointer,
            Kind::Array,
            Kind::Function,
            Kind::Struct,
            Kind::Union,
            Kind::Enum,
            Kind::Forward,
            Kind::Typedef,
            Kind::Volatile,
            Kind::Const,
            Kind::Restrict,
        ];
        let kind = info >> 11;
        ALL.get(usize::from(kind)).copied().ok_or(CtfError::Kind(kind as u8))
    }
}

/// A type record; what follows its head depends on the kind.
#[derive(Clone, Copy, Debug)]
pub struct Record {
    pub id: u32,
    pub kind: Kind,
    /// Seen from outside of its scope.
    pub is_root: bool,
    /// Number of members, enumerators or parameters.
    pub parts: usize,
    /// For [`Content::string_tail`].
    pub name: u32,
    /// In bytes, for kinds that have a size; else the same as `reference`.
    pub size: u64,
    /// The type that the kinds which refer to one refer to; a function's result.
    pub reference: u16,
    /// From the start of the type section, in bytes.
    pub offset: usize,
    /// Where what follows is, for [`Content::half`] and [`Content::word`].
    pub body: usize,
}

/// A member of a struct or union.
pub struct Member {
    pub name: u32,
    pub type_id: u16,
    pub bit_offset: u32,
}

impl Record {
    fn body_len(&self) -> usize {
        match self.kind {
            Kind::Integer | Kind::Float => 4,
            Kind::Array => 8,
            Kind::Function => (self.parts * 2).next_multiple_of(4),
            Kind::Struct | Kind::Union => self.parts * self.member_len(),
            Kind::Enum => self.parts * 8,
            _ => 0,
        }
    }

    fn member_len(&self) -> usize {
        if self.size >= SHORT_MEMBER_LIMIT { 16 } else { 8 }
    }
}

/// The section's bytes, decompressed, with the header.
pub struct Content {
    bytes: Vec<u8>,
    swapped: bool,
    /// Strings that start behind the last NUL do not end.
    last_nul: Option<usize>,
}

impl Content {
    /// Reads a section's contents.
    pub fn read(section: &[u8]) -> Result<Content, CtfError> {
        let header = section.first_chunk::<HEADER_LEN>().ok_or(CtfError::Header("shorter than 36 bytes"))?;
        if header[2] != VERSION {
            return Err(CtfError::Version(header[2]));
        }
        let swapped = match u16::from_ne_bytes([header[0], header[1]]) {
            MAGIC => false,
            magic if magic == MAGIC.swap_bytes() => true,
            _ => return Err(CtfError::Header("magic is not 0xcff1")),
        };
        let mut content = Content { bytes: header.to_vec(), swapped, last_nul: None };
        let packed = &section[HEADER_LEN..];
        if header[3] & FLAG_COMPRESSED == 0 {
            content.bytes.extend_from_slice(packed);
            return Ok(content.complete());
        }
        let len = content.word(STRINGS)?.checked_add(content.word(STRINGS_LEN)?).filter(|&len| len <= MAX_LEN);
        let size = len.ok_or(CtfError::Header("claims more than 1 GiB"))?.into();
        let unpacked = Format::Zlib.decompress(packed, size).map_err(|_| CtfError::Header("damaged compressed data"))?;
        content.bytes.extend_from_slice(&unpacked);
        Ok(content.complete())
    }

    fn complete(mut self) -> Content {
        self.last_nul = memchr::memrchr(0, &self.bytes);
        self
    }

    /// The header and what follows it.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Whether numbers are in the other byte order than this machine's.
    pub fn swapped(&self) -> bool {
        self.swapped
    }

    /// The number of 16 bits at a place.
    pub fn half(&self, at: usize) -> Result<u16, CtfError> {
        let raw = self.bytes.get(at..).and_then(|rest| rest.first_chunk()).ok_or(CtfError::Short(at))?;
        let value = u16::from_ne_bytes(*raw);
        Ok(if self.swapped { value.swap_bytes() } else { value })
    }

    /// The number of 32 bits at a place.
    pub fn word(&self, at: usize) -> Result<u32, CtfError> {
        let raw = self.bytes.get(at..).and_then(|rest| rest.first_chunk()).ok_or(CtfError::Short(at))?;
        let value = u32::from_ne_bytes(*raw);
        Ok(if self.swapped { value.swap_bytes() } else { value })
    }

    /// A string with its NUL and whatever follows: `None` for the empty one, a text that says what is wrong with a bad one. The bytes
    /// stay where they are for as long as this does.
    pub fn string_tail(&self, reference: u32) -> Option<&[u8]> {
        if reference & EXTERNAL_STRING != 0 {
            return Some(b"(external ref)\0");
        }
        let (Ok(start), Ok(len)) = (self.word(STRINGS), self.word(STRINGS_LEN)) else { return None };
        if reference >= len {
            return Some(b"(ref out-of-bounds)\0");
        }
        let at = HEADER_LEN + start as usize + reference as usize;
        match self.bytes.get(at..) {
            Some(tail) if self.last_nul.is_some_and(|last| at <= last) => Some(tail).filter(|tail| tail[0] != 0),
            _ => Some(b"(string table truncated)\0"),
        }
    }

    fn section(&self, field: usize) -> Result<usize, CtfError> {
        Ok(HEADER_LEN + self.word(field)? as usize)
    }

    /// The type records in the order of their ids.
    pub fn types(&self) -> Result<Vec<Record>, CtfError> {
        let start = self.section(TYPES)?;
        let end = self.section(STRINGS)?;
        let has_parent = self.word(PARENT_LABEL)? != 0 || self.word(PARENT_NAME)? != 0;
        let mut id = FIRST_ID + if has_parent { CHILD_IDS } else { 0 };
        let mut at = start;
        let mut records = Vec::new();
        while at < end {
            let info = self.half(at + 4)?;
            let reference = self.half(at + 6)?;
            let (size, head) = match reference {
                LONG_SIZE => (u64::from(self.word(at + 8)?) << 32 | u64::from(self.word(at + 12)?), 16),
                short => (u64::from(short), 8),
            };
            let record = Record {
                id,
                kind: Kind::of_info(info)?,
                is_root: info & 0x400 != 0,
                parts: usize::from(info & 0x3ff),
                name: self.word(at)?,
                size,
                reference,
                offset: at - start,
                body: at + head,
            };
            at = record.body + record.body_len();
            if at > self.bytes.len() {
                return Err(CtfError::Short(record.body));
            }
            records.push(record);
            id += 1;
        }
        Ok(records)
    }

    /// The member of a struct or union at an index below `parts`.
    pub fn member(&self, record: &Record, index: usize) -> Result<Member, CtfError> {
        let at = record.body + index * record.member_len();
        let bit_offset = if record.size >= SHORT_MEMBER_LIMIT {
            // As it is read in C: of a struct of more than half a gigabyte it makes no sense.
            (self.word(at + 8)? << 16) | self.word(at + 12)?
        } else {
            u32::from(self.half(at + 6)?)
        };
        Ok(Member { name: self.word(at)?, type_id: self.half(at + 4)?, bit_offset })
    }

    /// `count` half-words from `at` on: the types of parameters; 0 stands for `...`.
    pub fn halves(&self, at: usize, count: usize) -> Result<Vec<u16>, CtfError> {
        (0..count).map(|index| self.half(at + index * 2)).collect()
    }
}

/// A symbol with a type.
pub struct Typed {
    /// Without the terminating NUL.
    pub name: Vec<u8>,
    pub value: u64,
    /// In bytes.
    pub size: u64,
    pub is_global: bool,
    /// A variable's type, a function's result.
    pub type_id: u16,
    /// Of a function; see [`Content::halves`].
    pub parameters: Vec<u16>,
}

impl Typed {
    fn new(symbol: &Symbol<'_>, type_id: u16, parameters: Vec<u16>) -> Typed {
        let is_global = symbol.bind == object::elf::STB_GLOBAL.0;
        Typed { name: symbol.name.to_vec(), value: symbol.value, size: symbol.size, is_global, type_id, parameters }
    }
}

/// The CTF of a file.
pub struct CtfFile {
    pub content: Content,
    /// Of an address, in bytes.
    pub word_size: u8,
    pub little_endian: bool,
    elf: ElfFile,
}

impl CtfFile {
    pub fn read(path: &Path) -> Result<CtfFile, CtfError> {
        let elf = ElfFile::open(path)?;
        let section = elf.section_index(SECTION).ok_or(CtfError::NoCtf)?;
        let content = Content::read(&elf.read_raw(section)?)?;
        Ok(CtfFile { content, word_size: elf.addr_size(), little_endian: elf.little_endian(), elf })
    }

    /// The functions and then the objects that have types.
    pub fn symbols(&self) -> Result<(Vec<Typed>, Vec<Typed>), CtfError> {
        let symbols = self.elf.symbols()?.ok_or(CtfError::NoSymbols)?;
        let visible = |symbol: &Symbol<'_>, kind: u8| {
            symbol.st_type == kind
                && !symbol.name.is_empty()
                && symbol.shndx != 0
                && symbol.visibility == 0
                && symbol.size as u32 != 0
        };
        let content = &self.content;
        let mut functions = Vec::new();
        let mut at = content.section(FUNCTIONS)?;
        for symbol in &symbols {
            if !visible(&symbol, object::elf::STT_FUNC.0) || symbol.name.starts_with(b"__libc_csu_") {
                continue;
            }
            let info = content.half(at)?;
            let parts = usize::from(info & 0x3ff);
            match Kind::of_info(info) {
                Ok(Kind::Function) => {}
                _ => return Err(CtfError::NoFunction((info >> 11) as u8)),
            }
            let parameters = content.halves(at + 4, parts)?;
            functions.push(Typed::new(&symbol, content.half(at + 2)?, parameters));
            at += 4 + parts.next_multiple_of(2) * 2;
        }
        let mut objects = Vec::new();
        let mut at = content.section(OBJECTS)?;
        for symbol in &symbols {
            if !visible(&symbol, object::elf::STT_OBJECT.0) || symbol.name.contains(&b'.') {
                continue;
            }
            let type_id = content.half(at)?;
            // Objects that nothing was known of are void.
            if type_id != 0 {
                objects.push(Typed::new(&symbol, type_id, Vec::new()));
            }
            at += 2;
        }
        Ok((functions, objects))
    }
}
