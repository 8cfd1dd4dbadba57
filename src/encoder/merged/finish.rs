//! The end of an assembly: ids that were pending, functions across units, and all that is not types.

use super::super::ambiguous::Ambiguous;
use super::super::builder::{Func, Later, NOWHERE};
use super::super::convention::{FunctionSet, OWN, Passed};
use super::super::fragment::{Fragment, NameRef};
use super::super::records::{BtfRecords, Records, Size, member_at};
use super::super::report::{Report, text};
use super::super::resolve::{KFLAG, is_signed_int, placed};
use super::super::{EncodeError, Unit, verbose};
use super::circles::{Step, leads_on};
use super::{Assembly, DeferredWhat, Found, INDEX, Lost, PENDING, ids_in};
use crate::btf::{Btf, INT_SIGNED, Kind, StrOff, TypeId};
use crate::dwarf::circle::Circle;
use crate::dwarf::file::DwarfFile;
use crate::dwarf::source::outer_index;
use crate::encoder::elf_functions::ElfFunctions;
use std::sync::Arc;

impl Lost {
    /// What is not there, and what follows from it.
    fn text(self) -> &'static str {
        match self {
            Lost::Type => "where no type is: taken for void",
            Lost::End => "and it leads back to itself with no struct or typedef between: taken for void where the circle closes",
            Lost::Func => "where no function is: they have no name and no result from there",
            Lost::Param => "where no parameter is: they have no name and no type from there",
            Lost::Variable => "where no variable is: they have no name and no type from there",
        }
    }
}

/// Messages about references that lead nowhere; the rest is counted.
const MAX_MESSAGES: usize = 64;

/// References through more entries than this lead in a circle.
const MAX_HOPS: usize = 64;

/// Functions that are weighed before they are saved: not all at once, which would take memory twice.
const BATCH: usize = 1 << 10;

impl Assembly<'_> {
    /// Completes the unit that all parts make up; `name` is what it is called, `place_of` tells where the entry is that a position in the
    /// list of places stands for.
    pub fn finish(
        mut self,
        file: &Arc<DwarfFile>,
        name: &[u8],
        place_of: impl Fn(u32) -> String,
        report: &mut dyn Report,
    ) -> Result<(), EncodeError> {
        self.settle_found();
        self.settle_types()?;
        // Types were most of the names; of their memory, functions take some.
        self.encoder.merger.end_file();
        if let Some(names) = &mut self.encoder.names {
            names.forget();
        }
        verbose::added(&self.encoder.btf, self.first, report);
        self.settle_variables();
        self.encoder.add_tags(&self.rest, TypeId, report)?;
        self.settle_functions()?;
        self.tell_lost(&place_of, report);
        let rest = std::mem::take(&mut self.rest);
        if report.verbose() {
            self.encoder.tell_left_out(&rest, report);
        }
        let unit = Unit { name, file, functions: &self.functions, fragment: &rest, ambiguous: &Ambiguous::default() };
        self.encoder.add_variables(&unit, TypeId, report)
    }

    /// Says which references between units lead to something else than they should.
    fn tell_lost(&self, place_of: impl Fn(u32) -> String, report: &mut dyn Report) {
        let mut lost = self.lost.take();
        lost.sort_unstable();
        lost.dedup();
        for &(target, what) in lost.iter().take(MAX_MESSAGES) {
            let place = place_of(target);
            report.error(&text!(place.as_str(), ": other units refer to this, ", what.text(), "\n"));
        }
        if let Some(&(next, _)) = lost.get(MAX_MESSAGES) {
            let more = lost.len() - MAX_MESSAGES;
            report.error(&text!(place_of(next).as_str(), ": here and behind it ", more, " messages more\n"));
        }
    }

    /// Has each entry that stands for another unit's stand for the last of them, and for nothing where they go in a circle.
    fn settle_found(&mut self) {
        let next = |found: &[Found], at: usize| match found[at] {
            Found::Type(id) if id & PENDING != 0 => Some((id & !PENDING) as usize).filter(|&next| next < found.len()),
            _ => None,
        };
        let mut path = Vec::new();
        for first in 0..self.found.len() {
            let (mut at, mut circle) = (first, Circle::from(first as u32));
            let end = loop {
                let Some(to) = next(&self.found, at) else { break self.found[at] };
                path.push(at);
                if circle.is_closed_by(to as u32) {
                    break Found::Nothing;
                }
                at = to;
            };
            for at in path.drain(..) {
                self.found[at] = end;
            }
        }
    }

    fn records(&self) -> BtfRecords<'_> {
        let (btf, odd_sizes, long_chains) = (&self.encoder.btf, &*self.odd_sizes, &self.long_chains);
        BtfRecords { btf, odd_sizes, addr_size: self.addr_size, long_chains }
    }

    /// The final id for one that may be pending; `None` when it stands for nothing.
    fn final_id(&self, id: u32) -> Option<u32> {
        if id & PENDING == 0 {
            return Some(id);
        }
        match self.found.get((id & !PENDING) as usize) {
            Some(&Found::Type(id)) => Some(id).filter(|id| id & PENDING == 0),
            _ => None,
        }
    }

    fn id_or_void(&self, id: u32) -> u32 {
        self.final_id(id).unwrap_or_else(|| {
            self.lost.borrow_mut().push((id & !PENDING, Lost::Type));
            0
        })
    }

    /// Replaces pending ids in records, and what depends on them.
    fn settle_types(&mut self) -> Result<(), EncodeError> {
        let index = match (self.encoder.merger.index_type(), self.int_id) {
            (Some(id), _) => id,
            (None, Some(id)) => TypeId(id),
            (None, None) if self.has_array => self.encoder.btf.add_int(b"int", 4, INT_SIGNED)?,
            (None, None) => TypeId::VOID,
        };
        if index != TypeId::VOID {
            self.encoder.merger.set_index_type(index);
        }
        // References from unit to unit of types that lead on to others without a name between them.
        let mut steps = Vec::new();
        for i in 0..self.open.len() {
            let id = self.open[i];
            let Some(mut words) = self.encoder.btf.record(id).map(<[u32]>::to_vec) else { continue };
            let is_step = leads_on(&words);
            for at in ids_in(&words) {
                words[at] = match words[at] {
                    INDEX => index.0,
                    pending => {
                        if is_step && pending & PENDING != 0 {
                            steps.push(Step { id, word: at, target: pending & !PENDING });
                        }
                        self.id_or_void(pending)
                    }
                };
            }
            if let Some(record) = self.encoder.btf.record_mut(id) {
                record.copy_from_slice(&words);
            }
        }
        self.cut_circles(&steps);
        for (id, deferred) in std::mem::take(&mut self.deferred) {
            let target = self.id_or_void(deferred.type_id);
            let word = deferred.word as usize;
            let records = self.records();
            let Some(&old) = self.encoder.btf.record(id).and_then(|r| r.get(word)) else { continue };
            let new = match &deferred.what {
                DeferredWhat::Name => records.words(target).map_or(old, |w| w[0]),
                DeferredWhat::EnumSign if records.words(target).is_some_and(is_signed_int) => old | KFLAG,
                DeferredWhat::EnumSign => old,
                DeferredWhat::Bitfield(late) => {
                    let size = u32::try_from(records.size_of(target).bytes()).unwrap_or(0);
                    placed(late, old, size, self.big, self.options.fixup_silly_bitfields)
                }
            };
            if let Some(record) = self.encoder.btf.record_mut(id) {
                record[word] = new;
            }
        }
        Ok(())
    }

    fn settle_variables(&mut self) {
        let mut rest = std::mem::take(&mut self.rest);
        for tag in &mut rest.decl_tags {
            tag.type_id = self.id_or_void(tag.type_id);
        }
        let records = self.records();
        for &(var, target) in &self.defined {
            if let Some(&Found::Var(declared)) = self.found.get(target as usize) {
                let (var, declared) = (&mut rest.vars[var as usize], &self.declared[declared as usize]);
                (var.name, var.type_id) = (declared.name, declared.type_id);
                var.external |= declared.external;
            } else {
                self.lost.borrow_mut().push((target, Lost::Variable));
            }
        }
        for var in &mut rest.vars {
            var.type_id = self.id_or_void(var.type_id);
            var.size = if var.type_id == 0 { u64::MAX } else { records.size_of(var.type_id).bytes() };
        }
        self.rest = rest;
    }

    /// Links functions, gives them their types, and saves those that have a symbol.
    fn settle_functions(&mut self) -> Result<(), EncodeError> {
        let mut funcs = std::mem::take(&mut self.funcs);
        let mut params = std::mem::take(&mut self.params);
        let mut rest = std::mem::take(&mut self.rest);
        for func in &mut funcs {
            func.type_id = self.id_or_void(func.type_id);
            func.origin_at = self.func_at(func.origin_at);
        }
        self.name_functions(&mut funcs);
        for param in &mut params {
            param.type_id = self.id_or_void(param.type_id);
            param.member_type = self.id_or_void(param.member_type);
            param.origin_at = match param.origin_at {
                NOWHERE | OWN => param.origin_at,
                at if at & PENDING == 0 => at,
                at => match self.found.get((at & !PENDING) as usize) {
                    Some(&Found::Param(p)) => p,
                    _ => {
                        self.lost.borrow_mut().push((at & !PENDING, Lost::Param));
                        NOWHERE
                    }
                },
            };
        }
        let later = std::mem::take(&mut self.later);
        self.settle_locations(&mut params, later, &mut rest);
        let (abi, addr_size, true_signature) = (self.abi, self.addr_size, self.options.true_signature);
        let records = self.records();
        FunctionSet { funcs: &mut funcs, params: &mut params, records, abi, addr_size, true_signature }.share();
        let mut next = 0;
        while next < funcs.len() {
            let records = self.records();
            let mut set = FunctionSet { funcs: &mut funcs, params: &mut params, records, abi, addr_size, true_signature };
            let end = (next + BATCH).min(set.funcs.len());
            for i in next..end {
                let function = elf_function(&self.functions, &set.funcs[i], self.encoder.name_bytes(&rest, &set.funcs[i].name));
                if function.is_some() {
                    set.analyse(i);
                }
                set.result_from_origin(i);
                let (out_funcs, out_params) = (&mut rest.funcs, &mut rest.params);
                match function {
                    Some(function) => set.save(i, function, out_funcs, out_params),
                    None if !set.funcs[i].declaration && !set.funcs[i].name.is_none() && set.has_names(i) => {
                        rest.unknown_functions.push(set.funcs[i].name);
                    }
                    None => {}
                }
            }
            next = end;
            self.encoder.add_functions(&rest, &self.functions, TypeId)?;
            rest.funcs.clear();
            rest.params.clear();
        }
        self.rest = rest;
        Ok(())
    }

    fn func_at(&self, at: u32) -> u32 {
        match at {
            NOWHERE => NOWHERE,
            at if at & PENDING == 0 => at,
            at => match self.found.get((at & !PENDING) as usize) {
                Some(&Found::Func(f)) => f,
                _ => {
                    self.lost.borrow_mut().push((at & !PENDING, Lost::Func));
                    NOWHERE
                }
            },
        }
    }

    /// Functions without a name have that of their origin, else of their specification, in another unit.
    fn name_functions(&self, funcs: &mut [Func]) {
        for i in 0..funcs.len() {
            let mut at = i;
            for _ in 0..MAX_HOPS {
                if !funcs[at].name.is_none() {
                    break;
                }
                let specification = || outer_index(funcs[at].specification).map_or(NOWHERE, |t| self.func_at(PENDING | t));
                let next = if funcs[at].origin_at == NOWHERE { specification() } else { funcs[at].origin_at };
                if next as usize >= funcs.len() {
                    break;
                }
                at = next as usize;
            }
            funcs[i].name = funcs[at].name;
        }
    }

    /// Chooses what a location tells where the size of the type had to be waited for.
    fn settle_locations(&self, params: &mut [Passed], later: Vec<(u32, Later)>, rest: &mut Fragment) {
        let btf = &self.encoder.btf;
        let records = self.records();
        let limit = self.abi.limit_in_registers(self.addr_size);
        for (i, later) in later {
            let i = i as usize;
            let type_id = match later.type_id {
                NOWHERE => self.origin_type(params, i),
                id => self.id_or_void(id),
            };
            let size = declared_size(&records, type_id);
            let aggregate = size > u32::from(self.addr_size) && self.abi.two_register_aggregates;
            let p = &mut params[i];
            if let (true, Some(loc)) = (aggregate, later.aggregate) {
                p.place.loc = *loc;
            }
            p.place.loc.byte_size = size;
            p.place.loc.in_memory = size > limit;
            let record = records.words(records.strip(type_id)).filter(|w| Kind::of_info(w[1]) == Some(Kind::Struct));
            let member = p.place.loc.single_byte(self.addr_size).and_then(|offset| member_at(record?, offset));
            if let Some((name, member_type)) = member {
                p.member = name_of(btf, name, rest);
                p.place.loc.has_member = !p.member.is_none();
                p.member_type = member_type;
            }
        }
    }

    /// The type of the parameter that the one at `i` originates from.
    fn origin_type(&self, params: &[Passed], mut i: usize) -> u32 {
        for _ in 0..MAX_HOPS {
            if params[i].origin_at == OWN {
                return params[i].type_id;
            }
            match params.get(params[i].origin_at as usize) {
                Some(_) => i = params[i].origin_at as usize,
                None => return 0,
            }
        }
        0
    }
}

/// A name from the BTF's strings, as fragments have it.
fn name_of(btf: &Btf, name: NameRef, rest: &mut Fragment) -> NameRef {
    rest.strings.push(btf.str_at(StrOff(name.to_word())))
}

fn elf_function(table: &ElfFunctions, func: &Func, name: &[u8]) -> Option<u32> {
    if func.declaration || func.name.is_none() { None } else { table.find(name) }
}

/// The size as the entry of a type gives it, or that of the type it refers to: an array has none of its own.
fn declared_size(records: &impl Records, mut id: u32) -> u32 {
    for _ in 0..MAX_HOPS {
        id = records.strip(id);
        match records.words(id) {
            Some(words) if Kind::of_info(words[1]) == Some(Kind::Array) => id = words[3],
            _ => break,
        }
    }
    match records.size_of(id) {
        Size::Bytes(n) => u32::try_from(n).unwrap_or(u32::MAX - 1),
        Size::None | Size::Unknown => 0,
    }
}
