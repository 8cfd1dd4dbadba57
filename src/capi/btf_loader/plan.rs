//! One look at all records before tags are made: how much room they take, which ids the tables end at, and what measuring needs.

use super::tags::{dimensions, enum_bits, nr_params, scalar_bits};
use crate::abi::{ArrayType, BaseType, Class, ClassMember, Enumerator, Ftype, Function, Parameter, Tag, Type, Variable};
use crate::btf::{self, Btf, Kind, TypeId};
use crate::capi::held::ALIGN;

/// What is known of a type without looking at others.
#[derive(Clone, Copy)]
pub(super) enum Shape {
    /// No type: void, a function, a variable, a section, a declaration tag.
    None,
    /// Typedef, const, volatile, restrict: what it refers to.
    Transparent(u32),
    /// Its element.
    Array(u32),
    /// A type tag, which is a type of its own to C: what it refers to.
    Tag(u32),
    Pointer,
    Prototype,
    /// Integer or float: its bits.
    Scalar(u16),
    /// Its bits.
    Enum(u32),
    /// Struct, union or forward declaration: its size in bytes.
    Composite(u32),
    /// A struct or union without members and of one byte, which takes no room where it is a base.
    Empty,
}

// There are as many as types, and they are looked up in any order.
const _: () = assert!(size_of::<Shape>() == 8);

impl Shape {
    fn of(ty: &btf::Type<'_>) -> Shape {
        let referenced = ty.type_id().map_or(0, |id| id.0);
        match ty.kind() {
            Kind::Func | Kind::Var | Kind::Datasec | Kind::DeclTag => Shape::None,
            Kind::Typedef | Kind::Const | Kind::Volatile | Kind::Restrict => Shape::Transparent(referenced),
            Kind::Array => ty.array().map_or(Shape::None, |array| Shape::Array(array.elem.0)),
            Kind::TypeTag => Shape::Tag(referenced),
            Kind::Ptr => Shape::Pointer,
            Kind::FuncProto => Shape::Prototype,
            Kind::Int | Kind::Float => Shape::Scalar(scalar_bits(ty)),
            Kind::Enum | Kind::Enum64 => Shape::Enum(enum_bits(ty)),
            Kind::Struct | Kind::Union if ty.size() == Some(1) && ty.vlen() == 0 => Shape::Empty,
            Kind::Struct | Kind::Union => Shape::Composite(ty.size().unwrap_or(0)),
            Kind::Fwd => Shape::Composite(0),
        }
    }
}

/// What is known before the first tag is made.
#[derive(Default)]
pub(super) struct Plan {
    /// The room all tags take, in bytes; `None` beyond what can be counted.
    pub bytes: Option<usize>,
    pub last_type: Option<u32>,
    pub last_function: Option<u32>,
    pub last_variable: Option<u32>,
    pub decl_tags: Vec<TypeId>,
    /// Of the types that only lead to another one, those that lead to themselves or to one behind them.
    pub forward: Vec<u32>,
    /// By id.
    pub shapes: Vec<Shape>,
}

impl Plan {
    pub(super) fn of(btf: &Btf) -> Plan {
        let mut plan = Plan { bytes: Some(0), ..Plan::default() };
        plan.shapes.reserve(btf.type_count() as usize);
        plan.shapes.push(Shape::None);
        btf.types().for_each(|(id, ty)| {
            // What has no shape is left out.
            plan.shapes.resize(id.0 as usize, Shape::None);
            plan.shapes.push(Shape::of(&ty));
            match ty.kind() {
                Kind::Func => plan.last_function = Some(id.0),
                Kind::Var => plan.last_variable = Some(id.0),
                Kind::DeclTag => plan.decl_tags.push(id),
                Kind::Datasec => {}
                _ => plan.last_type = Some(id.0),
            }
            if leads_to(btf, &ty).is_some_and(|target| target >= id) {
                plan.forward.push(id.0);
            }
            plan.bytes = plan.bytes.and_then(|sum| sum.checked_add(bytes_of(btf, &ty)));
        });
        plan
    }
}

/// What the tag of a type that is nothing but a way to another one refers to.
fn leads_to(btf: &Btf, ty: &btf::Type<'_>) -> Option<TypeId> {
    match ty.kind() {
        Kind::Array => Some(dimensions(btf, ty).0),
        Kind::Ptr | Kind::Typedef | Kind::Const | Kind::Volatile | Kind::Restrict | Kind::TypeTag => ty.type_id(),
        _ => None,
    }
}

/// The room that a record's tags take, in bytes.
fn bytes_of(btf: &Btf, ty: &btf::Type<'_>) -> usize {
    match ty.kind() {
        Kind::Int | Kind::Float => size_of::<BaseType>(),
        Kind::Array => size_of::<ArrayType>() + (dimensions(btf, ty).1 * size_of::<u32>()).next_multiple_of(ALIGN),
        Kind::Struct => size_of::<Class>() + ty.vlen() * size_of::<ClassMember>(),
        Kind::Union => size_of::<Type>() + ty.vlen() * size_of::<ClassMember>(),
        Kind::Enum | Kind::Enum64 => size_of::<Type>() + ty.vlen() * size_of::<Enumerator>(),
        Kind::Fwd => size_of::<Class>(),
        Kind::Typedef => size_of::<Type>(),
        Kind::Ptr | Kind::Const | Kind::Volatile | Kind::Restrict | Kind::TypeTag => size_of::<Tag>(),
        Kind::FuncProto => size_of::<Ftype>() + nr_params(ty) * size_of::<Parameter>(),
        Kind::Func => size_of::<Function>(),
        Kind::Var => size_of::<Variable>(),
        Kind::Datasec | Kind::DeclTag => 0,
    }
}
