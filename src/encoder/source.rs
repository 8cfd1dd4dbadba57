//! What the encoder takes from entries: which attributes, and their names as fragments keep them.

use super::fragment::{LocalStrings, NameRef, NameSource};
use crate::dwarf::abbrev::{Attrs, Slot};
use crate::dwarf::cursor::str_at;
use crate::dwarf::source::{Source, Unit};
use gimli::constants as dw;

/// The names of a source.
pub struct SourceNames<'a> {
    pub source: Source<'a>,
    /// Names that start with this become just this.
    pub kabi_prefix: Option<&'a [u8]>,
    /// The strings are another file's than those that the merge knows: fragments keep them themselves.
    pub local: bool,
}

impl<'a> std::ops::Deref for SourceNames<'a> {
    type Target = Source<'a>;

    fn deref(&self) -> &Source<'a> {
        &self.source
    }
}

impl<'a> SourceNames<'a> {
    /// The attribute's name as the fragment keeps it; strings outside `.debug_str` are added to `strings`.
    #[inline]
    pub fn name(&self, unit: &Unit, attrs: &Attrs, slot: Slot, strings: &mut LocalStrings) -> NameRef {
        let Some((form, value)) = attrs.get(slot) else { return NameRef::NONE };
        if form == dw::DW_FORM_strp && self.kabi_prefix.is_none() && !self.local && value < self.file.debug_str().len() as u64 {
            if let Some(name) = NameRef::debug_str(value) {
                return name;
            }
        }
        self.name_slow(unit, form, value, strings)
    }

    fn name_slow(&self, unit: &Unit, form: dw::DwForm, value: u64, strings: &mut LocalStrings) -> NameRef {
        let Some((bytes, in_debug_str)) = self.string_value(unit, form, value) else { return NameRef::NONE };
        if let Some(prefix) = self.kabi_prefix {
            if bytes.starts_with(prefix) {
                return strings.push(prefix);
            }
        }
        match in_debug_str.filter(|_| !self.local).and_then(NameRef::debug_str) {
            Some(name) => name,
            None => strings.push(bytes),
        }
    }

    /// The bytes of a name; `None` for no name.
    pub fn bytes<'s>(&self, name: NameRef, strings: &'s LocalStrings) -> Option<&'s [u8]>
    where
        'a: 's,
    {
        match name.source() {
            NameSource::None => None,
            NameSource::DebugStr(offset) => str_at(self.file.debug_str(), u64::from(offset)),
            NameSource::Local(i) => Some(strings.get(i)),
        }
    }
}

/// A set of slots, one bit each.
pub(super) const fn slots(list: &[Slot]) -> u64 {
    let mut set = 0;
    let mut i = 0;
    while i < list.len() {
        set |= 1 << list[i] as u8;
        i += 1;
    }
    set
}

/// Which attributes the encoder looks at, by tag.
pub fn wanted(tag: dw::DwTag, at: dw::DwAt) -> Option<Slot> {
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
        dw::DW_AT_low_pc => S::LowPc,
        dw::DW_AT_location => S::Location,
        dw::DW_AT_const_value => S::ConstValue,
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
        dw::DW_AT_calling_convention => S::CallingConvention,
        dw::DW_AT_import => S::Import,
        dw::DW_AT_signature => S::Signature,
        // DW_AT_GNU_annotation
        dw::DwAt(0x2139) => S::Annotation,
        dw::DW_AT_dwo_name | dw::DW_AT_GNU_dwo_name => S::DwoName,
        dw::DW_AT_GNU_dwo_id => S::DwoId,
        _ => return None,
    };
    let takes = match tag {
        dw::DW_TAG_compile_unit | dw::DW_TAG_partial_unit | dw::DW_TAG_skeleton_unit | dw::DW_TAG_type_unit => {
            const {
                slots(&[
                    S::Name,
                    S::Language,
                    S::Producer,
                    S::CompDir,
                    S::StrOffsetsBase,
                    S::AddrBase,
                    S::LoclistsBase,
                    S::DwoName,
                    S::DwoId,
                ])
            }
        }
        dw::DW_TAG_base_type => const { slots(&[S::Name, S::ByteSize, S::Encoding]) },
        dw::DW_TAG_const_type
        | dw::DW_TAG_volatile_type
        | dw::DW_TAG_restrict_type
        | dw::DW_TAG_atomic_type
        | dw::DW_TAG_reference_type
        | dw::DW_TAG_ptr_to_member_type
        | dw::DW_TAG_subroutine_type
        | dw::DW_TAG_array_type
        | dw::DW_TAG_rvalue_reference_type => const { slots(&[S::Type, S::ByteSize]) },
        dw::DW_TAG_pointer_type => const { slots(&[S::Type, S::Annotation]) },
        dw::DW_TAG_typedef => const { slots(&[S::Name, S::Type]) },
        dw::DW_TAG_structure_type | dw::DW_TAG_class_type | dw::DW_TAG_interface_type | dw::DW_TAG_union_type => {
            const { slots(&[S::Name, S::ByteSize, S::Declaration, S::Specification, S::Annotation, S::Signature]) }
        }
        dw::DW_TAG_member => {
            const {
                slots(&[
                    S::Name,
                    S::Type,
                    S::MemberLocation,
                    S::DataBitOffset,
                    S::BitOffset,
                    S::ByteSize,
                    S::BitSize,
                    S::Annotation,
                    S::External,
                ])
            }
        }
        dw::DW_TAG_enumeration_type => const { slots(&[S::Name, S::ByteSize, S::Type, S::Specification, S::Signature]) },
        dw::DW_TAG_enumerator => const { slots(&[S::Name, S::ConstValue]) },
        dw::DW_TAG_subrange_type => const { slots(&[S::UpperBound, S::LowerBound, S::Count]) },
        dw::DW_TAG_formal_parameter => {
            const { slots(&[S::Name, S::Type, S::AbstractOrigin, S::Location, S::ConstValue, S::Annotation]) }
        }
        dw::DW_TAG_subprogram => {
            const {
                slots(&[
                    S::Name,
                    S::Type,
                    S::Declaration,
                    S::External,
                    S::Inline,
                    S::AbstractOrigin,
                    S::Specification,
                    S::LowPc,
                    S::CallingConvention,
                    S::Annotation,
                ])
            }
        }
        dw::DW_TAG_variable => {
            const { slots(&[S::Name, S::Type, S::External, S::Declaration, S::Artificial, S::Specification, S::Location]) }
        }
        // DW_TAG_LLVM_annotation, DW_TAG_GNU_annotation
        dw::DwTag(0x6000) | dw::DwTag(0x6001) => const { slots(&[S::Name, S::ConstValue, S::Annotation]) },
        dw::DW_TAG_inlined_subroutine
        | dw::DW_TAG_call_site
        | dw::DW_TAG_call_site_parameter
        | dw::DW_TAG_GNU_call_site
        | dw::DW_TAG_GNU_call_site_parameter => const { slots(&[S::Sibling]) },
        _ => 0,
    };
    (takes & 1 << slot as u8 != 0).then_some(slot)
}
