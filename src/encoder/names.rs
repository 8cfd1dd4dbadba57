//! From the names of a fragment to strings of the BTF.

use super::fragment::{Fragment, NameRef};
use crate::btf::{Btf, BtfError, StrOff};

/// Whoever merges fragments knows where their names are, and which are in the BTF already.
pub trait Names {
    /// Adds the name to the BTF unless it is there; [`StrOff::EMPTY`] for no name.
    fn intern(&mut self, btf: &mut Btf, fragment: &Fragment, name: NameRef) -> Result<StrOff, BtfError>;

    /// The bytes of the name, none for no name.
    fn bytes<'a>(&'a self, fragment: &'a Fragment, name: &'a NameRef) -> &'a [u8];
}

#[cfg(test)]
pub(crate) mod testing {
    use super::super::fragment::NameSource;
    use super::*;

    /// For fragments that have all their names among their own strings.
    pub struct LocalNames;

    impl Names for LocalNames {
        fn intern(&mut self, btf: &mut Btf, fragment: &Fragment, name: NameRef) -> Result<StrOff, BtfError> {
            btf.add_str(LocalNames.bytes(fragment, &name))
        }

        fn bytes<'a>(&'a self, fragment: &'a Fragment, name: &'a NameRef) -> &'a [u8] {
            match name.source() {
                NameSource::Short => name.short_bytes(),
                NameSource::Local(index) => fragment.strings.get(index),
                _ => &[],
            }
        }
    }
}
