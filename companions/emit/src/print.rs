//! Writing definitions with the library's printer.

use std::ffi::{CStr, c_char};
use std::ptr;

use libc::FILE;

use crate::abi::{ConfFprintf, Cu, Tag, Type};
use crate::library;

/// A configuration that asks for nothing.
pub fn bare() -> ConfFprintf {
    ConfFprintf {
        prefix: ptr::null(),
        suffix: ptr::null(),
        type_spacing: 0,
        name_spacing: 0,
        base_offset: 0,
        count: 0,
        cachelinep: ptr::null_mut(),
        seek_bytes: ptr::null(),
        size_bytes: ptr::null(),
        header_type: ptr::null(),
        range: ptr::null(),
        skip: 0,
        cacheline_size: 0,
        indent: 0,
        flags0: 0,
        flags1: 0,
        flags2: 0,
        flags3: 0,
    }
}

/// Writes the parts in one go. A stream that takes nothing shows when the program closes it.
///
/// # Safety
/// An open stream.
pub unsafe fn put(fp: *mut FILE, parts: &[&[u8]]) {
    let text = parts.concat();
    // SAFETY: as above.
    unsafe { libc::fwrite(text.as_ptr().cast(), 1, text.len(), fp) };
}

/// The bytes of a name.
///
/// # Safety
/// NULL or a string.
pub unsafe fn bytes<'a>(name: *const c_char) -> &'a [u8] {
    // SAFETY: as above.
    if name.is_null() { b"(null)" } else { unsafe { CStr::from_ptr(name) }.to_bytes() }
}

/// Writes a definition between a prefix and a suffix; nothing for a type without any name.
///
/// # Safety
/// A type of this unit, NULL or strings, an open stream.
pub unsafe fn definition(tag: *mut Tag, cu: *const Cu, prefix: *const c_char, suffix: *const c_char, fp: *mut FILE) {
    // SAFETY: as above.
    unsafe {
        if (*tag.cast::<Type>()).namespace.name.is_null() && prefix.is_null() && suffix.is_null() {
            return;
        }
        let mut conf = bare();
        conf.prefix = prefix;
        conf.suffix = suffix;
        conf.set_emit_stats(true);
        library::tag__fprintf(tag, cu, &conf, fp);
        put(fp, &[b"\n"]);
    }
}
