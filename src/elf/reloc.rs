//! Relocations of the sections of relocatable files.
//!
//! Debugging information of a `.o` or `.ko` is full of holes: offsets into other debugging sections and addresses, both of which
//! the linker would fill in. They are filled in here, with the addresses of `layout`, as elfutils' libdwfl does it. Two of its
//! leniencies are kept, since real files need them: a reference to an undefined symbol leaves the place as it is, and so does an
//! offset into thread-local storage, which has no address before linking. In all else this is stricter: libdwfl also skips
//! relocation types it does not know, which gives wrong data silently; here that is an error.
//!
//! A machine is one arm of [`operation`]: from a relocation type's number to what is done with the value. Everything else, REL or
//! RELA, class and byte order, is the same for all.

use super::{ElfError, ElfFile};
use object::elf;
use std::sync::Arc;

/// Bytes of relocation entries read at once.
const CHUNK: u64 = 96 << 10;

/// Machines that `object` has no names for.
const EM_LANAI: elf::Machine = elf::Machine(244);
const EM_VE: elf::Machine = elf::Machine(251);

/// Values of all symbols of a table, as relocations use them.
pub(super) struct SymbolValues {
    /// Number of the table's section.
    table: usize,
    values: Vec<SymbolValue>,
}

#[derive(Clone, Copy)]
enum SymbolValue {
    Known(u64),
    /// Left to the linker.
    Undefined,
    /// In a section that does not exist.
    Damaged,
}

/// What a relocation does to the bytes at its place; sizes in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operation {
    /// Nothing: no meaning before linking.
    Leave,
    /// Place = symbol + addend.
    Set(u8),
    /// Place = symbol + addend - address of the place.
    SetRelative(u8),
    /// Place += symbol + addend. A difference of two symbols is such a pair: one adds, one subtracts.
    Add(u8),
    /// Place -= symbol + addend.
    Subtract(u8),
    /// Low six bits of one byte = symbol + addend; the upper two are an opcode (DW_CFA_advance_loc).
    SetLow6,
    AddLow6,
    SubtractLow6,
    /// The number at the place is ULEB128 and keeps its length.
    SetUleb,
    AddUleb,
    SubtractUleb,
}

/// The relocation types that occur in sections of data, by machine, numbered as in each machine's psABI.
fn operation(machine: u16, kind: u32) -> Option<Operation> {
    use Operation::*;
    if kind == 0 {
        return Some(Leave); // R_*_NONE, on every machine.
    }
    Some(match elf::Machine(machine) {
        elf::EM_X86_64 => match kind {
            1 => Set(8),          // 64
            10 | 11 => Set(4),    // 32, 32S
            12 => Set(2),         // 16
            14 => Set(1),         // 8
            24 => SetRelative(8), // PC64
            2 => SetRelative(4),  // PC32
            13 => SetRelative(2), // PC16
            15 => SetRelative(1), // PC8
            17 | 21 => Leave,     // DTPOFF64, DTPOFF32
            _ => return None,
        },
        elf::EM_386 | elf::EM_IAMCU => match kind {
            1 => Set(4),          // 32
            20 => Set(2),         // 16
            22 => Set(1),         // 8
            2 => SetRelative(4),  // PC32
            21 => SetRelative(2), // PC16
            23 => SetRelative(1), // PC8
            32 => Leave,          // TLS_LDO_32
            _ => return None,
        },
        elf::EM_AARCH64 => match kind {
            257 => Set(8),         // ABS64
            258 => Set(4),         // ABS32
            259 => Set(2),         // ABS16
            260 => SetRelative(8), // PREL64
            261 => SetRelative(4), // PREL32
            262 => SetRelative(2), // PREL16
            1029 => Leave,         // TLS_DTPREL
            1 => Set(4),           // P32_ABS32 (ILP32)
            2 => Set(2),           // P32_ABS16
            3 => SetRelative(4),   // P32_PREL32
            4 => SetRelative(2),   // P32_PREL16
            256 => Leave,          // the withdrawn NONE
            _ => return None,
        },
        elf::EM_ARM => match kind {
            2 => Set(4),         // ABS32
            5 => Set(2),         // ABS16
            8 => Set(1),         // ABS8
            3 => SetRelative(4), // REL32
            106 => Leave,        // TLS_LDO32
            _ => return None,
        },
        elf::EM_RISCV => match kind {
            1 => Set(4),    // 32
            2 => Set(8),    // 64
            8 | 9 => Leave, // TLS_DTPREL32, TLS_DTPREL64
            33 => Add(1),   // ADD8 and so on
            34 => Add(2),
            35 => Add(4),
            36 => Add(8),
            37 => Subtract(1),
            38 => Subtract(2),
            39 => Subtract(4),
            40 => Subtract(8),
            43 | 51 => Leave,   // ALIGN, RELAX: hints to the linker
            52 => SubtractLow6, // SUB6
            53 => SetLow6,      // SET6
            54 => Set(1),       // SET8 and so on
            55 => Set(2),
            56 => Set(4),
            57 => SetRelative(4), // 32_PCREL
            60 => SetUleb,        // SET_ULEB128
            61 => SubtractUleb,   // SUB_ULEB128
            _ => return None,
        },
        elf::EM_LOONGARCH => match kind {
            1 => Set(4),    // 32
            2 => Set(8),    // 64
            8 | 9 => Leave, // TLS_DTPREL32, TLS_DTPREL64
            47 => Add(1),   // ADD8 and so on
            48 => Add(2),
            49 => Add(3),
            50 => Add(4),
            51 => Add(8),
            52 => Subtract(1),
            53 => Subtract(2),
            54 => Subtract(3),
            55 => Subtract(4),
            56 => Subtract(8),
            99 => SetRelative(4), // 32_PCREL
            100 | 102 => Leave,   // RELAX, ALIGN
            105 => AddLow6,
            106 => SubtractLow6,
            107 => AddUleb,
            108 => SubtractUleb,
            109 => SetRelative(8), // 64_PCREL
            _ => return None,
        },
        elf::EM_S390 => match kind {
            1 => Set(1),          // 8
            3 => Set(2),          // 16
            4 => Set(4),          // 32
            22 => Set(8),         // 64
            5 => SetRelative(4),  // PC32
            16 => SetRelative(2), // PC16
            23 => SetRelative(8), // PC64
            52 | 53 => Leave,     // TLS_LDO32, TLS_LDO64
            _ => return None,
        },
        elf::EM_PPC => match kind {
            1 | 24 => Set(4),     // ADDR32, UADDR32
            3 | 25 => Set(2),     // ADDR16, UADDR16
            26 => SetRelative(4), // REL32
            78 => Leave,          // DTPREL32
            _ => return None,
        },
        elf::EM_PPC64 => match kind {
            1 | 24 => Set(4),     // ADDR32, UADDR32
            3 | 25 => Set(2),     // ADDR16, UADDR16
            38 | 43 => Set(8),    // ADDR64, UADDR64
            26 => SetRelative(4), // REL32
            44 => SetRelative(8), // REL64
            78 | 110 => Leave,    // DTPREL64, DTPREL32
            _ => return None,
        },
        elf::EM_MIPS | elf::EM_MIPS_RS3_LE => match kind {
            2 => Set(4),           // 32
            18 => Set(8),          // 64
            1 => Set(2),           // 16
            248 => SetRelative(4), // PC32
            39 | 41 => Leave,      // TLS_DTPREL32, TLS_DTPREL64
            _ => return None,
        },
        elf::EM_SPARC | elf::EM_SPARC32PLUS | elf::EM_SPARCV9 => match kind {
            1 => Set(1),          // 8
            2 | 55 => Set(2),     // 16, UA16
            3 | 23 => Set(4),     // 32, UA32
            32 | 54 => Set(8),    // 64, UA64
            4 => SetRelative(1),  // DISP8
            5 => SetRelative(2),  // DISP16
            6 => SetRelative(4),  // DISP32
            46 => SetRelative(8), // DISP64
            76 | 77 => Leave,     // TLS_DTPOFF32, TLS_DTPOFF64
            _ => return None,
        },
        elf::EM_BPF => match kind {
            1 | 2 => Set(8), // 64_64 (LLVM before 13), 64_ABS64
            10 => Set(4),    // 64_32 (LLVM before 13)
            3 | 4 => Set(4), // 64_ABS32, 64_NODYLD32
            _ => return None,
        },
        elf::EM_ALPHA => match kind {
            1 => Set(4), // REFLONG
            2 => Set(8), // REFQUAD
            _ => return None,
        },
        elf::EM_68K => match kind {
            1 => Set(4),         // 32
            2 => Set(2),         // 16
            3 => Set(1),         // 8
            4 => SetRelative(4), // PC32
            42 => Leave,         // TLS_LDO32
            _ => return None,
        },
        elf::EM_SH => match kind {
            1 => Set(4),         // DIR32
            2 => SetRelative(4), // REL32
            146 => Leave,        // TLS_LDO_32
            _ => return None,
        },
        elf::EM_PARISC => match kind {
            1 => Set(4),  // DIR32
            80 => Set(8), // DIR64
            41 => Set(4), // SECREL32
            _ => return None,
        },
        elf::EM_ARC_COMPACT | elf::EM_ARC_COMPACT2 => match kind {
            1 => Set(1), // 8
            2 => Set(2), // 16
            4 => Set(4), // 32
            _ => return None,
        },
        elf::EM_AVR => match kind {
            1 => Set(4),          // 32
            4 => Set(2),          // 16
            26 => Set(1),         // 8
            36 => SetRelative(4), // 32_PCREL
            30..=32 => Leave,     // DIFF8, DIFF16, DIFF32: differences that are there, and that the linker may shorten
            _ => return None,
        },
        // Two numberings: what stands in data is kept apart but for 3, which is one byte or two.
        elf::EM_MSP430 => match kind {
            1 => Set(4),     // 32 of both
            2 | 5 => Set(2), // ABS16 of the MSP430X, 16_BYTE
            9 => Set(1),     // 8
            _ => return None,
        },
        elf::EM_HEXAGON => match kind {
            6 => Set(4),          // 32
            7 => Set(2),          // 16
            8 => Set(1),          // 8
            31 => SetRelative(4), // 32_PCREL
            39 => Leave,          // DTPREL_32
            _ => return None,
        },
        EM_LANAI => match kind {
            4 => Set(4), // 32
            _ => return None,
        },
        EM_VE => match kind {
            1 => Set(4),         // REFLONG
            2 => Set(8),         // REFQUAD
            3 => SetRelative(4), // SREL32
            _ => return None,
        },
        elf::EM_MICROBLAZE => match kind {
            1 => Set(4), // 32
            _ => return None,
        },
        elf::EM_ALTERA_NIOS2 => match kind {
            12 => Set(4), // BFD_RELOC_32
            13 => Set(2), // BFD_RELOC_16
            14 => Set(1), // BFD_RELOC_8
            _ => return None,
        },
        elf::EM_CSKY => match kind {
            1 => Set(4), // ADDR32
            _ => return None,
        },
        _ => return None,
    })
}

impl ElfFile {
    /// Numbers of the sections with relocations for section `target`; empty unless the file is relocatable.
    pub(super) fn relocations_of(&self, target: usize) -> Vec<usize> {
        let applies = |index: &usize| {
            let section = &self.sections()[*index];
            let is_table = section.sh_type == elf::SHT_REL.0 || section.sh_type == elf::SHT_RELA.0;
            is_table && section.info as usize == target && section.size != 0
        };
        if !self.is_relocatable() {
            return Vec::new();
        }
        (1..self.sections().len()).filter(applies).collect()
    }

    /// Applies the relocations in section `table` to `bytes`, the contents of section `target`.
    pub(super) fn relocate(&self, target: usize, bytes: &mut [u8], table: usize) -> Result<(), ElfError> {
        let section = &self.sections()[table];
        let with_addend = section.sh_type == elf::SHT_RELA.0;
        let entry_size = self.codec.relocation_size(with_addend);
        if section.entsize != 0 && section.entsize != entry_size as u64 {
            return Err(self.section_error(table, format!("entries have {} bytes, expected {entry_size}", section.entsize)));
        }
        let symbols = self.symbol_values(section.link as usize)?;
        let mut patch = Patch { file: self, target, bytes, symbols: &symbols.values };
        let (offset, size) = self.file_range(table)?;
        if section.flags & elf::SHF_COMPRESSED.0 != 0 {
            let entries = self.decompress(table, self.read_range(table, offset, size)?)?;
            return patch.apply_all(&entries, with_addend);
        }
        let chunk_size = CHUNK / entry_size as u64 * entry_size as u64;
        let mut done = 0;
        let name = self.name_for_message(table);
        let mut entries = Vec::new();
        while done < size {
            let length = chunk_size.min(size - done);
            self.source.read_range(&name, &mut entries, offset + done, length)?;
            patch.apply_all(&entries, with_addend)?;
            done += length;
        }
        Ok(())
    }

    /// The values of the symbols in section `table`. A file has one symbol table, so one is kept.
    fn symbol_values(&self, table: usize) -> Result<Arc<SymbolValues>, ElfError> {
        if let Some(known) = self.symbol_values.get().filter(|known| known.table == table) {
            return Ok(Arc::clone(known));
        }
        let mut values = Vec::new();
        let is_table = self.sections().get(table).is_some_and(|section| section.sh_type == elf::SHT_SYMTAB.0);
        if is_table {
            values = self.symbols_of(table)?.iter().map(|symbol| self.symbol_value(&symbol)).collect();
        }
        let computed = Arc::new(SymbolValues { table, values });
        // Another thread may have been faster, or the file has a second table; the values are right either way.
        let _ = self.symbol_values.set(Arc::clone(&computed));
        Ok(computed)
    }

    fn symbol_value(&self, symbol: &super::Symbol<'_>) -> SymbolValue {
        if symbol.index == 0 {
            // `strip` replaces symbols of sections it moved away with number 0; they were the starts of debugging sections.
            return SymbolValue::Known(0);
        }
        if symbol.reserved {
            let is_large_common = self.machine() == elf::EM_X86_64.0 && symbol.shndx == 0xff02;
            return match symbol.shndx as u16 {
                index if index == elf::SHN_ABS.0 => SymbolValue::Known(symbol.value),
                // The value of a common symbol is its alignment, not an address.
                index if index == elf::SHN_COMMON.0 || is_large_common => SymbolValue::Known(0),
                _ => SymbolValue::Damaged,
            };
        }
        match (symbol.shndx, self.sections().get(symbol.shndx as usize)) {
            (0, _) => SymbolValue::Undefined,
            (_, Some(section)) if section.flags & elf::SHF_ALLOC.0 != 0 => {
                SymbolValue::Known(symbol.value.wrapping_add(section.addr))
            }
            (_, Some(_)) => SymbolValue::Known(symbol.value),
            (_, None) => SymbolValue::Damaged,
        }
    }
}

/// The contents of one section while relocations are applied to them.
struct Patch<'a> {
    file: &'a ElfFile,
    target: usize,
    bytes: &'a mut [u8],
    symbols: &'a [SymbolValue],
}

impl Patch<'_> {
    fn apply_all(&mut self, entries: &[u8], with_addend: bool) -> Result<(), ElfError> {
        let machine = self.file.machine();
        // Most entries are of the type of the one before them.
        let mut known = (0, operation(machine, 0));
        for entry in entries.chunks_exact(self.file.codec.relocation_size(with_addend)) {
            let entry = self.file.codec.relocation(entry, with_addend, machine);
            if known.0 != entry.kind {
                known = (entry.kind, operation(machine, entry.kind));
            }
            let Some(operation) = known.1 else {
                return Err(ElfError::UnknownRelocation {
                    path: self.file.source.path.clone(),
                    section: self.file.name_for_message(self.target),
                    offset: entry.offset,
                    machine,
                    kind: entry.kind,
                });
            };
            if operation == Operation::Leave {
                continue;
            }
            let symbol = match self.symbols.get(entry.symbol as usize) {
                Some(SymbolValue::Known(value)) => *value,
                Some(SymbolValue::Undefined) => continue,
                None if entry.symbol == 0 => 0,
                Some(SymbolValue::Damaged) | None => {
                    return Err(self.bad(&entry, format!("symbol {} does not exist, or its section does not", entry.symbol)));
                }
            };
            if self.apply(operation, entry.offset, symbol, entry.addend).is_none() {
                let size = self.bytes.len();
                return Err(self.bad(&entry, format!("does not fit its place in a section of {size:#x} bytes")));
            }
        }
        Ok(())
    }

    fn bad(&self, entry: &super::codec::RelocationEntry, what: String) -> ElfError {
        ElfError::BadRelocation {
            path: self.file.source.path.clone(),
            section: self.file.name_for_message(self.target),
            offset: entry.offset,
            kind: entry.kind,
            what,
        }
    }

    /// `None` if the place lies outside the section, or is no number of the expected form.
    #[inline]
    fn apply(&mut self, operation: Operation, offset: u64, symbol: u64, addend: Option<i64>) -> Option<()> {
        let codec = self.file.codec;
        let rest = self.bytes.get_mut(usize::try_from(offset).ok()?..)?;
        let value = symbol.wrapping_add(addend.unwrap_or(0) as u64);
        match operation {
            Operation::Leave => {}
            Operation::Set(size) => {
                let place = rest.get_mut(..usize::from(size))?;
                // Without an addend of its own, the relocation has it in its place.
                let addend = if addend.is_none() { codec.uint(place) } else { 0 };
                codec.put_uint(place, value.wrapping_add(addend));
            }
            Operation::SetRelative(size) => {
                let section = &self.file.sections()[self.target];
                let is_loaded = section.flags & elf::SHF_ALLOC.0 != 0;
                let start = if is_loaded { section.addr } else { 0 };
                let place = rest.get_mut(..usize::from(size))?;
                let addend = if addend.is_none() { codec.uint(place) } else { 0 };
                codec.put_uint(place, value.wrapping_add(addend).wrapping_sub(start.wrapping_add(offset)));
            }
            Operation::Add(size) => {
                let place = rest.get_mut(..usize::from(size))?;
                codec.put_uint(place, codec.uint(place).wrapping_add(value));
            }
            Operation::Subtract(size) => {
                let place = rest.get_mut(..usize::from(size))?;
                codec.put_uint(place, codec.uint(place).wrapping_sub(value));
            }
            Operation::SetLow6 | Operation::AddLow6 | Operation::SubtractLow6 => {
                let place = rest.first_mut()?;
                let low = match operation {
                    Operation::SetLow6 => value as u8,
                    Operation::AddLow6 => place.wrapping_add(value as u8),
                    _ => place.wrapping_sub(value as u8),
                };
                *place = *place & 0xc0 | low & 0x3f;
            }
            Operation::SetUleb | Operation::AddUleb | Operation::SubtractUleb => {
                let old = read_uleb(rest)?;
                write_uleb(
                    rest,
                    match operation {
                        Operation::SetUleb => value,
                        Operation::AddUleb => old.wrapping_add(value),
                        _ => old.wrapping_sub(value),
                    },
                );
            }
        }
        Some(())
    }
}

/// Longest ULEB128 form of 64 bits.
const MAX_ULEB: usize = 10;

fn read_uleb(bytes: &[u8]) -> Option<u64> {
    let last = bytes.iter().take(MAX_ULEB).position(|byte| byte & 0x80 == 0)?;
    let join = |value: u64, byte: &u8| value.wrapping_shl(7) | u64::from(byte & 0x7f);
    Some(bytes[..=last].iter().rev().fold(0, join))
}

/// Writes `value` in as many bytes as the number there has; the caller has checked that it ends. The first half of an
/// SET/SUB pair may be an address too long for that; the second brings the difference back into range, and since all
/// arithmetic is modulo the number's length, what is cut off in between does not matter.
fn write_uleb(bytes: &mut [u8], mut value: u64) {
    for byte in bytes.iter_mut().take(MAX_ULEB) {
        let more = *byte & 0x80;
        *byte = (value & 0x7f) as u8 | more;
        value >>= 7;
        if more == 0 {
            break;
        }
    }
}
