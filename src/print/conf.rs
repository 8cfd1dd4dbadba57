//! What a program wants to see, and what the printer adds on its way down.

use std::ops::{Deref, DerefMut};
use std::ptr;

use super::facts;
use crate::abi::ConfFprintf;

/// A program's `conf_fprintf`, copied anew for every nested type. `prefix` and `suffix` are held apart as bytes.
#[derive(Clone, Copy)]
pub struct Conf<'a> {
    fields: ConfFprintf,
    /// Printed before the keyword of a struct or union.
    pub lead: Option<&'a [u8]>,
    /// Printed behind the closing brace.
    pub tail: Option<&'a [u8]>,
}

impl Conf<'_> {
    /// What C prints with when it is given no configuration.
    pub fn standard() -> Conf<'static> {
        let fields = ConfFprintf {
            prefix: ptr::null(),
            suffix: ptr::null(),
            type_spacing: 26,
            name_spacing: 23,
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
        };
        let mut conf = Conf { fields, lead: None, tail: None };
        conf.set_emit_stats(true);
        conf
    }

    /// A program's configuration, or the standard one for NULL.
    ///
    /// # Safety
    /// `conf` is NULL or valid, with strings that live during `'a`.
    pub unsafe fn read<'a>(conf: *const ConfFprintf) -> Conf<'a> {
        // SAFETY: valid by the caller's word.
        match unsafe { conf.as_ref() } {
            None => Conf::standard(),
            // SAFETY: as above.
            Some(&fields) => unsafe { Conf { fields, lead: facts::string(fields.prefix), tail: facts::string(fields.suffix) } },
        }
    }

    /// The size of a cache line in bytes, never 0.
    pub fn line_size(&self) -> u32 {
        // SAFETY: a valid configuration.
        u32::from(unsafe { facts::cacheline_size(&self.fields) })
    }
}

impl Deref for Conf<'_> {
    type Target = ConfFprintf;

    fn deref(&self) -> &ConfFprintf {
        &self.fields
    }
}

impl DerefMut for Conf<'_> {
    fn deref_mut(&mut self) -> &mut ConfFprintf {
        &mut self.fields
    }
}
