//! Distillation: replaces the base of a split BTF by a small stand-in, so that the split BTF can be matched to another build of
//! the base later.
//!
//! The stand-in keeps what names and sizes tell: integers, floats, forward declarations, and structs, unions and enums without
//! their members. References to base types that say nothing by name (pointers, arrays, typedefs, prototypes, anonymous structs and
//! enums) move into the split BTF, in base order, behind its own types.

use super::record::{INFO, NAME, SIZE_OR_TYPE, id_slots, name_slots};
use super::{Btf, BtfError, Kind, StrOff, TypeId};
use std::sync::Arc;

impl Btf {
    /// Returns the split BTF on its distilled base, and that base.
    pub fn distill_base(&self) -> Result<(Btf, Arc<Btf>), BtfError> {
        let old_base = self.base.as_ref().ok_or(BtfError::NotSplit)?;
        let split_start = old_base.type_count();
        // Old id to new id for base types that are needed; 0 for the others. Until a type is placed, it stands for itself.
        let mut id_map = vec![0; split_start as usize];
        self.mark_needed(&mut id_map)?;

        let mut base = Btf::new(self.endian);
        for id in 1..split_start {
            if id_map[id as usize] != 0 && self.belongs_in_base(TypeId(id)) {
                id_map[id as usize] = self.place_in_base(TypeId(id), &mut base)?.0;
            }
        }
        let base = Arc::new(base);

        let mut split = Btf::new_split(base.clone(), self.endian);
        for id in self.start_id..self.type_count() {
            self.copy_type(TypeId(id), &mut split)?;
        }
        for id in 1..split_start {
            if id_map[id as usize] != 0 && !self.belongs_in_base(TypeId(id)) {
                id_map[id as usize] = self.copy_type(TypeId(id), &mut split)?.0;
            }
        }

        let shift = split_start - base.type_count();
        for id in split.start_id..split.type_count() {
            let Some(record) = split.record_mut(TypeId(id)) else { continue };
            for slot in id_slots(record[INFO]) {
                let old = record[slot];
                record[slot] = match id_map.get(old as usize) {
                    Some(0) => old,
                    Some(&new) => new,
                    None => old - shift,
                };
            }
        }
        Ok((split, base))
    }

    /// Marks the base types reached from the split types, stopping at named structs and unions, whose members go.
    fn mark_needed(&self, id_map: &mut [u32]) -> Result<(), BtfError> {
        let mut pending = Vec::new();
        for id in self.start_id..self.type_count() {
            pending.push(id);
            while let Some(id) = pending.pop() {
                let Some(ty) = self.get(TypeId(id)) else { continue };
                for slot in id_slots(ty.words()[INFO]) {
                    let target = ty.words()[slot];
                    let Some(mark) = id_map.get_mut(target as usize) else { continue };
                    if target == 0 || *mark != 0 {
                        continue;
                    }
                    let target_ty = self.get(TypeId(target)).ok_or(BtfError::UnexpectedBaseKind { id: target })?;
                    if matches!(target_ty.kind(), Kind::Func | Kind::Var | Kind::Datasec | Kind::DeclTag) {
                        return Err(BtfError::UnexpectedBaseKind { id: target });
                    }
                    *mark = target;
                    if !(target_ty.kind().is_composite() && target_ty.name() != StrOff::EMPTY) {
                        pending.push(target);
                    }
                }
            }
        }
        Ok(())
    }

    fn belongs_in_base(&self, id: TypeId) -> bool {
        self.get(id).is_some_and(|ty| match ty.kind() {
            Kind::Int | Kind::Float | Kind::Fwd => true,
            Kind::Struct | Kind::Union | Kind::Enum | Kind::Enum64 => ty.name() != StrOff::EMPTY,
            _ => false,
        })
    }

    fn place_in_base(&self, id: TypeId, base: &mut Btf) -> Result<TypeId, BtfError> {
        let ty = self.get(id).ok_or(BtfError::Record { id: id.0, what: "unknown kind" })?;
        let size = ty.words()[SIZE_OR_TYPE];
        let name = self.str_at(ty.name());
        match ty.kind() {
            kind @ (Kind::Struct | Kind::Union) => base.add_sized(kind, name, size, false),
            // Matching looks at name and size only, so that one width of enumerators is enough.
            Kind::Enum | Kind::Enum64 => base.add_enum(name, size),
            _ => self.copy_type(id, base),
        }
    }

    /// Appends a copy with its strings interned in `to`; the ids stay those of `self`.
    fn copy_type(&self, id: TypeId, to: &mut Btf) -> Result<TypeId, BtfError> {
        let ty = self.get(id).ok_or(BtfError::Record { id: id.0, what: "unknown kind" })?;
        let mut words = ty.words().to_vec();
        for slot in name_slots(words[INFO]) {
            if words[slot] != 0 {
                let what =
                    if slot == NAME { "name outside the string section" } else { "member name outside the string section" };
                let s = self.try_str(StrOff(words[slot])).ok_or(BtfError::Record { id: id.0, what })?;
                words[slot] = to.add_str(s)?.0;
            }
        }
        to.push_record(&words)
    }
}
