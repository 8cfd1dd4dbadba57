//! The functions that an ELF file's symbol table knows, by name.
//!
//! BTF describes functions that can be found by their symbol. Compilers split and clone functions and tell the pieces
//! apart by suffixes (`f.isra.0`, `f.constprop.1`), while DWARF calls all of them `f`: so symbols are grouped by what stands
//! before the first dot. Pieces that are no functions of their own (`.cold`, `.part`) do not count.
//!
//! The table is built once and then asked by all workers for every function DIE, which is why looking up a name is a hash
//! lookup and needs no lock. Indices are in the order of the names, which is the order functions have in the BTF.

use std::hash::Hasher;
use std::ops::Range;

use object::elf::STT_FUNC;
use rustc_hash::FxHasher;

use crate::elf::{ElfError, ElfFile};

/// Functions by base name; see the [module](self).
#[derive(Default, Debug)]
pub struct ElfFunctions {
    /// Names of all symbols, back to back.
    text: Vec<u8>,
    functions: Vec<Function>,
    symbols: Vec<Symbol>,
    /// Addresses of the pieces that do not count, sorted.
    pieces: Vec<u64>,
    btf_ids: Vec<IdSymbol>,
    /// Open addressing, a power of two: upper half the hash, lower half the index plus one; 0 is free.
    slots: Vec<u64>,
    has_symbol_table: bool,
    relocatable: bool,
}

#[derive(Debug)]
struct Function {
    name: Range<u32>,
    symbols: Range<u32>,
    ambiguous_addr: bool,
}

#[derive(Clone, Debug)]
struct Symbol {
    name: Range<u32>,
    base_len: u32,
    addr: u64,
}

/// A symbol that marks a place in section `.BTF_ids`; kept from the one walk over the symbols.
#[derive(Clone, Debug)]
pub(super) struct IdSymbol {
    pub name: Box<[u8]>,
    /// `st_value` as in the file.
    pub value: u64,
    pub size: u64,
    pub section: u32,
}

const ID_PREFIX: &[u8] = b"__BTF_ID__";

/// One symbol of a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FunctionSymbol<'a> {
    /// With suffixes.
    pub name: &'a [u8],
    /// `st_value` as in the file.
    pub addr: u64,
}

impl ElfFunctions {
    /// Collects the functions of `.symtab`. A file without one has no functions.
    pub fn collect(elf: &ElfFile) -> Result<ElfFunctions, ElfError> {
        let Some(symbols) = elf.symbols()? else {
            return Ok(ElfFunctions { relocatable: elf.is_relocatable(), ..ElfFunctions::default() });
        };
        let mut btf_ids = Vec::new();
        let functions = symbols.iter().filter(|symbol| {
            if symbol.name.starts_with(ID_PREFIX) && !symbol.reserved {
                let (value, size, section) = (symbol.value, symbol.size, symbol.shndx);
                btf_ids.push(IdSymbol { name: symbol.name.into(), value, size, section });
            }
            symbol.st_type == STT_FUNC.0
        });
        let mut table = ElfFunctions::from_symbols(functions.map(|symbol| (symbol.name, symbol.value)));
        table.btf_ids = btf_ids;
        table.relocatable = elf.is_relocatable();
        Ok(table)
    }

    /// Builds the table from names and addresses in the order of a symbol table.
    pub fn from_symbols<'a>(symbols: impl Iterator<Item = (&'a [u8], u64)>) -> ElfFunctions {
        let mut text = Vec::new();
        let mut kept = Vec::new();
        let mut dropped = Vec::new();
        for (name, addr) in symbols {
            // Offsets are 32 bits; a table of names is never that long in a real file.
            let (Ok(start), Ok(end)) = (u32::try_from(text.len()), u32::try_from(text.len() + name.len())) else { break };
            let base_len = memchr::memchr(b'.', name).unwrap_or(name.len());
            let symbol = Symbol { name: start..end, base_len: base_len as u32, addr };
            let suffix = &name[base_len..];
            let no_function = contains(suffix, b".cold") || contains(suffix, b".part");
            text.extend_from_slice(name);
            if no_function { dropped.push(symbol) } else { kept.push(symbol) }
        }
        let mut table = ElfFunctions { text, has_symbol_table: true, ..ElfFunctions::default() };
        table.group(kept);
        table.index();
        table.pieces = dropped.iter().map(|piece| piece.addr).collect();
        table.pieces.sort_unstable();
        table
    }

    /// Sorts symbols by base name, equal ones in the order of the symbol table, and makes one function of each name.
    fn group(&mut self, symbols: Vec<Symbol>) {
        // The first bytes as a number decide most comparisons without touching the names.
        let mut order: Vec<(u128, u32)> =
            symbols.iter().zip(0..).map(|(symbol, index)| (prefix(self.base_name(symbol)), index)).collect();
        let name_of = |index: u32| self.base_name(&symbols[index as usize]);
        order.sort_unstable_by(|a, b| a.0.cmp(&b.0).then_with(|| name_of(a.1).cmp(name_of(b.1))).then_with(|| a.1.cmp(&b.1)));
        let symbols: Vec<Symbol> = order.iter().map(|&(_, index)| symbols[index as usize].clone()).collect();
        let mut functions: Vec<Function> = Vec::new();
        for (symbol, at) in symbols.iter().zip(0u32..) {
            match functions.last_mut() {
                Some(last) if self.text[span(&last.name)] == *self.base_name(symbol) => last.symbols.end = at + 1,
                _ => {
                    let name = symbol.name.start..symbol.name.start + symbol.base_len;
                    functions.push(Function { name, symbols: at..at + 1, ambiguous_addr: false });
                }
            }
        }
        // The reference looks at a name's addresses when it meets the next name, and so never at the last one's. This shows in
        // the BTF of files whose last name is ambiguous, and is kept.
        if let Some((_, all_but_last)) = functions.split_last_mut() {
            for function in all_but_last {
                function.ambiguous_addr = is_ambiguous(&symbols[span(&function.symbols)]);
            }
        }
        self.symbols = symbols;
        self.functions = functions;
    }

    fn index(&mut self) {
        let size = (self.functions.len() * 2).next_power_of_two();
        self.slots = vec![0; size];
        for index in 0..self.functions.len() {
            let hash = hash(self.name(index as u32));
            let mut at = hash as usize & (size - 1);
            while self.slots[at] != 0 {
                at = (at + 1) & (size - 1);
            }
            self.slots[at] = hash & !0xffff_ffff | (index as u64 + 1);
        }
    }

    fn base_name(&self, symbol: &Symbol) -> &[u8] {
        &self.text[symbol.name.start as usize..][..symbol.base_len as usize]
    }

    /// The function called `name`, which must be without suffix to be found.
    #[inline]
    pub fn find(&self, name: &[u8]) -> Option<u32> {
        let mask = self.slots.len().checked_sub(1)?;
        let hash = hash(name);
        let mut at = hash as usize & mask;
        loop {
            let slot = self.slots[at];
            let index = (slot as u32).checked_sub(1)?;
            if (slot ^ hash) >> 32 == 0 && self.name(index) == name {
                return Some(index);
            }
            at = (at + 1) & mask;
        }
    }

    /// Number of functions; indices are below it.
    pub fn len(&self) -> usize {
        self.functions.len()
    }

    pub fn is_empty(&self) -> bool {
        self.functions.is_empty()
    }

    /// Whether the file has a symbol table at all, be it an empty one.
    pub fn has_symbol_table(&self) -> bool {
        self.has_symbol_table
    }

    /// The base name of a function.
    ///
    /// # Panics
    /// If `function` is not an index of this table; so do the other methods that take one.
    #[inline]
    pub fn name(&self, function: u32) -> &[u8] {
        &self.text[span(&self.functions[function as usize].name)]
    }

    /// All symbols of a function, in the order of the symbol table.
    pub fn symbols(&self, function: u32) -> impl Iterator<Item = FunctionSymbol<'_>> {
        let symbols = &self.symbols[span(&self.functions[function as usize].symbols)];
        symbols.iter().map(|symbol| FunctionSymbol { name: &self.text[span(&symbol.name)], addr: symbol.addr })
    }

    /// Whether the symbols of this name lie at different addresses, so that the name does not tell which function is meant.
    pub fn has_ambiguous_addr(&self, function: u32) -> bool {
        self.functions[function as usize].ambiguous_addr
    }

    pub fn has_symbol_at(&self, function: u32, addr: u64) -> bool {
        self.symbols(function).any(|symbol| symbol.addr == addr)
    }

    /// Whether a symbol at `addr` says by its suffix that the function was optimized for known arguments.
    pub fn has_optimized_suffix(&self, function: u32, addr: u64) -> bool {
        self.symbols(function).any(|symbol| {
            symbol.addr == addr && {
                let suffix = &symbol.name[memchr::memchr(b'.', symbol.name).unwrap_or(symbol.name.len())..];
                contains(suffix, b".constprop") || contains(suffix, b".isra")
            }
        })
    }

    /// The first symbol at `addr` whose name has a suffix.
    pub fn suffixed_symbol_at(&self, function: u32, addr: u64) -> Option<FunctionSymbol<'_>> {
        self.symbols(function).find(|symbol| symbol.addr == addr && memchr::memchr(b'.', symbol.name).is_some())
    }

    pub(super) fn btf_ids(&self) -> &[IdSymbol] {
        &self.btf_ids
    }

    /// Whether code at `addr` belongs to no symbol at all: it is a definition that the linker put aside, a weak one for a strong one. Code with
    /// a symbol of another name (Rust's mangled ones) is another function that is called so in the source. Never so in relocatable files,
    /// where symbols have no addresses yet.
    pub fn is_put_aside(&self, addr: u64) -> bool {
        addr != 0
            && !self.relocatable
            && self.pieces.binary_search(&addr).is_err()
            && !self.symbols.iter().any(|symbol| symbol.addr == addr)
    }
}

fn span(range: &Range<u32>) -> Range<usize> {
    range.start as usize..range.end as usize
}

fn contains(suffix: &[u8], what: &[u8]) -> bool {
    !suffix.is_empty() && memchr::memmem::find(suffix, what).is_some()
}

/// An address of 0 is taken for unknown, but for the last symbol's.
fn is_ambiguous(symbols: &[Symbol]) -> bool {
    symbols.windows(2).any(|pair| pair[0].addr != 0 && pair[0].addr != pair[1].addr)
}

/// The first bytes as a number, in an order that agrees with the names' order.
fn prefix(name: &[u8]) -> u128 {
    let mut bytes = [0; 16];
    let len = name.len().min(bytes.len());
    bytes[..len].copy_from_slice(&name[..len]);
    u128::from_be_bytes(bytes)
}

fn hash(name: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(name);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(symbols: &[(&str, u64)]) -> ElfFunctions {
        ElfFunctions::from_symbols(symbols.iter().map(|&(name, addr)| (name.as_bytes(), addr)))
    }

    fn names(table: &ElfFunctions) -> Vec<&str> {
        (0..table.len() as u32).map(|index| std::str::from_utf8(table.name(index)).unwrap()).collect()
    }

    #[test]
    fn groups_by_base_name_in_order() {
        let table = table(&[
            ("zebra", 1),
            ("f.isra.0", 16),
            ("aaaaaaaab", 3),
            ("f", 32),
            ("aaaaaaaa", 4),
            ("f.cold", 48),
            ("g.part.0", 64),
            ("f.constprop.0", 80),
        ]);
        assert_eq!(names(&table), ["aaaaaaaa", "aaaaaaaab", "f", "zebra"]);
        let f = table.find(b"f").unwrap();
        let symbols: Vec<_> = table.symbols(f).map(|symbol| (symbol.name, symbol.addr)).collect();
        assert_eq!(symbols, [(&b"f.isra.0"[..], 16), (b"f", 32), (b"f.constprop.0", 80)]);
        assert_eq!(table.find(b"g"), None);
        assert_eq!(table.find(b"f.isra.0"), None);
        assert_eq!(table.find(b""), None);
        assert!(table.has_optimized_suffix(f, 16) && table.has_optimized_suffix(f, 80) && !table.has_optimized_suffix(f, 32));
        assert_eq!(table.suffixed_symbol_at(f, 80).unwrap().name, b"f.constprop.0");
        assert_eq!(table.suffixed_symbol_at(f, 32), None);
        for index in 0..table.len() as u32 {
            assert_eq!(table.find(table.name(index)), Some(index));
        }
    }

    #[test]
    fn ambiguity() {
        let table = table(&[("a", 1), ("a", 2), ("b", 5), ("b", 5), ("c", 0), ("c", 7), ("d", 7), ("d", 0), ("z", 1), ("z", 2)]);
        let ambiguous: Vec<bool> = (0..5).map(|index| table.has_ambiguous_addr(index)).collect();
        assert_eq!(ambiguous, [true, false, false, true, false]);
    }

    #[test]
    fn definitions_put_aside() {
        let mut table = table(&[("w", 16), ("w.part.0", 32), ("x", 48)]);
        assert!([0, 16, 32, 48].into_iter().all(|addr| !table.is_put_aside(addr)));
        assert!(table.is_put_aside(64));
        table.relocatable = true;
        assert!(!table.is_put_aside(64));
    }

    #[test]
    fn nothing() {
        let table = table(&[]);
        assert!(table.is_empty() && table.has_symbol_table());
        assert_eq!(table.find(b"f"), None);
        assert!(!ElfFunctions::default().has_symbol_table());
    }
}
