//! The attributes of one entry: which of them anybody looks at, and those that were taken.

use gimli::constants as dw;

/// A place in [`Attrs`]. Who compiles a table decides which attributes of which tags are taken, and into which slots.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Slot {
    Name,
    Type,
    ByteSize,
    BitSize,
    Encoding,
    Declaration,
    External,
    Inline,
    AbstractOrigin,
    Specification,
    LowPc,
    Location,
    ConstValue,
    MemberLocation,
    DataBitOffset,
    BitOffset,
    UpperBound,
    LowerBound,
    Count,
    Artificial,
    Sibling,
    Language,
    Producer,
    CompDir,
    StrOffsetsBase,
    AddrBase,
    LoclistsBase,
    Signature,
    CallingConvention,
    Import,
    Annotation,
    DwoName,
    DwoId,
    HighPc,
    Ranges,
    DeclFile,
    DeclLine,
    CallLine,
    Accessibility,
    Virtuality,
    VtableElemLocation,
    MipsLinkageName,
    GnuVector,
    DefaultValue,
    Alignment,
    ContainingType,
    StmtList,
    RnglistsBase,
    GnuRangesBase,
}

/// [`Attrs`] keeps which slots are filled in one word.
impl Slot {
    /// Where an attribute is taken, by whoever wants it; `None` for those that nobody looks at.
    pub fn of(at: dw::DwAt) -> Option<Slot> {
        use Slot as S;
        Some(match at {
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
            dw::DW_AT_signature => S::Signature,
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
        })
    }
}

const SLOTS: usize = Slot::GnuRangesBase as usize + 1;
const _: () = assert!(SLOTS <= u64::BITS as usize);

/// The attributes taken from one entry.
pub struct Attrs {
    pub(super) present: u64,
    values: [u64; SLOTS],
    forms: [u16; SLOTS],
}

/// A block of bytes of the buffer being read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Block {
    /// Offset in the buffer, in bytes.
    pub start: u32,
    pub len: u32,
}

impl Default for Attrs {
    fn default() -> Self {
        Attrs { present: 0, values: [0; SLOTS], forms: [0; SLOTS] }
    }
}

impl Attrs {
    #[inline]
    pub fn has(&self, slot: Slot) -> bool {
        self.present & (1 << slot as u8) != 0
    }

    /// Whether any of a set of slots, one bit each, was taken.
    #[inline]
    pub fn has_any(&self, slots: u64) -> bool {
        self.present & slots != 0
    }

    /// The attribute's form and value as read: numbers zero-extended (`sdata`, `implicit_const` sign-extended), references and
    /// indices as they stand, strings as offset in the buffer, blocks see [`Attrs::block`].
    #[inline]
    pub fn get(&self, slot: Slot) -> Option<(dw::DwForm, u64)> {
        self.has(slot).then(|| (dw::DwForm(self.forms[slot as usize]), self.values[slot as usize]))
    }

    /// A block or expression; `None` for other forms.
    pub fn block(&self, slot: Slot) -> Option<Block> {
        let (form, value) = self.get(slot)?;
        matches!(form, dw::DW_FORM_block1 | dw::DW_FORM_block2 | dw::DW_FORM_block4 | dw::DW_FORM_block | dw::DW_FORM_exprloc)
            .then_some(Block { start: (value >> 32) as u32, len: value as u32 })
    }

    #[inline]
    pub(super) fn set(&mut self, slot: u8, form: u16, value: u64) {
        self.present |= 1 << slot;
        self.forms[slot as usize] = form;
        self.values[slot as usize] = value;
    }
}
