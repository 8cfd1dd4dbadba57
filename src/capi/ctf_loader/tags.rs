//! CTF records to tags. What a record says is stored as it stands; sizes of members follow in `fixup`.

use std::ffi::c_char;
use std::ptr;

use super::Source;
use crate::abi::{
    ArrayType, BaseType, Class, ClassMember, Cu, Enumerator, Ftype, Function, ListHead, Parameter, PtrTable, Tag, Type, Variable,
    dw_tag,
};
use crate::capi::held::{ALIGN, Block};
use crate::capi::link::__type__init;
use crate::loader::ctf::{CtfError, Kind, Record, Typed};

const FORMAL_PARAMETER: u16 = 0x05;
const ENUMERATOR: u16 = 0x28;

/// Attributes of an integer are its highest byte, its bits the lowest half-word; as for a float's kind and bits.
const INT_ATTRIBUTES_SHIFT: u32 = 24;
const INT_SIGNED: u32 = 1;
const BITS_MASK: u32 = 0xffff;

/// `VSCOPE_GLOBAL`.
const GLOBAL: u8 = 2;

/// Bits of an enum that claims to have none: those of `int`.
const DEFAULT_ENUM_BITS: u32 = 32;

/// The room all tags take, in bytes; `None` beyond what can be counted.
pub(super) fn bytes_needed(source: &Source) -> Option<usize> {
    let mut sum = 0_usize;
    for record in &source.types {
        let bytes = match record.kind {
            Kind::Unknown => 0,
            Kind::Integer | Kind::Float => size_of::<BaseType>(),
            Kind::Array => size_of::<ArrayType>() + ALIGN,
            Kind::Function => size_of::<Ftype>() + record.parts * size_of::<Parameter>(),
            Kind::Struct | Kind::Union => size_of::<Class>() + record.parts * size_of::<ClassMember>(),
            Kind::Enum => size_of::<Type>() + record.parts * size_of::<Enumerator>(),
            Kind::Forward => size_of::<Class>(),
            Kind::Typedef => size_of::<Type>(),
            Kind::Pointer | Kind::Volatile | Kind::Const | Kind::Restrict => size_of::<Tag>(),
        };
        sum = sum.checked_add(bytes)?;
    }
    let name = |symbol: &Typed| (symbol.name.len() + 1).next_multiple_of(ALIGN);
    for symbol in &source.functions {
        let parameters = symbol.parameters.len() * size_of::<Parameter>();
        sum = sum.checked_add(size_of::<Function>() + parameters + name(symbol))?;
    }
    for symbol in &source.objects {
        sum = sum.checked_add(size_of::<Variable>() + name(symbol))?;
    }
    Some(sum)
}

/// Makes the tags and enters them in the unit's tables and list: functions, types, variables.
///
/// # Safety
/// `cu` is fresh and nobody else's; `block` has the room that [`bytes_needed`] tells.
pub(super) unsafe fn build(source: &Source, cu: *mut Cu, block: &mut Block) -> Result<(), CtfError> {
    let mut build = Build { source, block, cu };
    // SAFETY: passed on.
    unsafe {
        for symbol in &source.functions {
            let function = build.function(symbol);
            Cu::insert_function(cu, function, ptr::null_mut());
            build.enter(function.cast(), None);
        }
        for record in &source.types {
            match build.record(record)? {
                tag if tag.is_null() => {
                    PtrTable::put(&raw mut (*cu).types_table, record.id, ptr::null_mut());
                }
                tag => build.enter(tag, Some(record.id)),
            }
        }
        for symbol in &source.objects {
            let variable = build.variable(symbol);
            build.enter(variable, None);
        }
    }
    Ok(())
}

struct Build<'a> {
    source: &'a Source,
    block: &'a mut Block,
    cu: *mut Cu,
}

/// Blocks are zeroed, so only what is not zero is stored. The one safety condition is a unit that is nobody else's.
impl Build<'_> {
    unsafe fn enter(&mut self, tag: *mut Tag, id: Option<u32>) {
        // SAFETY: see above.
        unsafe {
            let table = Cu::table_of(self.cu, tag);
            let entered = match id {
                Some(id) => PtrTable::put(table, id, tag.cast()),
                None => PtrTable::push(table, tag.cast()).is_some(),
            };
            if entered {
                ListHead::add_tail(&raw mut (*self.cu).tags, &raw mut (*tag).node);
            }
        }
    }

    fn name(&self, reference: u32) -> *const c_char {
        self.source.file.content.string_tail(reference).map_or(ptr::null(), |tail| tail.as_ptr().cast())
    }

    /// Symbols' names are in no place that lasts, so they go to the block.
    fn symbol_name(&mut self, symbol: &Typed) -> *const c_char {
        let name = self.block.take::<u8>(symbol.name.len() + 1);
        // SAFETY: the room is one byte longer, and zeroed.
        unsafe { ptr::copy_nonoverlapping(symbol.name.as_ptr(), name, symbol.name.len()) };
        name.cast()
    }

    /// The tag of a type record; NULL for a record of no kind.
    unsafe fn record(&mut self, record: &Record) -> Result<*mut Tag, CtfError> {
        // SAFETY: see above.
        unsafe {
            Ok(match record.kind {
                Kind::Unknown => ptr::null_mut(),
                Kind::Integer | Kind::Float => self.scalar(record)?,
                Kind::Array => self.array(record)?,
                Kind::Function => self.prototype(record)?,
                Kind::Struct => self.composite(record, dw_tag::STRUCTURE_TYPE)?,
                Kind::Union => self.composite(record, dw_tag::UNION_TYPE)?,
                Kind::Enum => self.enumeration(record)?,
                Kind::Forward => {
                    let class = self.class(record, dw_tag::STRUCTURE_TYPE);
                    (*class).set_declaration(true);
                    class.cast()
                }
                Kind::Typedef => {
                    let to = self.plain_type(record, dw_tag::TYPEDEF);
                    (*to).namespace.tag.r#type = record.reference.into();
                    to.cast()
                }
                Kind::Pointer => self.reference(record, dw_tag::POINTER_TYPE),
                Kind::Volatile => self.reference(record, dw_tag::VOLATILE_TYPE),
                Kind::Const => self.reference(record, dw_tag::CONST_TYPE),
                Kind::Restrict => self.reference(record, dw_tag::RESTRICT_TYPE),
            })
        }
    }

    unsafe fn scalar(&mut self, record: &Record) -> Result<*mut Tag, CtfError> {
        let encoding = self.source.file.content.word(record.body)?;
        let base = self.block.take::<BaseType>(1);
        // SAFETY: room of this type, zeroed.
        unsafe {
            start(base.cast(), dw_tag::BASE_TYPE);
            (*base).name = self.name(record.name);
            (*base).bit_size = (encoding & BITS_MASK) as u16;
            if record.kind == Kind::Integer {
                // The other attributes do not fit the one-bit fields that C stores them in.
                (*base).set_is_signed(encoding >> INT_ATTRIBUTES_SHIFT & INT_SIGNED != 0);
            } else {
                (*base).set_float_type((encoding & 0xf) as u8);
            }
            ListHead::init(&raw mut (*base).node);
        }
        Ok(base.cast())
    }

    unsafe fn array(&mut self, record: &Record) -> Result<*mut Tag, CtfError> {
        let elem = self.source.file.content.half(record.body)?;
        let count = self.source.file.content.word(record.body + 4)?;
        let array = self.block.take::<ArrayType>(1);
        let entries = self.block.take::<u32>(1);
        // SAFETY: as above.
        unsafe {
            start(array.cast(), dw_tag::ARRAY_TYPE);
            *entries = count;
            (*array).tag.r#type = elem.into();
            (*array).nr_entries = entries;
            (*array).dimensions = 1;
        }
        Ok(array.cast())
    }

    unsafe fn begin_type(&self, to: *mut Type, record: &Record, kind: u16) {
        // SAFETY: as above.
        unsafe {
            __type__init(to);
            ListHead::init(&raw mut (*to).namespace.tags);
            start(to.cast(), kind);
            (*to).namespace.name = self.name(record.name);
            (*to).size = record.size as u32;
        }
    }

    unsafe fn plain_type(&mut self, record: &Record, kind: u16) -> *mut Type {
        let to = self.block.take::<Type>(1);
        // SAFETY: as above.
        unsafe { self.begin_type(to, record, kind) };
        to
    }

    unsafe fn class(&mut self, record: &Record, kind: u16) -> *mut Type {
        let class = self.block.take::<Class>(1);
        // SAFETY: as above.
        unsafe {
            self.begin_type(class.cast(), record, kind);
            ListHead::init(&raw mut (*class).vtable);
        }
        class.cast()
    }

    unsafe fn composite(&mut self, record: &Record, kind: u16) -> Result<*mut Tag, CtfError> {
        // SAFETY: as above; a union is only the first part of a class.
        unsafe {
            let to = if record.kind == Kind::Struct { self.class(record, kind) } else { self.plain_type(record, kind) };
            let members = self.block.take::<ClassMember>(record.parts);
            (*to).nr_members = record.parts as u16;
            for index in 0..record.parts {
                let from = self.source.file.content.member(record, index)?;
                let member = members.add(index);
                (*member).tag.tag = dw_tag::MEMBER;
                (*member).tag.r#type = from.type_id.into();
                (*member).name = self.name(from.name);
                (*member).bit_offset = from.bit_offset;
                ListHead::add_tail(&raw mut (*to).namespace.tags, &raw mut (*member).tag.node);
            }
            Ok(to.cast())
        }
    }

    unsafe fn enumeration(&mut self, record: &Record) -> Result<*mut Tag, CtfError> {
        // SAFETY: as above.
        unsafe {
            let to = self.plain_type(record, dw_tag::ENUMERATION_TYPE);
            // CTF's size is taken for one in bits.
            (*to).size = match record.size as u16 {
                0 => DEFAULT_ENUM_BITS,
                size => size.into(),
            };
            (*to).nr_members = record.parts as u16;
            let enumerators = self.block.take::<Enumerator>(record.parts);
            for index in 0..record.parts {
                let at = record.body + index * 8;
                let enumerator = enumerators.add(index);
                start(enumerator.cast(), ENUMERATOR);
                (*enumerator).name = self.name(self.source.file.content.word(at)?);
                (*enumerator).value = self.source.file.content.word(at + 4)?.into();
                ListHead::add_tail(&raw mut (*to).namespace.tags, &raw mut (*enumerator).tag.node);
            }
            Ok(to.cast())
        }
    }

    unsafe fn reference(&mut self, record: &Record, kind: u16) -> *mut Tag {
        let tag = self.block.take::<Tag>(1);
        // SAFETY: as above. These are not marked as being at the top level.
        unsafe {
            (*tag).tag = kind;
            (*tag).r#type = record.reference.into();
        }
        tag
    }

    unsafe fn prototype(&mut self, record: &Record) -> Result<*mut Tag, CtfError> {
        let parameters = self.source.file.content.halves(record.body, record.parts)?;
        let proto = self.block.take::<Ftype>(1);
        // SAFETY: as above.
        unsafe {
            start(proto.cast(), dw_tag::SUBROUTINE_TYPE);
            (*proto).tag.r#type = record.reference.into();
            self.parameters(proto, &parameters);
        }
        Ok(proto.cast())
    }

    unsafe fn parameters(&mut self, proto: *mut Ftype, types: &[u16]) {
        let parameters = self.block.take::<Parameter>(types.len());
        // SAFETY: as above.
        unsafe {
            ListHead::init(&raw mut (*proto).parms);
            ListHead::init(&raw mut (*proto).template_type_params);
            ListHead::init(&raw mut (*proto).template_value_params);
            for &type_id in types {
                if type_id == 0 {
                    (*proto).set_unspec_parms(true);
                    continue;
                }
                let parameter = parameters.add(usize::from((*proto).nr_parms));
                start(parameter.cast(), FORMAL_PARAMETER);
                (*parameter).tag.r#type = type_id.into();
                ListHead::add_tail(&raw mut (*proto).parms, &raw mut (*parameter).tag.node);
                (*proto).nr_parms += 1;
            }
        }
    }

    unsafe fn function(&mut self, symbol: &Typed) -> *mut Function {
        let function = self.block.take::<Function>(1);
        // SAFETY: as above.
        unsafe {
            start(function.cast(), dw_tag::SUBPROGRAM);
            (*function).proto.tag.r#type = symbol.type_id.into();
            self.parameters(&raw mut (*function).proto, &symbol.parameters);
            (*function).name = self.symbol_name(symbol);
            (*function).lexblock.ip.addr = symbol.value;
            (*function).lexblock.size = symbol.size as u32;
            (*function).vtable_entry = -1;
            (*function).set_external(symbol.is_global);
            ListHead::init(&raw mut (*function).vtable_node);
            ListHead::init(&raw mut (*function).tool.tool_node);
            ListHead::init(&raw mut (*function).lexblock.tags);
        }
        function
    }

    unsafe fn variable(&mut self, symbol: &Typed) -> *mut Tag {
        let variable = self.block.take::<Variable>(1);
        // SAFETY: as above.
        unsafe {
            start(variable.cast(), dw_tag::VARIABLE);
            (*variable).ip.tag.r#type = symbol.type_id.into();
            (*variable).ip.addr = symbol.value;
            (*variable).name = self.symbol_name(symbol);
            (*variable).scope = GLOBAL;
            (*variable).set_external(symbol.is_global);
        }
        variable.cast()
    }
}

unsafe fn start(tag: *mut Tag, kind: u16) {
    // SAFETY: a zeroed tag.
    unsafe {
        (*tag).tag = kind;
        (*tag).set_top_level(true);
    }
}
