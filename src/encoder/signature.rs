//! Functions: what their parameters are, and whether they are passed where the calling convention says.
//!
//! gcc describes a function that it inlined or cloned twice: an abstract entry with names and types, and a concrete one with addresses and
//! locations that refers to the first. Both are saved when the symbol table has a function of their name; what the locations tell is
//! shared between them, in the order of the entries.

use super::builder::{Builder, Die, Func, Location, Param};
use super::elf_functions::ElfFunctions;
use super::fragment::{NameRef, SavedFunc, SavedParam};
use crate::btf::Kind;
use crate::dwarf::abbrev::{Block, Slot};
use crate::dwarf::expr::{Op, read_ops};
use crate::dwarf::loclist::{Window, for_each_expression};
use gimli::constants as dw;
use std::ops::ControlFlow;

const NO_FUNCTION: u32 = u32::MAX;

impl Builder<'_> {
    /// Turns the functions noted in the walk into saved ones.
    pub(super) fn save_functions(&mut self, table: Option<&ElfFunctions>) {
        let Some(table) = table.filter(|t| !t.is_empty()) else { return };
        self.s.byte_sizes.clear();
        self.s.byte_sizes.resize(self.s.types.len() + 1, u32::MAX);
        for i in 0..self.s.funcs.len() {
            self.name_function(i);
        }
        let mut funcs = std::mem::take(&mut self.s.funcs);
        for func in &funcs {
            if self.elf_function(table, func) != NO_FUNCTION {
                self.locate_params(func);
            }
        }
        self.type_params();
        for func in &mut funcs {
            self.share_with_origins(func);
            func.type_id = self.type_id_or_void(func.type_key, func.key);
        }
        self.s.funcs = funcs;
        for i in 0..self.s.funcs.len() {
            let function = self.elf_function(table, &self.s.funcs[i]);
            if function != NO_FUNCTION {
                self.analyse(i);
            }
            self.result_from_origin(i);
            if function != NO_FUNCTION {
                self.save(i, function);
            } else {
                self.note_unknown(i);
            }
        }
    }

    fn elf_function(&self, table: &ElfFunctions, func: &Func) -> u32 {
        if func.declaration {
            return NO_FUNCTION;
        }
        self.name_bytes(func.name).and_then(|n| table.find(n)).unwrap_or(NO_FUNCTION)
    }

    fn func_at(&self, key: u32) -> Option<usize> {
        match self.s.lookup(key) {
            Some(Die::Func(i)) if key != 0 => Some(i as usize),
            _ => None,
        }
    }

    /// The name of a function that has none of its own: that of its origin, else of its specification.
    fn name_function(&mut self, i: usize) {
        let f = &self.s.funcs[i];
        if !f.name.is_none() || (f.origin == 0 && f.specification == 0) {
            return;
        }
        if let Some(other) = self.func_at(f.origin).or_else(|| self.func_at(f.specification)) {
            self.s.funcs[i].name = self.s.funcs[other].name;
        }
    }

    /// The result's type of a function that gives none: that of its origin.
    fn result_from_origin(&mut self, i: usize) {
        let f = &self.s.funcs[i];
        if f.type_id != 0 || !f.has_origin {
            return;
        }
        match self.func_at(f.origin) {
            Some(origin) => self.s.funcs[i].type_id = self.s.funcs[origin].type_id,
            None => {
                let (from, to) = (self.source.offset(f.key), self.source.offset(f.origin));
                self.s.messages.push(format!(".debug_info+{from:#x}: abstract origin {to:#x} is no function"));
            }
        }
    }

    /// Gives each parameter that has a type of its own that type. Origins may come after the parameters that refer to them.
    fn type_params(&mut self) {
        for p in 0..self.s.params.len() {
            let (key, type_key) = (self.s.params[p].key, self.s.params[p].type_key);
            if type_key != 0 {
                self.s.params[p].type_id = self.type_id_or_void(type_key, key);
            }
        }
    }

    /// Gives each parameter without a type the name and type of its abstract origin, and shares with it what its location tells.
    fn share_with_origins(&mut self, func: &mut Func) {
        for p in func.params.clone() {
            let p = p as usize;
            let (key, origin) = {
                let q = &self.s.params[p];
                if q.type_key != 0 || q.origin == 0 {
                    continue;
                }
                (q.key, q.origin)
            };
            let Some(Die::Param(o)) = self.s.lookup(origin) else {
                let (from, to) = (self.source.offset(key), self.source.offset(origin));
                self.s.messages.push(format!(".debug_info+{from:#x}: abstract origin {to:#x} is no parameter"));
                continue;
            };
            let o = o as usize;
            if o == p {
                continue;
            }
            if self.s.params[p].idx != self.s.params[o].idx {
                func.reordered = true;
            }
            let (name, type_id) = self.declared(o);
            let mine = &mut self.s.params[p];
            mine.name = name;
            mine.type_id = type_id;
            let mine = mine.clone();
            share(&mine, &mut self.s.params[o]);
        }
    }

    /// Name and type of a parameter, or of what it originates from.
    fn declared(&self, mut p: usize) -> (NameRef, u32) {
        for _ in 0..64 {
            let q = &self.s.params[p];
            match self.s.lookup(q.origin) {
                Some(Die::Param(o)) if q.type_key == 0 && q.origin != 0 => p = o as usize,
                _ => break,
            }
        }
        (self.s.params[p].name, self.s.params[p].type_id)
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
            let size = self.byte_size(type_key);
            let addr_size = u32::from(self.addr_size());
            let limit = if self.abi.two_register_aggregates { 2 * addr_size } else { addr_size };
            let mut loc = Location { byte_size: size, in_memory: size > limit, ..Location::default() };
            if let Some((form, value)) = self.s.params[p].location {
                self.read_location(key, form, value, &mut loc);
                self.single_member(type_key, self.s.params[p].name, &mut loc);
            }
            self.s.params[p].loc = loc;
        }
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
        let rules = Rules {
            aggregate: loc.byte_size > u32::from(unit.header.addr_size) && self.abi.two_register_aggregates,
            addr_size: unit.header.addr_size,
            ref_size: if unit.header.version == 2 { unit.header.addr_size } else { unit.header.offset_size },
            big: self.source.file.is_big_endian(),
        };
        let mut ops = std::mem::take(&mut self.s.ops);
        let mut entry_ops = std::mem::take(&mut self.s.entry_ops);
        let mut nth = 0;
        let mut each = |buf: &[u8], start: usize, len: usize| {
            let go_on = rules.expression(buf, start, len, nth, &mut ops, &mut entry_ops, loc);
            nth += 1;
            go_on.is_continue()
        };
        match form {
            dw::DW_FORM_exprloc | dw::DW_FORM_block | dw::DW_FORM_block1 | dw::DW_FORM_block2 | dw::DW_FORM_block4 => {
                let block = Block { start: (value >> 32) as u32, len: value as u32 };
                each(self.source.buf, block.start as usize, block.len as usize);
            }
            dw::DW_FORM_sec_offset | dw::DW_FORM_loclistx | dw::DW_FORM_data4 | dw::DW_FORM_data8 => {
                let file = self.source.file;
                let offset = if form == dw::DW_FORM_loclistx {
                    file.loclist_offset(&unit.header, &unit.bases, value)
                } else {
                    Some(value)
                };
                if let (Some(section), Some(offset)) = (file.location_lists(unit.header.version), offset) {
                    let window: &mut Window = &mut self.s.window;
                    // What a damaged list said before its damage counts; as much is known as of no list at all.
                    let _ = for_each_expression(section, window, offset, &unit.header, file.is_big_endian(), each);
                }
            }
            _ => {}
        }
        self.s.ops = ops;
        self.s.entry_ops = entry_ops;
    }

    /// Where pieces name one field of an aggregate only: that member is what is really passed.
    fn single_member(&mut self, type_key: u32, name: NameRef, loc: &mut Location) {
        let (first, second) = (loc.first_bytes, loc.second_bytes);
        if (first == 0) == (second == 0) || first.count_ones() >= 2 || second.count_ones() >= 2 || name.is_none() {
            return;
        }
        let offset = if first != 0 { first.trailing_zeros() } else { u32::from(self.addr_size()) + second.trailing_zeros() };
        if let Some((member, key)) = self.member_at(type_key, offset) {
            loc.member = member;
            loc.member_type = key;
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
        let words = self.words(id);
        let vlen = (words[1] & 0xffff) as usize;
        let kflag = words[1] >> 31 != 0;
        let wanted = byte_offset * 8;
        let member = words[3..].chunks_exact(3).take(vlen).find(|m| {
            let offset = if kflag { m[2] & 0x00ff_ffff } else { m[2] };
            offset == wanted && m[1] != 0
        })?;
        let name = NameRef::from_word(member[0]);
        (!name.is_none()).then_some((name, member[1]))
    }

    // Analysis.

    fn slots(&self, loc: &Location) -> usize {
        let addr_size = u32::from(self.addr_size());
        if !self.abi.two_register_aggregates || loc.byte_size <= addr_size {
            return 1;
        }
        loc.byte_size.div_ceil(addr_size).max(1) as usize
    }

    /// Compares the function's parameters with the calling convention.
    fn analyse(&mut self, i: usize) {
        let (range, changed, clang) = {
            let f = &self.s.funcs[i];
            let clang = self.source.unit_of(f.key).is_some_and(|u| u.producer_clang);
            (f.params.clone(), f.signature_changed, clang)
        };
        if clang && !changed {
            self.match_registers(range.clone());
        } else {
            self.match_locations(range.clone(), self.options.true_signature && changed, clang);
        }
        let params = &self.s.params[range.start as usize..range.end as usize];
        let optimized = params.iter().any(|p| p.loc.optimized || !p.has_location);
        let unexpected = params.iter().any(|p| p.loc.unexpected_reg) && !params.iter().any(|p| self.is_struct(p.type_id));
        let f = &mut self.s.funcs[i];
        f.optimized = optimized;
        f.unexpected_reg = unexpected;
    }

    /// A struct, typedefs and const aside: it may take several registers or none, so that registers prove nothing.
    fn is_struct(&self, mut id: u32) -> bool {
        for _ in 0..1 << 16 {
            match self.kind(id) {
                Some(Kind::Struct) => return true,
                // A declaration of a struct is a FWD record; that of a union has its flag set.
                Some(Kind::Fwd) => return self.words(id)[1] >> 31 == 0,
                Some(Kind::Typedef | Kind::Const) => id = self.words(id)[2],
                _ => return false,
            }
        }
        false
    }

    /// clang keeps signatures unless it says otherwise: any other register is a surprise.
    fn match_registers(&mut self, range: std::ops::Range<u32>) {
        let mut reg = 0;
        for p in range {
            let loc = self.s.params[p as usize].loc;
            if loc.in_memory {
                continue;
            }
            if reg >= self.abi.register_params {
                break;
            }
            let slots = self.slots(&loc);
            let end = (reg + slots).min(self.abi.register_params);
            if loc.reg >= 0 && !self.abi.registers[reg..end].contains(&loc.reg) {
                self.s.params[p as usize].loc.unexpected_reg = true;
            }
            reg += slots;
        }
    }

    /// Whether the parameter behind `p` stands where it would with `slots` registers given to `p`.
    fn next_keeps_place(&self, p: u32, range: &std::ops::Range<u32>, reg: usize, slots: usize) -> bool {
        if p + 1 >= range.end {
            return false;
        }
        let next = self.s.params[p as usize + 1].loc.reg;
        let index = reg + slots;
        next >= 0 && index < self.abi.register_params && self.abi.registers.get(index) == Some(&next)
    }

    fn match_locations(&mut self, range: std::ops::Range<u32>, true_signature: bool, clang: bool) {
        let mut reg = 0;
        for p in range.clone() {
            let (loc, has_location, has_const_value) = {
                let q = &self.s.params[p as usize];
                (q.loc, q.has_location, q.has_const_value)
            };
            let slots = self.slots(&loc);
            let available = reg < self.abi.register_params;
            let mut consumed = if loc.in_memory { 1 } else { slots };
            let mut out = loc;
            if has_location {
                if true_signature && loc.is_const {
                    out.optimized = true;
                    consumed = 0;
                } else if !available {
                    consumed = 0;
                } else if true_signature && loc.on_stack {
                    if loc.in_memory {
                        consumed = 0;
                    } else {
                        out.unexpected_reg = true;
                    }
                } else if loc.reg < 0 {
                    if true_signature {
                        out.unexpected_reg = true;
                    } else {
                        out.optimized = true;
                    }
                } else if self.abi.registers[reg] >= 0 && self.abi.registers[reg] != loc.reg {
                    out.unexpected_reg = true;
                } else if true_signature && (loc.first_bytes != 0 || loc.second_bytes != 0) {
                    if loc.first_bytes != 0 && loc.second_bytes != 0 {
                        reg += slots;
                        continue;
                    }
                    if self.next_keeps_place(p, &range, reg, slots) {
                        self.s.params[p as usize].loc.member = NameRef::NONE;
                        reg += slots;
                        continue;
                    }
                    if !loc.member.is_none() {
                        self.s.params[p as usize].type_id = loc.member_type;
                        reg += 1;
                        continue;
                    }
                }
            } else if has_const_value && !clang {
                out.optimized = true;
            } else if true_signature {
                if available && self.next_keeps_place(p, &range, reg, slots) {
                    reg += slots;
                    continue;
                }
                out.optimized = true;
                consumed = 0;
            }
            self.s.params[p as usize].loc = out;
            reg += consumed;
        }
    }

    /// Adds the function to the fragment unless its parameters have no names.
    fn save(&mut self, i: usize, elf_func: u32) {
        let f = self.s.funcs[i].clone();
        let params = f.params.start as usize..f.params.end as usize;
        if self.s.params[params.clone()].iter().any(|p| p.name.is_none()) {
            return;
        }
        let uncertain = self.has_packed_on_stack(params.clone());
        let first = self.out.params.len() as u32;
        for p in &self.s.params[params] {
            if f.reordered && (!p.has_location || p.loc.optimized) {
                continue;
            }
            let changed = self.options.true_signature && f.signature_changed;
            if changed && p.loc.optimized {
                continue;
            }
            let member = if changed { p.loc.member } else { NameRef::NONE };
            self.out.params.push(SavedParam { name: p.name, member, type_id: p.type_id });
        }
        if f.variadic {
            self.out.params.push(SavedParam { name: NameRef::NONE, member: NameRef::NONE, type_id: 0 });
        }
        self.out.funcs.push(SavedFunc {
            elf_func,
            addr: f.addr,
            ret: f.type_id,
            params: first..self.out.params.len() as u32,
            annots: f.annots,
            unexpected_reg: f.unexpected_reg,
            optimized_parms: f.optimized,
            uncertain_parm_loc: uncertain,
            reordered_parm: f.reordered,
            signature_changed: f.signature_changed,
            inconsistent_proto: false,
        });
    }

    fn note_unknown(&mut self, i: usize) {
        let f = &self.s.funcs[i];
        let params = f.params.start as usize..f.params.end as usize;
        if !f.declaration && !f.name.is_none() && !self.s.params[params].iter().any(|p| p.name.is_none()) {
            self.out.unknown_functions.push(f.name);
        }
    }

    /// Whether a packed struct with a name is among the parameters behind those in registers: where it stands cannot be told.
    fn has_packed_on_stack(&self, params: std::ops::Range<usize>) -> bool {
        self.s.params[params].iter().skip(self.abi.register_params).any(|p| {
            self.kind(p.type_id) == Some(Kind::Struct)
                && !NameRef::from_word(self.words(p.type_id)[0]).is_none()
                && super::packed::is_packed(self, p.type_id)
        })
    }
}

/// What a concrete parameter tells its abstract origin.
fn share(mine: &Param, origin: &mut Param) {
    origin.has_location |= mine.has_location;
    origin.has_const_value |= mine.has_const_value;
    let (m, o) = (&mine.loc, &mut origin.loc);
    o.is_const |= m.is_const;
    o.on_stack |= m.on_stack;
    if m.reg >= 0 {
        o.reg = m.reg;
    }
    if m.byte_size != 0 {
        o.byte_size = m.byte_size;
    }
    o.in_memory |= m.in_memory;
    o.first_bytes |= m.first_bytes;
    o.second_bytes |= m.second_bytes;
    if !m.member.is_none() && o.member.is_none() {
        o.member = m.member;
        o.member_type = m.member_type;
    }
    o.optimized |= m.optimized;
    o.unexpected_reg |= m.unexpected_reg;
}

/// How to read the expressions of one parameter.
struct Rules {
    /// The parameter is larger than a register: its pieces are looked at.
    aggregate: bool,
    addr_size: u8,
    ref_size: u8,
    big: bool,
}

impl Rules {
    /// The `nth` expression of a parameter's location.
    #[allow(clippy::too_many_arguments, reason = "buffers are lent by the caller")]
    fn expression(
        &self,
        buf: &[u8],
        start: usize,
        len: usize,
        nth: usize,
        ops: &mut Vec<Op>,
        entry_ops: &mut Vec<Op>,
        loc: &mut Location,
    ) -> ControlFlow<()> {
        if len == 0 {
            return ControlFlow::Continue(());
        }
        // Behind the first expression only entry values count, and pieces of aggregates.
        if read_ops(buf, start, len, self.big, self.addr_size, self.ref_size, "location", ops).is_err() {
            return ControlFlow::Break(());
        }
        let mut ops = ops.as_slice();
        let has_value = ops.last().is_some_and(|o| o.code == dw::DW_OP_stack_value);
        if ops.len() == 2 && has_value {
            ops = &ops[..1];
        }
        let first = ops[0];
        if ops.len() != 1 {
            self.several(ops, nth, loc);
        } else if let Some(reg) = first.register() {
            if nth == 0 {
                set_reg(loc, reg);
            }
        } else if let Some(reg) = first.base_register() {
            if nth == 0 && has_value {
                set_reg(loc, reg);
            }
        } else if first.code == dw::DW_OP_fbreg {
            loc.on_stack |= nth == 0;
        } else if first.is_constant() {
            loc.is_const |= nth == 0;
        } else if matches!(first.code, dw::DW_OP_entry_value | dw::DW_OP_GNU_entry_value) {
            let (start, len) = (first.operand as usize, first.block_len as usize);
            if read_ops(buf, start, len, self.big, self.addr_size, self.ref_size, "location", entry_ops).is_ok() {
                if let [op] = entry_ops.as_slice() {
                    if let Some(reg) = op.register() {
                        set_reg(loc, reg);
                    }
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// An expression of several operations.
    fn several(&self, ops: &[Op], nth: usize, loc: &mut Location) {
        let first = ops[0];
        if first.is_constant() {
            loc.is_const |= nth == 0;
            return;
        }
        if !self.aggregate {
            if nth == 0 {
                if let Some(reg) = first.register() {
                    set_reg(loc, reg);
                } else if let Some(reg) = first.base_register() {
                    if ops[1..].iter().any(|o| o.code == dw::DW_OP_stack_value) {
                        set_reg(loc, reg);
                    }
                }
            }
            return;
        }
        let addr_size = u64::from(self.addr_size);
        let mut at = 0u64;
        for (i, op) in ops.iter().enumerate() {
            if op.code == dw::DW_OP_piece {
                if i == 0 {
                    at = op.operand;
                    continue;
                }
                if at < addr_size {
                    loc.first_bytes |= bit(at);
                } else {
                    loc.second_bytes |= bit(at - addr_size);
                }
                at = at.saturating_add(op.operand);
            } else if let Some(reg) = op.register() {
                if at < addr_size || loc.reg < 0 {
                    set_reg(loc, reg);
                }
            }
        }
    }
}

fn bit(n: u64) -> u64 {
    if n < 64 { 1 << n } else { 0 }
}

/// The first register that a parameter is found in counts.
fn set_reg(loc: &mut Location, reg: u8) {
    if loc.reg < 0 {
        loc.reg = reg as i8;
    }
}
