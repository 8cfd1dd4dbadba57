//! The symbol table.

use super::codec::{Codec, SymbolEntry};
use super::file;
use super::{ElfError, ElfFile};
use object::elf;

/// A symbol table with its names, in memory.
#[derive(Debug)]
pub struct Symbols {
    codec: Codec,
    entries: Vec<u8>,
    names: Vec<u8>,
    /// The contents of SHT_SYMTAB_SHNDX: one 32-bit section number a symbol. Empty unless the file has 0xff00 sections or more.
    section_indices: Vec<u8>,
}

/// One symbol.
#[derive(Clone, Copy, Debug)]
pub struct Symbol<'a> {
    /// Without the terminating zero; empty if the name lies outside the table of names or has more than 64 KiB.
    pub name: &'a [u8],
    /// `st_value` as in the file: in relocatable files an offset into the section (or an alignment, of common symbols).
    pub value: u64,
    pub size: u64,
    /// `STT_*`
    pub st_type: u8,
    /// `STB_*`
    pub bind: u8,
    /// `STV_*`
    pub visibility: u8,
    /// Section number, with SHN_XINDEX resolved; the reserved ones (`SHN_ABS`, `SHN_COMMON`, ...) are told apart from real
    /// sections of the same number by `reserved`.
    pub shndx: u32,
    /// `shndx` is no section number but one of the reserved values from 0xff00 on.
    pub reserved: bool,
    /// Number of the symbol in its table.
    pub index: u32,
}

impl Symbols {
    /// Number of symbols, the null symbol included.
    pub fn len(&self) -> usize {
        self.entries.len() / self.codec.symbol_size()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn get(&self, index: usize) -> Option<Symbol<'_>> {
        let size = self.codec.symbol_size();
        let start = index.checked_mul(size)?;
        Some(self.symbol(index, self.codec.symbol(self.entries.get(start..start.checked_add(size)?)?)))
    }

    fn symbol(&self, index: usize, entry: SymbolEntry) -> Symbol<'_> {
        let extended = entry.shndx == elf::SHN_XINDEX.0;
        let shndx = if extended {
            self.section_indices.get(4 * index..4 * index + 4).map_or(0, |raw| self.codec.u32(raw, 0))
        } else {
            u32::from(entry.shndx)
        };
        Symbol {
            name: file::name_at(&self.names, entry.name),
            value: entry.value,
            size: entry.size,
            st_type: entry.info & 0xf,
            bind: entry.info >> 4,
            visibility: entry.other & 3,
            shndx,
            reserved: !extended && entry.shndx >= elf::SHN_LORESERVE,
            index: index as u32,
        }
    }

    /// All symbols in table order, the null symbol first, each to be read as far as it is needed.
    pub fn entries(&self) -> impl Iterator<Item = Entry<'_>> {
        let size = self.codec.symbol_size();
        let entries = self.entries.chunks_exact(size).enumerate();
        entries.map(|(index, bytes)| Entry { symbols: self, index, entry: self.codec.symbol(bytes) })
    }

    /// All symbols in table order, the null symbol first.
    pub fn iter(&self) -> SymbolIter<'_> {
        SymbolIter { symbols: self, next: 0 }
    }
}

/// A symbol whose name has not been looked at.
pub struct Entry<'a> {
    symbols: &'a Symbols,
    index: usize,
    entry: SymbolEntry,
}

impl<'a> Entry<'a> {
    /// `STT_*`
    pub fn st_type(&self) -> u8 {
        self.entry.info & 0xf
    }

    /// See [`Symbol::value`].
    pub fn value(&self) -> u64 {
        self.entry.value
    }

    /// See [`Symbol::name`].
    pub fn name(&self) -> &'a [u8] {
        file::name_at(&self.symbols.names, self.entry.name)
    }

    /// Whether the name may start with `prefix`; its end is not looked for.
    pub fn name_starts_with(&self, prefix: &[u8]) -> bool {
        self.symbols.names.get(self.entry.name as usize..).is_some_and(|rest| rest.starts_with(prefix))
    }

    /// The symbol with all that is known of it.
    pub fn get(&self) -> Symbol<'a> {
        self.symbols.symbol(self.index, self.entry)
    }
}

impl<'a> IntoIterator for &'a Symbols {
    type Item = Symbol<'a>;
    type IntoIter = SymbolIter<'a>;

    fn into_iter(self) -> SymbolIter<'a> {
        self.iter()
    }
}

/// Iterator over [`Symbols`].
pub struct SymbolIter<'a> {
    symbols: &'a Symbols,
    next: usize,
}

impl<'a> Iterator for SymbolIter<'a> {
    type Item = Symbol<'a>;

    fn next(&mut self) -> Option<Symbol<'a>> {
        let symbol = self.symbols.get(self.next)?;
        self.next += 1;
        Some(symbol)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.symbols.len().saturating_sub(self.next);
        (left, Some(left))
    }
}

impl ExactSizeIterator for SymbolIter<'_> {}

impl ElfFile {
    /// The table `.symtab`; `None` if the file has none, or only its header (SHT_NOBITS, in stripped files).
    pub fn symbols(&self) -> Result<Option<Symbols>, ElfError> {
        match self.section_index(b".symtab") {
            Some(index) if self.sections()[index].sh_type == elf::SHT_SYMTAB.0 => self.symbols_of(index).map(Some),
            _ => Ok(None),
        }
    }

    /// The symbol table in section number `table`, whatever it is called.
    pub(super) fn symbols_of(&self, table: usize) -> Result<Symbols, ElfError> {
        let load = |index: usize| self.unrelocated(index);
        let entries = load(table)?;
        let section = &self.sections()[table];
        if section.entsize != self.codec.symbol_size() as u64 {
            let expected = self.codec.symbol_size();
            return Err(self.section_error(table, format!("entries have {} bytes, expected {expected}", section.entsize)));
        }
        let names = match section.link as usize {
            0 => Vec::new(),
            link => load(link)?,
        };
        let is_indices = |index: &usize| {
            self.sections()[*index].sh_type == elf::SHT_SYMTAB_SHNDX.0 && self.sections()[*index].link as usize == table
        };
        let section_indices = match (1..self.sections().len()).find(is_indices) {
            Some(index) => load(index)?,
            None => Vec::new(),
        };
        Ok(Symbols { codec: self.codec, entries, names, section_indices })
    }
}
