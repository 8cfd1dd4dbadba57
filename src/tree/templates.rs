//! Tags of template parameters.

use super::builder::{Builder, Place};
use super::make::{frame, init_lists};
use crate::abi::*;
use crate::dwarf::DwarfError;
use crate::dwarf::abbrev::{Abbrev, Slot};
use crate::dwarf::cursor::Cursor;
use crate::dwarf::source::Unit;
use gimli::constants as dw;

// SAFETY of the blocks below: see [`super::make`].
impl<'a> Builder<'a, '_> {
    pub(super) fn class_template(
        &mut self,
        unit: &'a Unit,
        abbrev: &Abbrev,
        key: u32,
        c: &mut Cursor<'a>,
    ) -> Result<(), DwarfError> {
        let Some(owner) = self.s.frames.last().map(|f| f.tag.cast::<Type>()) else { return Ok(()) };
        // SAFETY: see above the impl.
        unsafe {
            let types = &raw mut (*owner).template_type_params;
            let values = &raw mut (*owner).template_value_params;
            let pack = &raw mut (*owner).template_parameter_pack;
            self.template(unit, abbrev, key, c, types, values, pack)
        }
    }

    pub(super) fn function_template(
        &mut self,
        unit: &'a Unit,
        abbrev: &Abbrev,
        key: u32,
        c: &mut Cursor<'a>,
    ) -> Result<(), DwarfError> {
        let Some(ftype) = self.s.frames.last().map(|f| f.ftype).filter(|f| !f.is_null()) else {
            return unit.skip_children(abbrev, c);
        };
        // SAFETY: see above the impl.
        unsafe {
            if abbrev.tag == dw::DW_TAG_GNU_formal_parameter_pack {
                let (pack, entry) = self.tag::<FormalParameterPack>(unit, abbrev.tag, key);
                init_lists!(pack; params);
                (*ftype).formal_parameter_pack = pack;
                self.open(abbrev, frame(Place::FormalPack, pack.cast(), entry));
                return Ok(());
            }
            let types = &raw mut (*ftype).template_type_params;
            let values = &raw mut (*ftype).template_value_params;
            let pack = &raw mut (*ftype).template_parameter_pack;
            self.template(unit, abbrev, key, c, types, values, pack)
        }
    }

    /// # Safety
    /// The heads and the slot of the pack are the owner's.
    #[allow(clippy::too_many_arguments, reason = "types and functions keep these three in different places")]
    unsafe fn template(
        &mut self,
        unit: &'a Unit,
        abbrev: &Abbrev,
        key: u32,
        c: &mut Cursor<'a>,
        types: *mut ListHead,
        values: *mut ListHead,
        pack_slot: *mut *mut TemplateParameterPack,
    ) -> Result<(), DwarfError> {
        // SAFETY: see above the impl.
        unsafe {
            match abbrev.tag {
                dw::DW_TAG_template_type_parameter => {
                    let param = self.template_type(unit, abbrev, key);
                    ListHead::add_tail(types, param.cast());
                }
                dw::DW_TAG_template_value_parameter => {
                    let (param, _) = self.tag::<TemplateValueParam>(unit, abbrev.tag, key);
                    (*param).name = self.text(unit, Slot::Name);
                    (*param).const_value = self.numeric(Slot::ConstValue, dw::DW_AT_const_value);
                    (*param).default_value = self.numeric(Slot::DefaultValue, dw::DW_AT_default_value);
                    ListHead::add_tail(values, param.cast());
                }
                _ => {
                    let (pack, entry) = self.tag::<TemplateParameterPack>(unit, abbrev.tag, key);
                    (*pack).name = self.text(unit, Slot::Name);
                    init_lists!(pack; params);
                    *pack_slot = pack;
                    self.open(abbrev, frame(Place::TemplatePack, pack.cast(), entry));
                    return Ok(());
                }
            }
        }
        unit.skip_children(abbrev, c)
    }

    fn template_type(&mut self, unit: &'a Unit, abbrev: &Abbrev, key: u32) -> *mut TemplateTypeParam {
        let (param, _) = self.tag::<TemplateTypeParam>(unit, abbrev.tag, key);
        let name = self.text(unit, Slot::Name);
        // SAFETY: see above the impl.
        unsafe { (*param).name = name };
        param
    }

    pub(super) fn pack_element(&mut self, unit: &'a Unit, abbrev: &Abbrev, key: u32) {
        let Some((place, pack)) = self.s.frames.last().map(|f| (f.place, f.tag)) else { return };
        // SAFETY: see above the impl.
        unsafe {
            if place == Place::TemplatePack {
                let param = self.template_type(unit, abbrev, key);
                ListHead::add_tail(&raw mut (*pack.cast::<TemplateParameterPack>()).params, param.cast());
                return;
            }
            let (param, entry) = self.tag::<Parameter>(unit, abbrev.tag, key);
            // Its type is that of the parameters which are instances of it.
            self.s.entries[entry as usize].origin = 0;
            (*param).name = self.text(unit, Slot::Name);
            (*param).idx = u8::MAX;
            (*param).loc_reg = -1;
            ListHead::add_tail(&raw mut (*pack.cast::<FormalParameterPack>()).params, param.cast());
        }
    }

    /// A parameter, or what stands in a block, takes over from its origin what it lacks. What stands in an inline expansion does not.
    pub(super) fn instance(&mut self, entry: u32) {
        if self.s.entries[entry as usize].origin != 0 {
            self.s.instances.push(entry);
        }
    }
}
