//! Which definitions were emitted already: the state of `libdwarves_emit.so.1`, owned by its caller.

use super::{ConfFprintf, ListHead};

/// `struct type_emissions`.
#[repr(C)]
pub struct TypeEmissions {
    pub definitions: ListHead,
    pub base_type_definitions: ListHead,
    pub fwd_decls: ListHead,
    pub conf_fprintf: *mut ConfFprintf,
}
layout! { TypeEmissions: 56, 8 { definitions: 0, base_type_definitions: 16, fwd_decls: 32, conf_fprintf: 48 } }
