//! Look-ups: a type by its name, a type's size, the size of pointers.

use super::{Btf, BtfError, Kind, TypeId};

/// References followed at most before a type counts as having no size; libbpf's bound.
const MAX_DEPTH: usize = 32;

impl Btf {
    /// The first type of that name and kind (any kind when `None`), those of the base first.
    pub fn find_by_name(&self, name: &[u8], kind: Option<Kind>) -> Option<TypeId> {
        self.base.as_ref().and_then(|base| base.find_by_name(name, kind)).or_else(|| self.find_own_by_name(name, kind))
    }

    /// Like [`find_by_name`](Btf::find_by_name) without the base.
    pub fn find_own_by_name(&self, name: &[u8], kind: Option<Kind>) -> Option<TypeId> {
        self.own_types()
            .find(|(_, ty)| kind.is_none_or(|kind| ty.kind() == kind) && self.str_at(ty.name()) == name)
            .map(|(id, _)| id)
    }

    /// Size of a pointer in bytes, as told by the size of `long` or `unsigned long`; `None` when there is no such type.
    pub fn pointer_size(&self) -> Option<u32> {
        if let Some(size) = self.base.as_ref().and_then(|base| base.pointer_size()) {
            return Some(size);
        }
        self.own_types().find_map(|(_, ty)| {
            let size = ty.size().filter(|&size| ty.kind() == Kind::Int && (size == 4 || size == 8))?;
            is_long(self.str_at(ty.name())).then_some(size)
        })
    }

    /// Size of a type in bytes. A pointer has `pointer_size` of them.
    pub fn resolve_size(&self, id: TypeId, pointer_size: u32) -> Result<u64, BtfError> {
        let mut at = id;
        let mut count: u32 = 1;
        for _ in 0..MAX_DEPTH {
            let ty = self.get(at).ok_or(BtfError::NoSize { id: id.0 })?;
            let size = if let Some(size) = ty.size() {
                Some(size)
            } else {
                match ty.kind() {
                    Kind::Ptr => Some(pointer_size),
                    Kind::Fwd | Kind::Func | Kind::FuncProto => return Err(BtfError::NoSize { id: id.0 }),
                    _ => None,
                }
            };
            if let Some(size) = size {
                let total = u64::from(count) * u64::from(size);
                return if total > u64::from(u32::MAX) { Err(BtfError::SizeOverflow { id: id.0 }) } else { Ok(total) };
            }
            if let Some(array) = ty.array() {
                count = count.checked_mul(array.count).ok_or(BtfError::SizeOverflow { id: id.0 })?;
                at = array.elem;
            } else {
                at = ty.type_id().ok_or(BtfError::NoSize { id: id.0 })?;
            }
        }
        Err(BtfError::NoSize { id: id.0 })
    }
}

fn is_long(name: &[u8]) -> bool {
    matches!(
        name,
        b"long"
            | b"long int"
            | b"int long"
            | b"unsigned long"
            | b"long unsigned"
            | b"unsigned long int"
            | b"unsigned int long"
            | b"long unsigned int"
            | b"long int unsigned"
            | b"int unsigned long"
            | b"int long unsigned"
    )
}
