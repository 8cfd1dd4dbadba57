//! `ctf__add_*`: appending records to the buffers of a CTF writer.
//!
//! Records whose parts come one by one reserve room for them; `*position` says where the next part goes.

use std::ffi::{c_int, c_uint};
use std::ptr;

use super::entry::{entry, non_null};
use super::gobuffer::{gobuffer__add, gobuffer__allocate, gobuffer__ptr};
use crate::abi::{Ctf, CtfArray, CtfEnum, CtfFullMember, CtfShortMember, CtfShortType, CtfSizeOrType, Gobuffer};

const KIND_INT: u16 = 1;
const KIND_ARRAY: u16 = 4;
const KIND_FUNCTION: u16 = 5;
const KIND_ENUM: u16 = 8;
const KIND_FORWARD: u16 = 9;

/// Structs of fewer bytes have short member records.
const SHORT_MEMBER_LIMIT: u64 = 8192;
/// Stands for a size that follows in two words.
const LONG_SIZE: u16 = 0xffff;

fn info(kind: u16, parts: u16) -> u16 {
    kind << 11 | parts
}

fn short_type(name: u32, info: u16, size_or_type: u16) -> CtfShortType {
    CtfShortType { ctf_name: name, ctf_info: info, size_or_type: CtfSizeOrType { ctf_size: size_or_type } }
}

/// Appends a record that has no padding.
unsafe fn append<T>(buffer: *mut Gobuffer, record: &T) {
    // SAFETY: a valid buffer and a whole record.
    unsafe { gobuffer__add(buffer, ptr::from_ref(record).cast(), size_of::<T>() as c_uint) };
}

/// Reserves `len` bytes and points `*position` at them.
unsafe fn reserve(buffer: *mut Gobuffer, len: usize, position: *mut i64) {
    // SAFETY: a valid buffer and a writable position.
    unsafe { *position = i64::from(gobuffer__allocate(buffer, c_uint::try_from(len).unwrap_or(c_uint::MAX))) }
}

/// Puts a record at `*position` and moves that behind it; does nothing outside of the buffer.
unsafe fn put_at<T>(buffer: *mut Gobuffer, record: T, position: *mut i64) {
    // SAFETY: a valid buffer; the range is checked against its used part.
    unsafe {
        let Ok(at) = c_uint::try_from(*position) else { return };
        let end = u64::from(at) + size_of::<T>() as u64;
        if at != 0 && end <= u64::from((*buffer).index) {
            gobuffer__ptr(buffer, at).cast::<T>().write_unaligned(record);
            *position = end as i64;
        }
    }
}

unsafe fn next_index(ctf: *mut Ctf) -> u32 {
    // SAFETY: a valid writer.
    unsafe {
        (*ctf).type_index = (*ctf).type_index.wrapping_add(1);
        (*ctf).type_index
    }
}

/// Appends an integer type of `size` bits; its index.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ctf__add_base_type(ctf: *mut Ctf, name: u32, size: u16) -> u32 {
    #[repr(C)]
    struct Integer(CtfShortType, u32);
    entry(|| {
        non_null!(ctf);
        // SAFETY: a valid writer.
        unsafe {
            // Attributes and offset are 0, so the encoding is the size alone.
            append(&raw mut (*ctf).types, &Integer(short_type(name, info(KIND_INT, 0), size), size.into()));
            next_index(ctf)
        }
    })
}

/// Appends a type that refers to another one; its index.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ctf__add_short_type(ctf: *mut Ctf, kind: u16, ty: u16, name: u32) -> u32 {
    entry(|| {
        non_null!(ctf);
        // SAFETY: a valid writer.
        unsafe {
            append(&raw mut (*ctf).types, &short_type(name, info(kind, 0), ty));
            next_index(ctf)
        }
    })
}

/// Appends a forward declaration; its index.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ctf__add_fwd_decl(ctf: *mut Ctf, name: u32) -> u32 {
    // SAFETY: passed on.
    unsafe { ctf__add_short_type(ctf, KIND_FORWARD, 0, name) }
}

/// Appends an array; its index.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ctf__add_array(ctf: *mut Ctf, ty: u16, index_type: u16, nelems: u32) -> u32 {
    #[repr(C)]
    struct Array(CtfShortType, CtfArray);
    entry(|| {
        non_null!(ctf);
        let array = CtfArray { ctf_array_type: ty, ctf_array_index_type: index_type, ctf_array_nelems: nelems };
        // SAFETY: a valid writer.
        unsafe {
            append(&raw mut (*ctf).types, &Array(short_type(0, info(KIND_ARRAY, 0), 0), array));
            next_index(ctf)
        }
    })
}

/// Appends a struct or union of `size` bytes and reserves its members; its index.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ctf__add_struct(
    ctf: *mut Ctf,
    kind: u16,
    name: u32,
    size: u64,
    nr_members: u16,
    position: *mut i64,
) -> u32 {
    #[repr(C)]
    struct Long(CtfShortType, u32, u32);
    entry(|| {
        non_null!(ctf, position);
        let info = info(kind, nr_members);
        let member = if size < SHORT_MEMBER_LIMIT { size_of::<CtfShortMember>() } else { size_of::<CtfFullMember>() };
        // SAFETY: a valid writer.
        unsafe {
            let types = &raw mut (*ctf).types;
            match u16::try_from(size) {
                Ok(short) if short != LONG_SIZE => append(types, &short_type(name, info, short)),
                _ => append(types, &Long(short_type(name, info, LONG_SIZE), (size >> 32) as u32, size as u32)),
            }
            reserve(types, member * usize::from(nr_members), position);
            next_index(ctf)
        }
    })
}

/// Puts a member of a short struct; `offset` in bits.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ctf__add_short_member(ctf: *mut Ctf, name: u32, ty: u16, offset: u16, position: *mut i64) {
    entry(|| {
        non_null!(ctf, position);
        let member = CtfShortMember { ctf_member_name: name, ctf_member_type: ty, ctf_member_offset: offset };
        // SAFETY: a valid writer.
        unsafe { put_at(&raw mut (*ctf).types, member, position) }
    })
}

/// Puts a member of a long struct; `offset` in bits.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ctf__add_full_member(ctf: *mut Ctf, name: u32, ty: u16, offset: u64, position: *mut i64) {
    entry(|| {
        non_null!(ctf, position);
        let member = CtfFullMember {
            ctf_member_name: name,
            ctf_member_type: ty,
            ctf_member_unused: 0,
            ctf_member_offset_high: (offset >> 32) as u32,
            ctf_member_offset_low: offset as u32,
        };
        // SAFETY: a valid writer.
        unsafe { put_at(&raw mut (*ctf).types, member, position) }
    })
}

/// Appends an enumeration and reserves its enumerators; its index.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ctf__add_enumeration_type(
    ctf: *mut Ctf,
    name: u32,
    size: u16,
    nr_entries: u16,
    position: *mut i64,
) -> u32 {
    entry(|| {
        non_null!(ctf, position);
        // SAFETY: a valid writer.
        unsafe {
            append(&raw mut (*ctf).types, &short_type(name, info(KIND_ENUM, nr_entries), size));
            reserve(&raw mut (*ctf).types, size_of::<CtfEnum>() * usize::from(nr_entries), position);
            next_index(ctf)
        }
    })
}

/// Puts an enumerator.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ctf__add_enumerator(ctf: *mut Ctf, name: u32, value: u32, position: *mut i64) {
    entry(|| {
        non_null!(ctf, position);
        // SAFETY: a valid writer.
        unsafe { put_at(&raw mut (*ctf).types, CtfEnum { ctf_enum_name: name, ctf_enum_val: value }, position) }
    })
}

/// Reserves parameters, two bytes each, rounded up to words; type 0 behind the last one stands for varargs.
unsafe fn reserve_parameters(buffer: *mut Gobuffer, nr_parms: u16, varargs: bool, position: *mut i64) {
    // SAFETY: a valid buffer and a writable position.
    unsafe {
        let parameters = usize::from(nr_parms);
        let len = (parameters + usize::from(varargs)) * size_of::<u16>();
        reserve(buffer, len.next_multiple_of(4), position);
        if varargs {
            let mut end = *position + (parameters * size_of::<u16>()) as i64;
            put_at(buffer, 0_u16, &mut end);
        }
    }
}

fn function_info(nr_parms: u16, varargs: bool) -> u16 {
    info(KIND_FUNCTION, nr_parms.wrapping_add(u16::from(varargs)))
}

/// Appends a function type and reserves its parameters; its index.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ctf__add_function_type(ctf: *mut Ctf, ty: u16, nr_parms: u16, varargs: bool, position: *mut i64) -> u32 {
    entry(|| {
        non_null!(ctf, position);
        // SAFETY: a valid writer.
        unsafe {
            append(&raw mut (*ctf).types, &short_type(0, function_info(nr_parms, varargs), ty));
            reserve_parameters(&raw mut (*ctf).types, nr_parms, varargs, position);
            next_index(ctf)
        }
    })
}

/// Puts a parameter of a function type.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ctf__add_parameter(ctf: *mut Ctf, ty: u16, position: *mut i64) {
    entry(|| {
        non_null!(ctf, position);
        // SAFETY: a valid writer.
        unsafe { put_at(&raw mut (*ctf).types, ty, position) }
    })
}

/// Appends a function record, whose name is its symbol's, and reserves its parameters; 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ctf__add_function(ctf: *mut Ctf, ty: u16, nr_parms: u16, varargs: bool, position: *mut i64) -> c_int {
    entry(|| {
        non_null!(ctf, position);
        // SAFETY: a valid writer.
        unsafe {
            append(&raw mut (*ctf).funcs, &[function_info(nr_parms, varargs), ty]);
            reserve_parameters(&raw mut (*ctf).funcs, nr_parms, varargs, position);
            0
        }
    })
}

/// Puts a parameter of a function record.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ctf__add_function_parameter(ctf: *mut Ctf, ty: u16, position: *mut i64) {
    entry(|| {
        non_null!(ctf, position);
        // SAFETY: a valid writer.
        unsafe { put_at(&raw mut (*ctf).funcs, ty, position) }
    })
}

/// Appends an object record; 0 or `-ENOMEM`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ctf__add_object(ctf: *mut Ctf, ty: u16) -> c_int {
    entry(|| {
        non_null!(ctf);
        // SAFETY: a valid writer.
        unsafe {
            let added = gobuffer__add(&raw mut (*ctf).objects, ptr::from_ref(&ty).cast(), size_of::<u16>() as c_uint);
            added.min(0)
        }
    })
}
