//! Functions: what their parameters are, and where their locations say that they are passed.
//!
//! What follows from it is decided in [`super::convention`].

use super::builder::{Builder, Die, Func, Later, NOWHERE};
use super::convention::{FunctionSet, Passed};
use super::elf_functions::{self, ElfFunctions};
use super::fragment::NameRef;
use super::records::{LocalRecords, Records, member_at};
use crate::dwarf::abbrev::Slot;
use crate::dwarf::passed::Location;
use crate::dwarf::source::outer_index;
use gimli::constants as dw;

const NO_FUNCTION: u32 = u32::MAX;

/// Size of the memory of function names, as a power of 2.
const FOUND_BITS: u32 = 13;

/// Where a name is remembered.
#[inline]
fn found_slot(word: u32) -> usize {
    (word.wrapping_mul(0x9e37_79b1) >> (32 - FOUND_BITS)) as usize
}

impl Builder<'_> {
    /// Turns the functions noted in the walk into saved ones.
    pub(super) fn save_functions(&mut self, table: Option<&ElfFunctions>) {
        let Some(table) = table.filter(|t| !t.is_empty()) else { return };
        self.prepare_functions(table);
        let mut funcs = std::mem::take(&mut self.s.funcs);
        let mut params = std::mem::take(&mut self.s.passed);
        params.clear();
        params.extend(self.s.params.iter().map(Passed::from));
        let (abi, addr_size, true_signature) = (self.abi, self.addr_size(), self.options.true_signature);
        let lost = {
            let records = LocalRecords::of(self.out, addr_size, &self.s.long_chains);
            FunctionSet { funcs: &mut funcs, params: &mut params, records, abi, addr_size, true_signature }.share()
        };
        for p in lost {
            let p = &self.s.params[p as usize];
            self.say_no_origin(p.key, p.origin, "parameter");
        }
        for i in 0..funcs.len() {
            let function = funcs[i].elf_func;
            let out = &mut *self.out;
            let long_chains = &self.s.long_chains;
            let records =
                LocalRecords { words: &out.words, starts: &out.starts, odd_sizes: &out.odd_sizes, addr_size, long_chains };
            let mut set = FunctionSet { funcs: &mut funcs, params: &mut params, records, abi, addr_size, true_signature };
            if function != NO_FUNCTION {
                set.analyse(i);
            }
            let has_result = set.result_from_origin(i);
            if function != NO_FUNCTION {
                set.save(i, function, &mut out.funcs, &mut out.params);
            } else if !set.funcs[i].declaration && !set.funcs[i].name.is_none() && set.has_names(i) {
                // Told of, and nothing else.
                out.unknown_functions.push(set.funcs[i].name);
            }
            if !has_result {
                self.say_no_origin(funcs[i].key, funcs[i].origin, "function");
            }
        }
        self.s.funcs = funcs;
        self.s.passed = params;
    }

    /// Gives functions and parameters their types and links, and those with a symbol what their locations tell.
    pub(super) fn prepare_functions(&mut self, table: &ElfFunctions) {
        self.s.byte_sizes.clear();
        self.s.byte_sizes.resize(self.s.types.len() + 1, u32::MAX);
        for i in 0..self.s.funcs.len() {
            self.link_function(i);
        }
        for i in 0..self.s.params.len() {
            let p = &self.s.params[i];
            let (key, type_key, origin) = (p.key, p.type_key, p.origin);
            if type_key != 0 {
                self.s.params[i].type_id = self.type_id_or_void(type_key, key);
            } else if let Some(Die::Param(o)) = self.s.lookup(origin) {
                self.s.params[i].origin_at = o;
            }
        }
        let mut funcs = std::mem::take(&mut self.s.funcs);
        self.find_names(table, &funcs);
        for func in &mut funcs {
            func.elf_func = self.elf_function(table, func);
            // Without a name here, it may have that of an origin in another unit.
            if func.elf_func != NO_FUNCTION || func.name.is_none() && outer_index(func.origin).is_some() {
                self.locate_params(func);
            }
        }
        self.s.funcs = funcs;
    }

    /// Says that the abstract origin of the entry with `key` is not what it should be.
    #[cold]
    pub(super) fn say_no_origin(&mut self, key: u32, origin: u32, expected: &str) {
        let origin = self.source.offset(origin);
        self.say(key, &format!("abstract origin {origin:#x} is no {expected}"));
    }

    /// The function's origin, its result's type, and a name from its origin, else from its specification, when it has none.
    fn link_function(&mut self, i: usize) {
        let f = &self.s.funcs[i];
        let (key, type_key) = (f.key, f.type_key);
        let origin = self.func_at(f.origin);
        if f.name.is_none() {
            let specification = f.specification;
            match origin.or_else(|| self.func_at(specification)) {
                Some(other) => self.s.funcs[i].name = self.s.funcs[other].name,
                None if specification != 0 && outer_index(specification).is_none() => {
                    let target = self.source.offset(specification);
                    self.say(key, &format!("specification {target:#x} is no function: it has no name from there"));
                }
                None => {}
            }
        }
        let type_id = self.type_id_or_void(type_key, key);
        let f = &mut self.s.funcs[i];
        f.origin_at = origin.map_or(NOWHERE, |o| o as u32);
        f.type_id = type_id;
    }

    /// The function of the symbol table that has the function's name.
    fn elf_function(&mut self, table: &ElfFunctions, func: &Func) -> u32 {
        if func.declaration {
            return NO_FUNCTION;
        }
        // Most functions are inline ones of headers, the same ones in each unit: their names are remembered by their place.
        let word = func.name.to_word();
        if !NameRef::is_global(word) {
            return self.name_bytes(&func.name).and_then(|n| table.find(n)).unwrap_or(NO_FUNCTION);
        }
        let slot = found_slot(word);
        let (known, function) = self.s.found[slot];
        if known == word {
            return function;
        }
        let function = self.name_bytes(&func.name).and_then(|n| table.find(n)).unwrap_or(NO_FUNCTION);
        self.s.found[slot] = (word, function);
        function
    }

    /// Looks up the names of all functions that have not been met lately. Their text, and the table, are rarely in the cache: going through the list
    /// once for each step lets the loads overlap.
    fn find_names(&mut self, table: &ElfFunctions, funcs: &[Func]) {
        self.s.found.resize(1 << FOUND_BITS, (0, NO_FUNCTION));
        let mut names = std::mem::take(&mut self.s.names);
        names.clear();
        let words = funcs.iter().filter(|func| !func.declaration).map(|func| func.name.to_word());
        names.extend(
            words.filter(|&word| NameRef::is_global(word) && self.s.found[found_slot(word)].0 != word).map(|word| (word, 0)),
        );
        let text = self.source.file.debug_str();
        let first = |word: u32| text.get(word.wrapping_sub(1) as usize).copied().unwrap_or(0);
        std::hint::black_box(names.iter().fold(0, |x, &(word, _)| x ^ first(word)));
        for (word, hash) in &mut names {
            *hash = self.name_bytes(&NameRef::from_word(*word)).map_or(0, elf_functions::hash);
        }
        std::hint::black_box(names.iter().fold(0, |x, &(_, hash)| x ^ table.touch(hash)));
        for &(word, hash) in &names {
            let name = NameRef::from_word(word);
            let function = self.name_bytes(&name).and_then(|bytes| table.find_hashed(hash, bytes)).unwrap_or(NO_FUNCTION);
            self.s.found[found_slot(word)] = (word, function);
        }
        self.s.names = names;
    }

    fn func_at(&self, key: u32) -> Option<usize> {
        match self.s.lookup(key) {
            Some(Die::Func(i)) if key != 0 => Some(i as usize),
            _ => None,
        }
    }

    /// Reads what the parameters' locations tell. Done for functions with a symbol only: nobody asks for others.
    fn locate_params(&mut self, func: &Func) {
        for p in func.params.clone() {
            let p = p as usize;
            let (key, origin, type_key) = {
                let q = &self.s.params[p];
                (q.key, q.origin, q.type_key)
            };
            let type_key = match self.origin_type_key(origin, type_key) {
                Some(k) => k,
                None => type_key,
            };
            let size = if outer_index(origin).is_some() { Err(0) } else { self.byte_size(type_key) };
            let size = match size {
                Ok(size) => size,
                Err(outer) => {
                    self.locate_later(p, outer);
                    continue;
                }
            };
            let mut loc = Location::of_size(size, self.addr_size(), &self.abi);
            if let Some((form, value)) = self.s.params[p].location {
                self.read_location(key, form, value, &mut loc);
                self.single_member(type_key, p, &mut loc);
            }
            self.s.params[p].place.loc = loc;
        }
    }

    /// Reads the location of a parameter whose type, or origin (0), is in another unit: both for a small type and for a large one.
    fn locate_later(&mut self, p: usize, outer: u32) {
        let type_id = if outer == 0 { None } else { self.type_id(outer) }.unwrap_or(NOWHERE);
        let mut small = Location::default();
        let mut aggregate = Location { byte_size: u32::MAX, ..Location::default() };
        if let Some((form, value)) = self.s.params[p].location {
            let key = self.s.params[p].key;
            self.read_location(key, form, value, &mut small);
            self.read_location(key, form, value, &mut aggregate);
        }
        aggregate.byte_size = 0;
        let aggregate = (aggregate != small).then(|| Box::new(aggregate));
        self.s.params[p].place.loc = small;
        self.s.params[p].later = Some(Later { type_id, aggregate });
    }

    /// The key of the origin's type, where there is an origin.
    fn origin_type_key(&mut self, origin: u32, own: u32) -> Option<u32> {
        if origin == 0 {
            return Some(own);
        }
        if let Some(Die::Param(o)) = self.s.lookup(origin) {
            return Some(self.s.params[o as usize].type_key);
        }
        let (unit, _) = self.source.entry(origin, &mut self.s.other)?;
        Some(self.source.reference(unit, &self.s.other, Slot::Type))
    }

    fn read_location(&mut self, key: u32, form: dw::DwForm, value: u64, loc: &mut Location) {
        let Some(unit) = self.source.unit_of(key) else { return };
        // What a damaged list said before its damage counts; as much is known as of no list at all.
        if let Err(e) = self.s.places.read(&self.source, unit, form, value, &self.abi, loc) {
            self.say(key, &format!("location list of a parameter: {e}: it counts as far as it can be read"));
        }
    }

    /// Where pieces name one field of an aggregate only: that member is what is really passed.
    fn single_member(&mut self, type_key: u32, p: usize, loc: &mut Location) {
        let named = !self.s.params[p].name.is_none();
        let Some(offset) = loc.single_byte(self.addr_size()).filter(|_| named) else { return };
        if let Some((member, key)) = self.member_at(type_key, offset) {
            loc.has_member = !member.is_none();
            self.s.params[p].member = member;
            self.s.params[p].member_type = key;
        }
    }

    /// Name and type's key of the member at a byte offset of the struct with `key`, behind types without a size of their own.
    fn member_at(&mut self, mut key: u32, byte_offset: u32) -> Option<(NameRef, u32)> {
        for _ in 0..64 {
            let (unit, abbrev) = self.source.entry(key, &mut self.s.other)?;
            if crate::dwarf::source::number(&self.s.other, Slot::ByteSize).unwrap_or(0) == 0 {
                key = self.source.reference(unit, &self.s.other, Slot::Type);
                continue;
            }
            if abbrev.tag != dw::DW_TAG_structure_type {
                return None;
            }
            break;
        }
        let Some(Die::Type(id)) = self.s.lookup(key) else { return None };
        member_at(self.records().words(id)?, byte_offset)
    }
}
