//! Which attributes of which entries the trees need.

use crate::dwarf::abbrev::Slot;
use gimli::constants as dw;

/// The slot of an attribute, `None` for those that nobody looks at. `decl_info` and `addr_info` as in [`super::Options`].
pub fn wanted(tag: dw::DwTag, at: dw::DwAt, decl_info: bool, addr_info: bool) -> Option<Slot> {
    use Slot as S;
    let slot = Slot::of(at)?;
    let of_unit = matches!(
        slot,
        S::Language
            | S::Producer
            | S::CompDir
            | S::StrOffsetsBase
            | S::AddrBase
            | S::LoclistsBase
            | S::RnglistsBase
            | S::GnuRangesBase
            | S::StmtList
            | S::DwoName
            | S::DwoId
    );
    let takes = match tag {
        dw::DW_TAG_compile_unit | dw::DW_TAG_partial_unit | dw::DW_TAG_skeleton_unit | dw::DW_TAG_type_unit => {
            of_unit || matches!(slot, S::Name | S::LowPc)
        }
        dw::DW_TAG_call_site | dw::DW_TAG_call_site_parameter | dw::DW_TAG_GNU_call_site | dw::DW_TAG_GNU_call_site_parameter => {
            slot == S::Sibling
        }
        // Skipped over when they are ignored.
        dw::DW_TAG_inlined_subroutine => match slot {
            S::DeclFile | S::DeclLine | S::CallLine => decl_info,
            S::LowPc | S::HighPc | S::Ranges => addr_info,
            _ => matches!(slot, S::Sibling | S::AbstractOrigin),
        },
        _ => match slot {
            S::DeclFile | S::DeclLine => decl_info,
            S::LowPc | S::HighPc | S::Ranges => {
                addr_info && matches!(tag, dw::DW_TAG_subprogram | dw::DW_TAG_lexical_block | dw::DW_TAG_label)
            }
            S::Location => matches!(tag, dw::DW_TAG_variable | dw::DW_TAG_formal_parameter),
            S::Sibling | S::CallLine => false,
            S::Signature => matches!(
                tag,
                dw::DW_TAG_structure_type | dw::DW_TAG_class_type | dw::DW_TAG_union_type | dw::DW_TAG_enumeration_type
            ),
            _ => !of_unit,
        },
    };
    takes.then_some(slot)
}
