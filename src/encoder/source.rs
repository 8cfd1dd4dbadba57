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
        self.name_of(unit, form, value, strings)
    }

    /// [`SourceNames::name`] of an attribute's form and value.
    #[inline]
    pub fn name_of(&self, unit: &Unit, form: dw::DwForm, value: u64, strings: &mut LocalStrings) -> NameRef {
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

    /// The offsets in `.debug_str` below this are names as they stand.
    pub fn plain_names(&self) -> u32 {
        if self.local || self.kabi_prefix.is_some() {
            return 0;
        }
        u32::try_from(self.file.debug_str().len()).map_or(NameRef::DEBUG_STR_LIMIT, |len| len.min(NameRef::DEBUG_STR_LIMIT))
    }

    /// No name, the empty one, or one that cannot be read.
    #[inline]
    pub fn is_empty(&self, name: NameRef, strings: &LocalStrings) -> bool {
        if let NameSource::DebugStr(offset) = name.source() {
            // In a section that ends in a NUL every string ends.
            let section = self.file.debug_str();
            if section.last() == Some(&0) {
                return section.get(offset as usize).is_none_or(|&first| first == 0);
            }
        }
        self.bytes(&name, strings).is_none_or(<[u8]>::is_empty)
    }

    /// The bytes of a name; `None` for no name.
    pub fn bytes<'s>(&self, name: &'s NameRef, strings: &'s LocalStrings) -> Option<&'s [u8]>
    where
        'a: 's,
    {
        match name.source() {
            NameSource::None => None,
            NameSource::DebugStr(offset) => str_at(self.file.debug_str(), u64::from(offset)),
            NameSource::Short => Some(name.short_bytes()),
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
    let slot = Slot::of(at)?;
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
        | dw::DW_TAG_immutable_type
        | dw::DW_TAG_shared_type
        | dw::DW_TAG_packed_type
        | dw::DW_TAG_coarray_type
        | dw::DW_TAG_dynamic_type
        | dw::DwTag(0x4300)
        | dw::DW_TAG_reference_type
        | dw::DW_TAG_ptr_to_member_type
        | dw::DW_TAG_subroutine_type
        | dw::DW_TAG_array_type
        | dw::DW_TAG_rvalue_reference_type => const { slots(&[S::Type, S::ByteSize]) },
        dw::DW_TAG_pointer_type => const { slots(&[S::Type, S::Annotation]) },
        dw::DW_TAG_typedef | dw::DW_TAG_template_alias => const { slots(&[S::Name, S::Type]) },
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
        dw::DW_TAG_subrange_type => const { slots(&[S::Name, S::Type, S::UpperBound, S::LowerBound, S::Count, S::ByteSize]) },
        dw::DW_TAG_set_type | dw::DW_TAG_file_type => const { slots(&[S::Name, S::ByteSize]) },
        dw::DW_TAG_string_type => const { slots(&[S::ByteSize]) },
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
