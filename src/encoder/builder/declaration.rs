//! Functions, their parameters, variables, and the tags that hang on declarations.

use super::*;

/// Of longer chains of annotations, be it because they go in a circle, the rest is left out.
pub(super) const MAX_CHAIN: usize = 1024;

impl<'a> Builder<'a> {
    pub(super) fn parameter(&mut self, unit: &'a Unit, abbrev: &Abbrev, key: u32, c: &mut Cursor<'a>) -> Result<(), DwarfError> {
        unit.abbrevs.take(abbrev, c, &mut self.s.attrs)?;
        let name = self.name(unit, Slot::Name);
        let (ctx, start) = match self.s.frames.last() {
            Some(f) => (f.ctx, f.start as usize),
            None => return Ok(()),
        };
        let (type_key, origin) = (self.link(unit, Slot::Type), self.link(unit, Slot::AbstractOrigin));
        let chain = self.link(unit, Slot::Annotation);
        let a = &self.s.attrs;
        let mut param = Param {
            key,
            name,
            type_key,
            type_id: 0,
            origin,
            origin_at: NOWHERE,
            idx: -1,
            location: a.get(Slot::Location),
            place: Place {
                has_location: a.has(Slot::Location),
                has_const_value: a.has(Slot::ConstValue),
                loc: Location::default(),
            },
            member: NameRef::NONE,
            member_type: 0,
            later: None,
        };
        match ctx {
            Ctx::Lexblock => {
                param.idx = -2;
                param.place.has_location = false;
                param.place.has_const_value = false;
                self.register_param(param)?;
                unit.skip_children(abbrev, c)
            }
            Ctx::Function => {
                param.idx = (self.s.params_stack.len() - start) as i32;
                let component = param.idx;
                self.s.params_stack.push(param);
                if chain != 0 {
                    self.annotation_chain(chain, component);
                }
                if abbrev.has_children {
                    self.push_frame(Ctx::Annotated, key, What::Nothing, component);
                }
                Ok(())
            }
            _ => unit.skip_children(abbrev, c),
        }
    }

    /// A parameter of a prototype.
    pub(super) fn proto_param(&mut self, unit: &'a Unit, abbrev: &Abbrev, c: &mut Cursor<'a>) -> Result<(), DwarfError> {
        unit.abbrevs.take(abbrev, c, &mut self.s.attrs)?;
        let name = self.name(unit, Slot::Name);
        let type_key = self.link(unit, Slot::Type);
        self.s.words_stack.extend([name.to_word(), type_key]);
        unit.skip_children(abbrev, c)
    }

    pub(super) fn register_param(&mut self, param: Param) -> Result<(), DwarfError> {
        let index = self.s.params.len() as u32;
        if index > MAX_INDEX {
            return Err(DwarfError::Invalid {
                section: ".debug_info",
                offset: self.source.offset(param.key),
                expected: "fewer than 2^30 parameters",
                found: u64::from(index),
            });
        }
        self.s.map.set(param.key, Die::Param(index).pack());
        self.s.params.push(param);
        Ok(())
    }

    pub(super) fn subprogram(&mut self, unit: &'a Unit, abbrev: &Abbrev, key: u32, c: &mut Cursor<'a>) -> Result<(), DwarfError> {
        unit.abbrevs.take(abbrev, c, &mut self.s.attrs)?;
        let name = self.name(unit, Slot::Name);
        let type_key = self.link(unit, Slot::Type);
        let (origin, specification) = (self.link(unit, Slot::AbstractOrigin), self.link(unit, Slot::Specification));
        let chain = self.link(unit, Slot::Annotation);
        let a = &self.s.attrs;
        let addr = self.source.address(unit, a, Slot::LowPc);
        let mut func = Func {
            key,
            elf_func: NOWHERE,
            name,
            type_key,
            type_id: 0,
            origin,
            origin_at: NOWHERE,
            specification,
            addr: addr.unwrap_or(0),
            declaration: a.has(Slot::Declaration),
            inlined: number(a, Slot::Inline).unwrap_or(0) != 0,
            has_origin: a.has(Slot::AbstractOrigin),
            clang: unit.producer_clang,
            variadic: false,
            params: 0..0,
            annots: 0..0,
            signature_changed: false,
            reordered: false,
            optimized: false,
            unexpected_reg: false,
        };
        if addr.is_none() && self.s.attrs.has(Slot::LowPc) && !self.source.is_split_alone() {
            self.say(key, "DW_AT_low_pc whose address cannot be read: the function counts as one without");
        }
        if unit.producer_clang && !func.inlined {
            // clang marks a function that no longer follows its convention.
            let convention = if func.has_origin {
                self.source.entry(func.origin, &mut self.s.other).and_then(|_| number(&self.s.other, Slot::CallingConvention))
            } else {
                number(&self.s.attrs, Slot::CallingConvention)
            };
            func.signature_changed = convention == Some(u64::from(dw::DW_CC_nocall.0));
        }
        self.s.open_funcs.push(func);
        self.open(Open { type_key: chain, ..Open::of(Kind::Func) });
        self.descend_or_close(abbrev, Ctx::Function, key, What::Function)
    }

    /// A variable at the top level, if it is one that has a place in memory.
    pub(super) fn variable(&mut self, unit: &Unit) {
        let start = self.out.annots.len() as u32;
        // Annotations of a variable that is not kept are dropped when its frame closes.
        let Some(mut var) = self.static_variable(unit) else { return };
        var.annots = start..start;
        self.s.vars.push(var);
    }

    pub(super) fn static_variable(&mut self, unit: &Unit) -> Option<Var> {
        let a = &self.s.attrs;
        if a.has(Slot::Declaration) || a.has(Slot::Artificial) {
            return None;
        }
        let block = a.block(Slot::Location)?;
        let external = a.has(Slot::External);
        let key = self.s.at;
        if let Err(e) = self.expression(unit, self.source.buf, block) {
            self.say(key, &format!("location of a variable: {e}: the variable is left out"));
            return None;
        }
        let first = *self.s.ops.first()?;
        let mut addr = match first.code {
            dw::DW_OP_addr => first.operand,
            dw::DW_OP_addrx | dw::DW_OP_GNU_addr_index => match self.source.address_at(unit, first.operand) {
                Some(addr) => addr,
                None if self.source.is_split_alone() => return None,
                None => {
                    let text = format!("address {} cannot be read: the variable is left out", first.operand);
                    self.say(key, &text);
                    return None;
                }
            },
            _ => return None,
        };
        let (spec, type_key) = (self.link(unit, Slot::Specification), self.link(unit, Slot::Type));
        if let [_, plus] = self.s.ops.as_slice() {
            if plus.code == dw::DW_OP_plus_uconst {
                addr = addr.wrapping_add(plus.operand);
            }
        }
        if spec != 0 {
            // Name, type and linkage stand where it was declared.
            if let Some((name, type_key, external)) = self.declared_variable(spec) {
                return Some(Var { name, type_key, key, addr, external, spec: 0, annots: 0..0 });
            }
            if outer_index(spec).is_none() {
                let text = format!("specification {:#x} is no variable: nothing is taken from there", self.source.offset(spec));
                self.say(key, &text);
            }
        }
        let name = self.name(unit, Slot::Name);
        Some(Var { name, type_key, key, addr, external, spec, annots: 0..0 })
    }

    /// What the entry with `key` declares, if it is a variable: name, key of the type, and whether it is known outside of its unit.
    pub(in crate::encoder) fn declared_variable(&mut self, key: u32) -> Option<(NameRef, u32, bool)> {
        let (unit, abbrev) = self.source.entry(key, &mut self.s.other)?;
        if !matches!(abbrev.tag, dw::DW_TAG_variable | dw::DW_TAG_member) {
            return None;
        }
        let name = self.source.name(unit, &self.s.other, Slot::Name, &mut self.out.strings);
        let type_key = self.source.reference(unit, &self.s.other, Slot::Type);
        let external = self.s.other.has(Slot::External);
        if let (true, Some((form, value))) = (name.is_none(), self.s.other.get(Slot::Name)) {
            self.lost_name(key, form, value);
        }
        Some((name, type_key, external))
    }

    pub(super) fn close_function(&mut self, frame: Frame) -> Result<(), DwarfError> {
        let Some(open) = self.s.open.pop() else { return Ok(()) };
        if open.type_key != 0 {
            self.annotation_chain(open.type_key, -1);
        }
        let Some(mut func) = self.s.open_funcs.pop() else { return Ok(()) };
        let start = frame.start as usize;
        let count = self.s.params_stack.len() - start + usize::from(open.variadic);
        if count > MAX_VLEN as usize {
            self.say(func.key, &format!("function with {count} parameters: BTF counts to 65535, the function is left out"));
            self.s.params_stack.truncate(start);
            self.s.annots_stack.truncate(frame.annots as usize);
            return Ok(());
        }
        let first = self.s.params.len() as u32;
        let mut params = std::mem::take(&mut self.s.params_stack);
        for param in params.drain(start..) {
            self.register_param(param)?;
        }
        self.s.params_stack = params;
        func.params = first..self.s.params.len() as u32;
        func.variadic = open.variadic;
        let annots = self.out.annots.len() as u32;
        let most = frame.annots as usize + MAX_VLEN as usize;
        if self.s.annots_stack.len() > most {
            self.say(func.key, "function with more than 65535 annotations: the rest is left out");
            self.s.annots_stack.truncate(most);
        }
        self.out.annots.extend(self.s.annots_stack.drain(frame.annots as usize..));
        func.annots = annots..self.out.annots.len() as u32;
        let index = self.s.funcs.len() as u32;
        self.s.map.set(func.key, Die::Func(index.min(MAX_INDEX)).pack());
        self.s.funcs.push(func);
        Ok(())
    }

    pub(super) fn close_variable(&mut self, frame: Frame) {
        let start = self.out.annots.len() as u32;
        match self.s.vars.last_mut() {
            Some(var) if var.annots == (start..start) => {
                self.out.annots.extend(self.s.annots_stack.drain(frame.annots as usize..));
                var.annots = start..self.out.annots.len() as u32;
            }
            _ => self.s.annots_stack.truncate(frame.annots as usize),
        }
    }

    /// The annotation with `key`: its name's bytes, value and the annotation it leads to.
    pub(super) fn annotation(&mut self, key: u32) -> Option<(&'a [u8], NameRef, u32)> {
        let found = self.source.entry(key, &mut self.s.other).filter(|(_, abbrev)| abbrev.tag == GNU_ANNOTATION);
        let found = found.and_then(|(unit, _)| Some((unit, self.source.string(unit, &self.s.other, Slot::Name)?)));
        let Some((unit, name)) = found else {
            self.say(self.s.at, &format!("reference to {:#x}, where no annotation is: left out", self.source.offset(key)));
            return None;
        };
        let value = self.source.name(unit, &self.s.other, Slot::ConstValue, &mut self.out.strings);
        let next = self.source.reference(unit, &self.s.other, Slot::Annotation);
        if next == 0 && self.s.other.has(Slot::Annotation) {
            self.say(key, "reference to an annotation that is not there: left out");
        }
        Some((name, value, next))
    }

    pub(super) fn say_long_chain(&mut self, key: u32) {
        self.say(key, &format!("chain of more than {MAX_CHAIN} annotations: from here on they are left out"));
    }

    /// Decl tags that hang on an entry by `DW_AT_GNU_annotation`.
    pub(super) fn annotation_chain(&mut self, mut key: u32, component: i32) {
        let mut count = 0;
        while key != 0 {
            if count == MAX_CHAIN {
                return self.say_long_chain(key);
            }
            count += 1;
            let Some((name, value, next)) = self.annotation(key) else { return };
            if name == b"btf_decl_tag" && self.options.decl_tags {
                self.s.annots_stack.push(DeclTag { type_id: 0, value, component_idx: component });
            }
            key = next;
        }
    }

    /// A `btf_decl_tag` among children, its attributes just read.
    pub(super) fn decl_tag(&mut self, unit: &Unit, component: i32) {
        if !self.options.decl_tags || self.source.string(unit, &self.s.attrs, Slot::Name) != Some(b"btf_decl_tag") {
            return;
        }
        let value = self.name(unit, Slot::ConstValue);
        self.s.annots_stack.push(DeclTag { type_id: 0, value, component_idx: component });
    }

    #[inline]
    pub(super) fn take_decl_tags(&mut self, from: u32, id: u32) {
        if self.s.annots_stack.len() <= from as usize {
            return;
        }
        let tags = self.s.annots_stack.drain(from as usize..);
        self.out.decl_tags.extend(tags.map(|t| DeclTag { type_id: id, ..t }));
    }
}
