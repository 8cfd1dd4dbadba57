//! What an entry is by its tag and by where it stands, and how those are passed that nobody asks for.

use super::*;

impl<'a> Builder<'a> {
    /// One entry, the cursor standing behind its code.
    pub(super) fn entry(&mut self, unit: &'a Unit, abbrev: &'a Abbrev, key: u32, c: &mut Cursor<'a>) -> Result<(), DwarfError> {
        let ctx = self.s.frames.last().expect("the loop ends with the last frame").ctx;
        let tag = abbrev.tag;
        match ctx {
            Ctx::Class => match tag {
                dw::DW_TAG_member => {
                    return match short::leaf_layout(abbrev) {
                        Some(layout) => self.members(unit, layout, key, c),
                        None => self.member(unit, abbrev, key, c),
                    };
                }
                dw::DW_TAG_inheritance => return self.member(unit, abbrev, key, c),
                LLVM_ANNOTATION | GNU_ANNOTATION => {
                    unit.abbrevs.take(abbrev, c, &mut self.s.attrs)?;
                    self.decl_tag(unit, -1);
                    return unit.skip_children(abbrev, c);
                }
                dw::DW_TAG_template_type_parameter
                | dw::DW_TAG_template_value_parameter
                | dw::DW_TAG_GNU_template_parameter_pack
                | dw::DW_TAG_variant_part => return self.skip_entry(unit, abbrev, c),
                dw::DW_TAG_GNU_formal_parameter_pack | dw::DW_TAG_GNU_template_template_param => {
                    return self.unsupported(unit, abbrev, key, c);
                }
                _ => {}
            },
            Ctx::Function | Ctx::Lexblock => match tag {
                dw::DW_TAG_variable
                | dw::DW_TAG_call_site
                | dw::DW_TAG_call_site_parameter
                | dw::DW_TAG_GNU_call_site
                | dw::DW_TAG_GNU_call_site_parameter
                | dw::DW_TAG_inlined_subroutine
                | dw::DW_TAG_dwarf_procedure
                | dw::DW_TAG_label
                | dw::DW_TAG_template_type_parameter
                | dw::DW_TAG_template_value_parameter
                | dw::DW_TAG_GNU_template_parameter_pack
                | dw::DW_TAG_GNU_formal_parameter_pack => return self.skip_entry(unit, abbrev, c),
                dw::DW_TAG_lexical_block | dw::DW_TAG_try_block | dw::DW_TAG_catch_block | dw::DW_TAG_with_stmt => {
                    unit.abbrevs.skip(abbrev, c)?;
                    if abbrev.has_children {
                        self.push_frame(Ctx::Lexblock, key, What::Nothing, -1);
                    }
                    return Ok(());
                }
                dw::DW_TAG_formal_parameter => return self.parameter(unit, abbrev, key, c),
                dw::DW_TAG_unspecified_parameters => {
                    if ctx == Ctx::Function {
                        if let Some(open) = self.s.open.last_mut() {
                            open.variadic = true;
                        }
                    }
                    return self.skip_entry(unit, abbrev, c);
                }
                LLVM_ANNOTATION | GNU_ANNOTATION => {
                    unit.abbrevs.take(abbrev, c, &mut self.s.attrs)?;
                    if ctx == Ctx::Function {
                        self.decl_tag(unit, -1);
                    }
                    return unit.skip_children(abbrev, c);
                }
                dw::DW_TAG_GNU_template_template_param => return self.unsupported(unit, abbrev, key, c),
                _ => {}
            },
            Ctx::Subroutine => match tag {
                dw::DW_TAG_formal_parameter => {
                    return match short::leaf_layout(abbrev) {
                        Some(layout) => self.proto_params(unit, layout, key, c),
                        None => self.proto_param(unit, abbrev, c),
                    };
                }
                dw::DW_TAG_unspecified_parameters => {
                    if let Some(open) = self.s.open.last_mut() {
                        open.variadic = true;
                    }
                    return self.skip_entry(unit, abbrev, c);
                }
                _ => {}
            },
            Ctx::Enum => match tag {
                dw::DW_TAG_enumerator => {
                    return match short::leaf_layout(abbrev) {
                        Some(layout) => self.enumerators(unit, layout, key, c),
                        None => self.enumerator(unit, abbrev, key, c),
                    };
                }
                dw::DW_TAG_subprogram => self.method_of_enum(),
                _ => return self.unsupported(unit, abbrev, key, c),
            },
            Ctx::Array => match tag {
                dw::DW_TAG_subrange_type | dw::DW_TAG_generic_subrange => return self.subrange(unit, abbrev, key, c),
                dw::DW_TAG_enumeration_type => {}
                _ => return self.unsupported(unit, abbrev, key, c),
            },
            Ctx::Pointer => {
                if matches!(tag, LLVM_ANNOTATION | GNU_ANNOTATION) {
                    unit.abbrevs.take(abbrev, c, &mut self.s.attrs)?;
                    self.type_tag(unit, key)?;
                    return unit.skip_children(abbrev, c);
                }
                return self.unsupported(unit, abbrev, key, c);
            }
            Ctx::Annotated => {
                if matches!(tag, LLVM_ANNOTATION | GNU_ANNOTATION) {
                    let component = self.s.frames.last().map_or(-1, |f| f.aux);
                    unit.abbrevs.take(abbrev, c, &mut self.s.attrs)?;
                    self.decl_tag(unit, component);
                    return unit.skip_children(abbrev, c);
                }
                return match tag {
                    // Of templates of variables and typedefs. BTF has no templates.
                    dw::DW_TAG_template_type_parameter
                    | dw::DW_TAG_template_value_parameter
                    | dw::DW_TAG_GNU_template_parameter_pack => self.skip_entry(unit, abbrev, c),
                    _ => self.unsupported(unit, abbrev, key, c),
                };
            }
            Ctx::StandIn => match tag {
                dw::DW_TAG_member
                | dw::DW_TAG_inheritance
                | dw::DW_TAG_template_type_parameter
                | dw::DW_TAG_template_value_parameter
                | dw::DW_TAG_GNU_template_parameter_pack
                | dw::DW_TAG_variant_part => return self.skip_entry(unit, abbrev, c),
                _ => {}
            },
            Ctx::Unit | Ctx::Namespace => {}
        }
        self.declaration(unit, abbrev, key, c, ctx)
    }

    /// Entries that mean the same everywhere.
    fn declaration(&mut self, unit: &'a Unit, abbrev: &Abbrev, key: u32, c: &mut Cursor<'a>, ctx: Ctx) -> Result<(), DwarfError> {
        match abbrev.tag {
            dw::DW_TAG_variable if ctx == Ctx::Unit && self.options.vars() => {
                unit.abbrevs.take(abbrev, c, &mut self.s.attrs)?;
                self.variable(unit);
                if abbrev.has_children {
                    self.push_frame(Ctx::Annotated, key, What::Variable, -1);
                }
                return Ok(());
            }
            dw::DW_TAG_base_type => {
                unit.abbrevs.take(abbrev, c, &mut self.s.attrs)?;
                self.base_type(unit, key)?;
            }
            dw::DW_TAG_const_type => self.modifier(unit, abbrev, key, c, Kind::Const)?,
            dw::DW_TAG_volatile_type => self.modifier(unit, abbrev, key, c, Kind::Volatile)?,
            dw::DW_TAG_restrict_type => self.modifier(unit, abbrev, key, c, Kind::Restrict)?,
            // BTF does not know references, nor Fortran's types whose data is elsewhere; in memory they are pointers.
            dw::DW_TAG_reference_type | dw::DW_TAG_rvalue_reference_type | dw::DW_TAG_dynamic_type => {
                self.modifier(unit, abbrev, key, c, Kind::Ptr)?;
            }
            dw::DW_TAG_ptr_to_member_type => {
                unit.abbrevs.take(abbrev, c, &mut self.s.attrs)?;
                self.member_pointer(unit, key)?;
            }
            dw::DW_TAG_atomic_type
            | dw::DW_TAG_immutable_type
            | dw::DW_TAG_shared_type
            | dw::DW_TAG_packed_type
            | dw::DW_TAG_coarray_type
            | POINTER_AUTHENTICATION => {
                unit.abbrevs.take(abbrev, c, &mut self.s.attrs)?;
                let target = self.link(unit, Slot::Type);
                self.alias(key, target);
            }
            dw::DW_TAG_unspecified_type => {
                unit.abbrevs.skip(abbrev, c)?;
                self.alias(key, 0);
            }
            dw::DW_TAG_string_type => {
                unit.abbrevs.take(abbrev, c, &mut self.s.attrs)?;
                self.string_type(key)?;
            }
            dw::DW_TAG_set_type | dw::DW_TAG_file_type => {
                unit.abbrevs.take(abbrev, c, &mut self.s.attrs)?;
                self.set_or_file(unit, key)?;
            }
            dw::DW_TAG_subrange_type => {
                // Not the bound of an array: a type of its own (Ada, Pascal), whose limits BTF does not have.
                unit.abbrevs.take(abbrev, c, &mut self.s.attrs)?;
                self.range(unit, key)?;
            }
            dw::DW_TAG_pointer_type => return self.pointer(unit, abbrev, key, c),
            dw::DW_TAG_typedef | dw::DW_TAG_template_alias => {
                if let Some(short) = self.short(unit, abbrev, c) {
                    let name = self.short_name(unit, short.name);
                    return self.typedef(key, name, Self::short_key(unit, short.target));
                }
                unit.abbrevs.take(abbrev, c, &mut self.s.attrs)?;
                let name = self.name(unit, Slot::Name);
                let target = self.link(unit, Slot::Type);
                self.typedef(key, name, target)?;
                if abbrev.has_children {
                    self.push_frame(Ctx::Annotated, key, What::Typedef, -1);
                    return Ok(());
                }
            }
            dw::DW_TAG_structure_type | dw::DW_TAG_class_type | dw::DW_TAG_interface_type | dw::DW_TAG_union_type => {
                return self.structure(unit, abbrev, key, c);
            }
            dw::DW_TAG_enumeration_type => return self.enumeration(unit, abbrev, key, c),
            dw::DW_TAG_array_type => {
                let element = self.target(unit, abbrev, c)?;
                self.open(Open { type_key: element, ..Open::of(Kind::Array) });
                return self.descend_or_close(abbrev, Ctx::Array, key, What::Array);
            }
            dw::DW_TAG_subroutine_type => {
                let result = self.target(unit, abbrev, c)?;
                self.open(Open { type_key: result, ..Open::of(Kind::FuncProto) });
                return self.descend_or_close(abbrev, Ctx::Subroutine, key, What::Proto);
            }
            dw::DW_TAG_subprogram => return self.subprogram(unit, abbrev, key, c),
            dw::DW_TAG_module => {
                // What is in it is at the top level: languages with modules have nothing else there.
                unit.abbrevs.skip(abbrev, c)?;
                if abbrev.has_children {
                    self.push_frame(Ctx::Unit, key, What::Nothing, -1);
                }
                return Ok(());
            }
            dw::DW_TAG_namespace => {
                unit.abbrevs.skip(abbrev, c)?;
                if abbrev.has_children {
                    self.push_frame(Ctx::Namespace, key, What::Nothing, -1);
                }
                return Ok(());
            }
            dw::DW_TAG_variable
            | dw::DW_TAG_constant
            | dw::DW_TAG_imported_declaration
            | dw::DW_TAG_imported_module
            | dw::DW_TAG_imported_unit
            | dw::DW_TAG_label
            | dw::DW_TAG_dwarf_procedure
            | GNU_ANNOTATION => return self.skip_entry(unit, abbrev, c),
            _ => return self.unsupported(unit, abbrev, key, c),
        }
        unit.skip_children(abbrev, c)
    }

    /// Says that an entry is not understood, and passes it. Where it is a type, it is void.
    fn unsupported(&mut self, unit: &'a Unit, abbrev: &Abbrev, key: u32, c: &mut Cursor<'a>) -> Result<(), DwarfError> {
        let tag = abbrev.tag;
        match tag.static_string() {
            Some(name) => self.say(key, &format!("{name} is not supported here, left out")),
            None => self.say(key, &format!("unknown tag {:#x}, left out", tag.0)),
        }
        self.alias(key, 0);
        self.skip_entry(unit, abbrev, c)
    }

    /// Passes an entry with all below it.
    fn skip_entry(&mut self, unit: &'a Unit, abbrev: &Abbrev, c: &mut Cursor<'a>) -> Result<(), DwarfError> {
        if !abbrev.has_children {
            return unit.abbrevs.skip(abbrev, c);
        }
        unit.abbrevs.take(abbrev, c, &mut self.s.attrs)?;
        let sibling = self.source.reference(unit, &self.s.attrs, Slot::Sibling) as usize;
        if sibling > c.pos() && sibling < unit.end as usize {
            c.set_pos(sibling);
            return Ok(());
        }
        unit.skip_children(abbrev, c)
    }
}
