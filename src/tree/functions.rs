//! Tags of functions and of what functions consist of: parameters, variables, labels, blocks, inline expansions.

use std::ptr;

use super::builder::{Builder, Entry, Frame, Place};
use super::make::{frame, init_lists};
use crate::abi::*;
use crate::dwarf::abbrev::{Abbrev, Block, Slot};
use crate::dwarf::expr::{Op, read_ops};
use crate::dwarf::ranges::{self, RangeList};
use crate::dwarf::source::Unit;
use gimli::constants as dw;

/// The values of `enum vscope`.
mod scope {
    pub const LOCAL: u8 = 1;
    pub const GLOBAL: u8 = 2;
    pub const REGISTER: u8 = 3;
    pub const OPTIMIZED: u8 = 4;
}

// SAFETY of the blocks below: see [`super::make`].
impl<'a> Builder<'a, '_> {
    fn init_ftype(&mut self, ftype: *mut Ftype) {
        let size = self.byte_size();
        self.init_ftype_lists(ftype);
        // SAFETY: see above the impl.
        unsafe { (*ftype).byte_size = size as usize };
    }

    pub(super) fn init_ftype_lists(&mut self, ftype: *mut Ftype) {
        // SAFETY: see above the impl.
        unsafe {
            init_lists!(ftype; parms, template_type_params, template_value_params);
        }
    }

    pub(super) fn init_function_lists(&mut self, function: *mut Function) {
        // SAFETY: see above the impl.
        unsafe {
            init_lists!(function; lexblock.tags, vtable_node, annots, tool.tool_node);
        }
    }

    pub(super) fn subroutine_type(&mut self, unit: &'a Unit, abbrev: &Abbrev, key: u32) {
        let (ftype, entry) = self.tag::<Ftype>(unit, abbrev.tag, key);
        self.init_ftype(ftype);
        self.open(abbrev, Frame { ftype, ..frame(Place::Subroutine, ftype.cast(), entry) });
    }

    pub(super) fn function(&mut self, unit: &'a Unit, abbrev: &Abbrev, key: u32) {
        let (function, entry) = self.tag::<Function>(unit, abbrev.tag, key);
        self.init_ftype(function.cast());
        self.init_function_lists(function);
        let (addr, size) = self.code(unit);
        let name = self.text(unit, Slot::Name);
        let linkage_name = self.text(unit, Slot::MipsLinkageName);
        let inlined = self.numeric(Slot::Inline, dw::DW_AT_inline);
        let accessibility = self.numeric(Slot::Accessibility, dw::DW_AT_accessibility);
        let virtuality = self.numeric(Slot::Virtuality, dw::DW_AT_virtuality);
        let has_vtable_entry = self.s.attrs.has(Slot::VtableElemLocation);
        let vtable_entry = if has_vtable_entry { self.offset(Slot::VtableElemLocation) as i32 } else { -1 };
        let signature_changed = self.says_other_convention(entry, inlined & 3 != 0);
        let attrs = &self.s.attrs;
        // SAFETY: see above the impl.
        let (block, annots) = unsafe {
            let f = &mut *function;
            f.proto.set_signature_changed(signature_changed);
            f.lexblock.ip.addr = addr;
            f.lexblock.size = size as u32;
            f.name = name;
            f.linkage_name = linkage_name;
            f.set_inlined((inlined & 3) as u8);
            f.set_declaration(attrs.has(Slot::Declaration));
            f.set_external(attrs.has(Slot::External));
            f.set_abstract_origin(attrs.has(Slot::AbstractOrigin));
            f.set_accessibility((accessibility & 3) as u8);
            f.set_virtuality((virtuality & 3) as u8);
            f.vtable_entry = vtable_entry;
            (&raw mut (*function).lexblock, &raw mut (*function).annots)
        };
        self.annotation_chain(unit, annots, -1);
        let ftype = function.cast();
        self.open(abbrev, Frame { block, ftype, annots, ..frame(Place::Function, function.cast(), entry) });
    }

    pub(super) fn block(&mut self, unit: &'a Unit, abbrev: &Abbrev, key: u32) {
        let (block, entry) = self.tag::<Lexblock>(unit, abbrev.tag, key);
        let (addr, size) = self.code(unit);
        // SAFETY: see above the impl.
        unsafe {
            (*block).ip.addr = addr;
            (*block).size = size as u32;
            init_lists!(block; tags);
        }
        self.open(abbrev, Frame { block, ..frame(Place::Block, block.cast(), entry) });
    }

    pub(super) fn unspecified_parameters(&mut self) {
        let Some(ftype) = self.s.frames.last().map(|f| f.ftype).filter(|f| !f.is_null()) else { return };
        // SAFETY: see above the impl.
        unsafe { (*ftype).set_unspec_parms(true) };
    }

    pub(super) fn parameter(&mut self, unit: &'a Unit, abbrev: &Abbrev, key: u32) {
        let (parameter, entry) = self.tag::<Parameter>(unit, abbrev.tag, key);
        let name = self.text(unit, Slot::Name);
        let attrs = &self.s.attrs;
        let (has_const_value, has_location) = (attrs.has(Slot::ConstValue), attrs.has(Slot::Location));
        let Some(frame) = self.s.frames.last_mut() else { return };
        let (block, ftype, annots) = (frame.block, frame.ftype, frame.annots);
        let component = if frame.place == Place::Function { frame.count } else { -1 };
        frame.count += 1;
        // SAFETY: see above the impl.
        unsafe {
            let p = &mut *parameter;
            p.name = name;
            p.idx = component as u8;
            p.loc_reg = -1;
            if ftype.is_null() {
                ListHead::add_tail(&raw mut (*block).tags, parameter.cast());
            } else {
                p.set_has_const_value(has_const_value);
                p.set_has_loc(has_location);
                (*ftype).nr_parms = (*ftype).nr_parms.wrapping_add(1);
                ListHead::add_tail(&raw mut (*ftype).parms, parameter.cast());
            }
        }
        self.register(parameter.cast(), entry);
        self.instance(entry);
        if !ftype.is_null() {
            self.takes(ftype, entry);
        }
        if component >= 0 {
            self.annotation_chain(unit, annots, component);
            self.open_annotated(abbrev, annots, component);
        }
    }

    /// Notes a parameter of a function or function type.
    #[inline]
    pub(super) fn takes(&mut self, ftype: *mut Ftype, entry: u32) {
        self.s.passed.push(entry);
        let Entry { ty, origin, .. } = self.s.entries[entry as usize];
        if ty == 0 && origin != 0 {
            self.s.takers.push((entry, ftype));
        }
    }

    fn new_variable(&mut self, unit: &'a Unit, abbrev: &Abbrev, key: u32) -> (*mut Variable, u32) {
        let (variable, entry) = self.tag::<Variable>(unit, abbrev.tag, key);
        let name = self.text(unit, Slot::Name);
        let attrs = &self.s.attrs;
        let declaration = attrs.has(Slot::Declaration);
        let top_level = self.s.frames.last().is_some_and(|f| f.place == Place::Unit);
        // SAFETY: see above the impl.
        unsafe {
            let v = &mut *variable;
            v.name = name;
            v.set_external(attrs.has(Slot::External));
            v.set_declaration(declaration);
            v.set_has_specification(attrs.has(Slot::Specification));
            v.set_artificial(attrs.has(Slot::Artificial));
            v.set_top_level(top_level);
            init_lists!(variable; annots);
            if !declaration && self.options.addr_info {
                let (scope, addr) = self.place_of_variable(unit);
                v.scope = scope;
                v.ip.addr = addr;
            }
        }
        (variable, entry)
    }

    /// Where a variable is, as far as a single expression tells, and its address if it has one.
    fn place_of_variable(&mut self, unit: &Unit) -> (Vscope, u64) {
        let Some(block) = self.s.attrs.block(Slot::Location) else { return (scope::OPTIMIZED, 0) };
        let mut ops = std::mem::take(&mut self.s.ops);
        let place = self.place_from(unit, block, &mut ops);
        self.s.ops = ops;
        place
    }

    fn place_from(&self, unit: &Unit, block: Block, ops: &mut Vec<Op>) -> (Vscope, u64) {
        let source = self.source();
        let ref_size = if unit.header.version == 2 { unit.header.addr_size } else { unit.header.offset_size };
        let (start, len) = (block.start as usize, block.len as usize);
        let (big, addr_size) = (source.file.is_big_endian(), unit.header.addr_size);
        if read_ops(source.buf, start, len, big, addr_size, ref_size, (".debug_info", 0), ops).is_err() {
            return (scope::OPTIMIZED, 0);
        }
        let Some(first) = ops.first() else { return (0, 0) };
        let base = match first.code {
            dw::DW_OP_addr => first.operand,
            dw::DW_OP_addrx => source.address_at(unit, first.operand).unwrap_or(0),
            dw::DW_OP_fbreg => return (scope::LOCAL, 0),
            _ if first.register().is_some_and(|r| r != 0) || first.base_register().is_some() => return (scope::REGISTER, 0),
            _ => return (0, 0),
        };
        let plus = match ops.get(1) {
            Some(op) if ops.len() == 2 && op.code == dw::DW_OP_plus_uconst => op.operand,
            _ => 0,
        };
        (scope::GLOBAL, base.wrapping_add(plus))
    }

    pub(super) fn variable(&mut self, unit: &'a Unit, abbrev: &Abbrev, key: u32) {
        let (variable, entry) = self.new_variable(unit, abbrev, key);
        self.own(variable.cast(), entry);
        // SAFETY: see above the impl.
        let annots = unsafe { &raw mut (*variable).annots };
        self.open_annotated(abbrev, annots, -1);
    }

    pub(super) fn block_variable(&mut self, unit: &'a Unit, abbrev: &Abbrev, key: u32) {
        let (variable, entry) = self.new_variable(unit, abbrev, key);
        if let Some(block) = self.s.frames.last().map(|f| f.block) {
            // SAFETY: see above the impl.
            unsafe {
                (*block).nr_variables = (*block).nr_variables.wrapping_add(1);
                ListHead::add_tail(&raw mut (*block).tags, variable.cast());
            }
        }
        self.register(variable.cast(), entry);
        self.instance(entry);
        // SAFETY: see above the impl.
        let annots = unsafe { &raw mut (*variable).annots };
        self.open_annotated(abbrev, annots, -1);
    }

    pub(super) fn label(&mut self, unit: &'a Unit, key: u32) {
        let (label, entry) = self.tag::<Label>(unit, dw::DW_TAG_label, key);
        let name = self.text(unit, Slot::Name);
        let addr = self.source().address(unit, &self.s.attrs, Slot::LowPc).unwrap_or(0);
        let block = self.s.frames.last().map_or(ptr::null_mut(), |f| f.block);
        // SAFETY: see above the impl.
        unsafe {
            (*label).name = name;
            (*label).ip.addr = addr;
            if block.is_null() {
                self.own(label.cast(), entry);
                return;
            }
            (*block).nr_labels = (*block).nr_labels.wrapping_add(1);
            ListHead::add_tail(&raw mut (*block).tags, label.cast());
        }
        self.register(label.cast(), entry);
        self.instance(entry);
    }

    pub(super) fn inline_expansion(&mut self, unit: &'a Unit, abbrev: &Abbrev, key: u32) {
        let (expansion, entry) = self.tag::<InlineExpansion>(unit, abbrev.tag, key);
        let block = self.s.frames.last().map_or(ptr::null_mut(), |f| f.block);
        if self.options.addr_info {
            let low = self.source().address(unit, &self.s.attrs, Slot::LowPc);
            let high = low.and_then(|low| self.high_pc(unit, low));
            // SAFETY: see above the impl.
            let e = unsafe { &mut *expansion };
            e.ip.addr = low.unwrap_or(0);
            e.high_pc = e.ip.addr;
            let mut add = |begin: u64, end: u64| {
                e.high_pc = end;
                e.size = e.size.wrapping_add(end.wrapping_sub(begin) as usize);
                if e.ip.addr == 0 {
                    e.ip.addr = begin;
                }
            };
            if let (Some(low), Some(high)) = (low, high) {
                add(low, high);
            } else if let Some((form, value)) = self.s.attrs.get(Slot::Ranges) {
                let list = RangeList { form, value, base: self.low_pc, rnglists_base: self.rnglists_base };
                // A damaged list counts as far as it is sound.
                let _ = ranges::for_each(self.source().file, unit, &list, add);
            }
        }
        self.open(abbrev, Frame { block, ..frame(Place::Inline, expansion.cast(), entry) });
    }
}
