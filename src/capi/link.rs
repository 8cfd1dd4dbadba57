//! Linking tags where they belong: `*__add_*` and `__type__init`. The owner's list takes the tag over.

use std::ptr;

use super::entry::{entry, non_null};
use crate::abi::{
    Class, ClassMember, Enumerator, FormalParameterPack, Ftype, Function, InlineExpansion, Label, Lexblock, ListHead, Namespace,
    Parameter, Tag, TemplateParameterPack, TemplateTypeParam, TemplateValueParam, Type, Variable, VariantPart,
};

/// Appends the tag that `part` starts with.
unsafe fn append<T>(head: *mut ListHead, part: *mut T) {
    // SAFETY: an initialised head; whatever is a tag starts with its list node.
    unsafe { ListHead::add_tail(head, part.cast()) }
}

/// Initialises the lists of a type that is zero otherwise.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __type__init(ty: *mut Type) {
    entry(|| {
        non_null!(ty);
        // SAFETY: a writable type.
        unsafe {
            for head in [
                &raw mut (*ty).node,
                &raw mut (*ty).type_enum,
                &raw mut (*ty).template_type_params,
                &raw mut (*ty).template_value_params,
                &raw mut (*ty).variant_parts,
            ] {
                ListHead::init(head);
            }
            (*ty).template_parameter_pack = ptr::null_mut();
            (*ty).sizeof_member = ptr::null_mut();
            (*ty).member_prefix = ptr::null_mut();
            (*ty).member_prefix_len = 0;
            (*ty).set_suffix_disambiguation(false);
        }
    })
}

/// Appends a tag to a namespace.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn namespace__add_tag(nspace: *mut Namespace, tag: *mut Tag) {
    entry(|| {
        non_null!(nspace, tag);
        // SAFETY: a valid namespace, and a tag that is in no list.
        unsafe { append(&raw mut (*nspace).tags, tag) }
    })
}

/// Appends and counts a member, static ones apart.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn type__add_member(ty: *mut Type, member: *mut ClassMember) {
    entry(|| {
        non_null!(ty, member);
        // SAFETY: as above.
        unsafe {
            let count = if (*member).is_static() { &raw mut (*ty).nr_static_members } else { &raw mut (*ty).nr_members };
            *count = (*count).wrapping_add(1);
            append(&raw mut (*ty).namespace.tags, member);
        }
    })
}

/// Appends and counts an enumerator.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn enumeration__add(ty: *mut Type, enumerator: *mut Enumerator) {
    entry(|| {
        non_null!(ty, enumerator);
        // SAFETY: as above.
        unsafe {
            (*ty).nr_members = (*ty).nr_members.wrapping_add(1);
            append(&raw mut (*ty).namespace.tags, enumerator);
        }
    })
}

/// Appends a template's type parameter.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn type__add_template_type_param(ty: *mut Type, ttparm: *mut TemplateTypeParam) {
    entry(|| {
        non_null!(ty, ttparm);
        // SAFETY: as above.
        unsafe { append(&raw mut (*ty).template_type_params, ttparm) }
    })
}

/// Appends a template's value parameter.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn type__add_template_value_param(ty: *mut Type, tvparam: *mut TemplateValueParam) {
    entry(|| {
        non_null!(ty, tvparam);
        // SAFETY: as above.
        unsafe { append(&raw mut (*ty).template_value_params, tvparam) }
    })
}

/// Appends a variant part.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn type__add_variant_part(ty: *mut Type, vpart: *mut VariantPart) {
    entry(|| {
        non_null!(ty, vpart);
        // SAFETY: as above.
        unsafe { append(&raw mut (*ty).variant_parts, vpart) }
    })
}

/// Appends and counts a virtual function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn class__add_vtable_entry(cls: *mut Class, vtable_entry: *mut Function) {
    entry(|| {
        non_null!(cls, vtable_entry);
        // SAFETY: as above; functions have a list node of their own for this.
        unsafe {
            (*cls).nr_vtable_entries = (*cls).nr_vtable_entries.wrapping_add(1);
            ListHead::add_tail(&raw mut (*cls).vtable, &raw mut (*vtable_entry).vtable_node);
        }
    })
}

/// Appends and counts a parameter.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ftype__add_parameter(ftype: *mut Ftype, parm: *mut Parameter) {
    entry(|| {
        non_null!(ftype, parm);
        // SAFETY: as above.
        unsafe {
            (*ftype).nr_parms = (*ftype).nr_parms.wrapping_add(1);
            append(&raw mut (*ftype).parms, parm);
        }
    })
}

/// Appends a template's type parameter.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ftype__add_template_type_param(ftype: *mut Ftype, param: *mut TemplateTypeParam) {
    entry(|| {
        non_null!(ftype, param);
        // SAFETY: as above.
        unsafe { append(&raw mut (*ftype).template_type_params, param) }
    })
}

/// Appends a template's value parameter.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ftype__add_template_value_param(ftype: *mut Ftype, param: *mut TemplateValueParam) {
    entry(|| {
        non_null!(ftype, param);
        // SAFETY: as above.
        unsafe { append(&raw mut (*ftype).template_value_params, param) }
    })
}

/// Appends a type parameter to a template's parameter pack.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn template_parameter_pack__add(pack: *mut TemplateParameterPack, param: *mut TemplateTypeParam) {
    entry(|| {
        non_null!(pack, param);
        // SAFETY: as above.
        unsafe { append(&raw mut (*pack).params, param) }
    })
}

/// Appends a parameter to a formal parameter pack.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn formal_parameter_pack__add(pack: *mut FormalParameterPack, param: *mut Parameter) {
    entry(|| {
        non_null!(pack, param);
        // SAFETY: as above.
        unsafe { append(&raw mut (*pack).params, param) }
    })
}

/// Appends a tag to a block.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lexblock__add_tag(lexblock: *mut Lexblock, tag: *mut Tag) {
    entry(|| {
        non_null!(lexblock, tag);
        // SAFETY: as above.
        unsafe { append(&raw mut (*lexblock).tags, tag) }
    })
}

/// Appends and counts an inline expansion, and adds up its size.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lexblock__add_inline_expansion(lexblock: *mut Lexblock, exp: *mut InlineExpansion) {
    entry(|| {
        non_null!(lexblock, exp);
        // SAFETY: as above.
        unsafe {
            (*lexblock).nr_inline_expansions = (*lexblock).nr_inline_expansions.wrapping_add(1);
            (*lexblock).size_inline_expansions = (*lexblock).size_inline_expansions.wrapping_add((*exp).size as u32);
            append(&raw mut (*lexblock).tags, exp);
        }
    })
}

/// Appends and counts a variable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lexblock__add_variable(lexblock: *mut Lexblock, var: *mut Variable) {
    entry(|| {
        non_null!(lexblock, var);
        // SAFETY: as above.
        unsafe {
            (*lexblock).nr_variables = (*lexblock).nr_variables.wrapping_add(1);
            append(&raw mut (*lexblock).tags, var);
        }
    })
}

/// Appends and counts a label.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lexblock__add_label(lexblock: *mut Lexblock, label: *mut Label) {
    entry(|| {
        non_null!(lexblock, label);
        // SAFETY: as above.
        unsafe {
            (*lexblock).nr_labels = (*lexblock).nr_labels.wrapping_add(1);
            append(&raw mut (*lexblock).tags, label);
        }
    })
}

/// Appends and counts a nested block.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lexblock__add_lexblock(lexblock: *mut Lexblock, child: *mut Lexblock) {
    entry(|| {
        non_null!(lexblock, child);
        // SAFETY: as above.
        unsafe {
            (*lexblock).nr_lexblocks = (*lexblock).nr_lexblocks.wrapping_add(1);
            append(&raw mut (*lexblock).tags, child);
        }
    })
}
