//! Reading raw BTF of either byte order, with the checks that libbpf makes: everything later code relies on holds afterwards,
//! namely whole records of known kinds, ids and string offsets that exist, functions that refer to prototypes.
//!
//! One more check than libbpf's: a header must be at least as long as its fields.

use super::record::{HEAD, INFO, Kind, NAME, SIZE_OR_TYPE, record_len};
use super::strings::StringSet;
use super::write::{HEADER_LEN, MAGIC};
use super::{Btf, BtfError, Endian, MAX_ID, TypeId};
use std::sync::Arc;

struct Header {
    endian: Endian,
    len: usize,
    type_off: usize,
    type_len: usize,
    str_off: usize,
    str_len: usize,
}

impl Btf {
    /// Reads the content of a `.BTF` section; `base` is what it was split from, if it is a split BTF.
    pub fn parse(bytes: &[u8], base: Option<Arc<Btf>>) -> Result<Btf, BtfError> {
        let header = Header::parse(bytes)?;
        let mut btf = Btf::blank(base, header.endian);
        btf.version = bytes[2];
        btf.flags = bytes[3];
        btf.header_tail = bytes[HEADER_LEN..header.len].to_vec();
        let body = &bytes[header.len..];
        btf.take_strings(&body[header.str_off..header.str_off + header.str_len])?;
        btf.take_types(&body[header.type_off..header.type_off + header.type_len])?;
        btf.check_references()?;
        Ok(btf)
    }

    fn take_strings(&mut self, section: &[u8]) -> Result<(), BtfError> {
        if self.base.is_some() && section.is_empty() {
            return Ok(());
        }
        if section.last() != Some(&0) || section.len() - 1 > MAX_ID as usize {
            return Err(BtfError::Header("string section does not end in NUL"));
        }
        if self.base.is_none() && section[0] != 0 {
            return Err(BtfError::Header("string section does not begin with the empty string, as only that of split BTF may"));
        }
        if self.start_str.checked_add(section.len() as u32).is_none() {
            return Err(BtfError::Header("string sections of base and split BTF exceed 4 GiB"));
        }
        self.strs = StringSet::from_section(section.to_vec());
        self.strs_unique = self.base.is_none() && section.len() == 1;
        Ok(())
    }

    fn take_types(&mut self, section: &[u8]) -> Result<(), BtfError> {
        let chunks = section.chunks_exact(4);
        let rest = chunks.remainder();
        // One loop for each order, so that the one for the machine's own is a copy.
        self.words = match self.endian {
            Endian::Little => chunks.map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect(),
            Endian::Big => chunks.map(|b| u32::from_be_bytes([b[0], b[1], b[2], b[3]])).collect(),
        };
        let mut start = 0;
        while start + HEAD <= self.words.len() {
            let id = self.type_count();
            if id > MAX_ID {
                return Err(BtfError::TooManyTypes);
            }
            let len = record_len(self.words[start + INFO]).ok_or(BtfError::Record { id, what: "unknown kind" })?;
            if len > self.words.len() - start {
                return Err(BtfError::Record { id, what: "reaches beyond the type section" });
            }
            self.starts.push(start as u32);
            start += len;
        }
        if start != self.words.len() || !rest.is_empty() {
            return Err(BtfError::Record { id: self.type_count(), what: "type section ends in the middle of a record" });
        }
        Ok(())
    }

    fn check_references(&self) -> Result<(), BtfError> {
        let str_end = self.start_str + self.strs.len();
        let type_count = self.type_count();
        let ends = self.starts.iter().skip(1).copied().chain([self.words.len() as u32]);
        for (index, (&start, end)) in self.starts.iter().zip(ends).enumerate() {
            let id = self.start_id + index as u32;
            let words = &self.words[start as usize..end as usize];
            let Some(kind) = Kind::of_info(words[INFO]) else { continue };
            let row = Row::of(kind);
            let rows = words[HEAD..].chunks_exact(row.len);
            let outside = |row: &[u32], slot: Option<usize>, end: u32| slot.is_some_and(|slot| row[slot] >= end);
            if words[NAME] >= str_end || rows.clone().any(|words| outside(words, row.name, str_end)) {
                return Err(BtfError::Record { id, what: "name outside the string section" });
            }
            // An array has its ids in no row: element and index.
            let array = if kind == Kind::Array { &words[HEAD..HEAD + 2] } else { &[] };
            let head = if row.head_id { &words[SIZE_OR_TYPE..HEAD] } else { &[] };
            let missing = head.iter().chain(array).any(|&id| id >= type_count);
            if missing || rows.clone().any(|words| outside(words, row.id, type_count)) {
                return Err(BtfError::Record { id, what: "refers to a type that does not exist" });
            }
            if kind == Kind::Func && self.kind(TypeId(words[SIZE_OR_TYPE])) != Some(Kind::FuncProto) {
                return Err(BtfError::Record { id, what: "function without a prototype" });
            }
        }
        Ok(())
    }
}

/// What is to be checked in a record: its head's type word, and the name and the id in each row of words behind the head.
struct Row {
    head_id: bool,
    len: usize,
    name: Option<usize>,
    id: Option<usize>,
}

impl Row {
    #[inline]
    fn of(kind: Kind) -> Row {
        let row = |len, name, id| Row { head_id: false, len, name, id };
        match kind {
            Kind::Struct | Kind::Union => row(3, Some(0), Some(1)),
            // libbpf looks neither at the result of a prototype nor at the type word of a forward declaration.
            Kind::FuncProto => row(2, Some(0), Some(1)),
            Kind::Enum => row(2, Some(0), None),
            Kind::Enum64 => row(3, Some(0), None),
            Kind::Datasec => row(3, None, Some(0)),
            Kind::Array | Kind::Int | Kind::Fwd | Kind::Float => row(1, None, None),
            _ => Row { head_id: true, ..row(1, None, None) },
        }
    }
}

impl Header {
    fn parse(bytes: &[u8]) -> Result<Header, BtfError> {
        let fixed = bytes.first_chunk::<HEADER_LEN>().ok_or(BtfError::Header("data is shorter than 24 bytes"))?;
        if u32::try_from(bytes.len()).is_err() {
            return Err(BtfError::Header("data is longer than 4 GiB"));
        }
        let magic = [fixed[0], fixed[1]];
        let endian = if magic == MAGIC.to_le_bytes() {
            Endian::Little
        } else if magic == MAGIC.to_be_bytes() {
            Endian::Big
        } else {
            return Err(BtfError::Header("magic is not 0xeb9f"));
        };
        let field = |index: usize| {
            let at = 4 + index * 4;
            let raw = [fixed[at], fixed[at + 1], fixed[at + 2], fixed[at + 3]];
            match endian {
                Endian::Little => u32::from_le_bytes(raw),
                Endian::Big => u32::from_be_bytes(raw),
            }
        };
        let len = field(0) as usize;
        if endian != Endian::HOST && len != HEADER_LEN {
            return Err(BtfError::ForeignHeaderLen(field(0)));
        }
        if len < HEADER_LEN || len > bytes.len() {
            return Err(BtfError::Header("header length is below 24 bytes or beyond the data"));
        }
        let header = Header {
            endian,
            len,
            type_off: field(1) as usize,
            type_len: field(2) as usize,
            str_off: field(3) as usize,
            str_len: field(4) as usize,
        };
        let left = (bytes.len() - len) as u64;
        let (type_end, str_end) = (u64::from(field(1)) + u64::from(field(2)), u64::from(field(3)) + u64::from(field(4)));
        if str_end > left {
            return Err(BtfError::Header("string section reaches beyond the data"));
        }
        if type_end > u64::from(field(3)) {
            return Err(BtfError::Header("type section reaches beyond the start of the string section"));
        }
        if header.type_off % 4 != 0 {
            return Err(BtfError::Header("type section is not aligned to 4 bytes"));
        }
        Ok(header)
    }
}
