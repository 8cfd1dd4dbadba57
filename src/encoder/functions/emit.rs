//! From all descriptions of a function to its one entry in the BTF, or none.

use super::matching::{types_are_compatible, types_match};
use super::{Annot, Flags, SavedFunctions, State};
use crate::btf::{Btf, BtfError, FuncLinkage, Kind, StrOff, TypeId, info_word};
use crate::encoder::elf_functions::ElfFunctions;
use crate::encoder::kfuncs::{Kfuncs, flags};
use crate::encoder::options::Options;
use crate::encoder::report::{Report, text};
use crate::encoder::verbose;

/// The reference copies names of parameters through a buffer that holds this many bytes.
const MAX_PARAM_NAME: usize = 127;
const ARENA_ATTR: &[u8] = b"address_space(1)";

/// What all descriptions of a name have in common once one of them has it.
const SHARED: Flags = Flags(Flags::UNEXPECTED_REG.0 | Flags::INCONSISTENT.0 | Flags::UNCERTAIN_LOC.0 | Flags::REORDERED.0);

impl SavedFunctions {
    /// Writes the functions, in the order of their names: prototype, function, tags. `tables` are the symbol tables by the numbers
    /// given to [`add`](SavedFunctions::add); `kfuncs` belong to the first one.
    ///
    /// # Errors
    /// When the BTF refuses a record; the report has been told which.
    pub fn emit(
        self,
        btf: &mut Btf,
        tables: &[&ElfFunctions],
        kfuncs: &Kfuncs,
        options: &Options,
        report: &mut dyn Report,
    ) -> Result<(), BtfError> {
        let order = self.sorted(tables);
        let mut emission = Emission { btf, tables, kfuncs, options, report, saved: self };
        let identity = |state: &State| (state.elf_func, state.table);
        let mut start = 0;
        while start < order.len() {
            let states = &emission.saved.states;
            let first = identity(&states[order[start] as usize]);
            let count = order[start..].iter().take_while(|&&index| identity(&states[index as usize]) == first).count();
            emission.name(&order[start..start + count])?;
            start += count;
        }
        Ok(())
    }
}

struct Emission<'a> {
    btf: &'a mut Btf,
    tables: &'a [&'a ElfFunctions],
    kfuncs: &'a Kfuncs,
    options: &'a Options,
    report: &'a mut dyn Report,
    saved: SavedFunctions,
}

impl<'a> Emission<'a> {
    fn table(&self, state: &State) -> &'a ElfFunctions {
        self.tables[usize::from(state.table)]
    }

    fn func_name(&self, state: &State) -> &'a [u8] {
        self.table(state).name(state.elf_func)
    }

    fn state(&self, index: u32) -> &State {
        &self.saved.states[index as usize]
    }

    fn state_mut(&mut self, index: u32) -> &mut State {
        &mut self.saved.states[index as usize]
    }

    /// Writes the function that a group of descriptions is of, unless something speaks against it.
    fn name(&mut self, group: &[u32]) -> Result<(), BtfError> {
        self.combine(group);
        if self.options.true_signature {
            if let Some((index, name)) = self.true_signature(group) {
                return self.function(index, name).map(drop);
            }
        }
        let start = group[0];
        let canonical = if group.len() > 1 { self.canonical(group) } else { start };
        let (first, table) = (self.state(start), self.table(self.state(start)));
        // The strongest reason last.
        let reasons = [
            (first.flags.has_any(Flags::UNEXPECTED_REG), "unexpected register usage for parameter\n"),
            (self.options.consistent_protos && first.flags.has_any(Flags::INCONSISTENT), "inconsistet prototype\n"),
            (first.flags.has_any(Flags::UNCERTAIN_LOC), "uncertain parameter location\n"),
            (first.flags.has_any(Flags::REORDERED), "reordered parameters\n"),
            (self.loses_params(self.state(canonical)), "optimized parameters\n"),
            (table.has_ambiguous_addr(first.elf_func), "ambiguous address\n"),
        ];
        if let Some((_, reason)) = reasons.iter().rev().find(|(applies, _)| *applies) {
            self.tell_skip(start, reason.as_bytes());
            return Ok(());
        }
        let state = self.state(canonical);
        let name = self.func_name(state);
        let kfunc = if state.table == 0 { self.kfuncs.flags(state.elf_func) } else { None };
        match kfunc {
            Some(kfunc) => self.kfunc(canonical, name, kfunc),
            None => self.function(canonical, name).map(drop),
        }
    }

    /// Lets the first description know what is held against the others, and whether they differ from it.
    fn combine(&mut self, group: &[u32]) {
        let [start, others @ ..] = group else { return };
        let start = *start;
        if others.is_empty() {
            return;
        }
        let linked = self.linked(group);
        let put_aside = |this: &Self, index| linked.is_some_and(|linked| this.is_put_aside(linked, index));
        let base = group.iter().copied().find(|&index| !put_aside(self, index)).unwrap_or(start);
        for &index in others {
            let mut flags = (self.state(start).flags | self.state(index).flags) & SHARED;
            let one_without_addr = (self.state(base).addr == 0) != (self.state(index).addr == 0);
            let settles_nothing = flags.has_any(Flags::UNEXPECTED_REG | Flags::INCONSISTENT | Flags::REORDERED)
                || self.options.true_signature && one_without_addr
                || index == base
                || put_aside(self, index);
            if !settles_nothing && !self.protos_match(base, index) {
                flags = flags | Flags::INCONSISTENT;
            }
            for state in [start, index] {
                self.state_mut(state).flags = self.state(state).flags | flags;
            }
        }
    }

    /// The definition that the symbol stands for. Where that is the assembler's, which knows no prototypes, the others are all that is
    /// known, and differ from it.
    fn linked(&self, group: &[u32]) -> Option<u32> {
        let says_something = |state: &State| state.ret != TypeId::VOID || state.params.len > 0;
        group.iter().copied().find(|&index| {
            let state = self.state(index);
            state.addr != 0 && says_something(state) && self.table(state).has_symbol_at(state.elf_func, state.addr)
        })
    }

    /// Whether a definition is one that the linker has put aside for another one, with another prototype, so that nobody can call it. One whose
    /// types have but other names (u64 for unsigned long long) is the same function, and those that differ in names are inconsistent.
    fn is_put_aside(&self, linked: u32, index: u32) -> bool {
        let (state, table) = (self.state(index), self.table(self.state(index)));
        state.addr != 0
            && !table.has_symbol_at(state.elf_func, state.addr)
            && !self.is_compatible(self.state(linked), state)
            && table.is_put_aside(state.addr)
    }

    /// Whether two descriptions have the same prototype as the C language sees it.
    fn is_compatible(&self, s: &State, t: &State) -> bool {
        let (params, others) = (&self.saved.params[s.params.range()], &self.saved.params[t.params.range()]);
        params.len() == others.len()
            && types_are_compatible(self.btf, s.ret, t.ret)
            && params.iter().zip(others).all(|(p, q)| types_are_compatible(self.btf, p.type_id, q.type_id))
    }

    fn protos_match(&mut self, a: u32, b: u32) -> bool {
        let (s, t) = (self.state(a), self.state(b));
        if s.params.len != t.params.len {
            let text =
                text!("param count mismatch; ", u32::from(s.params.len), " params != ", u32::from(t.params.len), " params\n");
            self.tell_skip(a, &text);
            return false;
        }
        if !types_match(self.btf, s.ret, t.ret) {
            self.tell_skip(a, b"return type mismatch\n");
            return false;
        }
        let (params, others) = (&self.saved.params[s.params.range()], &self.saved.params[t.params.range()]);
        let mismatch = params.iter().zip(others).position(|(p, q)| !types_match(self.btf, p.type_id, q.type_id));
        if let Some(index) = mismatch {
            let (p, q) = (self.btf.str_at(params[index].name), self.btf.str_at(others[index].name));
            let text = text!("param type mismatch for param#", index + 1, " ", p, " != ", q, "\n");
            self.tell_skip(a, &text);
        }
        mismatch.is_none()
    }

    fn tell_skip(&mut self, index: u32, reason: &[u8]) {
        if self.report.verbose() {
            let name = self.func_name(self.state(index));
            self.report.out(&text!(name, " : skipping BTF encoding of function due to ", reason));
        }
    }

    /// A description whose address says which clone it is, and that can be traced; with the clone's name.
    fn true_signature(&self, group: &[u32]) -> Option<(u32, &'a [u8])> {
        group.iter().find_map(|&index| {
            let state = self.state(index);
            if state.addr == 0 || state.flags.has_any(Flags::UNEXPECTED_REG | Flags::UNCERTAIN_LOC) {
                return None;
            }
            Some((index, self.table(state).suffixed_symbol_at(state.elf_func, state.addr)?.name))
        })
    }

    /// Of several descriptions, one of the code that the symbol stands for; best one that can be described as it is.
    fn canonical(&self, group: &[u32]) -> u32 {
        let has_symbol = |state: &State| self.table(state).has_symbol_at(state.elf_func, state.addr);
        let mut with_symbol = group.iter().copied().filter(|&index| has_symbol(self.state(index)));
        let Some(first) = with_symbol.next() else { return group[0] };
        std::iter::once(first).chain(with_symbol).find(|&index| !self.loses_params(self.state(index))).unwrap_or(first)
    }

    /// Whether parameters that the source has are not passed at all, so that the source's prototype is wrong.
    fn loses_params(&self, state: &State) -> bool {
        !self.options.true_signature
            && state.flags.has_any(Flags::OPTIMIZED_PARMS)
            && (state.flags.has_any(Flags::SIGNATURE_CHANGED)
                || state.addr != 0 && self.table(state).has_optimized_suffix(state.elf_func, state.addr))
    }

    fn kfunc(&mut self, index: u32, name: &[u8], kfunc: u32) -> Result<(), BtfError> {
        if self.options.tag_kfuncs && self.options.attributes {
            self.arena_attributes(index, kfunc)?;
        }
        let func = self.function(index, name)?;
        if self.options.tag_kfuncs && self.options.decl_tags {
            self.btf.add_decl_tag(b"bpf_kfunc", func, -1)?;
            if kfunc & flags::FASTCALL != 0 {
                self.btf.add_decl_tag(b"bpf_fastcall", func, -1)?;
            }
        }
        Ok(())
    }

    /// Marks pointers into an arena. Flags that ask for the mark on what is no pointer are told and have no effect.
    fn arena_attributes(&mut self, index: u32, kfunc: u32) -> Result<(), BtfError> {
        if kfunc & flags::ARENA_RET != 0 {
            if let Some(ret) = self.arena_pointer(index, self.state(index).ret, "return type")? {
                self.state_mut(index).ret = ret;
            }
        }
        for (flag, arg) in [(flags::ARENA_ARG1, 0), (flags::ARENA_ARG2, 1)] {
            let param = self.state(index).params.range().nth(arg);
            if let (true, Some(param)) = (kfunc & flag != 0, param) {
                if let Some(type_id) = self.arena_pointer(index, self.saved.params[param].type_id, "an argument")? {
                    self.saved.params[param].type_id = type_id;
                }
            }
        }
        Ok(())
    }

    fn arena_pointer(&mut self, index: u32, pointer: TypeId, of: &str) -> Result<Option<TypeId>, BtfError> {
        match self.btf.get(pointer).filter(|t| t.kind() == Kind::Ptr).and_then(|t| t.type_id()) {
            Some(target) => {
                let target = self.btf.add_type_attr(ARENA_ATTR, target)?;
                self.btf.add_ptr(target).map(Some)
            }
            None => {
                let name = String::from_utf8_lossy(self.func_name(self.state(index)));
                let details = format!("Error adding BPF_ARENA_ATTR for {of} of kfunc '{name}'");
                let error = BtfError::Argument("only a pointer can point into an arena");
                self.report.error(&verbose::failed(self.btf, Kind::TypeTag, ARENA_ATTR, &details, error));
                Ok(None)
            }
        }
    }

    /// Writes prototype, function and tags of one description; returns the function's id.
    fn function(&mut self, index: u32, name: &[u8]) -> Result<TypeId, BtfError> {
        let proto = self.proto(index).inspect_err(|_| self.report.out(&failed_function(name, "proto")))?;
        verbose::added(self.btf, proto, self.report);
        let func = match self.btf.add_func(name, FuncLinkage::Static, proto) {
            Ok(func) => func,
            Err(error) => {
                self.report.error(&verbose::failed(self.btf, Kind::Func, name, "Error emitting BTF type", error));
                self.report.out(&failed_function(name, "func"));
                return Err(error);
            }
        };
        verbose::added(self.btf, func, self.report);
        for annot in self.state(index).annots.range() {
            let Annot { value, component_idx } = self.saved.annots[annot];
            let value = self.btf.str_at(value).to_vec();
            match self.btf.add_decl_tag(&value, func, component_idx) {
                Ok(tag) => verbose::added(self.btf, tag, self.report),
                Err(error) => {
                    let details = format!("component_idx={component_idx} Error emitting BTF type");
                    self.report.error(&verbose::failed(self.btf, Kind::DeclTag, &value, &details, error));
                    let (value, idx) = (value.as_slice(), component_idx);
                    self.report.error(&text!(
                        "error: failed to encode tag '",
                        value,
                        "' to func ",
                        name,
                        " with component_idx ",
                        idx,
                        "\n",
                    ));
                    // A tag without text says nothing, and is no reason to lose the function.
                    if !value.is_empty() {
                        return Err(error);
                    }
                }
            }
        }
        Ok(func)
    }

    fn proto(&mut self, index: u32) -> Result<TypeId, BtfError> {
        let State { ret, params, .. } = *self.state(index);
        let len = usize::from(params.len);
        let (id, record) = self.btf.push_blank(3 + 2 * len)?;
        record[1] = info_word(Kind::FuncProto, params.len, false);
        record[2] = ret.0;
        for (slot, param) in record[3..].chunks_exact_mut(2).zip(&self.saved.params[params.range()]) {
            slot.copy_from_slice(&[param.name.0, param.type_id.0]);
        }
        for (at, param) in self.saved.params[params.range()].iter().enumerate() {
            let name = self.btf.str_at(param.name);
            if name.len() > MAX_PARAM_NAME {
                let name = name[..MAX_PARAM_NAME].to_vec();
                let StrOff(name) = self.btf.add_str(&name)?;
                if let Some(record) = self.btf.record_mut(id) {
                    record[3 + 2 * at] = name;
                }
            }
        }
        Ok(id)
    }
}

fn failed_function(name: &[u8], what: &str) -> Vec<u8> {
    text!("error: failed to encode function '", name, "': invalid ", what, "\n")
}
