//! The functions that an ELF file's symbol table knows, by name.
//!
//! BTF describes functions that can be found by their symbol. Compilers split and clone functions and tell the pieces
//! apart by suffixes (`f.isra.0`, `f.constprop.1`), while DWARF calls all of them `f`: so symbols are grouped by what stands
//! before the first dot. Pieces that are no functions of their own (`.cold`, `.part`) do not count.
//!
//! The table is built once and then asked by all workers for every function DIE, which is why looking up a name is a hash
//! lookup and needs no lock. Indices are in the order in which the symbol table has the names first: sorting is left to the end, when it
//! is known which of them count ([`ElfFunctions::ranks`]).

use std::hash::Hasher;
use std::ops::Range;
use std::sync::OnceLock;

use object::elf::{STT_FUNC, STT_OBJECT};
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
    addresses: OnceLock<Vec<u64>>,
    btf_ids: Vec<IdSymbol>,
    objects: Vec<(u32, Box<[u8]>)>,
    /// Open addressing, a power of two: upper half the hash, whose first bits say where to begin; lower half the index plus one; 0 is free.
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
    /// Collects the functions of `.symtab`, and the objects in the sections that are `wanted`, by number. A file without a symbol table has
    /// neither.
    pub fn collect(elf: &ElfFile, wanted: &[bool]) -> Result<ElfFunctions, ElfError> {
        let Some(symbols) = elf.symbols()? else {
            return Ok(ElfFunctions { relocatable: elf.is_relocatable(), ..ElfFunctions::default() });
        };
        let (mut btf_ids, mut objects) = (Vec::new(), Vec::new());
        let functions = symbols.entries().filter_map(|symbol| {
            if symbol.st_type() == STT_FUNC.0 {
                return Some((symbol.name(), symbol.value()));
            }
            if symbol.name_starts_with(ID_PREFIX) {
                let symbol = symbol.get();
                if !symbol.reserved {
                    let (value, size, section) = (symbol.value, symbol.size, symbol.shndx);
                    btf_ids.push(IdSymbol { name: symbol.name.into(), value, size, section });
                }
            }
            if symbol.st_type() == STT_OBJECT.0 {
                let symbol = symbol.get();
                if !symbol.reserved && wanted.get(symbol.shndx as usize).is_some_and(|&wanted| wanted) {
                    objects.push((symbol.shndx, symbol.name.into()));
                }
            }
            None
        });
        let mut table = ElfFunctions::from_symbols(functions);
        table.btf_ids = btf_ids;
        table.objects = objects;
        table.relocatable = elf.is_relocatable();
        Ok(table)
    }

    /// Builds the table from names and addresses in the order of a symbol table.
    pub fn from_symbols<'a>(symbols: impl Iterator<Item = (&'a [u8], u64)>) -> ElfFunctions {
        let mut table = ElfFunctions { has_symbol_table: true, ..ElfFunctions::default() };
        let mut kept = Vec::new();
        for (name, addr) in symbols {
            // Offsets are 32 bits; a table of names is never that long in a real file.
            let (Ok(start), Ok(end)) = (u32::try_from(table.text.len()), u32::try_from(table.text.len() + name.len())) else {
                break;
            };
            let base_len = memchr::memchr(b'.', name).unwrap_or(name.len());
            let suffix = &name[base_len..];
            if contains(suffix, b".cold") || contains(suffix, b".part") {
                table.pieces.push(addr);
                continue;
            }
            table.text.extend_from_slice(name);
            let function = table.enter(&name[..base_len], start);
            kept.push((function, Symbol { name: start..end, addr }));
        }
        table.pieces.sort_unstable();
        table.group(kept);
        table
    }

    /// The function of that name, whose text begins at `start`; a new one if there was none yet.
    fn enter(&mut self, name: &[u8], start: u32) -> u32 {
        if self.functions.len() * 2 >= self.slots.len() {
            self.grow();
        }
        let hash = hash(name);
        match self.place(hash, name) {
            Ok(function) => function,
            Err(free) => {
                let function = self.functions.len() as u32;
                let name = start..start + name.len() as u32;
                self.functions.push(Function { name, symbols: 0..0, ambiguous_addr: false });
                self.slots[free] = hash & !0xffff_ffff | u64::from(function + 1);
                function
            }
        }
    }

    fn grow(&mut self) {
        let size = (self.slots.len() * 2).max(1 << 8);
        let old = std::mem::replace(&mut self.slots, vec![0; size]);
        for slot in old.into_iter().filter(|&slot| slot != 0) {
            let mut at = self.home(slot);
            while self.slots[at] != 0 {
                at = (at + 1) & (size - 1);
            }
            self.slots[at] = slot;
        }
    }

    /// Where the search for a hash begins.
    #[inline]
    fn home(&self, hash: u64) -> usize {
        ((u128::from(hash) * self.slots.len() as u128) >> 64) as usize
    }

    /// The function of a name, or the free slot where it belongs. There must be slots.
    #[inline]
    fn place(&self, hash: u64, name: &[u8]) -> Result<u32, usize> {
        let mut at = self.home(hash);
        loop {
            let slot = self.slots[at];
            let Some(index) = (slot as u32).checked_sub(1) else { return Err(at) };
            if (slot ^ hash) >> 32 == 0 && self.name(index) == name {
                return Ok(index);
            }
            at = (at + 1) & (self.slots.len() - 1);
        }
    }

    /// Puts the symbols of each function side by side, in the order of the symbol table.
    fn group(&mut self, symbols: Vec<(u32, Symbol)>) {
        for (function, _) in &symbols {
            self.functions[*function as usize].symbols.end += 1;
        }
        let mut sum = 0;
        for function in &mut self.functions {
            let count = function.symbols.end;
            function.symbols = sum..sum;
            sum += count;
        }
        self.symbols = vec![Symbol { name: 0..0, addr: 0 }; symbols.len()];
        for (function, symbol) in symbols {
            let end = &mut self.functions[function as usize].symbols.end;
            self.symbols[*end as usize] = symbol;
            *end += 1;
        }
        // The reference looks at a name's addresses when it meets the next name, and so never at the last one's. This shows in
        // the BTF of files whose last name is ambiguous, and is kept.
        let last = (0..self.functions.len()).max_by_key(|&index| self.name(index as u32));
        for (index, function) in self.functions.iter_mut().enumerate() {
            function.ambiguous_addr = Some(index) != last && is_ambiguous(&self.symbols[span(&function.symbols)]);
        }
    }

    /// For each function that is `used`, its position among these in the order of the names, which is the order functions have in the BTF.
    pub fn ranks(&self, used: impl Iterator<Item = u32>) -> Vec<u32> {
        const UNUSED: u32 = u32::MAX;
        let mut ranks = vec![UNUSED; self.len()];
        // The first bytes as a number decide most comparisons without touching the names.
        let mut order: Vec<(u128, u32)> = Vec::new();
        for function in used {
            if ranks[function as usize] == UNUSED {
                ranks[function as usize] = 0;
                order.push((prefix(self.name(function)), function));
            }
        }
        order.sort_unstable_by(|a, b| a.0.cmp(&b.0).then_with(|| self.name(a.1).cmp(self.name(b.1))));
        for ((_, function), rank) in order.into_iter().zip(0..) {
            ranks[function as usize] = rank;
        }
        ranks
    }

    /// The function called `name`, which must be without suffix to be found.
    #[inline]
    pub fn find(&self, name: &[u8]) -> Option<u32> {
        self.find_hashed(hash(name), name)
    }

    /// [`find`](Self::find) with the name's [`hash`].
    #[inline]
    pub(super) fn find_hashed(&self, hash: u64, name: &[u8]) -> Option<u32> {
        if self.slots.is_empty() {
            return None;
        }
        self.place(hash, name).ok()
    }

    /// Looks at the place where the search for a hash begins, for who has many: the loads from memory overlap then. What is returned has to be
    /// used, so that it is loaded.
    #[inline]
    pub(super) fn touch(&self, hash: u64) -> u64 {
        self.slots.get(self.home(hash)).copied().unwrap_or(0)
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

    /// Section and name of each object in the wanted sections.
    pub(super) fn objects(&self) -> &[(u32, Box<[u8]>)] {
        &self.objects
    }

    pub(super) fn btf_ids(&self) -> &[IdSymbol] {
        &self.btf_ids
    }

    /// Addresses of all symbols, sorted when they are first asked for: most files have no definition that the linker put aside.
    fn addresses(&self) -> &[u64] {
        self.addresses.get_or_init(|| {
            let mut addresses: Vec<u64> = self.symbols.iter().map(|symbol| symbol.addr).collect();
            addresses.sort_unstable();
            addresses
        })
    }

    /// Whether code at `addr` belongs to no symbol at all: it is a definition that the linker put aside, a weak one for a strong one. Code with
    /// a symbol of another name (Rust's mangled ones) is another function that is called so in the source. Never so in relocatable files,
    /// where symbols have no addresses yet.
    pub fn is_put_aside(&self, addr: u64) -> bool {
        addr != 0
            && !self.relocatable
            && self.pieces.binary_search(&addr).is_err()
            && self.addresses().binary_search(&addr).is_err()
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

pub(super) fn hash(name: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(name);
    // The hasher has its best bits last, the table wants them first.
    hasher.finish().swap_bytes()
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
    fn groups_by_base_name() {
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
        assert_eq!(names(&table), ["zebra", "f", "aaaaaaaab", "aaaaaaaa"]);
        assert_eq!(table.ranks([0, 3, 1, 0].into_iter()), [2, 1, u32::MAX, 0]);
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
