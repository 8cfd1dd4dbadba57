//! The functions of all units, kept until the last unit is known and then written.
//!
//! BTF has one entry for a name, while DWARF may describe a function many times: in each unit that has a static one of the
//! name, as abstract and concrete instance, as clones. So every description is saved in the order of the units, with its
//! types' final ids, and in the end all descriptions of one name are weighed against each other ([`emit`](SavedFunctions::emit)):
//! what contradicts itself, or cannot be traced because parameters are not where the calling convention puts them, is left out.
//!
//! Descriptions live in flat vectors: a kernel has some hundred thousand of them.

mod emit;
mod matching;

use std::ops::Range;

use super::elf_functions::ElfFunctions;
use super::fragment::{Fragment, SavedFunc};
use super::names::Names;
use crate::btf::{Btf, BtfError, StrOff, TypeId};

/// See the [module](self).
#[derive(Default, Debug)]
pub struct SavedFunctions {
    states: Vec<State>,
    params: Vec<Param>,
    annots: Vec<Annot>,
}

/// One description of a function.
#[derive(Clone, Debug)]
struct State {
    addr: u64,
    /// Index in the table of ELF functions number `table`.
    elf_func: u32,
    table: u16,
    flags: Flags,
    ret: TypeId,
    params: Span,
    annots: Span,
}

/// A piece of a vector; its length fits what a BTF record can count.
#[derive(Clone, Copy, Debug)]
struct Span {
    start: u32,
    len: u16,
}

impl Span {
    fn range(self) -> Range<usize> {
        self.start as usize..self.start as usize + usize::from(self.len)
    }
}

/// What is held against a description.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
struct Flags(u8);

impl Flags {
    const OPTIMIZED_PARMS: Flags = Flags(1);
    const UNEXPECTED_REG: Flags = Flags(1 << 1);
    const INCONSISTENT: Flags = Flags(1 << 2);
    const UNCERTAIN_LOC: Flags = Flags(1 << 3);
    const REORDERED: Flags = Flags(1 << 4);
    const SIGNATURE_CHANGED: Flags = Flags(1 << 5);

    fn of(func: &SavedFunc) -> Flags {
        [
            (func.optimized_parms, Flags::OPTIMIZED_PARMS),
            (func.unexpected_reg, Flags::UNEXPECTED_REG),
            (func.inconsistent_proto, Flags::INCONSISTENT),
            (func.uncertain_parm_loc, Flags::UNCERTAIN_LOC),
            (func.reordered_parm, Flags::REORDERED),
            (func.signature_changed, Flags::SIGNATURE_CHANGED),
        ]
        .into_iter()
        .fold(Flags::default(), |flags, (set, flag)| if set { flags | flag } else { flags })
    }

    fn has_any(self, of: Flags) -> bool {
        self.0 & of.0 != 0
    }
}

impl std::ops::BitOr for Flags {
    type Output = Flags;

    fn bitor(self, other: Flags) -> Flags {
        Flags(self.0 | other.0)
    }
}

impl std::ops::BitAnd for Flags {
    type Output = Flags;

    fn bitand(self, other: Flags) -> Flags {
        Flags(self.0 & other.0)
    }
}

#[derive(Clone, Copy, Debug)]
struct Param {
    name: StrOff,
    type_id: TypeId,
}

#[derive(Clone, Copy, Debug)]
struct Annot {
    value: StrOff,
    component_idx: i32,
}

impl SavedFunctions {
    /// Saves the functions of a unit whose types are in the BTF already, and interns the names of their parameters and the
    /// values of their tags: function by function, first the names, then the values, which is part of the output.
    ///
    /// `table` is the number of the unit's ELF file in the slice that [`emit`](Self::emit) gets, `type_id` turns the
    /// fragment's ids into final ones.
    ///
    /// # Errors
    /// When the BTF cannot take more strings, or there are more parameters than a prototype can have.
    pub fn add(
        &mut self,
        btf: &mut Btf,
        fragment: &Fragment,
        table: u16,
        names: &mut impl Names,
        type_id: impl Fn(u32) -> TypeId,
    ) -> Result<(), BtfError> {
        self.states.reserve(fragment.funcs.len());
        self.params.reserve(fragment.params.len());
        for func in &fragment.funcs {
            let params = self.params.len();
            for param in &fragment.params[func.params.start as usize..func.params.end as usize] {
                let name = if param.member.is_none() {
                    names.intern(btf, fragment, param.name)?
                } else {
                    let name = [names.bytes(fragment, &param.name), b"__", names.bytes(fragment, &param.member)].concat();
                    btf.add_str(&name)?
                };
                self.params.push(Param { name, type_id: type_id(param.type_id) });
            }
            let annots = self.annots.len();
            for annot in &fragment.annots[func.annots.start as usize..func.annots.end as usize] {
                let value = names.intern(btf, fragment, annot.value)?;
                self.annots.push(Annot { value, component_idx: annot.component_idx });
            }
            self.states.push(State {
                addr: func.addr,
                elf_func: func.elf_func,
                table,
                flags: Flags::of(func),
                ret: type_id(func.ret),
                params: span(params, self.params.len())?,
                annots: span(annots, self.annots.len())?,
            });
        }
        Ok(())
    }

    /// Number of descriptions.
    pub fn len(&self) -> usize {
        self.states.len()
    }

    pub fn is_empty(&self) -> bool {
        self.states.is_empty()
    }

    /// The order of the output, as indices: by name, those with an address before those without, then as they came.
    fn sorted(&self, tables: &[&ElfFunctions]) -> Vec<u32> {
        let ranks = match tables {
            [table] => {
                let by_function = table.ranks(self.states.iter().map(|state| state.elf_func));
                self.states.iter().map(|state| by_function[state.elf_func as usize]).collect()
            }
            _ => self.ranks(tables),
        };
        // Names are few compared to descriptions, so counting is sorting.
        let keys = self.states.iter().zip(&ranks).map(|(state, &rank)| 2 * rank as usize + usize::from(state.addr == 0));
        let mut starts = vec![0u32; keys.clone().max().map_or(0, |max| max + 1)];
        for key in keys.clone() {
            starts[key] += 1;
        }
        let mut sum = 0;
        for start in &mut starts {
            (*start, sum) = (sum, sum + *start);
        }
        let mut order = vec![0; self.states.len()];
        for (key, index) in keys.zip(0..) {
            order[starts[key] as usize] = index;
            starts[key] += 1;
        }
        order
    }

    /// For each description, which name it has in the order of all tables' names.
    fn ranks(&self, tables: &[&ElfFunctions]) -> Vec<u32> {
        let name = |state: &State| tables.get(usize::from(state.table)).map_or(&[][..], |table| table.name(state.elf_func));
        let mut names: Vec<&[u8]> = self.states.iter().map(name).collect();
        names.sort_unstable();
        names.dedup();
        self.states.iter().map(|state| names.partition_point(|&other| other < name(state)) as u32).collect()
    }
}

fn span(start: usize, end: usize) -> Result<Span, BtfError> {
    match (u32::try_from(start), u16::try_from(end - start)) {
        (Ok(start), Ok(len)) => Ok(Span { start, len }),
        _ => Err(BtfError::Argument("more parameters or tags of functions than can be counted")),
    }
}

#[cfg(test)]
mod tests;
