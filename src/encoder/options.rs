//! What the caller wants encoded, and what the machine's calling convention says about parameters.

pub use crate::dwarf::passed::Abi;

/// Switches of the encoder (the `conf_load` fields that `pahole -J` sets, see `docs`), in their positive sense.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// `btf_decl_tag` annotations and kfunc tags.
    pub decl_tags: bool,
    /// `btf_type_tag` annotations on pointers.
    pub type_tags: bool,
    /// ENUM64 for enumerations larger than 4 bytes.
    pub enum64: bool,
    /// FLOAT records instead of INT.
    pub floats: bool,
    /// Variables of the per-CPU section.
    pub percpu_vars: bool,
    /// Variables of all sections.
    pub global_vars: bool,
    /// Skip symbols with bad names instead of failing.
    pub force: bool,
    /// Leave out functions whose prototypes differ between units.
    pub consistent_protos: bool,
    /// Tag the functions that `.BTF_ids` declares as kfuncs.
    pub tag_kfuncs: bool,
    /// Write `.BTF.base` and `.BTF` relative to it.
    pub distilled_base: bool,
    /// A section that says how long the records of each kind are.
    pub layout: bool,
    /// Address-space attributes on kfunc pointers.
    pub attributes: bool,
    /// Encode functions changed by the optimiser with what is really passed.
    pub true_signature: bool,
    /// Clear the bit-field data of members that fill their storage unit.
    pub fixup_silly_bitfields: bool,
    /// There is a base that the BTF will be split from.
    pub has_base: bool,
    /// For tests: add every unit's types, also those that an earlier unit had.
    pub no_drop: bool,
    /// For tests: deduplicate as if all hashes were equal.
    pub force_collisions: bool,
    /// Names that start with this become just this.
    pub kabi_prefix: Option<Vec<u8>>,
}

impl Options {
    pub fn vars(&self) -> bool {
        self.percpu_vars || self.global_vars
    }
}
