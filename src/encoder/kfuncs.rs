//! Which functions the kernel offers to BPF programs.
//!
//! The kernel puts the ids of such functions into sets in section `.BTF_ids`, which have the layout of `struct btf_id_set8`
//! (include/linux/btf_ids.h): a count, flags, then pairs of an id and flags. The numbers are still unset when BTF is made;
//! symbols tell what lies where. A symbol `__BTF_ID__set8__NAME` covers a set, and `__BTF_ID__func__NAME__UNIQUE` a pair in it.
//!
//! A damaged section costs tags, not the BTF: what lies outside the section is told and left out.

use std::ops::Range;
use std::path::Path;

use rustc_hash::FxHashMap;

use super::elf_functions::ElfFunctions;
use super::report::{Report, text};
use crate::elf::ElfFile;

const SECTION: &[u8] = b".BTF_ids";
const SET_PREFIX: &[u8] = b"__BTF_ID__set8__";
const FUNC_PREFIX: &[u8] = b"__BTF_ID__func__";
/// Flag of a set: its functions are kfuncs.
const SET_OF_KFUNCS: u32 = 1;

/// Flags of a kfunc, as in include/linux/btf.h.
pub mod flags {
    pub const FASTCALL: u32 = 1 << 12;
    /// The result points into an arena.
    pub const ARENA_RET: u32 = 1 << 13;
    /// The first argument points into an arena.
    pub const ARENA_ARG1: u32 = 1 << 14;
    /// The second argument points into an arena.
    pub const ARENA_ARG2: u32 = 1 << 15;
}

/// The kfuncs of a file.
#[derive(Default, Debug)]
pub struct Kfuncs {
    flags: FxHashMap<u32, u32>,
}

impl Kfuncs {
    /// Reads the kfuncs of `elf`, whose functions are `functions`. A file without `.BTF_ids` or symbols has none.
    pub fn collect(elf: &ElfFile, functions: &ElfFunctions, report: &mut dyn Report) -> Kfuncs {
        let Some(section) = elf.section_index(SECTION) else { return Kfuncs::default() };
        let data = match elf.read_raw(section) {
            Ok(data) => data,
            Err(error) => {
                report.error(&text!(format_args!("{error}: no function gets the tags of kfuncs\n")));
                return Kfuncs::default();
            }
        };
        // Symbols of relocatable files count from the start of the section, whatever address it will get.
        let addr = if elf.is_relocatable() { 0 } else { elf.sections()[section].addr };
        let ids = Ids { path: elf.path(), data: &data, addr, little_endian: elf.little_endian() };
        let here = || functions.btf_ids().iter().filter(|symbol| symbol.section as usize == section);
        Kfuncs::from_symbols(&ids, || here().map(|symbol| (&*symbol.name, symbol.value, symbol.size)), functions, report)
    }

    /// `symbols` gives name, value and size of the section's symbols, twice.
    fn from_symbols<'a, I: Iterator<Item = (&'a [u8], u64, u64)>>(
        ids: &Ids<'_>,
        symbols: impl Fn() -> I,
        functions: &ElfFunctions,
        report: &mut dyn Report,
    ) -> Kfuncs {
        let mut sets: Vec<Range<u64>> = Vec::new();
        for (name, value, size) in symbols() {
            if !name.starts_with(SET_PREFIX) {
                continue;
            }
            match ids.flags_at(value) {
                None => report.error(&ids.outside("set", name)),
                Some(flags) if flags & SET_OF_KFUNCS != 0 => sets.push(value..value.saturating_add(size)),
                Some(_) => {}
            }
        }
        let mut kfuncs = Kfuncs::default();
        for (name, value, _) in symbols() {
            let Some(name) = function_name(name) else { continue };
            if !sets.iter().any(|set| set.contains(&value)) {
                continue;
            }
            match ids.flags_at(value) {
                None => report.error(&ids.outside("kfunc", name)),
                Some(flags) => {
                    if let Some(function) = functions.find(name) {
                        kfuncs.insert(function, flags);
                    }
                }
            }
        }
        kfuncs
    }

    /// Makes a function of the table a kfunc.
    pub fn insert(&mut self, function: u32, flags: u32) {
        self.flags.insert(function, flags);
    }

    /// The [`flags`] of a function of the table that is a kfunc.
    pub fn flags(&self, function: u32) -> Option<u32> {
        self.flags.get(&function).copied()
    }

    pub fn len(&self) -> usize {
        self.flags.len()
    }

    pub fn is_empty(&self) -> bool {
        self.flags.is_empty()
    }
}

/// The section's contents.
struct Ids<'a> {
    /// The file, for messages.
    path: &'a Path,
    data: &'a [u8],
    addr: u64,
    little_endian: bool,
}

impl Ids<'_> {
    /// Says that what a symbol names is not in the section.
    fn outside(&self, what: &str, name: &[u8]) -> Vec<u8> {
        let place = format!("{}: section ", self.path.display());
        text!(place.as_str(), SECTION, ": ", what, " '", name, "' is not all within the section: it gets no tags\n")
    }

    /// The second word of the set or the pair at an address: flags in both.
    fn flags_at(&self, addr: u64) -> Option<u32> {
        let offset = usize::try_from(addr.checked_sub(self.addr)?).ok()?;
        let bytes = self.data.get(offset..)?.get(4..8)?.try_into().ok()?;
        Some(if self.little_endian { u32::from_le_bytes(bytes) } else { u32::from_be_bytes(bytes) })
    }
}

/// The function in a symbol `__BTF_ID__func__NAME__UNIQUE`.
fn function_name(symbol: &[u8]) -> Option<&[u8]> {
    let name = symbol.strip_prefix(FUNC_PREFIX)?;
    let last = memchr::memrchr(b'_', name)?;
    name[..last].strip_suffix(b"_")
}

#[cfg(test)]
mod tests {
    use super::super::report::Collected;
    use super::*;

    #[test]
    fn names_of_functions() {
        assert_eq!(function_name(b"__BTF_ID__func__vfs_close__1"), Some(&b"vfs_close"[..]));
        assert_eq!(function_name(b"__BTF_ID__func__a__b__22"), Some(&b"a__b"[..]));
        assert_eq!(function_name(b"__BTF_ID__func__vfs_close"), None);
        assert_eq!(function_name(b"__BTF_ID__func__a__b_c"), None);
        assert_eq!(function_name(b"__BTF_ID__func___"), None);
        assert_eq!(function_name(b"__BTF_ID__func__"), None);
        assert_eq!(function_name(b"__BTF_ID__struct__a__1"), None);
    }

    const SYMBOLS: [(&[u8], u64, u64); 6] = [
        (b"__BTF_ID__set8__kfuncs", 0x100, 24),
        (b"__BTF_ID__func__get__1", 0x108, 4),
        (b"__BTF_ID__func__put__2", 0x110, 4),
        (b"__BTF_ID__set8__others", 0x118, 16),
        (b"__BTF_ID__func__other__3", 0x120, 4),
        (b"__BTF_ID__func__lost__4", 0x110, 4),
    ];

    fn words(words: &[u32], little_endian: bool) -> Vec<u8> {
        words.iter().flat_map(|word| if little_endian { word.to_le_bytes() } else { word.to_be_bytes() }).collect()
    }

    fn collect(data: &[u8], little_endian: bool) -> (Kfuncs, ElfFunctions, Collected) {
        let functions = ElfFunctions::from_symbols([(&b"put"[..], 1), (b"get", 2), (b"other", 3)].into_iter());
        let mut report = Collected::default();
        let ids = Ids { path: Path::new("file"), data, addr: 0x100, little_endian };
        let kfuncs = Kfuncs::from_symbols(&ids, || SYMBOLS.into_iter(), &functions, &mut report);
        (kfuncs, functions, report)
    }

    #[test]
    fn both_byte_orders() {
        for little_endian in [true, false] {
            let data = words(&[2, SET_OF_KFUNCS, 0, flags::FASTCALL, 0, flags::ARENA_RET, 1, 0, 0, 0], little_endian);
            let (kfuncs, functions, report) = collect(&data, little_endian);
            assert_eq!(kfuncs.len(), 2);
            assert_eq!(kfuncs.flags(functions.find(b"get").unwrap()), Some(flags::FASTCALL));
            assert_eq!(kfuncs.flags(functions.find(b"put").unwrap()), Some(flags::ARENA_RET));
            assert!(report.errors.is_empty());
        }
    }

    #[test]
    fn a_short_section_and_an_absurd_count() {
        let data = words(&[u32::MAX, SET_OF_KFUNCS, 0, 7], true);
        let (kfuncs, functions, report) = collect(&data, true);
        assert_eq!(kfuncs.flags(functions.find(b"get").unwrap()), Some(7));
        assert_eq!(kfuncs.flags(functions.find(b"put").unwrap()), None);
        let errors = String::from_utf8(report.errors).unwrap();
        assert!(errors.contains("file: section .BTF_ids: set '__BTF_ID__set8__others' is not all within the section"));
        assert!(errors.contains("file: section .BTF_ids: kfunc 'put' is not all within the section"));
        assert!(collect(&data[..7], true).0.is_empty());
    }
}
