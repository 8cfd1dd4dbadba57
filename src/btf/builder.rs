//! The validated way of adding types, one function a kind.
//!
//! Validation, the point at which a name is interned and the bytes of the record follow libbpf's `btf__add_*`: a name stays in the
//! string section even when the type that brought it is dropped later, so the order of interning is part of the output.
//! Members, parameters and the like are added to the last type.

use super::record::{HEAD, INFO, info_word, kflag_of, vlen_of};
use super::{Btf, BtfError, Kind, MAX_ID, StrOff, TypeId};

/// `BTF_INT_SIGNED`, `BTF_INT_CHAR`, `BTF_INT_BOOL`.
pub const INT_SIGNED: u32 = 1;
pub const INT_CHAR: u32 = 2;
pub const INT_BOOL: u32 = 4;

/// `enum btf_func_linkage`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FuncLinkage {
    Static = 0,
    Global = 1,
    Extern = 2,
}

/// `BTF_VAR_*`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum VarLinkage {
    Static = 0,
    GlobalAllocated = 1,
    GlobalExtern = 2,
}

/// What a forward declaration declares. An enum's is an enum of four bytes without enumerators.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FwdKind {
    Struct,
    Union,
    Enum,
}

fn check_name(name: &[u8]) -> Result<(), BtfError> {
    if name.is_empty() { Err(BtfError::Argument("this kind needs a name")) } else { Ok(()) }
}

/// An id may point at a type that is still to come, so only its range can be checked.
fn check_id(id: TypeId) -> Result<(), BtfError> {
    if id.0 > MAX_ID { Err(BtfError::Argument("type id out of range")) } else { Ok(()) }
}

impl Btf {
    /// `encoding` is a combination of [`INT_SIGNED`], [`INT_CHAR`] and [`INT_BOOL`]; the size, in bytes, a power of two up to 16.
    pub fn add_int(&mut self, name: &[u8], byte_size: u32, encoding: u32) -> Result<TypeId, BtfError> {
        check_name(name)?;
        if !byte_size.is_power_of_two() || byte_size > 16 {
            return Err(BtfError::Argument("the size of an integer must be 1, 2, 4, 8 or 16 bytes"));
        }
        if encoding & !(INT_SIGNED | INT_CHAR | INT_BOOL) != 0 {
            return Err(BtfError::Argument("unknown integer encoding"));
        }
        let name = self.add_str(name)?;
        self.push_record(&[name.0, info_word(Kind::Int, 0, false), byte_size, encoding << 24 | (byte_size * 8)])
    }

    /// The size is 2, 4, 8, 12 or 16 bytes.
    pub fn add_float(&mut self, name: &[u8], byte_size: u32) -> Result<TypeId, BtfError> {
        check_name(name)?;
        if !matches!(byte_size, 2 | 4 | 8 | 12 | 16) {
            return Err(BtfError::Argument("the size of a float must be 2, 4, 8, 12 or 16 bytes"));
        }
        let name = self.add_str(name)?;
        self.push_record(&[name.0, info_word(Kind::Float, 0, false), byte_size])
    }

    pub fn add_ptr(&mut self, to: TypeId) -> Result<TypeId, BtfError> {
        self.add_ref(Kind::Ptr, &[], to, 0, false)
    }

    pub fn add_const(&mut self, of: TypeId) -> Result<TypeId, BtfError> {
        self.add_ref(Kind::Const, &[], of, 0, false)
    }

    pub fn add_volatile(&mut self, of: TypeId) -> Result<TypeId, BtfError> {
        self.add_ref(Kind::Volatile, &[], of, 0, false)
    }

    pub fn add_restrict(&mut self, of: TypeId) -> Result<TypeId, BtfError> {
        self.add_ref(Kind::Restrict, &[], of, 0, false)
    }

    pub fn add_typedef(&mut self, name: &[u8], of: TypeId) -> Result<TypeId, BtfError> {
        check_name(name)?;
        self.add_ref(Kind::Typedef, name, of, 0, false)
    }

    /// A `btf_type_tag`.
    pub fn add_type_tag(&mut self, value: &[u8], of: TypeId) -> Result<TypeId, BtfError> {
        check_name(value)?;
        self.add_ref(Kind::TypeTag, value, of, 0, false)
    }

    /// Any other attribute of a type: a type tag with the kind flag set.
    pub fn add_type_attr(&mut self, value: &[u8], of: TypeId) -> Result<TypeId, BtfError> {
        check_name(value)?;
        self.add_ref(Kind::TypeTag, value, of, 0, true)
    }

    pub fn add_func(&mut self, name: &[u8], linkage: FuncLinkage, proto: TypeId) -> Result<TypeId, BtfError> {
        check_name(name)?;
        self.add_ref(Kind::Func, name, proto, linkage as u16, false)
    }

    pub fn add_fwd(&mut self, name: &[u8], kind: FwdKind) -> Result<TypeId, BtfError> {
        check_name(name)?;
        match kind {
            FwdKind::Struct => self.add_ref(Kind::Fwd, name, TypeId::VOID, 0, false),
            FwdKind::Union => self.add_ref(Kind::Fwd, name, TypeId::VOID, 0, true),
            FwdKind::Enum => self.add_enum(name, 4),
        }
    }

    pub fn add_array(&mut self, index: TypeId, elem: TypeId, count: u32) -> Result<TypeId, BtfError> {
        check_id(index)?;
        check_id(elem)?;
        self.push_record(&[0, info_word(Kind::Array, 0, false), 0, elem.0, index.0, count])
    }

    /// A struct without members yet; the name may be empty.
    pub fn add_struct(&mut self, name: &[u8], byte_size: u32) -> Result<TypeId, BtfError> {
        self.add_sized(Kind::Struct, name, byte_size, false)
    }

    /// A union without members yet; the name may be empty.
    pub fn add_union(&mut self, name: &[u8], byte_size: u32) -> Result<TypeId, BtfError> {
        self.add_sized(Kind::Union, name, byte_size, false)
    }

    /// A member of the last type. Offset and size in bits; the size is 0 for what is no bit field.
    pub fn add_field(&mut self, name: &[u8], type_id: TypeId, bit_offset: u32, bit_size: u32) -> Result<(), BtfError> {
        let (info, kind) = self.last_kind()?;
        if !kind.is_composite() {
            return Err(BtfError::Argument("a member needs a struct or union before it"));
        }
        check_id(type_id)?;
        let is_bitfield = bit_size != 0 || bit_offset % 8 != 0;
        if is_bitfield && (bit_size == 0 || bit_size > 255 || bit_offset > 0xff_ffff) {
            return Err(BtfError::Argument("bit field too wide, too far or of no width"));
        }
        if kind == Kind::Union && bit_offset != 0 {
            return Err(BtfError::Argument("a member of a union must be at offset 0"));
        }
        let name = self.add_optional_str(name)?;
        self.extend_last(info, kflag_of(info) || is_bitfield, &[name.0, type_id.0, bit_offset | bit_size << 24])
    }

    /// An enum of up to 32-bit values without enumerators yet; its size, in bytes, is a power of two up to 8.
    pub fn add_enum(&mut self, name: &[u8], byte_size: u32) -> Result<TypeId, BtfError> {
        self.add_any_enum(Kind::Enum, name, byte_size, false)
    }

    /// An enumerator of the last type, which becomes signed with the first negative value.
    pub fn add_enum_value(&mut self, name: &[u8], value: i64) -> Result<(), BtfError> {
        let (info, kind) = self.last_kind()?;
        if kind != Kind::Enum {
            return Err(BtfError::Argument("an enumerator needs an enum before it"));
        }
        check_name(name)?;
        if value < i64::from(i32::MIN) || value > i64::from(u32::MAX) {
            return Err(BtfError::EnumeratorRange(value));
        }
        let name = self.add_str(name)?;
        self.extend_last(info, kflag_of(info) || value < 0, &[name.0, value as u32])
    }

    /// An enum of 64-bit values without enumerators yet; its size, in bytes, is a power of two up to 8.
    pub fn add_enum64(&mut self, name: &[u8], byte_size: u32, signed: bool) -> Result<TypeId, BtfError> {
        self.add_any_enum(Kind::Enum64, name, byte_size, signed)
    }

    pub fn add_enum64_value(&mut self, name: &[u8], value: u64) -> Result<(), BtfError> {
        let (info, kind) = self.last_kind()?;
        if kind != Kind::Enum64 {
            return Err(BtfError::Argument("a 64-bit enumerator needs a 64-bit enum before it"));
        }
        check_name(name)?;
        let name = self.add_str(name)?;
        self.extend_last(info, kflag_of(info), &[name.0, value as u32, (value >> 32) as u32])
    }

    /// A prototype without parameters yet.
    pub fn add_func_proto(&mut self, result: TypeId) -> Result<TypeId, BtfError> {
        self.add_ref(Kind::FuncProto, &[], result, 0, false)
    }

    /// A parameter of the last type; without name and type it stands for `...`.
    pub fn add_func_param(&mut self, name: &[u8], type_id: TypeId) -> Result<(), BtfError> {
        check_id(type_id)?;
        let (info, kind) = self.last_kind()?;
        if kind != Kind::FuncProto {
            return Err(BtfError::Argument("a parameter needs a prototype before it"));
        }
        let name = self.add_optional_str(name)?;
        self.extend_last(info, kflag_of(info), &[name.0, type_id.0])
    }

    pub fn add_var(&mut self, name: &[u8], linkage: VarLinkage, type_id: TypeId) -> Result<TypeId, BtfError> {
        check_name(name)?;
        check_id(type_id)?;
        let name = self.add_str(name)?;
        self.push_record(&[name.0, info_word(Kind::Var, 0, false), type_id.0, linkage as u32])
    }

    /// A data section without variables yet; size in bytes.
    pub fn add_datasec(&mut self, name: &[u8], byte_size: u32) -> Result<TypeId, BtfError> {
        check_name(name)?;
        self.add_sized(Kind::Datasec, name, byte_size, false)
    }

    /// A variable of the last type; offset and size in bytes.
    pub fn add_datasec_var_info(&mut self, var: TypeId, offset: u32, byte_size: u32) -> Result<(), BtfError> {
        let (info, kind) = self.last_kind()?;
        if kind != Kind::Datasec {
            return Err(BtfError::Argument("variable information needs a data section before it"));
        }
        check_id(var)?;
        self.extend_last(info, kflag_of(info), &[var.0, offset, byte_size])
    }

    /// A `btf_decl_tag`; `component_idx` is the index of a member or parameter, or -1.
    pub fn add_decl_tag(&mut self, value: &[u8], of: TypeId, component_idx: i32) -> Result<TypeId, BtfError> {
        self.add_decl(value, of, component_idx, false)
    }

    /// Any other attribute of a declaration: a declaration tag with the kind flag set.
    pub fn add_decl_attr(&mut self, value: &[u8], of: TypeId, component_idx: i32) -> Result<TypeId, BtfError> {
        self.add_decl(value, of, component_idx, true)
    }

    fn add_decl(&mut self, value: &[u8], of: TypeId, component_idx: i32, kflag: bool) -> Result<TypeId, BtfError> {
        check_name(value)?;
        if component_idx < -1 {
            return Err(BtfError::Argument("the component index of a tag must be -1 or more"));
        }
        check_id(of)?;
        let value = self.add_str(value)?;
        self.push_record(&[value.0, info_word(Kind::DeclTag, 0, kflag), of.0, component_idx as u32])
    }

    fn add_ref(&mut self, kind: Kind, name: &[u8], to: TypeId, vlen: u16, kflag: bool) -> Result<TypeId, BtfError> {
        check_id(to)?;
        let name = self.add_optional_str(name)?;
        self.push_record(&[name.0, info_word(kind, vlen, kflag), to.0])
    }

    pub(super) fn add_sized(&mut self, kind: Kind, name: &[u8], byte_size: u32, kflag: bool) -> Result<TypeId, BtfError> {
        let name = self.add_optional_str(name)?;
        self.push_record(&[name.0, info_word(kind, 0, kflag), byte_size])
    }

    fn add_any_enum(&mut self, kind: Kind, name: &[u8], byte_size: u32, signed: bool) -> Result<TypeId, BtfError> {
        if !byte_size.is_power_of_two() || byte_size > 8 {
            return Err(BtfError::Argument("the size of an enum must be 1, 2, 4 or 8 bytes"));
        }
        self.add_sized(kind, name, byte_size, signed)
    }

    fn add_optional_str(&mut self, s: &[u8]) -> Result<StrOff, BtfError> {
        if s.is_empty() { Ok(StrOff::EMPTY) } else { self.add_str(s) }
    }

    fn last_kind(&self) -> Result<(u32, Kind), BtfError> {
        self.starts
            .last()
            .and_then(|&start| self.words.get(start as usize + INFO))
            .and_then(|&info| Some((info, Kind::of_info(info)?)))
            .ok_or(BtfError::Argument("no type to add to"))
    }

    /// Adds an element to the last record, which has `info`, and counts it there.
    ///
    /// libbpf lets the 16-bit count run over into unused bits of the info word, which leaves a record nobody can read.
    fn extend_last(&mut self, info: u32, kflag: bool, element: &[u32]) -> Result<(), BtfError> {
        let id = self.type_count() - 1;
        let kind = Kind::of_info(info).ok_or(BtfError::Argument("no type to add to"))?;
        let vlen = u16::try_from(vlen_of(info) + 1).map_err(|_| BtfError::VlenOverflow { id })?;
        if self.words.len() + element.len() > (u32::MAX / 4) as usize {
            return Err(BtfError::TooManyTypes);
        }
        if let Some(record) = self.record_mut(TypeId(id)).filter(|r| r.len() >= HEAD) {
            record[INFO] = info_word(kind, vlen, kflag);
        }
        self.words.to_mut().extend_from_slice(element);
        Ok(())
    }
}
