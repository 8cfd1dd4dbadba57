//! DWARF to the trees of tags that C programs see, for every program that does more with a unit than encode it.
//!
//! One walk over a unit's entries makes the tags ([`builder`], [`make`]), which get their ids in the order in which they are completed: what
//! is nested before what it is nested in. References are resolved when every entry has its tag ([`resolve`]); then members learn the size
//! of their storage, and bit-fields their place in it ([`members`]).
//!
//! The memory of tags belongs to the set of units and outlives the unit, as programs go on reading the tags of units that they had deleted.
//! Names point into the file's string sections where they stand there.

mod annotations;
pub mod attrs;
pub mod builder;
mod circles;
mod functions;
mod keymap;
mod make;
mod members;
mod memory;
mod passing;
mod quick;
mod resolve;
mod shape;
mod supply;
mod templates;
mod types;

pub use circles::link_of;
pub use memory::Arenas;

use std::ffi::{c_char, c_int};

use crate::abi::{BaseType, ClassMember, Cu, Tag};

/// What the program wants of a unit.
pub struct Options {
    /// Files and lines of declarations.
    pub decl_info: bool,
    /// Addresses and sizes of code, places of variables.
    pub addr_info: bool,
    pub ignore_alignment: bool,
    pub ignore_labels: bool,
    pub ignore_inline_expansions: bool,
    /// `btf_decl_tag` annotations.
    pub decl_tags: bool,
    /// `btf_type_tag` annotations.
    pub type_tags: bool,
    pub fixup_silly_bitfields: bool,
    /// Types of exactly the width of each bit-field.
    pub recode_bitfields: bool,
    /// What functions really take that say they do not follow their calling convention.
    pub true_signature: bool,
    pub kabi_prefix: Option<KabiPrefix>,
    pub library: Library,
}

/// A prefix that stands for every name which starts with it.
pub struct KabiPrefix {
    /// The program's string: it becomes the name.
    pub text: *const c_char,
    /// Its bytes that count.
    pub bytes: Vec<u8>,
    /// Whether the NUL counts, too.
    pub whole: bool,
}

// SAFETY: the string is the program's, which keeps it unchanged.
unsafe impl Send for KabiPrefix {}
// SAFETY: as above.
unsafe impl Sync for KabiPrefix {}

/// Functions of the library above, with its exported behaviour.
#[derive(Clone, Copy)]
pub struct Library {
    /// Size of a tag in bytes.
    pub tag_size: unsafe extern "C" fn(*const Tag, *const Cu) -> usize,
    /// Size in bits of a base type whose name is known.
    pub name_to_size: unsafe extern "C" fn(*mut BaseType, *mut Cu) -> usize,
    /// Gives a bit-field a type of its width.
    pub recode_bitfield: unsafe extern "C" fn(*mut ClassMember, *mut Cu) -> c_int,
    pub tag_name: fn(u16) -> String,
    pub language_name: fn(u32) -> String,
}

/// A text for the user.
#[derive(Clone, Debug)]
pub enum Message {
    Always(String),
    /// At most once for each kind of tag in the life of the process.
    OncePerTag(u16, String),
}
