//! Relocation: puts a split BTF that was distilled onto a base again, perhaps one of another build.
//!
//! The distilled base's types are found in the new base by name, and by size where the name is not enough: integers, floats and
//! enums always have to agree in size, structs and unions when several have the name or when the split BTF embeds them by value. The
//! rules are those of libbpf and the kernel (`btf_relocate.c`), down to which flag is looked at.

use super::record::{INFO, NAME, SIZE_OR_TYPE, id_slots, kflag_of, name_slots};
use super::{Btf, BtfError, Kind, StrOff, TypeId};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A type of the distilled base.
struct Wanted {
    id: u32,
    kind: Kind,
    info: u32,
    size: u32,
    name: StrOff,
    /// Held by value in a type of the split BTF, so that its size must not change.
    embedded: bool,
    found: Option<TypeId>,
}

impl Btf {
    /// Replaces the distilled base of this split BTF by `base`. After an error the types are in no defined state.
    pub fn relocate(&mut self, base: Arc<Btf>) -> Result<(), BtfError> {
        let distilled = self.base.clone().ok_or(BtfError::NotSplit)?;
        if Arc::ptr_eq(&distilled, &base) {
            return Err(BtfError::Argument("the split BTF is on this base already"));
        }
        let mut wanted = wanted_types(&distilled)?;
        self.mark_embedded(&mut wanted);
        let names = match_types(&mut wanted, &distilled, &base)?;

        let mut id_map = vec![0];
        for want in &wanted {
            id_map.push(want.found.ok_or(BtfError::NotInBase { id: want.id })?.0);
        }
        let split_shift = base.type_count().wrapping_sub(distilled.type_count());
        id_map.extend((self.start_id..self.type_count()).map(|id| id.wrapping_add(split_shift)));
        self.rewrite(&id_map, &names, (base.start_str + base.strs.len()).wrapping_sub(self.start_str))?;

        self.start_id = base.type_count();
        self.start_str = base.start_str + base.strs.len();
        self.base = Some(base);
        Ok(())
    }

    /// Follows members of own structs to the types they hold by value.
    fn mark_embedded(&self, wanted: &mut [Wanted]) {
        for (_, ty) in self.own_types() {
            for member in ty.members() {
                let mut id = member.type_id;
                // Damaged BTF may hold loops, and no way without one is longer than there are types.
                for _ in 0..self.type_count() {
                    let Some(held) = self.get(id) else { break };
                    match held.kind() {
                        Kind::Const | Kind::Restrict | Kind::Volatile | Kind::Typedef | Kind::TypeTag => {
                            id = held.type_id().unwrap_or(TypeId::VOID);
                        }
                        Kind::Array => id = held.array().map_or(TypeId::VOID, |array| array.elem),
                        kind => {
                            if kind.is_composite() && id.0 < self.start_id {
                                wanted[id.0 as usize - 1].embedded = true;
                            }
                            break;
                        }
                    }
                }
            }
        }
    }

    fn rewrite(&mut self, id_map: &[u32], names: &FxHashMap<u32, u32>, str_shift: u32) -> Result<(), BtfError> {
        for index in 0..self.starts.len() {
            let id = self.start_id + index as u32;
            let distilled_strings = self.start_str;
            let Some(record) = self.record_mut(TypeId(id)) else { continue };
            let info = record[INFO];
            for slot in id_slots(info) {
                let outside = BtfError::Record { id, what: "refers to a type that does not exist" };
                record[slot] = *id_map.get(record[slot] as usize).ok_or(outside)?;
            }
            for slot in name_slots(info) {
                let name = record[slot];
                record[slot] = if name == 0 {
                    0
                } else if name >= distilled_strings {
                    name.wrapping_add(str_shift)
                } else {
                    *names.get(&name).ok_or(BtfError::NameNotInBase { id })?
                };
            }
        }
        Ok(())
    }
}

/// The types of the distilled base, which must be of the kinds that distilling puts there.
fn wanted_types(distilled: &Btf) -> Result<Vec<Wanted>, BtfError> {
    (1..distilled.type_count())
        .map(|id| {
            let unexpected = BtfError::UnexpectedBaseKind { id };
            let ty = distilled.get(TypeId(id)).ok_or(unexpected)?;
            let kind = ty.kind();
            let words = ty.words();
            match kind {
                Kind::Int | Kind::Float | Kind::Enum | Kind::Struct | Kind::Union | Kind::Fwd if words[NAME] != 0 => Ok(Wanted {
                    id,
                    kind,
                    info: words[INFO],
                    size: words[SIZE_OR_TYPE],
                    name: ty.name(),
                    embedded: false,
                    found: None,
                }),
                _ => Err(unexpected),
            }
        })
        .collect()
}

/// Finds the wanted types in `base`; returns the names that go with them, distilled to base offset.
fn match_types(wanted: &mut [Wanted], distilled: &Btf, base: &Btf) -> Result<FxHashMap<u32, u32>, BtfError> {
    let mut by_name: FxHashMap<&[u8], Vec<usize>> = FxHashMap::default();
    for (index, want) in wanted.iter().enumerate() {
        by_name.entry(distilled.str_at(want.name)).or_default().push(index);
    }
    let mut bearers: FxHashMap<u32, u32> = FxHashMap::default();
    for id in 1..base.type_count() {
        if let Some(ty) = base.get(TypeId(id)).filter(|ty| ty.kind().is_composite() && ty.name() != StrOff::EMPTY) {
            *bearers.entry(ty.name().0).or_insert(0) += 1;
        }
    }
    let mut names = FxHashMap::default();
    for id in (1..base.type_count()).map(TypeId) {
        let Some(ty) = base.get(id).filter(|ty| ty.name() != StrOff::EMPTY) else { continue };
        let needs_size = match ty.kind() {
            Kind::Int | Kind::Float | Kind::Enum | Kind::Enum64 => true,
            Kind::Fwd => false,
            Kind::Struct | Kind::Union => bearers.get(&ty.name().0).is_some_and(|&count| count > 1),
            _ => continue,
        };
        for &index in by_name.get(base.str_at(ty.name())).map_or(&[][..], |found| found) {
            let want = &mut wanted[index];
            let size = ty.words()[SIZE_OR_TYPE];
            if needs_size && size != want.size {
                continue;
            }
            let base_flag = ty.kflag();
            let fits = match want.kind {
                Kind::Fwd => match ty.kind() {
                    Kind::Fwd => kflag_of(want.info) == base_flag,
                    Kind::Struct => !base_flag,
                    Kind::Union => base_flag,
                    _ => false,
                },
                Kind::Int => {
                    let encoding = |btf: &Btf, id| btf.get(id).and_then(|ty| ty.int_data()).map(|data| data >> 24 & 0xf);
                    ty.kind() == Kind::Int && encoding(base, id) == encoding(distilled, TypeId(want.id))
                }
                Kind::Float => ty.kind() == Kind::Float,
                Kind::Enum => ty.kind().is_any_enum(),
                Kind::Struct | Kind::Union => !want.embedded || size == want.size,
                _ => false,
            };
            if !fits {
                continue;
            }
            if want.found.is_some() {
                return Err(BtfError::AmbiguousInBase { id: want.id });
            }
            want.found = Some(id);
            // As in libbpf, where the match takes the place of this mark: a further type of the name is ambiguous at any size.
            want.embedded = false;
            names.insert(want.name.0, ty.name().0);
        }
    }
    Ok(names)
}
