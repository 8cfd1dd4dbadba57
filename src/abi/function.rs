//! Functions, their parameters and the template parameters of functions and types.

use std::ffi::{c_char, c_int, c_ulong, c_void};
use std::mem::offset_of;

use super::{HlistNode, Lexblock, ListHead, RbNode, Tag};

/// `struct parameter`: what follows the name belongs to loader and encoder.
#[repr(C)]
pub struct Parameter {
    pub tag: Tag,
    pub name: *const c_char,
    pub true_sig_member_name: *const c_char,
    /// DIE offset.
    pub true_sig_type: u64,
    pub first_reg_fields: c_ulong,
    pub second_reg_fields: c_ulong,
    /// DWARF register, negative when unknown.
    pub loc_reg: c_int,
    /// In bytes.
    pub type_byte_size: u16,
    pub flags0: u8,
    pub flags1: u8,
    /// Place among the parameters, from 0.
    pub idx: u8,
}
layout! { Parameter: 88, 8 {
    tag: 0, name: 32, true_sig_member_name: 40, true_sig_type: 48, first_reg_fields: 56, second_reg_fields: 64, loc_reg:
    72, type_byte_size: 76, flags0: 78, flags1: 79, idx: 80,
} }
bits! { Parameter.flags0 {
    true_sig_type_from_types, set_true_sig_type_from_types: 0;
    true_sig_type_from_alt, set_true_sig_type_from_alt: 1;
    has_const_value, set_has_const_value: 2;
    loc_const_value, set_loc_const_value: 3;
    loc_stack, set_loc_stack: 4;
    optimized, set_optimized: 5;
    unexpected_reg, set_unexpected_reg: 6;
    has_loc, set_has_loc: 7;
} }
bits! { Parameter.flags1 {
    passed_in_memory, set_passed_in_memory: 0;
} }

/// `struct template_type_param`.
#[repr(C)]
pub struct TemplateTypeParam {
    pub tag: Tag,
    pub name: *const c_char,
}
layout! { TemplateTypeParam: 40, 8 { tag: 0, name: 32 } }

/// `struct template_value_param`.
#[repr(C)]
pub struct TemplateValueParam {
    pub tag: Tag,
    pub name: *const c_char,
    pub const_value: u64,
    pub default_value: u64,
}
layout! { TemplateValueParam: 56, 8 { tag: 0, name: 32, const_value: 40, default_value: 48 } }

/// `struct template_parameter_pack`.
#[repr(C)]
pub struct TemplateParameterPack {
    pub tag: Tag,
    pub name: *const c_char,
    pub params: ListHead,
}
layout! { TemplateParameterPack: 56, 8 { tag: 0, name: 32, params: 40 } }

/// `struct formal_parameter_pack`.
#[repr(C)]
pub struct FormalParameterPack {
    pub tag: Tag,
    pub params: ListHead,
}
layout! { FormalParameterPack: 48, 8 { tag: 0, params: 32 } }

/// `struct ftype`: result and parameters. The tag's type is the result; for functions of BTF it is the prototype.
#[repr(C)]
pub struct Ftype {
    pub tag: Tag,
    pub parms: ListHead,
    /// Of the result; 0 for the size of an address.
    pub byte_size: usize,
    pub nr_parms: u16,
    pub flags: u8,
    pub template_type_params: ListHead,
    pub template_value_params: ListHead,
    pub template_parameter_pack: *mut TemplateParameterPack,
    pub formal_parameter_pack: *mut FormalParameterPack,
}
layout! { Ftype: 112, 8 {
    tag: 0, parms: 32, byte_size: 48, nr_parms: 56, flags: 58, template_type_params: 64, template_value_params: 80,
    template_parameter_pack: 96, formal_parameter_pack: 104,
} }
bits! { Ftype.flags {
    unspec_parms, set_unspec_parms: 0;
    optimized_parms, set_optimized_parms: 1;
    unexpected_reg, set_unexpected_reg: 2;
    processed, set_processed: 3;
    inconsistent_proto, set_inconsistent_proto: 4;
    uncertain_parm_loc, set_uncertain_parm_loc: 5;
    reordered_parm, set_reordered_parm: 6;
    signature_changed, set_signature_changed: 7;
} }

/// `struct function`.
#[repr(C)]
pub struct Function {
    pub proto: Ftype,
    pub lexblock: Lexblock,
    /// In the unit's tree by address.
    pub rb_node: RbNode,
    /// NULL when it has none.
    pub name: *const c_char,
    pub linkage_name: *const c_char,
    pub alias: *const c_char,
    /// In bytes, over the whole unit.
    pub cu_total_size_inline_expansions: u32,
    pub cu_total_nr_inline_expansions: u16,
    pub flags0: u8,
    pub flags1: u8,
    /// -1 when it is not virtual.
    pub vtable_entry: i32,
    pub vtable_node: ListHead,
    pub annots: ListHead,
    /// For the program, as is `priv`.
    pub tool: ToolLinks,
    pub r#priv: *mut c_void,
}
layout! { Function: 304, 8 {
    proto: 0, lexblock: 112, rb_node: 184, name: 208, linkage_name: 216, alias: 224, cu_total_size_inline_expansions: 232,
    cu_total_nr_inline_expansions: 236, flags0: 238, flags1: 239, vtable_entry: 240, vtable_node: 248, annots: 264, tool:
    280, r#priv: 296,
} }
bits! { Function.flags0 {
    inlined, set_inlined: 0, 2;
    abstract_origin, set_abstract_origin: 2;
    external, set_external: 3;
    accessibility, set_accessibility: 4, 2;
    virtuality, set_virtuality: 6, 2;
} }
bits! { Function.flags1 {
    declaration, set_declaration: 0;
    btf, set_btf: 1;
} }

/// The links a tool may use as it likes. Anonymous in C.
#[repr(C)]
#[derive(Clone, Copy)]
pub union ToolLinks {
    pub tool_node: ListHead,
    pub tool_hnode: HlistNode,
}

impl Function {
    /// The function whose `rb_node` is at `node`.
    ///
    /// # Safety
    /// `node` is the tree node of a function.
    pub unsafe fn of_node(node: *mut RbNode) -> *mut Function {
        // SAFETY: the node lies within its function.
        unsafe { node.byte_sub(offset_of!(Function, rb_node)).cast() }
    }
}
