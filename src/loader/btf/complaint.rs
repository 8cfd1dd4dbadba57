//! libbpf's words about damaged BTF.
//!
//! [`Btf::parse`] says what is wrong; libbpf shows other details of it. They are looked up here, after the fact, by making libbpf's
//! checks again in its order up to the one that fails.

use crate::btf::{Btf, BtfError, Endian, Kind, MAX_ID, StrOff, TypeId, record_len};

const MAGIC: u16 = 0xeb9f;
const HEADER_LEN: u32 = 24;
/// Of the part that all records share.
const RECORD_HEAD: usize = 12;

/// What libbpf says about BTF that [`Btf::parse`] rejects; `None` when it finds nothing wrong.
pub(super) fn about(bytes: &[u8], base: Option<&Btf>) -> Option<String> {
    Check { bytes, base, order: Endian::HOST }.header().err()
}

/// What libbpf says about a base that does not fit.
pub(super) fn about_relocation(distilled: &Btf, error: BtfError) -> Option<String> {
    let name = |id| String::from_utf8_lossy(distilled.name(TypeId(id))).into_owned();
    Some(match error {
        BtfError::NotInBase { id } => format!("distilled base BTF type '{}' [{id}] is not mapped to base BTF id", name(id)),
        BtfError::UnexpectedBaseKind { id } => {
            let record = distilled.get(TypeId(id))?;
            let kind = record.kind() as u8;
            if record.name() == StrOff::EMPTY && !matches!(record.kind(), Kind::Ptr | Kind::Array | Kind::Const) {
                format!("type [{id}], kind [{kind}] is invalid for distilled base BTF; it is anonymous")
            } else {
                format!("type [{id}] in distilled based BTF has unexpected kind [{kind}]")
            }
        }
        other => other.to_string(),
    })
}

struct Check<'a> {
    bytes: &'a [u8],
    base: Option<&'a Btf>,
    order: Endian,
}

/// Where the sections are, in bytes from the start of the data.
struct Layout {
    types: (usize, usize),
    strings: (usize, usize),
}

impl Check<'_> {
    fn word(&self, at: usize) -> Option<u32> {
        let raw = self.bytes.get(at..)?.first_chunk().copied()?;
        Some(match self.order {
            Endian::Little => u32::from_le_bytes(raw),
            Endian::Big => u32::from_be_bytes(raw),
        })
    }

    fn header(&mut self) -> Result<(), String> {
        if self.bytes.len() < HEADER_LEN as usize {
            return Err("BTF header not found".to_string());
        }
        let magic = u16::from_ne_bytes([self.bytes[0], self.bytes[1]]);
        if magic == MAGIC.swap_bytes() {
            self.order = if Endian::HOST == Endian::Little { Endian::Big } else { Endian::Little };
        } else if magic != MAGIC {
            return Err(format!("Invalid BTF magic: {magic:x}"));
        }
        let field = |index: usize| self.word(4 + index * 4).unwrap_or(0);
        let (len, type_off, type_len, str_off, str_len) = (field(0), field(1), field(2), field(3), field(4));
        if self.order != Endian::HOST && len != HEADER_LEN {
            return Err(format!("Can't load BTF with non-native endianness due to unsupported header length {len}"));
        }
        let size = self.bytes.len();
        if size < len as usize {
            return Err(format!("BTF header len {len} larger than data size {size}"));
        }
        if ((size - len as usize) as u64) < u64::from(str_off) + u64::from(str_len) {
            return Err(format!("Invalid BTF total size: {size}"));
        }
        if u64::from(type_off) + u64::from(type_len) > u64::from(str_off) {
            return Err(format!(
                "Invalid BTF data sections layout: type data at {type_off} + {type_len}, strings data at {str_off} + {str_len}"
            ));
        }
        if type_off % 4 != 0 {
            return Err("BTF type section is not aligned to 4 bytes".to_string());
        }
        // Both ends lie within the data, by the checks above.
        let section = |off: u32, size: u32| (len as usize + off as usize, len as usize + off as usize + size as usize);
        let layout = Layout { types: section(type_off, type_len), strings: section(str_off, str_len) };
        self.strings(&layout)?;
        self.types(&layout)
    }

    fn strings(&self, layout: &Layout) -> Result<(), String> {
        let section = &self.bytes[layout.strings.0..layout.strings.1];
        if self.base.is_some() && section.is_empty() {
            return Ok(());
        }
        if section.last() != Some(&0) || section.len() - 1 > MAX_ID as usize {
            return Err("Invalid BTF string section".to_string());
        }
        if self.base.is_none() && section[0] != 0 {
            return Err("Malformed BTF string section, did you forget to provide base BTF?".to_string());
        }
        Ok(())
    }

    fn types(&self, layout: &Layout) -> Result<(), String> {
        let (mut at, end) = layout.types;
        let start_id = self.base.map_or(1, Btf::type_count);
        let mut records = Vec::new();
        while at + RECORD_HEAD <= end {
            let info = self.word(at + 4).unwrap_or(0);
            let Some(words) = record_len(info) else { return Err(format!("Unsupported BTF_KIND:{}", info >> 24 & 0x1f)) };
            if words * 4 > end - at {
                return Err(format!("BTF type [{}] is malformed", start_id as usize + records.len()));
            }
            records.push((at, words));
            at += words * 4;
        }
        if at != end {
            return Err("BTF types data is malformed".to_string());
        }
        let rest = Contents { check: self, start_id, records: &records, string_bytes: layout.strings.1 - layout.strings.0 };
        (0..records.len()).try_for_each(|index| rest.record(index))
    }
}

/// What records may refer to.
struct Contents<'a> {
    check: &'a Check<'a>,
    start_id: u32,
    /// Place in bytes and length in words of each.
    records: &'a [(usize, usize)],
    string_bytes: usize,
}

impl Contents<'_> {
    fn name(&self, id: u32, what: &str, offset: u32) -> Result<(), String> {
        let exists = match self.check.base {
            Some(base) if base.try_str(StrOff(offset)).is_some() => true,
            Some(base) => (offset as usize).checked_sub(base.string_end() as usize).is_some_and(|own| own < self.string_bytes),
            None => (offset as usize) < self.string_bytes,
        };
        if exists { Ok(()) } else { Err(format!("btf: type [{id}]: invalid {what} (string offset {offset})")) }
    }

    fn id(&self, id: u32, referenced: u32) -> Result<(), String> {
        let count = self.start_id as usize + self.records.len();
        if (referenced as usize) < count {
            Ok(())
        } else {
            Err(format!("btf: type [{id}]: invalid referenced type ID {referenced}"))
        }
    }

    fn kind_of(&self, id: u32) -> Option<Kind> {
        match id.checked_sub(self.start_id) {
            Some(own) => Kind::of_info(self.check.word(self.records.get(own as usize)?.0 + 4)?),
            None => self.check.base?.kind(TypeId(id)),
        }
    }

    fn record(&self, index: usize) -> Result<(), String> {
        let (at, words) = self.records[index];
        let id = self.start_id + index as u32;
        let word = |index: usize| self.check.word(at + index * 4).unwrap_or(0);
        let Some(kind) = Kind::of_info(word(1)) else { return Ok(()) };
        self.name(id, "type name", word(0))?;
        // What follows the head is a row of so many words an item, with a name or a type or both in each.
        let (stride, name, reference) = match kind {
            Kind::Struct | Kind::Union => (3, Some("field name"), Some(1)),
            Kind::FuncProto => (2, Some("param name"), Some(1)),
            Kind::Enum => (2, Some("enum name"), None),
            Kind::Enum64 => (3, Some("enum name"), None),
            Kind::Datasec => (3, None, Some(0)),
            Kind::Array => {
                self.id(id, word(3))?;
                return self.id(id, word(4));
            }
            Kind::Int | Kind::Fwd | Kind::Float => return Ok(()),
            Kind::Func => {
                self.id(id, word(2))?;
                return match self.kind_of(word(2)) {
                    Some(Kind::FuncProto) => Ok(()),
                    _ => Err(format!("btf: type [{id}]: referenced type [{}] is not FUNC_PROTO", word(2))),
                };
            }
            _ => return self.id(id, word(2)),
        };
        for item in (3..words).step_by(stride) {
            if let Some(what) = name {
                self.name(id, what, word(item))?;
            }
            if let Some(slot) = reference {
                self.id(id, word(item + slot))?;
            }
        }
        Ok(())
    }
}
