//! Reading raw BTF of either byte order, with the checks that libbpf makes: everything later code relies on holds afterwards,
//! namely whole records of known kinds, ids and string offsets that exist, functions that refer to prototypes.
//!
//! One more check than libbpf's: a header must be at least as long as its fields. What a layout section says is kept; as kinds that are not
//! known here are refused, nothing is looked up in it.

use super::chains::Index;
use super::dedup::base::{Facts, Prepared};
use super::reach::Reach;
use super::record::{HEAD, INFO, Kind, KindLayout, NAME, SIZE_OR_TYPE, reaches, record_len};
use super::strings::StringSet;
use super::write::{HEADER_LEN, LONG_HEADER_LEN, MAGIC};
use super::{Btf, BtfError, Endian, MAX_ID, TypeId};
use std::borrow::Cow;
use std::io::{self, Read};
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
        let mut reader = bytes;
        Btf::read(&mut reader, bytes.len(), base).unwrap_or(Err(BtfError::Header("sections reach beyond the data")))
    }

    /// Bytes of strings in the content of a `.BTF` section, by its header; `None` when that does not fit the content.
    pub fn string_bytes_of(bytes: &[u8]) -> Option<u32> {
        let start = bytes.get(..HEADER_LEN)?;
        Header::parse(start, bytes.len()).ok().and_then(|header| u32::try_from(header.str_len).ok())
    }

    /// As [`parse`](Btf::parse), from a stream of `size` bytes. Nothing is held in memory but what the result keeps.
    pub fn read(reader: &mut impl Read, size: usize, base: Option<Arc<Btf>>) -> io::Result<Result<Btf, BtfError>> {
        let mut start = Vec::with_capacity(HEADER_LEN);
        reader.take(HEADER_LEN as u64).read_to_end(&mut start)?;
        let header = match Header::parse(&start, size) {
            Ok(header) => header,
            Err(error) => return Ok(Err(error)),
        };
        let mut btf = Btf::blank(base, header.endian);
        btf.version = start[2];
        btf.flags = start[3];
        let mut rest = vec![0; header.len - HEADER_LEN];
        reader.read_exact(&mut rest)?;
        let (layout_off, layout_len) = match btf.take_rest_of_header(&rest, &header) {
            Ok(place) => place,
            Err(error) => return Ok(Err(error)),
        };
        skip(reader, header.type_off)?;
        btf.words = read_words(reader, header.type_len / 4, header.endian)?.into();
        let mut at = header.type_off + header.type_len / 4 * 4;
        if layout_len != 0 {
            let mut layout = vec![0; layout_len];
            // An odd end of the type section is an error below.
            skip(reader, layout_off - at)?;
            reader.read_exact(&mut layout)?;
            at = layout_off + layout_len;
            btf.take_layout(&layout);
        }
        skip(reader, header.str_off - at)?;
        let mut strings = vec![0; header.str_len];
        reader.read_exact(&mut strings)?;
        let whole_words = header.type_len % 4 == 0;
        Ok(btf.take_strings(strings.into()).and_then(|()| btf.with_types(whole_words)))
    }

    /// As [`parse`](Btf::parse), from bytes that stay where they are: nothing is copied where `words` can give the type section as words in host
    /// order, which depends on where it lies.
    pub fn parse_in_place(
        bytes: &'static [u8],
        words: impl FnOnce(&'static [u8]) -> Option<&'static [u32]>,
        base: Option<Arc<Btf>>,
    ) -> Result<Btf, BtfError> {
        match Btf::in_place(bytes, words, base.clone())? {
            Some((btf, whole_words)) => btf.with_types(whole_words),
            None => Btf::parse(bytes, base),
        }
    }

    /// As [`parse_in_place`](Btf::parse_in_place), for a base: what deduplicating types that are split from it will ask for is made in the same
    /// pass. Where the references in it are `checked` already, they are taken as they are; a wrong one leads nowhere.
    /// `index` is what whoever has the bytes knows of where types are.
    pub fn base_in_place(
        bytes: &'static [u8],
        words: impl FnOnce(&'static [u8]) -> Option<&'static [u32]>,
        base: Option<Arc<Btf>>,
        checked: bool,
        index: Option<&Index<'_>>,
    ) -> Result<Btf, BtfError> {
        let Some((mut btf, whole_words)) = Btf::in_place(bytes, words, base.clone())? else { return Btf::parse(bytes, base) };
        if checked {
            let starts = index.filter(|_| whole_words).and_then(|index| index.starts(&btf.words, btf.start_id));
            btf.starts = match starts {
                Some(starts) => starts,
                None => {
                    let mut starts = Vec::with_capacity(btf.words.len() / 5);
                    btf.for_each_record(whole_words, |start, _| starts.push(start))?;
                    starts
                }
            };
        } else {
            btf = btf.with_types(whole_words)?;
        }
        btf.prepared = Prepared::new(Facts::of(Some(&btf)));
        Ok(btf)
    }

    /// All but the types, and whether the type section is whole words; `None` where words cannot be had in place.
    fn in_place(
        bytes: &'static [u8],
        words: impl FnOnce(&'static [u8]) -> Option<&'static [u32]>,
        base: Option<Arc<Btf>>,
    ) -> Result<Option<(Btf, bool)>, BtfError> {
        let header = Header::parse(bytes.get(..HEADER_LEN.min(bytes.len())).unwrap_or(&[]), bytes.len())?;
        let part = |offset: usize, len: usize| bytes.get(header.len + offset..)?.get(..len);
        let types = part(header.type_off, header.type_len / 4 * 4).unwrap_or(&[]);
        let (Some(words), Some(strings), Endian::HOST) = (words(types), part(header.str_off, header.str_len), header.endian)
        else {
            return Ok(None);
        };
        let mut btf = Btf::blank(base, header.endian);
        btf.version = bytes[2];
        btf.flags = bytes[3];
        let (layout_off, layout_len) = btf.take_rest_of_header(&bytes[HEADER_LEN..header.len], &header)?;
        btf.take_layout(part(layout_off, layout_len).unwrap_or(&[]));
        btf.words = words.into();
        btf.take_strings(strings.into())?;
        Ok(Some((btf, header.type_len % 4 == 0)))
    }

    /// As [`read`](Btf::read), into a place that `room` makes for so many bytes, as long as it makes one; `words` is as for
    /// [`parse_in_place`](Btf::parse_in_place).
    pub fn read_in_place(
        reader: &mut impl Read,
        size: usize,
        room: impl FnOnce(usize) -> Option<&'static mut [u8]>,
        words: impl FnOnce(&'static [u8]) -> Option<&'static [u32]>,
        base: Option<Arc<Btf>>,
    ) -> io::Result<Result<Btf, BtfError>> {
        let mut start = Vec::with_capacity(HEADER_LEN);
        reader.take(HEADER_LEN as u64).read_to_end(&mut start)?;
        let header = match Header::parse(&start, size) {
            Ok(header) => header,
            Err(error) => return Ok(Err(error)),
        };
        let end = header.len + header.str_off + header.str_len;
        let Some(bytes) = Some(header.endian).filter(|&endian| endian == Endian::HOST).and_then(|_| room(end)) else {
            return Btf::read(&mut start.as_slice().chain(reader), size, base);
        };
        start.as_slice().chain(reader).read_exact(bytes)?;
        Ok(Btf::parse_in_place(bytes, words, base))
    }

    /// Takes what the header has behind its first fields. Returns the layout section's place behind the header, and its length.
    fn take_rest_of_header(&mut self, rest: &[u8], header: &Header) -> Result<(usize, usize), BtfError> {
        const FIELDS: usize = LONG_HEADER_LEN - HEADER_LEN;
        let Some((fields, tail)) = rest.split_first_chunk::<FIELDS>() else {
            self.header_tail = rest.to_vec();
            return Ok((0, 0));
        };
        (self.long_header, self.header_tail) = (true, tail.to_vec());
        let field = |at: usize| header.endian.word([fields[at], fields[at + 1], fields[at + 2], fields[at + 3]]) as usize;
        let (offset, len) = (field(0), field(4));
        if len == 0 {
            return Ok((0, 0));
        }
        if offset % 4 != 0 || len % KindLayout::LEN != 0 {
            return Err(BtfError::Header("layout section is not aligned to 4 bytes"));
        }
        let end = offset.checked_add(len).filter(|&end| end <= header.str_off);
        if end.is_none() || offset < header.type_off + header.type_len {
            return Err(BtfError::Header("layout section does not lie between types and strings"));
        }
        Ok((offset, len))
    }

    fn take_layout(&mut self, section: &[u8]) {
        let flags = |bytes: [u8; 2]| match self.endian {
            Endian::Little => u16::from_le_bytes(bytes),
            Endian::Big => u16::from_be_bytes(bytes),
        };
        self.layout = section
            .chunks_exact(KindLayout::LEN)
            .map(|kind| KindLayout { info_size: kind[0], element_size: kind[1], flags: flags([kind[2], kind[3]]) })
            .collect();
    }

    fn take_strings(&mut self, section: Cow<'static, [u8]>) -> Result<(), BtfError> {
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
        self.strs_unique = self.base.is_none() && section.len() == 1;
        self.strs = StringSet::from_section(section);
        Ok(())
    }

    /// Calls `note` with the start of each record and its words.
    #[inline(always)]
    fn for_each_record(&self, whole_words: bool, mut note: impl FnMut(u32, &[u32])) -> Result<(), BtfError> {
        let words = &*self.words;
        let (mut start, mut id) = (0, self.type_count());
        while let Some(&[_, info, _]) = words.get(start..).and_then(<[u32]>::first_chunk::<HEAD>) {
            if id > MAX_ID {
                return Err(BtfError::TooManyTypes);
            }
            let len = record_len(info).ok_or(BtfError::Record { id, what: "unknown kind" })?;
            let Some(record) = words.get(start..start + len) else {
                return Err(BtfError::Record { id, what: "reaches beyond the type section" });
            };
            note(start as u32, record);
            start += len;
            id += 1;
        }
        if start != words.len() || !whole_words {
            return Err(BtfError::Record { id, what: "type section ends in the middle of a record" });
        }
        Ok(())
    }

    /// Completes what is read but for where records start.
    fn with_types(mut self, whole_words: bool) -> Result<Btf, BtfError> {
        let mut starts: Vec<u32> = Vec::with_capacity(self.words.len() / 5);
        let mut reach = Reach::default();
        let mut unsure_of_functions = false;
        self.for_each_record(whole_words, |start, record| {
            let (info, size_or_type) = (record[INFO], record[SIZE_OR_TYPE]);
            reach = reach.or(Reach::of(info, size_or_type, &record[HEAD..])).or(Reach { name: record[NAME], id: 0 });
            if Kind::of_info(info) == Some(Kind::Func) {
                // Prototypes come before their functions where this library or libbpf wrote both.
                let before = size_or_type.checked_sub(self.start_id).and_then(|own| starts.get(own as usize));
                let is_proto = |&start: &u32| Kind::of_info(self.words[start as usize + INFO]) == Some(Kind::FuncProto);
                unsure_of_functions |= !before.is_some_and(is_proto);
            }
            starts.push(start);
        })?;
        self.starts = starts;
        // With the greatest in range, all are.
        let in_range = reach.name < self.string_end() && reach.id < self.type_count();
        if !in_range || unsure_of_functions && !self.functions_have_prototypes() {
            self.check_references()?;
        }
        Ok(self)
    }

    fn functions_have_prototypes(&self) -> bool {
        let info = |start: u32| self.words[start as usize + INFO];
        self.starts.iter().all(|&start| {
            Kind::of_info(info(start)) != Some(Kind::Func)
                || self.kind(TypeId(self.words[start as usize + SIZE_OR_TYPE])) == Some(Kind::FuncProto)
        })
    }

    /// Says which record refers to what does not exist.
    fn check_references(&self) -> Result<(), BtfError> {
        let str_end = self.start_str + self.strs.len();
        let type_count = self.type_count();
        for (id, words) in (self.start_id..).zip(self.own_records()) {
            let Some(kind) = Kind::of_info(words[INFO]) else { continue };
            let rows = &words[HEAD..];
            let bad_name = match kind {
                Kind::Struct | Kind::Union | Kind::Enum64 => reaches::<3>(rows, 0, str_end),
                Kind::Enum | Kind::FuncProto => reaches::<2>(rows, 0, str_end),
                _ => false,
            };
            if bad_name || words[NAME] >= str_end {
                return Err(BtfError::Record { id, what: "name outside the string section" });
            }
            let bad_id = match kind {
                Kind::Struct | Kind::Union => reaches::<3>(rows, 1, type_count),
                // libbpf looks neither at the result of a prototype nor at the type word of a forward declaration.
                Kind::FuncProto => reaches::<2>(rows, 1, type_count),
                Kind::Datasec => reaches::<3>(rows, 0, type_count),
                Kind::Array => reaches::<1>(&rows[..2], 0, type_count),
                Kind::Int | Kind::Fwd | Kind::Float | Kind::Enum | Kind::Enum64 => false,
                _ => words[SIZE_OR_TYPE] >= type_count,
            };
            if bad_id {
                return Err(BtfError::Record { id, what: "refers to a type that does not exist" });
            }
            if kind == Kind::Func && self.kind(TypeId(words[SIZE_OR_TYPE])) != Some(Kind::FuncProto) {
                return Err(BtfError::Record { id, what: "function without a prototype" });
            }
        }
        Ok(())
    }
}

fn skip(reader: &mut impl Read, bytes: usize) -> io::Result<()> {
    io::copy(&mut reader.take(bytes as u64), &mut io::sink()).map(|_| ())
}

/// How much of the type section is read at a time, in bytes: what stays in the cache until it has become words.
const PART: usize = 64 << 10;

fn read_words(reader: &mut impl Read, count: usize, endian: Endian) -> io::Result<Vec<u32>> {
    let mut words = Vec::with_capacity(count);
    let mut part = vec![0; PART.min(count * 4)];
    while words.len() < count {
        let bytes = &mut part[..PART.min((count - words.len()) * 4)];
        reader.read_exact(bytes)?;
        let chunks = bytes.chunks_exact(4);
        // One loop for each order, so that the one for the machine's own is a copy.
        match endian {
            Endian::Little => words.extend(chunks.map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]))),
            Endian::Big => words.extend(chunks.map(|b| u32::from_be_bytes([b[0], b[1], b[2], b[3]]))),
        }
    }
    Ok(words)
}

impl Header {
    /// `start` is the data's first 24 bytes, as far as it has so many, and `size` that of all of it.
    fn parse(start: &[u8], size: usize) -> Result<Header, BtfError> {
        let fixed = start.first_chunk::<HEADER_LEN>().ok_or(BtfError::Header("data is shorter than 24 bytes"))?;
        if u32::try_from(size).is_err() {
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
            endian.word([fixed[at], fixed[at + 1], fixed[at + 2], fixed[at + 3]])
        };
        let len = field(0) as usize;
        if endian != Endian::HOST && len != HEADER_LEN && len != LONG_HEADER_LEN {
            return Err(BtfError::ForeignHeaderLen(field(0)));
        }
        if len < HEADER_LEN || len > size {
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
        let left = (size - len) as u64;
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
