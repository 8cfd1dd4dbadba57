//! Base types: only clang's `atomic_` ones need a definition, which spells the type out.

use crate::abi::BaseType;
use crate::library;
use crate::print::bytes;

const PREFIX: &[u8] = b"atomic_";

/// The definition, up to the name, of a base type that needs one.
///
/// # Safety
/// A valid base type.
pub unsafe fn definition(base: *const BaseType) -> Option<Vec<u8>> {
    // SAFETY: as above.
    let name = unsafe { bytes(library::__base_type__name(base)) };
    let plain = name.strip_prefix(PREFIX)?;
    Some([b"typedef _Atomic", &spelled(plain)[..], b" ", name, b";\n"].concat())
}

/// `uint` is `unsigned int`, `schar` `signed char`, `llong` `long long`.
fn spelled(name: &[u8]) -> Vec<u8> {
    match name {
        [b's', rest @ ..] if !matches!(rest.first(), Some(b'i' | b'h')) => [b" signed ", rest].concat(),
        [b'l', b'l', ..] => b" long long".to_vec(),
        [b'u', b'l', b'l', ..] => b" unsigned long long".to_vec(),
        [b'u', b'l', ..] => b" unsigned long".to_vec(),
        [b'u', rest @ ..] => [b" unsigned ", simple(rest)].concat(),
        [b'b', ..] => b" _Bool".to_vec(),
        _ => [b" ", simple(name)].concat(),
    }
}

/// The keyword for a type of `stdint.h`.
fn simple(name: &[u8]) -> &[u8] {
    match name {
        b"int8_t" => b"char",
        b"int16_t" => b"short",
        b"int32_t" => b"int",
        b"int64_t" => b"long",
        _ => name,
    }
}
