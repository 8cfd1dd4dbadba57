//! Where parameters are passed, in the fields that loaders keep for encoders: which register, which part of an aggregate, whether the
//! function still follows its calling convention.

use super::builder::{Builder, Entry, Role};
use crate::abi::*;
use crate::dwarf::abbrev::Slot;
use crate::dwarf::passed::{Abi, Check, Location, Place};
use crate::dwarf::source::number;
use gimli::constants as dw;

/// Longest chain of types without a size of their own.
const MAX_HOPS: usize = 64;
/// Registers are kept as location operations: DW_OP_reg0 is this.
const REG0: i32 = 0x50;

/// A parameter while its function is looked at.
struct Passing {
    parameter: *mut Parameter,
    place: Place,
}

impl AsMut<Place> for Passing {
    fn as_mut(&mut self) -> &mut Place {
        &mut self.place
    }
}

// SAFETY of the blocks below: see [`super::resolve`].
impl Builder<'_, '_> {
    /// Size and place of each parameter, when the types are known, but before instances take over names.
    pub(super) fn place_parameters(&mut self) {
        if self.s.passed.is_empty() {
            return;
        }
        let abi = Abi::of(self.source().file.elf().machine());
        self.s.places.forget();
        self.s.by_id.clear();
        self.s.single_members.clear();
        for i in 0..self.s.passed.len() {
            // SAFETY: see above the impl.
            unsafe { self.place_parameter(self.s.passed[i] as usize, &abi) }
        }
    }

    unsafe fn place_parameter(&mut self, index: usize, abi: &Abi) {
        let Entry { tag, key, ty, origin, .. } = self.s.entries[index];
        let parameter = tag.cast::<Parameter>();
        // SAFETY: see above the impl.
        unsafe {
            let ty = if origin == 0 { ty } else { self.find(origin, Role::Other).map_or(0, |origin| self.s.entries[origin].ty) };
            let size = self.size_of(ty) as u16;
            let addr_size = (*self.cu).addr_size;
            let mut loc = Location::of_size(size.into(), addr_size, abi);
            (*parameter).type_byte_size = size;
            (*parameter).set_passed_in_memory(loc.in_memory);
            if !(*parameter).has_loc() {
                return;
            }
            let Some((unit, _)) = self.read_aside(key) else { return };
            let Some((form, value)) = self.s.other.get(Slot::Location) else { return };
            let mut places = std::mem::take(&mut self.s.places);
            // What a damaged list says before its damage counts.
            let _ = places.read(self.source_of(unit).0, unit, form, value, abi, &mut loc);
            self.s.places = places;
            (*parameter).loc_reg = if loc.reg < 0 { -1 } else { REG0 + i32::from(loc.reg) };
            (*parameter).first_reg_fields = loc.first_bytes.into();
            (*parameter).second_reg_fields = loc.second_bytes;
            (*parameter).set_loc_const_value(loc.is_const);
            (*parameter).set_loc_stack(loc.on_stack);
            if let Some(offset) = loc.single_byte(addr_size).filter(|_| !(*parameter).name.is_null()) {
                self.single_member(parameter, self.s.entries[index].ty, offset);
            }
        }
    }

    /// The size in bytes of a type given as in [`Entry::ty`]; 0 when it is not known.
    unsafe fn size_of(&mut self, mut ty: u32) -> u64 {
        for _ in 0..MAX_HOPS {
            let Some(&Entry { tag, key, ty: next, kind, .. }) = self.s.entries.get((ty as usize).wrapping_sub(1)) else {
                return 0;
            };
            // SAFETY: see above the impl.
            let size = unsafe {
                let addr_size = u64::from((*self.cu).addr_size);
                match kind {
                    dw_tag::POINTER_TYPE | dw_tag::REFERENCE_TYPE | dw_tag::RVALUE_REFERENCE_TYPE => addr_size,
                    // A pointer to a member function has an adjustment of `this`, too.
                    dw_tag::PTR_TO_MEMBER_TYPE => {
                        let target = self.s.entries.get((next as usize).wrapping_sub(1));
                        addr_size * if target.is_some_and(|target| target.kind == dw_tag::SUBROUTINE_TYPE) { 2 } else { 1 }
                    }
                    dw_tag::BASE_TYPE => u64::from((*tag.cast::<BaseType>()).bit_size / 8),
                    dw_tag::STRUCTURE_TYPE | dw_tag::CLASS_TYPE | dw_tag::INTERFACE_TYPE | dw_tag::UNION_TYPE => {
                        u64::from((*tag.cast::<Type>()).size)
                    }
                    dw_tag::TYPEDEF
                    | dw_tag::CONST_TYPE
                    | dw_tag::VOLATILE_TYPE
                    | dw_tag::RESTRICT_TYPE
                    | dw_tag::ATOMIC_TYPE => 0,
                    _ if self.read_aside(key).is_some() => number(&self.s.other, Slot::ByteSize).unwrap_or(0),
                    _ => 0,
                }
            };
            if size != 0 {
                return size;
            }
            ty = next;
        }
        0
    }

    /// Notes the member at a byte offset of the struct that a parameter is: what is really passed, where pieces name one field only.
    unsafe fn single_member(&mut self, parameter: *mut Parameter, mut ty: u32, offset: u32) {
        for _ in 0..MAX_HOPS {
            let Some(&Entry { tag, ty: next, kind, .. }) = self.s.entries.get((ty as usize).wrapping_sub(1)) else { return };
            if kind != dw_tag::STRUCTURE_TYPE {
                // SAFETY: see above the impl.
                if unsafe { self.size_of(ty) } != 0 && !is_transparent(kind) {
                    return;
                }
                ty = next;
                continue;
            }
            // SAFETY: see above the impl; the tags of a struct's list that say so are members.
            unsafe {
                for node in ListHead::nodes(&raw const (*tag.cast::<Type>()).namespace.tags) {
                    let member = node.cast::<ClassMember>();
                    if (*member).tag.tag != dw_tag::MEMBER || (*member).is_static() || (*member).bit_offset != offset * 8 {
                        continue;
                    }
                    let id = (*member).tag.r#type;
                    if (*member).name.is_null() || id == 0 {
                        return;
                    }
                    let key = self.key_of_type(id);
                    (*parameter).true_sig_member_name = (*member).name;
                    (*parameter).true_sig_type = self.offset_of(key);
                    (*parameter).set_true_sig_type_from_alt(self.is_in_alternate(key));
                    self.s.single_members.insert(parameter.addr(), id);
                    return;
                }
            }
            return;
        }
    }

    /// The key of the entry that a type was made from.
    fn key_of_type(&mut self, id: TypeId) -> u32 {
        if self.s.by_id.is_empty() {
            let types = self.s.entries.iter().filter(|entry| entry.role == Role::Type);
            self.s.by_id = types.map(|entry| (entry.id, entry.key)).collect();
        }
        self.s.by_id.get(&id).copied().unwrap_or(0)
    }

    /// What an instance tells the parameter that it is an instance of.
    pub(super) unsafe fn share_place(&mut self, instance: *mut Parameter, origin: *mut Parameter) {
        // SAFETY: two parameters of this unit.
        unsafe {
            let mut known = location(origin);
            known.learn(&location(instance));
            let size = (*origin).type_byte_size;
            store(origin, &known);
            (*origin).type_byte_size = if (*instance).type_byte_size == 0 { size } else { (*instance).type_byte_size };
            (*origin).set_has_loc((*origin).has_loc() || (*instance).has_loc());
            (*origin).set_has_const_value((*origin).has_const_value() || (*instance).has_const_value());
            if !(*instance).true_sig_member_name.is_null() && (*origin).true_sig_member_name.is_null() {
                (*origin).true_sig_member_name = (*instance).true_sig_member_name;
                (*origin).true_sig_type = (*instance).true_sig_type;
                (*origin).set_true_sig_type_from_types((*instance).true_sig_type_from_types());
                (*origin).set_true_sig_type_from_alt((*instance).true_sig_type_from_alt());
                if let Some(&id) = self.s.single_members.get(&instance.addr()) {
                    self.s.single_members.insert(origin.addr(), id);
                }
            }
        }
    }

    /// Compares a function's parameters with the calling convention.
    pub(super) unsafe fn check_convention(&mut self, function: *mut Function, abi: &Abi) {
        // SAFETY: a function of this unit, whose list has parameters.
        unsafe {
            let proto = &raw mut (*function).proto;
            let mut params: Vec<Passing> = Vec::new();
            for node in ListHead::nodes(&raw const (*proto).parms) {
                let parameter = node.cast::<Parameter>();
                let (has_location, has_const_value) = ((*parameter).has_loc(), (*parameter).has_const_value());
                let place = Place { has_location, has_const_value, loc: location(parameter) };
                params.push(Passing { parameter, place });
            }
            if params.is_empty() {
                return;
            }
            let check = Check {
                abi,
                addr_size: (*self.cu).addr_size,
                clang: (*self.cu).producer_clang(),
                changed: (*proto).signature_changed(),
                true_signature: self.options.true_signature,
            };
            check.run(&mut params);
            let (mut optimized, mut unexpected) = (false, false);
            for Passing { parameter, place: Place { has_location, loc, .. } } in &params {
                store(*parameter, loc);
                if !loc.has_member {
                    (**parameter).true_sig_member_name = std::ptr::null();
                }
                let single_member = self.s.single_members.get(&parameter.addr()).filter(|_| loc.by_member);
                if let Some(&id) = single_member {
                    (**parameter).tag.r#type = id;
                }
                optimized |= loc.optimized || !has_location;
                unexpected |= loc.unexpected_reg;
            }
            (*proto).set_optimized_parms(optimized);
            (*proto).set_unexpected_reg(unexpected && !params.iter().any(|p| self.is_struct((*p.parameter).tag.r#type)));
        }
    }

    /// Whether a type is a struct, behind qualifiers and typedefs.
    unsafe fn is_struct(&self, mut id: TypeId) -> bool {
        for _ in 0..MAX_HOPS {
            // SAFETY: the unit is complete but for what this module fills in.
            unsafe {
                let ty = Cu::type_of(self.cu, id);
                match ty.as_ref().map(|ty| ty.tag) {
                    Some(dw_tag::STRUCTURE_TYPE) => return true,
                    Some(dw_tag::CONST_TYPE | dw_tag::TYPEDEF) => id = (*ty).r#type,
                    _ => return false,
                }
            }
        }
        false
    }

    /// Whether a function of clang's says that it does not follow the calling convention; an instance, whether its origin does. The
    /// function's own attributes are those read last.
    pub(super) fn says_other_convention(&mut self, entry: u32, inlined: bool) -> bool {
        // SAFETY: the unit is the builder's.
        if inlined || !unsafe { (*self.cu).producer_clang() } {
            return false;
        }
        let convention = match self.s.entries[entry as usize].origin {
            0 => number(&self.s.attrs, Slot::CallingConvention),
            origin => self.read_aside(origin).and_then(|_| number(&self.s.other, Slot::CallingConvention)),
        };
        convention == Some(u64::from(dw::DW_CC_nocall.0))
    }
}

/// Kinds of types that stand for what they refer to.
fn is_transparent(kind: u16) -> bool {
    use dw_tag::*;
    matches!(kind, TYPEDEF | CONST_TYPE | VOLATILE_TYPE | RESTRICT_TYPE | ATOMIC_TYPE)
}

/// What the fields of a parameter say.
unsafe fn location(parameter: *const Parameter) -> Location {
    // SAFETY: a parameter, by the caller's word.
    unsafe {
        let p = &*parameter;
        Location {
            reg: if p.loc_reg < REG0 { -1 } else { (p.loc_reg - REG0) as i8 },
            byte_size: p.type_byte_size.into(),
            in_memory: p.passed_in_memory(),
            is_const: p.loc_const_value(),
            on_stack: p.loc_stack(),
            first_bytes: p.first_reg_fields as u8,
            second_bytes: p.second_reg_fields,
            has_member: !p.true_sig_member_name.is_null(),
            by_member: false,
            optimized: p.optimized(),
            unexpected_reg: p.unexpected_reg(),
        }
    }
}

/// Writes that back, but for names.
unsafe fn store(parameter: *mut Parameter, loc: &Location) {
    // SAFETY: as above.
    unsafe {
        let p = &mut *parameter;
        p.loc_reg = if loc.reg < 0 { -1 } else { REG0 + i32::from(loc.reg) };
        p.set_passed_in_memory(loc.in_memory);
        p.set_loc_const_value(loc.is_const);
        p.set_loc_stack(loc.on_stack);
        p.first_reg_fields = loc.first_bytes.into();
        p.second_reg_fields = loc.second_bytes;
        p.set_optimized(loc.optimized);
        p.set_unexpected_reg(loc.unexpected_reg);
    }
}
