//! The strings of a file's fragments: one that is not a fragment's own is looked up among the BTF's strings twice at most.

use super::super::fragment::{Fragment, NameRef, NameSource};
use super::super::names::Names;
use crate::btf::{Btf, BtfError, StrOff, Strings};
use crate::dwarf::cursor::str_at;
use crate::dwarf::file::DwarfFile;
use std::sync::Arc;

pub struct FileNames {
    file: Arc<DwarfFile>,
    known: Known,
}

impl FileNames {
    pub fn new(file: Arc<DwarfFile>) -> FileNames {
        FileNames { file, known: Known::new() }
    }

    /// Gives back the memory of what is known: names that come again are found among the BTF's strings.
    pub(in crate::encoder) fn forget(&mut self) {
        self.known = Known::new();
    }

    /// The next fragment has other names, or equal ones elsewhere.
    pub(in crate::encoder) fn begin_unit(&mut self, fragment: &Fragment) {
        // Two names a type, members' and parameters' included.
        self.known.begin(2 * fragment.starts.len());
    }

    pub fn is_for(&self, file: &Arc<DwarfFile>) -> bool {
        Arc::ptr_eq(&self.file, file)
    }

    /// The string of a name as it stands in a fragment's words.
    #[inline]
    pub(super) fn intern_word(&mut self, strings: &mut Strings<'_>, fragment: &Fragment, word: u32) -> Result<u32, BtfError> {
        if word == 0 {
            return Ok(0);
        }
        if NameRef::is_global(word) {
            let known = self.known.slots[self.known.place(word)].1;
            if known != 0 {
                return Ok(known);
            }
        }
        self.intern_new(strings, fragment, word)
    }

    fn intern_new(&mut self, strings: &mut Strings<'_>, fragment: &Fragment, word: u32) -> Result<u32, BtfError> {
        let end = strings.end();
        let name = NameRef::from_word(word);
        let string = match name.source() {
            NameSource::DebugStr(offset) => strings.add_first_of(self.file.debug_str().get(offset as usize..).unwrap_or(&[]))?.0,
            _ => strings.add(self.bytes(fragment, &name))?.0,
        };
        // Many names come once: once the table has to grow for more, only those that come again are remembered.
        let remember = string < end || !self.known.is_half_full();
        if remember && string != 0 && NameRef::is_global(word) {
            self.known.insert(word, string);
        }
        Ok(string)
    }
}

impl Names for FileNames {
    fn intern(&mut self, btf: &mut Btf, fragment: &Fragment, name: NameRef) -> Result<StrOff, BtfError> {
        self.intern_word(&mut btf.strings(), fragment, name.to_word()).map(StrOff)
    }

    fn bytes<'a>(&'a self, fragment: &'a Fragment, name: &'a NameRef) -> &'a [u8] {
        match name.source() {
            NameSource::None => &[],
            NameSource::DebugStr(offset) => str_at(self.file.debug_str(), u64::from(offset)).unwrap_or_default(),
            NameSource::Short => name.short_bytes(),
            NameSource::Local(i) => fragment.strings.get(i),
        }
    }
}

/// Most slots of a table that is made for names to come.
const MOST_AT_ONCE: usize = 1 << 16;

/// From names that are the same in all fragments to offsets in the BTF's strings: open addressing. A table by offset in `.debug_str` would
/// be faster by itself, but spreads the few names over many pages.
struct Known {
    /// The name's word and its offset in the strings; the second is 0 for an empty slot.
    slots: Vec<(u32, u32)>,
    len: usize,
    shift: u32,
}

impl Known {
    fn new() -> Known {
        const BITS: u32 = 12;
        Known { slots: vec![(0, 0); 1 << BITS], len: 0, shift: 32 - BITS }
    }

    #[inline]
    fn place(&self, word: u32) -> usize {
        let mask = self.slots.len() - 1;
        let mut at = (word.wrapping_mul(0x9e37_79b1) >> self.shift) as usize;
        while self.slots[at].1 != 0 && self.slots[at].0 != word {
            at = (at + 1) & mask;
        }
        at
    }

    /// Forgets all, and makes room for so many, within limits.
    fn begin(&mut self, names: usize) {
        self.len = 0;
        let size = (2 * names).next_power_of_two().min(MOST_AT_ONCE);
        if size > self.slots.len() {
            self.slots = vec![(0, 0); size];
            self.shift = 32 - size.trailing_zeros();
        } else {
            self.slots.fill((0, 0));
        }
    }

    fn is_half_full(&self) -> bool {
        self.len * 2 >= self.slots.len()
    }

    fn insert(&mut self, word: u32, string: u32) {
        if self.is_half_full() && self.shift > 1 {
            let size = self.slots.len() * 2;
            let old = std::mem::replace(&mut self.slots, vec![(0, 0); size]);
            self.shift -= 1;
            for slot in old.into_iter().filter(|s| s.1 != 0) {
                let at = self.place(slot.0);
                self.slots[at] = slot;
            }
        }
        let at = self.place(word);
        self.slots[at] = (word, string);
        self.len += 1;
    }
}
