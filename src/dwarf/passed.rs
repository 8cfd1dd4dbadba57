//! Where a function's parameters are passed: what their locations tell, and whether that agrees with the calling convention.
//!
//! Optimisers drop parameters, pass parts of them, or use other registers than the convention says. Their debugging information shows it:
//! at a function's entry a parameter should be in the register that its position gives it.

use std::ops::ControlFlow;

use super::DwarfError;
use super::abbrev::Block;
use super::expr::{Op, read_ops};
use super::loclist::{Window, for_each_expression};
use super::source::{Source, Unit};
use gimli::constants as dw;
use object::elf;

/// How functions receive their first parameters.
#[derive(Clone, Copy, Debug)]
pub struct Abi {
    /// Parameters passed in registers; 0 where the convention is not known.
    pub register_params: usize,
    /// DWARF register number of each of them, -1 where not known.
    pub registers: [i8; 8],
    /// Aggregates up to two registers' size are passed in registers.
    pub two_register_aggregates: bool,
}

impl Abi {
    /// By ELF machine number. Registers: the platform ABI's parameter registers in DWARF numbering.
    pub fn of(machine: u16) -> Abi {
        let register_params = match elf::Machine(machine) {
            elf::EM_S390 => 5,
            elf::EM_SPARC | elf::EM_SPARCV9 | elf::EM_X86_64 => 6,
            elf::EM_AARCH64 | elf::EM_ARC | elf::EM_ARM | elf::EM_MIPS | elf::EM_PPC | elf::EM_PPC64 | elf::EM_RISCV => 8,
            _ => 0,
        };
        let registers = match elf::Machine(machine) {
            elf::EM_S390 => [2, 3, 4, 5, 6, -1, -1, -1],
            // rdi, rsi, rdx, rcx, r8, r9
            elf::EM_X86_64 => [5, 4, 1, 2, 8, 9, -1, -1],
            elf::EM_ARM | elf::EM_AARCH64 => [0, 1, 2, 3, 4, 5, 6, 7],
            _ => [-1; 8],
        };
        Abi { register_params, registers, two_register_aggregates: machine != elf::EM_S390.0 }
    }

    /// Size in bytes of the largest type that is passed in registers.
    pub fn limit_in_registers(&self, addr_size: u8) -> u32 {
        u32::from(addr_size) * if self.two_register_aggregates { 2 } else { 1 }
    }
}

/// Facts from a parameter's location, in the terms of the calling convention.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Location {
    /// DWARF register number, -1 when unknown.
    pub reg: i8,
    /// Of the parameter's type, 0 when unknown.
    pub byte_size: u32,
    pub in_memory: bool,
    pub is_const: bool,
    pub on_stack: bool,
    /// Bytes of the aggregate's first register, and behind it, that pieces name, one bit each.
    pub first_bytes: u8,
    pub second_bytes: u64,
    /// Whether pieces name one member only, and that one is known.
    pub has_member: bool,
    /// That member is passed instead of the aggregate.
    pub by_member: bool,
    pub optimized: bool,
    pub unexpected_reg: bool,
}

impl Default for Location {
    fn default() -> Self {
        Location {
            reg: -1,
            byte_size: 0,
            in_memory: false,
            is_const: false,
            on_stack: false,
            first_bytes: 0,
            second_bytes: 0,
            has_member: false,
            by_member: false,
            optimized: false,
            unexpected_reg: false,
        }
    }
}

impl Location {
    /// That of a parameter whose type has so many bytes; nothing else is known yet.
    pub fn of_size(byte_size: u32, addr_size: u8, abi: &Abi) -> Location {
        Location { byte_size, in_memory: byte_size > abi.limit_in_registers(addr_size), ..Location::default() }
    }

    /// The offset in the aggregate of the one byte that pieces name, if it is one.
    pub fn single_byte(&self, addr_size: u8) -> Option<u32> {
        match (self.first_bytes, self.second_bytes) {
            (first, 0) if first.count_ones() == 1 => Some(first.trailing_zeros()),
            (0, second) if second.count_ones() == 1 => Some(u32::from(addr_size) + second.trailing_zeros()),
            _ => None,
        }
    }

    /// What a concrete parameter tells its abstract origin.
    pub fn learn(&mut self, concrete: &Location) {
        self.is_const |= concrete.is_const;
        self.on_stack |= concrete.on_stack;
        if concrete.reg >= 0 {
            self.reg = concrete.reg;
        }
        if concrete.byte_size != 0 {
            self.byte_size = concrete.byte_size;
        }
        self.in_memory |= concrete.in_memory;
        self.first_bytes |= concrete.first_bytes;
        self.second_bytes |= concrete.second_bytes;
        self.has_member |= concrete.has_member;
        self.optimized |= concrete.optimized;
        self.unexpected_reg |= concrete.unexpected_reg;
    }
}

/// Where a parameter is passed, and whether it says so.
#[derive(Clone, Copy, Default, Debug)]
pub struct Place {
    pub has_location: bool,
    pub has_const_value: bool,
    pub loc: Location,
}

/// How the parameters of one function are compared with the calling convention.
pub struct Check<'a> {
    pub abi: &'a Abi,
    /// In bytes.
    pub addr_size: u8,
    /// Whether clang made the unit.
    pub clang: bool,
    /// Whether the function says that it does not follow the convention.
    pub changed: bool,
    /// Whether the user wants to know what a changed function really takes.
    pub true_signature: bool,
}

impl Check<'_> {
    /// Marks what is optimised away, and what is in another register.
    pub fn run<P: AsMut<Place>>(&self, params: &mut [P]) {
        if self.clang && !self.changed {
            self.match_registers(params);
        } else {
            self.match_locations(params);
        }
    }

    fn slots(&self, loc: &Location) -> usize {
        let addr_size = u32::from(self.addr_size);
        if !self.abi.two_register_aggregates || loc.byte_size <= addr_size {
            return 1;
        }
        loc.byte_size.div_ceil(addr_size.max(1)).max(1) as usize
    }

    /// clang keeps signatures unless it says otherwise: any other register is a surprise.
    fn match_registers<P: AsMut<Place>>(&self, params: &mut [P]) {
        let mut reg = 0;
        for p in params {
            let loc = &mut p.as_mut().loc;
            if loc.in_memory {
                continue;
            }
            if reg >= self.abi.register_params {
                break;
            }
            let slots = self.slots(loc);
            let end = (reg + slots).min(self.abi.register_params);
            if loc.reg >= 0 && !self.abi.registers[reg..end].contains(&loc.reg) {
                loc.unexpected_reg = true;
            }
            reg += slots;
        }
    }

    /// Whether a parameter stands where it would with `slots` registers given to the one before it.
    fn keeps_place<P: AsMut<Place>>(&self, next: Option<&mut P>, reg: usize, slots: usize) -> bool {
        let Some(next) = next.map(|p| p.as_mut().loc.reg) else { return false };
        let index = reg + slots;
        next >= 0 && index < self.abi.register_params && self.abi.registers.get(index) == Some(&next)
    }

    fn match_locations<P: AsMut<Place>>(&self, params: &mut [P]) {
        let true_signature = self.true_signature && self.changed;
        let mut reg = 0;
        for i in 0..params.len() {
            let Place { has_location, has_const_value, loc } = *params[i].as_mut();
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
                    if self.keeps_place(params.get_mut(i + 1), reg, slots) {
                        params[i].as_mut().loc.has_member = false;
                        reg += slots;
                        continue;
                    }
                    if loc.has_member {
                        params[i].as_mut().loc.by_member = true;
                        reg += 1;
                        continue;
                    }
                }
            } else if has_const_value && !self.clang {
                out.optimized = true;
            } else if true_signature {
                if available && self.keeps_place(params.get_mut(i + 1), reg, slots) {
                    reg += slots;
                    continue;
                }
                out.optimized = true;
                consumed = 0;
            }
            params[i].as_mut().loc = out;
            reg += consumed;
        }
    }
}

/// Reads locations; what it works with is reused.
#[derive(Default)]
pub struct Reader {
    ops: Vec<Op>,
    entry_ops: Vec<Op>,
    window: Window,
}

impl Reader {
    /// The next unit may be of another file.
    pub fn forget(&mut self) {
        self.window.clear();
    }

    /// Adds to `loc` what the location of a parameter of the unit tells; its size is known. After an error `loc` has what came before.
    pub fn read(
        &mut self,
        source: &Source<'_>,
        unit: &Unit,
        form: dw::DwForm,
        value: u64,
        abi: &Abi,
        loc: &mut Location,
    ) -> Result<(), DwarfError> {
        let rules = Rules {
            aggregate: loc.byte_size > u32::from(unit.header.addr_size) && abi.two_register_aggregates,
            addr_size: unit.header.addr_size,
            ref_size: if unit.header.version == 2 { unit.header.addr_size } else { unit.header.offset_size },
            big: source.file.is_big_endian(),
        };
        let Reader { ops, entry_ops, window } = self;
        let mut nth = 0;
        let mut each = |buf: &[u8], start: usize, len: usize| {
            let go_on = rules.expression(buf, start, len, nth, ops, entry_ops, loc);
            nth += 1;
            go_on.is_continue()
        };
        match form {
            dw::DW_FORM_exprloc | dw::DW_FORM_block | dw::DW_FORM_block1 | dw::DW_FORM_block2 | dw::DW_FORM_block4 => {
                let block = Block { start: (value >> 32) as u32, len: value as u32 };
                each(source.buf, block.start as usize, block.len as usize);
                Ok(())
            }
            dw::DW_FORM_sec_offset | dw::DW_FORM_loclistx | dw::DW_FORM_data4 | dw::DW_FORM_data8 => {
                let file = source.file;
                let offset = if form == dw::DW_FORM_loclistx {
                    file.loclist_offset(&unit.header, &unit.bases, value)
                } else {
                    value.checked_add(unit.bases.loc)
                };
                match (file.location_lists(unit.header.version), offset) {
                    (Some(section), Some(offset)) => {
                        for_each_expression(section, window, offset, &unit.header, file.is_big_endian(), each)
                    }
                    _ => Err(DwarfError::Missing { section: file.location_lists_name(unit.header.version) }),
                }
            }
            _ => Ok(()),
        }
    }
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
        if read_ops(buf, start, len, self.big, self.addr_size, self.ref_size, ("location", 0), ops).is_err() {
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
            if read_ops(buf, start, len, self.big, self.addr_size, self.ref_size, ("location", 0), entry_ops).is_ok() {
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
                    loc.first_bytes |= bit(at) as u8;
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
