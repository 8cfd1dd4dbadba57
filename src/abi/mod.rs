//! The C structures of `libdwarves.so.1` 1.32, as its released headers lay them out on 64-bit Linux.
//!
//! Programs have these offsets compiled into them, so every structure is followed by a `layout!` table that fails the build when
//! an offset moves, and bit-fields are explicit bytes with the accessors of a `bits!` table. Both tables also serve the generator
//! of `include/`, which turns the bytes of `bits!` back into C bit-fields.
//!
//! All fields are public and plain: invariants (heads of lists initialised in place, table slot 0 of the types empty) belong to
//! the functions of [`crate::capi`] and to the loaders. Memory handed to C comes from libc's allocator.

/// Checks size, alignment (bytes) and offsets (bytes) of a structure at compile time.
macro_rules! layout {
    ($ty:ident: $size:literal, $align:literal { $($field:ident: $offset:literal),* $(,)? }) => {
        const _: () = {
            assert!(std::mem::size_of::<$ty>() == $size);
            assert!(std::mem::align_of::<$ty>() == $align);
            $(assert!(std::mem::offset_of!($ty, $field) == $offset);)*
        };
    };
}

/// Accessors of the bit-fields kept in one byte: `getter, setter: lowest bit[, width];`, low bit first as on x86-64.
macro_rules! bits {
    ($ty:ident.$byte:ident { $($get:ident, $set:ident: $shift:literal $(, $width:literal)?;)* }) => {
        impl $ty {
            $(bits!(@field $byte $get $set $shift $($width)?);)*
        }
    };
    (@field $byte:ident $get:ident $set:ident $shift:literal) => {
        #[inline]
        pub fn $get(&self) -> bool {
            self.$byte >> $shift & 1 != 0
        }

        #[inline]
        pub fn $set(&mut self, value: bool) {
            self.$byte = self.$byte & !(1 << $shift) | u8::from(value) << $shift;
        }
    };
    (@field $byte:ident $get:ident $set:ident $shift:literal $width:literal) => {
        #[inline]
        pub fn $get(&self) -> u8 {
            self.$byte >> $shift & ((1 << $width) - 1)
        }

        #[inline]
        pub fn $set(&mut self, value: u8) {
            const MASK: u8 = ((1 << $width) - 1) << $shift;
            self.$byte = self.$byte & !MASK | value << $shift & MASK;
        }
    };
}

pub mod arena;
pub mod conf;
pub mod ctf;
pub mod cu;
pub mod cus;
pub mod elf_symtab;
pub mod emissions;
pub mod external;
pub mod function;
pub mod gobuffer;
pub mod list;
pub mod origin;
pub mod rbtree;
pub mod scope;
pub mod strlist;
pub mod tag;
pub mod types;

pub use arena::Arena;
pub use conf::*;
pub use ctf::*;
pub use cu::*;
pub use cus::*;
pub use elf_symtab::*;
pub use emissions::*;
pub use function::*;
pub use gobuffer::*;
pub use list::*;
pub use rbtree::*;
pub use scope::*;
pub use strlist::*;
pub use tag::*;
pub use types::*;

/// Index in the table of types of a unit; 0 is `void`.
pub type TypeId = u32;
