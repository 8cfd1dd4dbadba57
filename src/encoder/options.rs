//! What the caller wants encoded, and what the machine's calling convention says about parameters.

use object::elf;

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

/// How functions receive their first parameters.
#[derive(Clone, Copy, Debug)]
pub struct Abi {
    /// Parameters passed in registers; 0 where the convention is not known.
    pub register_params: usize,
    /// DWARF register number of each of them, -1 where not known.
    pub registers: [i8; 8],
    /// Aggregates up to two registers' size are passed in registers.
    pub two_register_aggregates: bool,
}

impl Abi {
    /// By ELF machine number. Registers: the platform ABI's parameter registers in DWARF numbering.
    pub fn of(machine: u16) -> Abi {
        let register_params = match elf::Machine(machine) {
            elf::EM_S390 => 5,
            elf::EM_SPARC | elf::EM_SPARCV9 | elf::EM_X86_64 => 6,
            elf::EM_AARCH64 | elf::EM_ARC | elf::EM_ARM | elf::EM_MIPS | elf::EM_PPC | elf::EM_PPC64 | elf::EM_RISCV => 8,
            _ => 0,
        };
        let registers = match elf::Machine(machine) {
            elf::EM_S390 => [2, 3, 4, 5, 6, -1, -1, -1],
            // rdi, rsi, rdx, rcx, r8, r9
            elf::EM_X86_64 => [5, 4, 1, 2, 8, 9, -1, -1],
            elf::EM_ARM | elf::EM_AARCH64 => [0, 1, 2, 3, 4, 5, 6, 7],
            _ => [-1; 8],
        };
        Abi { register_params, registers, two_register_aggregates: machine != elf::EM_S390.0 }
    }
}
