//! Whether parameters are passed where the calling convention says, and what is saved of each function.
//!
//! gcc describes a function that it inlined or cloned twice: an abstract entry with names and types, and a concrete one with addresses and
//! locations that refers to the first. Both are saved when the symbol table has a function of their name; what the locations tell is
//! shared between them. The order in which this happens is that of the entries, since a later entry sees what an earlier one was given.
//! The functions may be those of one unit, or of all units of a file whose units refer to each other.

use super::builder::{Func, NOWHERE, Param};
use super::fragment::{NameRef, SavedFunc, SavedParam};
use super::options::Abi;
use super::packed::is_packed;
use super::records::Records;
use crate::btf::Kind;
use crate::dwarf::passed::{Check, Place};

/// What a parameter is, and where it is passed.
#[derive(Clone, Debug)]
pub(super) struct Passed {
    pub name: NameRef,
    pub type_id: u32,
    /// Index of the parameter that name and type are those of; [`NOWHERE`] when it is not there, [`OWN`] when they are its own.
    pub origin_at: u32,
    /// Position in its function's list; -1 in subroutine types, -2 outside of any list.
    pub idx: i32,
    pub place: Place,
    pub member: NameRef,
    pub member_type: u32,
}

impl AsMut<Place> for Passed {
    fn as_mut(&mut self) -> &mut Place {
        &mut self.place
    }
}

/// See [`Passed::origin_at`].
pub(super) const OWN: u32 = NOWHERE - 1;

impl From<&Param> for Passed {
    fn from(p: &Param) -> Passed {
        Passed {
            name: p.name,
            type_id: p.type_id,
            origin_at: if p.type_key != 0 || p.origin == 0 { OWN } else { p.origin_at },
            idx: p.idx,
            place: p.place,
            member: p.member,
            member_type: p.member_type,
        }
    }
}

/// Functions with their parameters. Types are known, and what is told about by other entries is linked.
pub(super) struct FunctionSet<'a, R> {
    pub funcs: &'a mut [Func],
    pub params: &'a mut [Passed],
    pub records: R,
    pub abi: Abi,
    /// In bytes.
    pub addr_size: u8,
    pub true_signature: bool,
}

impl<R: Records> FunctionSet<'_, R> {
    /// Gives each parameter without a type the name and type of its abstract origin, and shares with it what its location tells. Returns
    /// the parameters whose origin is none.
    pub fn share(&mut self) -> Vec<u32> {
        let mut lost = Vec::new();
        for i in 0..self.funcs.len() {
            for p in self.funcs[i].params.clone() {
                let mine = &self.params[p as usize];
                if mine.origin_at == OWN || mine.origin_at == p {
                    continue;
                }
                let o = mine.origin_at;
                let Some(origin) = self.params.get(o as usize) else {
                    lost.push(p);
                    continue;
                };
                if mine.idx != origin.idx {
                    self.funcs[i].reordered = true;
                }
                let (name, type_id) = self.declared(o);
                let mine = &mut self.params[p as usize];
                mine.name = name;
                mine.type_id = type_id;
                let mine = mine.clone();
                share(&mine, &mut self.params[o as usize]);
            }
        }
        lost
    }

    /// Name and type of a parameter, or of what it originates from.
    fn declared(&self, mut p: u32) -> (NameRef, u32) {
        // A longer chain goes in a circle.
        for _ in 0..64 {
            let q = &self.params[p as usize];
            if q.origin_at as usize >= self.params.len() || q.origin_at == p {
                break;
            }
            p = q.origin_at;
        }
        let q = &self.params[p as usize];
        (q.name, q.type_id)
    }

    /// The result's type of a function that gives none: that of its origin. `false` when the origin is no function.
    pub fn result_from_origin(&mut self, i: usize) -> bool {
        let f = &self.funcs[i];
        if f.type_id != 0 || !f.has_origin {
            return true;
        }
        match self.funcs.get(f.origin_at as usize).map(|origin| origin.type_id) {
            Some(type_id) => {
                self.funcs[i].type_id = type_id;
                true
            }
            None => false,
        }
    }

    /// Compares the function's parameters with the calling convention.
    pub fn analyse(&mut self, i: usize) {
        let f = &self.funcs[i];
        let check = Check {
            abi: &self.abi,
            addr_size: self.addr_size,
            clang: f.clang,
            changed: f.signature_changed,
            true_signature: self.true_signature,
        };
        let params = &mut self.params[f.params.start as usize..f.params.end as usize];
        check.run(params);
        for p in &mut *params {
            if p.place.loc.by_member {
                p.type_id = p.member_type;
            }
        }
        let optimized = params.iter().any(|p| p.place.loc.optimized || !p.place.has_location);
        let unexpected =
            params.iter().any(|p| p.place.loc.unexpected_reg) && !params.iter().any(|p| self.records.is_struct(p.type_id));
        let f = &mut self.funcs[i];
        f.optimized = optimized;
        f.unexpected_reg = unexpected;
    }

    /// Whether all parameters have names: a function with one that has none is not saved.
    pub fn has_names(&self, i: usize) -> bool {
        let range = &self.funcs[i].params;
        self.params[range.start as usize..range.end as usize].iter().all(|p| !p.name.is_none())
    }

    /// Adds the function to those saved unless its parameters have no names.
    pub fn save(&self, i: usize, elf_func: u32, funcs: &mut Vec<SavedFunc>, out: &mut Vec<SavedParam>) {
        if !self.has_names(i) {
            return;
        }
        let f = &self.funcs[i];
        let params = &self.params[f.params.start as usize..f.params.end as usize];
        let first = out.len() as u32;
        for p in params {
            if f.reordered && (!p.place.has_location || p.place.loc.optimized) {
                continue;
            }
            let changed = self.true_signature && f.signature_changed;
            if changed && p.place.loc.optimized {
                continue;
            }
            let member = if changed && p.place.loc.has_member { p.member } else { NameRef::NONE };
            out.push(SavedParam { name: p.name, member, type_id: p.type_id });
        }
        if f.variadic {
            out.push(SavedParam { name: NameRef::NONE, member: NameRef::NONE, type_id: 0 });
        }
        funcs.push(SavedFunc {
            elf_func,
            addr: f.addr,
            ret: f.type_id,
            params: first..out.len() as u32,
            annots: f.annots.clone(),
            unexpected_reg: f.unexpected_reg,
            optimized_parms: f.optimized,
            uncertain_parm_loc: self.has_packed_on_stack(params),
            reordered_parm: f.reordered,
            signature_changed: f.signature_changed,
            inconsistent_proto: false,
        });
    }

    /// Whether a packed struct with a name is among the parameters behind those in registers: where it stands cannot be told.
    fn has_packed_on_stack(&self, params: &[Passed]) -> bool {
        params.iter().skip(self.abi.register_params).any(|p| {
            let named_struct = |words: &[u32]| Kind::of_info(words[1]) == Some(Kind::Struct) && words[0] != 0;
            self.records.words(p.type_id).is_some_and(named_struct) && is_packed(&self.records, p.type_id)
        })
    }
}

/// What a concrete parameter tells its abstract origin.
fn share(mine: &Passed, origin: &mut Passed) {
    origin.place.has_location |= mine.place.has_location;
    origin.place.has_const_value |= mine.place.has_const_value;
    if mine.place.loc.has_member && !origin.place.loc.has_member {
        origin.member = mine.member;
        origin.member_type = mine.member_type;
    }
    origin.place.loc.learn(&mine.place.loc);
}
