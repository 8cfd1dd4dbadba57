//! Which attributes of which entries the trees need.

use crate::dwarf::abbrev::Slot;
use gimli::constants as dw;

/// The slot of an attribute, `None` for those that nobody looks at. `decl_info` and `addr_info` as in [`super::Options`].
pub fn wanted(tag: dw::DwTag, at: dw::DwAt, decl_info: bool, addr_info: bool) -> Option<Slot> {
    use Slot as S;
    let slot = match at {
        dw::DW_AT_name => S::Name,
        dw::DW_AT_type => S::Type,
        dw::DW_AT_byte_size => S::ByteSize,
        dw::DW_AT_bit_size => S::BitSize,
        dw::DW_AT_encoding => S::Encoding,
        dw::DW_AT_declaration => S::Declaration,
        dw::DW_AT_external => S::External,
        dw::DW_AT_inline => S::Inline,
        dw::DW_AT_abstract_origin => S::AbstractOrigin,
        dw::DW_AT_specification => S::Specification,
        dw::DW_AT_const_value => S::ConstValue,
        dw::DW_AT_default_value => S::DefaultValue,
        dw::DW_AT_data_member_location => S::MemberLocation,
        dw::DW_AT_data_bit_offset => S::DataBitOffset,
        dw::DW_AT_bit_offset => S::BitOffset,
        dw::DW_AT_upper_bound => S::UpperBound,
        dw::DW_AT_lower_bound => S::LowerBound,
        dw::DW_AT_count => S::Count,
        dw::DW_AT_artificial => S::Artificial,
        dw::DW_AT_sibling => S::Sibling,
        dw::DW_AT_language => S::Language,
        dw::DW_AT_producer => S::Producer,
        dw::DW_AT_comp_dir => S::CompDir,
        dw::DW_AT_str_offsets_base => S::StrOffsetsBase,
        dw::DW_AT_addr_base | dw::DW_AT_GNU_addr_base => S::AddrBase,
        dw::DW_AT_loclists_base => S::LoclistsBase,
        dw::DW_AT_rnglists_base => S::RnglistsBase,
        dw::DW_AT_GNU_ranges_base => S::GnuRangesBase,
        dw::DW_AT_stmt_list => S::StmtList,
        dw::DW_AT_calling_convention => S::CallingConvention,
        dw::DW_AT_import => S::Import,
        dw::DW_AT_containing_type => S::ContainingType,
        dw::DW_AT_accessibility => S::Accessibility,
        dw::DW_AT_virtuality => S::Virtuality,
        dw::DW_AT_vtable_elem_location => S::VtableElemLocation,
        dw::DW_AT_MIPS_linkage_name => S::MipsLinkageName,
        dw::DW_AT_GNU_vector => S::GnuVector,
        dw::DW_AT_alignment => S::Alignment,
        // DW_AT_GNU_annotation
        dw::DwAt(0x2139) => S::Annotation,
        dw::DW_AT_dwo_name | dw::DW_AT_GNU_dwo_name => S::DwoName,
        dw::DW_AT_GNU_dwo_id => S::DwoId,
        dw::DW_AT_decl_file => S::DeclFile,
        dw::DW_AT_decl_line => S::DeclLine,
        dw::DW_AT_call_line => S::CallLine,
        dw::DW_AT_low_pc => S::LowPc,
        dw::DW_AT_high_pc => S::HighPc,
        dw::DW_AT_ranges => S::Ranges,
        dw::DW_AT_location => S::Location,
        _ => return None,
    };
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
            _ => !of_unit,
        },
    };
    takes.then_some(slot)
}
