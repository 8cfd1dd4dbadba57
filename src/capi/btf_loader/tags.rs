//! BTF records to tags.

use std::ffi::c_char;
use std::ptr;

use super::fixup;
use super::measure::{Measure, Widest};
use super::plan::Plan;
use crate::abi::{
    ArrayType, BaseType, Class, ClassMember, Cu, Enumerator, Ftype, Function, ListHead, Parameter, PtrTable, RbNode, RbRoot, Tag,
    Type, Variable, dw_tag,
};
use crate::btf::{self, Array, Btf, Kind, StrOff, TypeId, VarLinkage};
use crate::capi::held::Block;
use crate::capi::link::__type__init;

const FORMAL_PARAMETER: u16 = 0x05;
const ENUMERATOR: u16 = 0x28;

/// `BTF_INT_SIGNED` and its neighbours in the encoding of an integer, which is a byte from bit 24 on.
const INT_ENCODING_SHIFT: u32 = 24;
const INT_SIGNED: u32 = 1;

/// `BT_FP_SINGLE`: BTF tells no kinds of floats apart.
const FP_SINGLE: u8 = 1;

/// Bytes of an enum that claims to have none: those of `int`.
const DEFAULT_ENUM_SIZE: u32 = 4;

/// Bits of an enum; what C computes for absurd sizes.
pub(super) fn enum_bits(ty: &btf::Type<'_>) -> u32 {
    match ty.size() {
        Some(0) | None => DEFAULT_ENUM_SIZE * 8,
        Some(size) => size.wrapping_mul(8),
    }
}

/// Bits of an integer or float.
pub(super) fn scalar_bits(ty: &btf::Type<'_>) -> u16 {
    match ty.int_data() {
        Some(data) => (data & 0xff) as u16,
        None => ty.size().unwrap_or(0).wrapping_mul(8) as u16,
    }
}

/// How many parameters have a type; the one that has none is `...`.
pub(super) fn nr_params(ty: &btf::Type<'_>) -> usize {
    ty.params().filter(|param| param.type_id != TypeId::VOID).count()
}

/// An array's dimensions, outermost first: BTF's arrays have one, so that more are arrays of arrays. The number of dimensions is a
/// byte in C; an array of more has the rest as its elements.
fn counts<'a>(btf: &'a Btf, ty: &btf::Type<'a>) -> impl Iterator<Item = Array> + 'a {
    std::iter::successors(ty.array(), |array| btf.get(array.elem)?.array()).take(usize::from(u8::MAX))
}

/// The type of an array's elements, and the number of dimensions.
pub(super) fn dimensions(btf: &Btf, ty: &btf::Type<'_>) -> (TypeId, usize) {
    counts(btf, ty).fold((TypeId::VOID, 0), |(_, count), array| (array.elem, count + 1))
}

/// Makes the tags and enters them in the unit's tables and list. False when memory is short. `cacheline` is what members may have been
/// aligned to, in bytes.
///
/// # Safety
/// `cu` is fresh and nobody else's; `block` has the room that `plan` tells.
pub(super) unsafe fn build(btf: &Btf, plan: &Plan, cu: *mut Cu, block: &mut Block, cacheline: u16) -> bool {
    // SAFETY: passed on. Each table gets its final size at once: that of the last id in it, as if it had grown.
    unsafe {
        let tables = [&raw mut (*cu).types_table, &raw mut (*cu).functions_table, &raw mut (*cu).tags_table];
        let lasts = [plan.last_type, plan.last_function, plan.last_variable];
        let has_room = tables
            .into_iter()
            .zip(lasts)
            .all(|(table, last)| last.is_none_or(|last| PtrTable::put(table, last, ptr::null_mut())));
        if !has_room {
            return false;
        }
        let measure = Measure::new(btf, &plan.shapes, (*cu).addr_size);
        let mut build = Build { btf, measure, cacheline, block, cu, last_function: ptr::null_mut() };
        btf.types().for_each(|(id, ty)| build.record(id, &ty));
        true
    }
}

struct Build<'a> {
    btf: &'a Btf,
    measure: Measure<'a>,
    /// In bytes.
    cacheline: u16,
    block: &'a mut Block,
    cu: *mut Cu,
    /// All functions have the address 0, and of equal addresses the later one goes right: the rightmost node of the tree.
    last_function: *mut Function,
}

/// Blocks are zeroed, so only what is not zero is stored. The one safety condition is a unit that is nobody else's.
impl Build<'_> {
    fn name(&self, offset: StrOff) -> *const c_char {
        match self.btf.str_tail(offset) {
            Some(tail) if offset != StrOff::EMPTY => tail.as_ptr().cast(),
            _ => ptr::null(),
        }
    }

    unsafe fn record(&mut self, id: TypeId, ty: &btf::Type<'_>) {
        // SAFETY: see above.
        unsafe {
            let tag = match ty.kind() {
                Kind::Int | Kind::Float => self.scalar(ty),
                Kind::Array => self.array(ty),
                Kind::Struct | Kind::Union => self.composite(id, ty),
                Kind::Enum | Kind::Enum64 => self.enumeration(ty),
                Kind::Fwd => self.forward(ty),
                Kind::Typedef => self.typedef(ty),
                Kind::Ptr => self.reference(ty, dw_tag::POINTER_TYPE),
                Kind::Const => self.reference(ty, dw_tag::CONST_TYPE),
                Kind::Volatile => self.reference(ty, dw_tag::VOLATILE_TYPE),
                Kind::Restrict => self.reference(ty, dw_tag::RESTRICT_TYPE),
                Kind::TypeTag => self.reference(ty, dw_tag::LLVM_ANNOTATION),
                Kind::FuncProto => self.prototype(ty),
                Kind::Func => self.function(ty),
                Kind::Var => self.variable(ty),
                // Where variables lie is no part of what can be declared; declaration tags become attributes of others.
                Kind::Datasec | Kind::DeclTag => return,
            };
            ListHead::add_tail(&raw mut (*self.cu).tags, &raw mut (*tag).node);
            let table = match ty.kind() {
                Kind::Func => &raw const (*self.cu).functions_table,
                Kind::Var => &raw const (*self.cu).tags_table,
                _ => &raw const (*self.cu).types_table,
            };
            *(*table).entries.add(id.0 as usize) = tag.cast();
        }
    }

    unsafe fn scalar(&mut self, ty: &btf::Type<'_>) -> *mut Tag {
        let base = self.block.take::<BaseType>(1);
        // SAFETY: room of this type, zeroed.
        unsafe {
            start(base.cast(), dw_tag::BASE_TYPE);
            (*base).name = self.name(ty.name());
            (*base).bit_size = scalar_bits(ty);
            match ty.int_data() {
                // The other two bits of the encoding do not fit the one-bit fields that C stores them in.
                Some(data) => (*base).set_is_signed(data >> INT_ENCODING_SHIFT & INT_SIGNED != 0),
                None => (*base).set_float_type(FP_SINGLE),
            }
            ListHead::init(&raw mut (*base).node);
        }
        base.cast()
    }

    unsafe fn array(&mut self, ty: &btf::Type<'_>) -> *mut Tag {
        let (elem, dimensions) = dimensions(self.btf, ty);
        let array = self.block.take::<ArrayType>(1);
        let entries = self.block.take::<u32>(dimensions);
        // SAFETY: as above.
        unsafe {
            start(array.cast(), dw_tag::ARRAY_TYPE);
            (*array).tag.r#type = elem.0;
            for (index, array) in counts(self.btf, ty).enumerate() {
                *entries.add(index) = array.count;
            }
            (*array).nr_entries = entries;
            (*array).dimensions = dimensions as u8;
        }
        array.cast()
    }

    unsafe fn composite(&mut self, id: TypeId, ty: &btf::Type<'_>) -> *mut Tag {
        // SAFETY: as above; a union is only the first part of a class.
        unsafe {
            let result = if ty.kind() == Kind::Struct { self.class(ty, dw_tag::STRUCTURE_TYPE) } else { self.plain_type() };
            if ty.kind() == Kind::Union {
                self.begin_type(result, ty, dw_tag::UNION_TYPE);
            }
            (*result).size = ty.size().unwrap_or(0);
            (*result).nr_members = ty.vlen() as u16;
            let members = self.block.take::<ClassMember>(ty.vlen());
            let (mut end, mut widest) = (0, Widest::default());
            for (index, member) in ty.members().enumerate() {
                let to = members.add(index);
                (*to).tag.tag = dw_tag::MEMBER;
                (*to).tag.r#type = member.type_id.0;
                (*to).name = self.name(member.name);
                (*to).bit_offset = member.bit_offset;
                (*to).bitfield_size = member.bitfield_size as u8;
                (*to).byte_offset = member.bit_offset / 8;
                widest.take(fixup::complete(&mut self.measure, &mut *to, &mut end, self.cacheline));
                ListHead::add_tail(&raw mut (*result).namespace.tags, &raw mut (*to).tag.node);
            }
            self.measure.set_widest(id.0, widest);
            fixup::complete_type(&mut self.measure, &mut *result, id.0, end, self.cacheline);
            result.cast()
        }
    }

    fn plain_type(&mut self) -> *mut Type {
        self.block.take::<Type>(1)
    }

    unsafe fn begin_type(&self, to: *mut Type, ty: &btf::Type<'_>, kind: u16) {
        // SAFETY: as above.
        unsafe {
            __type__init(to);
            ListHead::init(&raw mut (*to).namespace.tags);
            start(to.cast(), kind);
            (*to).namespace.name = self.name(ty.name());
        }
    }

    unsafe fn class(&mut self, ty: &btf::Type<'_>, kind: u16) -> *mut Type {
        let class = self.block.take::<Class>(1);
        // SAFETY: as above.
        unsafe {
            self.begin_type(class.cast(), ty, kind);
            ListHead::init(&raw mut (*class).vtable);
        }
        class.cast()
    }

    unsafe fn forward(&mut self, ty: &btf::Type<'_>) -> *mut Tag {
        let kind = if ty.kflag() { dw_tag::UNION_TYPE } else { dw_tag::STRUCTURE_TYPE };
        // SAFETY: as above.
        unsafe {
            let class = self.class(ty, kind);
            (*class).set_declaration(true);
            class.cast()
        }
    }

    unsafe fn typedef(&mut self, ty: &btf::Type<'_>) -> *mut Tag {
        let to = self.plain_type();
        // SAFETY: as above.
        unsafe {
            self.begin_type(to, ty, dw_tag::TYPEDEF);
            (*to).namespace.tag.r#type = referenced(ty);
        }
        to.cast()
    }

    unsafe fn enumeration(&mut self, ty: &btf::Type<'_>) -> *mut Tag {
        let to = self.plain_type();
        // SAFETY: as above.
        unsafe {
            self.begin_type(to, ty, dw_tag::ENUMERATION_TYPE);
            (*to).size = enum_bits(ty);
            (*to).nr_members = ty.vlen() as u16;
            (*to).set_is_signed_enum(ty.kflag());
            let enumerators = self.block.take::<Enumerator>(ty.vlen());
            for (index, enumerator) in ty.enumerators().enumerate() {
                let entry = enumerators.add(index);
                start(entry.cast(), ENUMERATOR);
                (*entry).name = self.name(enumerator.name);
                (*entry).value = enumerator.value as u64;
                ListHead::add_tail(&raw mut (*to).namespace.tags, &raw mut (*entry).tag.node);
            }
        }
        to.cast()
    }

    unsafe fn reference(&mut self, ty: &btf::Type<'_>, kind: u16) -> *mut Tag {
        let tag = self.block.take::<Tag>(1);
        // SAFETY: as above. These are not marked as being at the top level.
        unsafe {
            (*tag).tag = kind;
            (*tag).r#type = referenced(ty);
        }
        tag
    }

    unsafe fn prototype(&mut self, ty: &btf::Type<'_>) -> *mut Tag {
        let proto = self.block.take::<Ftype>(1);
        let parameters = self.block.take::<Parameter>(nr_params(ty));
        // SAFETY: as above.
        unsafe {
            start(proto.cast(), dw_tag::SUBROUTINE_TYPE);
            (*proto).tag.r#type = referenced(ty);
            ListHead::init(&raw mut (*proto).parms);
            ListHead::init(&raw mut (*proto).template_type_params);
            ListHead::init(&raw mut (*proto).template_value_params);
            for param in ty.params() {
                if param.type_id == TypeId::VOID {
                    (*proto).set_unspec_parms(true);
                    continue;
                }
                let parameter = parameters.add(usize::from((*proto).nr_parms));
                start(parameter.cast(), FORMAL_PARAMETER);
                (*parameter).tag.r#type = param.type_id.0;
                (*parameter).name = self.name(param.name);
                ListHead::add_tail(&raw mut (*proto).parms, &raw mut (*parameter).tag.node);
                (*proto).nr_parms += 1;
            }
        }
        proto.cast()
    }

    /// The type of a BTF function is its prototype; its own list of parameters stays zero.
    unsafe fn function(&mut self, ty: &btf::Type<'_>) -> *mut Tag {
        let function = self.block.take::<Function>(1);
        // SAFETY: as above; the tree's nodes are the functions made here.
        unsafe {
            start(function.cast(), dw_tag::SUBPROGRAM);
            (*function).proto.tag.r#type = referenced(ty);
            (*function).set_btf(true);
            (*function).name = self.name(ty.name());
            ListHead::init(&raw mut (*function).lexblock.tags);

            let root = &raw mut (*self.cu).functions;
            let node = &raw mut (*function).rb_node;
            if self.last_function.is_null() {
                RbNode::link(node, ptr::null_mut(), &raw mut (*root).rb_node);
            } else {
                let parent = &raw mut (*self.last_function).rb_node;
                RbNode::link(node, parent, &raw mut (*parent).rb_right);
            }
            RbRoot::insert_color(root, node);
            self.last_function = function;
        }
        function.cast()
    }

    unsafe fn variable(&mut self, ty: &btf::Type<'_>) -> *mut Tag {
        let variable = self.block.take::<Variable>(1);
        // SAFETY: as above.
        unsafe {
            start(variable.cast(), dw_tag::VARIABLE);
            (*variable).ip.tag.r#type = referenced(ty);
            (*variable).name = self.name(ty.name());
            (*variable).set_external(ty.var_linkage() == Some(VarLinkage::GlobalAllocated as u32));
        }
        variable.cast()
    }
}

fn referenced(ty: &btf::Type<'_>) -> u32 {
    ty.type_id().map_or(0, |id| id.0)
}

unsafe fn start(tag: *mut Tag, kind: u16) {
    // SAFETY: a zeroed tag.
    unsafe {
        (*tag).tag = kind;
        (*tag).set_top_level(true);
    }
}
