//! Annotations: `btf_decl_tag` on what declares something, `btf_type_tag` is with pointers in [`super::types`].

use super::builder::{Builder, GNU_ANNOTATION};
use super::make::MAX_CHAIN;
use crate::abi::*;
use crate::dwarf::DwarfError;
use crate::dwarf::abbrev::{Abbrev, Slot};
use crate::dwarf::cursor::Cursor;
use crate::dwarf::source::Unit;
use gimli::constants as dw;

// SAFETY of the blocks below: see [`super::make`].
impl<'a> Builder<'a, '_> {
    /// An annotation entry, about what its frame says.
    pub(super) fn annotation(&mut self, unit: &'a Unit, abbrev: &Abbrev, c: &mut Cursor<'a>) -> Result<(), DwarfError> {
        self.take(unit, abbrev, c)?;
        if let Some(frame) = self.s.frames.last() {
            let (annots, component) = (frame.annots, frame.component);
            let name = self.s.attrs.get(Slot::Name);
            let value = self.s.attrs.get(Slot::ConstValue);
            self.decl_tag(unit, name, value, annots, component);
        }
        unit.skip_children(abbrev, c)
    }

    /// The annotations that the entry just read refers to, one referring to the next.
    pub(super) fn annotation_chain(&mut self, unit: &'a Unit, annots: *mut ListHead, component: i32) {
        let mut key = self.reference(unit, &self.s.attrs, Slot::Annotation);
        for _ in 0..MAX_CHAIN {
            if key == 0 {
                return;
            }
            let Some((unit, kind)) = self.read_aside(key) else { return };
            if kind != GNU_ANNOTATION {
                return;
            }
            let (name, value) = (self.s.other.get(Slot::Name), self.s.other.get(Slot::ConstValue));
            key = self.reference(unit, &self.s.other, Slot::Annotation);
            self.decl_tag(unit, name, value, annots, component);
        }
    }

    pub(super) fn decl_tag(
        &mut self,
        unit: &Unit,
        name: Option<(dw::DwForm, u64)>,
        value: Option<(dw::DwForm, u64)>,
        annots: *mut ListHead,
        component: i32,
    ) {
        if !self.options.decl_tags || annots.is_null() {
            return;
        }
        let Some((form, offset)) = name else { return };
        let Some((name, _)) = self.source_of(unit).0.string_value(unit, form, offset) else { return };
        if name != b"btf_decl_tag" {
            return;
        }
        let value = self.text_of(unit, value);
        let annotation = self.s.memory.zeroed(size_of::<LlvmAnnotation>()).cast::<LlvmAnnotation>();
        // SAFETY: a new block of this size, and see above the impl.
        unsafe {
            (*annotation).value = value;
            (*annotation).component_idx = component as i16;
            ListHead::add_tail(annots, &raw mut (*annotation).node);
        }
    }
}
