//! After the walk: keys become local ids, and what depends on other types is filled in.

use super::builder::{Builder, Die, LateBitfield};
use super::fragment::{NameRef, SavedVar};
use super::merged::{Deferred, DeferredWhat};
use super::records::{LocalRecords, Records, Size};
use crate::btf::Kind;
use crate::dwarf::abbrev::Slot;
use crate::dwarf::circle::Circle;
use crate::dwarf::source::outer_index;
use crate::phases::{self, Phase};
use gimli::constants as dw;

/// Chains of more entries than this are remembered.
const LONG: usize = 64;

impl Builder<'_> {
    /// Completes the fragment.
    pub fn finish(mut self, functions: Option<&super::elf_functions::ElfFunctions>) {
        self.resolve_types();
        let _phase = phases::enter(Phase::Signatures);
        self.save_functions(functions);
    }

    /// All but functions. What depends on types of other units is put off.
    pub(super) fn resolve_types(&mut self) {
        self.s.deferred.clear();
        self.s.declared.clear();
        self.settle_aliases();
        self.resolve_refs();
        self.cut_circles();
        self.resolve_names();
        self.resolve_enum_signs();
        self.place_bitfields();
        self.save_variables();
    }

    /// Has each entry that only stands for another one stand for the last of them; what stands for itself is void.
    fn settle_aliases(&mut self) {
        let alias_at = |s: &super::builder::Scratch, key: u32| match s.lookup(key) {
            Some(Die::Alias(i)) if key != 0 && outer_index(key).is_none() => Some(i as usize),
            _ => None,
        };
        let mut path = Vec::new();
        for first in 0..self.s.aliases.len() {
            let mut target = self.s.aliases[first].1;
            path.push(first);
            let mut circle = Circle::from(first as u32);
            while let Some(next) = alias_at(self.s, target) {
                // What came before has been settled, and leads to no further one.
                if circle.is_closed_by(next as u32) {
                    self.say(self.s.aliases[first].0, "types that stand for each other in a circle: taken for void");
                    target = 0;
                    break;
                }
                path.push(next);
                target = self.s.aliases[next].1;
            }
            for at in path.drain(..) {
                self.s.aliases[at].1 = target;
            }
        }
    }

    /// The local id of the type with `key`: 0 for void; `None` where there is no such type.
    pub(super) fn type_id(&self, mut key: u32) -> Option<u32> {
        loop {
            if key == 0 {
                return Some(0);
            }
            if let Some(target) = outer_index(key) {
                return Some(self.s.types.len() as u32 + 1 + target);
            }
            match self.s.lookup(key)? {
                Die::Type(id) => return Some(id),
                // They are settled: the next one is no alias.
                Die::Alias(i) => key = self.s.aliases[i as usize].1,
                Die::Param(_) | Die::Func(_) => return None,
            }
        }
    }

    /// [`Builder::type_id`], with a message where there is none.
    pub(super) fn type_id_or_void(&mut self, key: u32, from: u32) -> u32 {
        if let Some(id) = self.type_id(key) {
            return id;
        }
        let target = self.source.offset(key);
        self.say(from, &format!("reference to {target:#x}, where no type is: taken for void"));
        0
    }

    fn resolve_refs(&mut self) {
        let refs = std::mem::take(&mut self.s.refs);
        for run in &refs {
            let mut word = run.first as usize;
            for _ in 0..run.count {
                let key = self.out.words[word];
                // The fast way: most references lead straight to a type.
                let id = match self.s.lookup(key) {
                    _ if key == 0 => 0,
                    Some(Die::Type(id)) => id,
                    _ => {
                        let record = self.out.starts.partition_point(|&s| s as usize <= word) - 1;
                        self.type_id_or_void(key, self.s.types[record])
                    }
                };
                self.out.words[word] = id;
                word += usize::from(run.step);
            }
        }
        self.s.refs = refs;
    }

    /// Names of definitions are those of their declarations, which may refer to further ones.
    fn resolve_names(&mut self) {
        let spec_names = std::mem::take(&mut self.s.spec_names);
        let name_word = |out: &super::fragment::Fragment, id: u32| out.starts[id as usize - 1];
        let mut path = Vec::new();
        for first in 0..spec_names.len() {
            let (mut at, mut circle) = (first, Circle::from(first as u32));
            let name = loop {
                let (word, key) = spec_names[at];
                path.push(word);
                let Some(Die::Type(id)) = self.s.lookup(key) else {
                    if self.type_id(key).is_none() {
                        let record = self.out.starts.partition_point(|&s| s <= word) - 1;
                        let (from, target) = (self.s.types[record], self.source.offset(key));
                        self.say(from, &format!("specification {target:#x} is no type: the name is left out"));
                    }
                    break None;
                };
                let declared = name_word(self.out, id);
                let next = spec_names.binary_search_by_key(&declared, |&(word, _)| word);
                match (self.out.words[declared as usize], next) {
                    (0, Ok(next)) if !circle.is_closed_by(next as u32) => at = next,
                    (name, _) => break Some(name),
                }
            };
            for word in path.drain(..) {
                match name {
                    Some(name) => self.out.words[word as usize] = name,
                    // The declaration that has it is in another unit.
                    None => self.defer(word, spec_names[at].1, DeferredWhat::Name),
                }
            }
        }
        self.s.spec_names = spec_names;
    }

    fn resolve_enum_signs(&mut self) {
        for i in 0..self.s.enum_signs.len() {
            let (word, key) = self.s.enum_signs[i];
            match self.s.lookup(key) {
                Some(Die::Type(id)) => {
                    let at = self.out.starts[id as usize - 1] as usize;
                    if is_signed_int(&self.out.words[at..]) {
                        self.out.words[word as usize] |= KFLAG;
                    }
                }
                _ => self.defer(word, key, DeferredWhat::EnumSign),
            }
        }
    }

    /// Puts off what depends on the type with `key`, if that is one of another unit.
    fn defer(&mut self, word: u32, key: u32, what: DeferredWhat) {
        if let (Some(_), Some(type_id)) = (outer_index(key), self.type_id(key)) {
            self.s.deferred.push(Deferred { word, type_id, what });
        }
    }

    /// The fragment's records so far.
    pub(super) fn records(&self) -> LocalRecords<'_> {
        LocalRecords::of(self.out, self.addr_size(), &self.s.long_chains)
    }

    pub(super) fn addr_size(&self) -> u8 {
        self.source.units.first().map_or(8, |u| u.header.addr_size)
    }

    /// Bit-fields that count from the other end of their storage unit (DWARF 2 and 3, 5.6.6 there; still written for DWARF 4).
    fn place_bitfields(&mut self) {
        let list = std::mem::take(&mut self.s.late_bitfields);
        for late in &list {
            if late.word == u32::MAX {
                continue;
            }
            let word = late.word as usize;
            let byte_size = match late.byte_size {
                0 => match self.records().size_of(self.out.words[word - 1]) {
                    Size::Unknown => {
                        let type_id = self.out.words[word - 1];
                        let what = DeferredWhat::Bitfield(late.clone());
                        self.s.deferred.push(Deferred { word: late.word, type_id, what });
                        continue;
                    }
                    size => u32::try_from(size.bytes()).unwrap_or(0),
                },
                n => n,
            };
            let (big, fixup) = (self.source.file.is_big_endian(), self.options.fixup_silly_bitfields);
            self.out.words[word] = placed(late, self.out.words[word], byte_size, big, fixup);
        }
        self.s.late_bitfields = list;
    }

    fn save_variables(&mut self) {
        let vars = std::mem::take(&mut self.s.vars);
        for var in &vars {
            if let Some(target) = outer_index(var.spec) {
                self.s.declared.push((self.out.vars.len() as u32, target));
            }
            let type_id = self.type_id_or_void(var.type_key, var.key);
            let size = if type_id == 0 { u64::MAX } else { self.records().size_of(type_id).bytes() };
            self.out.vars.push(SavedVar {
                name: var.name,
                addr: var.addr,
                type_id,
                size,
                external: var.external,
                annots: var.annots.clone(),
            });
        }
        self.s.vars = vars;
    }

    /// Size of the type with `key` as its entry gives it: that of an address for pointers, DW_AT_byte_size, or that of the type it refers to;
    /// 0 when unknown. The key of a type of another unit where the way leads to one.
    pub(super) fn byte_size(&mut self, key: u32) -> Result<u32, u32> {
        let mut path = Vec::new();
        let size = self.byte_size_along(key, &mut path)?;
        for id in path {
            self.s.byte_sizes[id as usize] = size;
        }
        Ok(size)
    }

    /// [`Builder::byte_size`]; `path` gets some of the types of a long chain, whose size is the same.
    fn byte_size_along(&mut self, mut key: u32, path: &mut Vec<u32>) -> Result<u32, u32> {
        let (mut steps, mut circle) = (0, Circle::from(key));
        loop {
            if key == 0 {
                return Ok(0);
            }
            if outer_index(key).is_some() {
                return Err(key);
            }
            let id = match self.s.lookup(key) {
                Some(Die::Type(id)) => id,
                Some(Die::Alias(i)) if steps > LONG => {
                    key = self.s.aliases[i as usize].1;
                    continue;
                }
                _ => 0,
            };
            if let Some(&known) = self.s.byte_sizes.get(id as usize) {
                if known != u32::MAX && id != 0 {
                    return Ok(known);
                }
            }
            steps += 1;
            if steps % LONG == 0 && id != 0 {
                path.push(id);
            }
            let Some((unit, abbrev)) = self.source.entry(key, &mut self.s.other) else { return Ok(0) };
            let addr_size = u64::from(unit.header.addr_size);
            let size = match abbrev.tag {
                dw::DW_TAG_pointer_type
                | dw::DW_TAG_reference_type
                | dw::DW_TAG_rvalue_reference_type
                | dw::DW_TAG_dynamic_type => addr_size,
                dw::DW_TAG_ptr_to_member_type => {
                    // A pointer to a member function has an adjustment of `this`, too.
                    addr_size * if self.source.is_method_pointer(unit, &mut self.s.other) == Some(true) { 2 } else { 1 }
                }
                _ => crate::dwarf::source::number(&self.s.other, Slot::ByteSize).unwrap_or(0),
            };
            if size != 0 {
                let size = u32::try_from(size).unwrap_or(u32::MAX - 1);
                if id != 0 {
                    self.s.byte_sizes[id as usize] = size;
                }
                return Ok(size);
            }
            key = self.source.reference(unit, &self.s.other, Slot::Type);
            if circle.is_closed_by(key) {
                return Ok(0);
            }
        }
    }

    /// The bytes of a name.
    pub(super) fn name_bytes<'s>(&'s self, name: &'s NameRef) -> Option<&'s [u8]> {
        self.source.bytes(name, &self.out.strings)
    }
}

pub(super) const KFLAG: u32 = 1 << 31;
const INT_SIGNED: u32 = 1 << 24;

/// Whether a record is a signed integer's.
pub(super) fn is_signed_int(words: &[u32]) -> bool {
    Kind::of_info(words[1]) == Some(Kind::Int) && words[3] & INT_SIGNED != 0
}

/// The offset word of a bit-field whose storage unit has `byte_size` bytes; 0 for unknown.
pub(super) fn placed(late: &LateBitfield, word: u32, byte_size: u32, big: bool, fixup_silly_bitfields: bool) -> u32 {
    if byte_size == 0 {
        return word;
    }
    let bits = i64::from(byte_size) * 8;
    let width = i64::from(late.bit_size);
    let mut offset = i64::from(word & 0x00ff_ffff);
    if !late.has_bit_offset {
        let mut in_unit = late.bit_offset_attr;
        if !big {
            in_unit = bits.wrapping_sub(in_unit).wrapping_sub(width);
        }
        offset = (i64::from(late.byte_offset) * 8).wrapping_add(in_unit);
    }
    if fixup_silly_bitfields && bits == width {
        return offset as u32;
    }
    (late.bit_size & 0xff) << 24 | (offset as u32 & 0x00ff_ffff)
}
