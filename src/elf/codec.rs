//! Headers and table entries of ELF, to and from bytes, for both classes and both byte orders.
//!
//! One value of [`Codec`] knows the two things that vary, so that nothing else has to be generic over them. The layouts are those
//! of the System V ABI, chapters 4 and 5; the numbers come from `object::elf`.

use object::elf;

/// Size of `e_ident`, which is the same in every file.
pub const IDENT_SIZE: usize = 16;

/// Class (width of addresses) and byte order of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Codec {
    pub is_64: bool,
    pub little: bool,
}

/// The ELF header, without `e_ident`.
#[derive(Clone, Debug)]
pub struct FileHeader {
    pub e_type: u16,
    pub machine: u16,
    pub phoff: u64,
    pub shoff: u64,
    pub flags: u32,
    pub phentsize: u16,
    pub phnum: u16,
    pub shentsize: u16,
    pub shnum: u16,
    pub shstrndx: u16,
}

/// One entry of the section header table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SectionHeader {
    pub name: u32,
    pub sh_type: u32,
    pub flags: u64,
    pub addr: u64,
    pub offset: u64,
    pub size: u64,
    pub link: u32,
    pub info: u32,
    pub align: u64,
    pub entsize: u64,
}

/// One entry of the program header table, as far as it is needed: where it lies in the file.
#[derive(Clone, Debug)]
pub struct ProgramHeader {
    pub offset: u64,
    pub filesz: u64,
}

/// One entry of a symbol table.
#[derive(Clone, Copy, Debug)]
pub struct SymbolEntry {
    pub name: u32,
    pub info: u8,
    pub other: u8,
    pub shndx: u16,
    pub value: u64,
    pub size: u64,
}

/// One relocation; `addend` is `None` in a SHT_REL section, where it is what the place holds already.
#[derive(Clone, Copy, Debug)]
pub struct RelocationEntry {
    pub offset: u64,
    pub symbol: u32,
    pub kind: u32,
    pub addend: Option<i64>,
}

/// The `N` bytes of `bytes` at `at`. All callers have checked that the entry they decode is complete; what is out of bounds
/// nevertheless reads as zero instead of panicking.
fn array<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    bytes.get(at..).and_then(|rest| rest.first_chunk::<N>()).copied().unwrap_or([0; N])
}

impl Codec {
    /// Reads class and byte order out of `e_ident`; `Err` says which byte is not among the known ones.
    pub fn from_ident(ident: &[u8; IDENT_SIZE]) -> Result<Codec, String> {
        let is_64 = match ident[4] {
            1 => false,
            2 => true,
            other => return Err(format!("class is {other}, expected 1 (32-bit) or 2 (64-bit)")),
        };
        let little = match ident[5] {
            1 => true,
            2 => false,
            other => return Err(format!("byte order is {other}, expected 1 (little) or 2 (big endian)")),
        };
        Ok(Codec { is_64, little })
    }

    pub fn u16(self, bytes: &[u8], at: usize) -> u16 {
        let raw = array(bytes, at);
        if self.little { u16::from_le_bytes(raw) } else { u16::from_be_bytes(raw) }
    }

    #[inline]
    pub fn u32(self, bytes: &[u8], at: usize) -> u32 {
        let raw = array(bytes, at);
        if self.little { u32::from_le_bytes(raw) } else { u32::from_be_bytes(raw) }
    }

    #[inline]
    pub fn u64(self, bytes: &[u8], at: usize) -> u64 {
        let raw = array(bytes, at);
        if self.little { u64::from_le_bytes(raw) } else { u64::from_be_bytes(raw) }
    }

    /// An unsigned integer of `bytes.len()` bytes: 1, 2, 3, 4 or 8.
    pub fn uint(self, bytes: &[u8]) -> u64 {
        let join = |value: u64, &byte: &u8| value << 8 | u64::from(byte);
        if self.little { bytes.iter().rev().fold(0, join) } else { bytes.iter().fold(0, join) }
    }

    /// Writes the low bytes of `value` over all of `bytes`.
    pub fn put_uint(self, bytes: &mut [u8], value: u64) {
        // Nearly all places have one of two sizes, and a module has some hundred thousand of them.
        if let Ok(place) = <&mut [u8; 4]>::try_from(&mut *bytes) {
            *place = if self.little { (value as u32).to_le_bytes() } else { (value as u32).to_be_bytes() };
            return;
        }
        if let Ok(place) = <&mut [u8; 8]>::try_from(&mut *bytes) {
            *place = if self.little { value.to_le_bytes() } else { value.to_be_bytes() };
            return;
        }
        let write = |(i, byte): (usize, &mut u8)| *byte = value.checked_shr(8 * i as u32).unwrap_or(0) as u8;
        if self.little {
            bytes.iter_mut().enumerate().for_each(write);
        } else {
            bytes.iter_mut().rev().enumerate().for_each(write);
        }
    }

    /// Size of an address or offset, in bytes.
    pub fn word_size(self) -> usize {
        if self.is_64 { 8 } else { 4 }
    }

    fn word(self, bytes: &[u8], at: usize) -> u64 {
        if self.is_64 { self.u64(bytes, at) } else { u64::from(self.u32(bytes, at)) }
    }

    /// Size of the ELF header, in bytes.
    pub fn file_header_size(self) -> usize {
        if self.is_64 { 64 } else { 52 }
    }

    pub fn section_header_size(self) -> usize {
        if self.is_64 { 64 } else { 40 }
    }

    pub fn program_header_size(self) -> usize {
        if self.is_64 { 56 } else { 32 }
    }

    pub fn symbol_size(self) -> usize {
        if self.is_64 { 24 } else { 16 }
    }

    pub fn relocation_size(self, with_addend: bool) -> usize {
        self.word_size() * if with_addend { 3 } else { 2 }
    }

    pub fn file_header(self, bytes: &[u8]) -> FileHeader {
        let w = self.word_size();
        let tail = 24 + 3 * w;
        FileHeader {
            e_type: self.u16(bytes, 16),
            machine: self.u16(bytes, 18),
            phoff: self.word(bytes, 24 + w),
            shoff: self.word(bytes, 24 + 2 * w),
            flags: self.u32(bytes, tail),
            phentsize: self.u16(bytes, tail + 6),
            phnum: self.u16(bytes, tail + 8),
            shentsize: self.u16(bytes, tail + 10),
            shnum: self.u16(bytes, tail + 12),
            shstrndx: self.u16(bytes, tail + 14),
        }
    }

    pub fn section_header(self, bytes: &[u8]) -> SectionHeader {
        let w = self.word_size();
        SectionHeader {
            name: self.u32(bytes, 0),
            sh_type: self.u32(bytes, 4),
            flags: self.word(bytes, 8),
            addr: self.word(bytes, 8 + w),
            offset: self.word(bytes, 8 + 2 * w),
            size: self.word(bytes, 8 + 3 * w),
            link: self.u32(bytes, 8 + 4 * w),
            info: self.u32(bytes, 12 + 4 * w),
            align: self.word(bytes, 16 + 4 * w),
            entsize: self.word(bytes, 16 + 5 * w),
        }
    }

    /// The entry of the section header table that [`Codec::section_header`] reads. 32-bit files keep the low half of each word.
    pub fn section_header_bytes(self, section: &SectionHeader) -> Vec<u8> {
        let w = self.word_size();
        let mut bytes = vec![0; self.section_header_size()];
        let fields = [
            (4, u64::from(section.name)),
            (4, u64::from(section.sh_type)),
            (w, section.flags),
            (w, section.addr),
            (w, section.offset),
            (w, section.size),
            (4, u64::from(section.link)),
            (4, u64::from(section.info)),
            (w, section.align),
            (w, section.entsize),
        ];
        let mut rest = bytes.as_mut_slice();
        for (size, value) in fields {
            let (field, after) = rest.split_at_mut(size);
            self.put_uint(field, value);
            rest = after;
        }
        bytes
    }

    /// Makes the ELF header in `bytes` point to another section header table.
    pub fn set_section_table(self, bytes: &mut [u8], shoff: u64, shnum: u16, shstrndx: u16) {
        let w = self.word_size();
        let tail = 24 + 3 * w;
        self.put_uint(&mut bytes[24 + 2 * w..24 + 3 * w], shoff);
        self.put_uint(&mut bytes[tail + 12..tail + 14], u64::from(shnum));
        self.put_uint(&mut bytes[tail + 14..tail + 16], u64::from(shstrndx));
    }

    pub fn program_header(self, bytes: &[u8]) -> ProgramHeader {
        if self.is_64 {
            ProgramHeader { offset: self.u64(bytes, 8), filesz: self.u64(bytes, 32) }
        } else {
            ProgramHeader { offset: u64::from(self.u32(bytes, 4)), filesz: u64::from(self.u32(bytes, 16)) }
        }
    }

    pub fn symbol(self, bytes: &[u8]) -> SymbolEntry {
        if self.is_64 {
            SymbolEntry {
                name: self.u32(bytes, 0),
                info: bytes.get(4).copied().unwrap_or(0),
                other: bytes.get(5).copied().unwrap_or(0),
                shndx: self.u16(bytes, 6),
                value: self.u64(bytes, 8),
                size: self.u64(bytes, 16),
            }
        } else {
            SymbolEntry {
                name: self.u32(bytes, 0),
                info: bytes.get(12).copied().unwrap_or(0),
                other: bytes.get(13).copied().unwrap_or(0),
                shndx: self.u16(bytes, 14),
                value: u64::from(self.u32(bytes, 4)),
                size: u64::from(self.u32(bytes, 8)),
            }
        }
    }

    /// `machine` matters: 64-bit MIPS stores the parts of `r_info` as single fields in file order, and SPARC V9 keeps data for
    /// one relocation type in the upper 24 bits of the type.
    #[inline]
    pub fn relocation(self, bytes: &[u8], with_addend: bool, machine: u16) -> RelocationEntry {
        let w = self.word_size();
        let (symbol, kind) = if !self.is_64 {
            let info = self.u32(bytes, 4);
            (info >> 8, info & 0xff)
        } else if machine == elf::EM_MIPS.0 {
            let [_special, third, second, first] = array(bytes, 12);
            (self.u32(bytes, 8), u32::from(third) << 16 | u32::from(second) << 8 | u32::from(first))
        } else {
            let info = self.u64(bytes, 8);
            let kind = info as u32;
            ((info >> 32) as u32, if machine == elf::EM_SPARCV9.0 { kind & 0xff } else { kind })
        };
        let addend = with_addend
            .then(|| if self.is_64 { self.u64(bytes, 2 * w) as i64 } else { i64::from(self.u32(bytes, 2 * w) as i32) });
        RelocationEntry { offset: self.word(bytes, 0), symbol, kind, addend }
    }
}
