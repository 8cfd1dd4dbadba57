//! Structs, unions and enumerations.

use super::*;
use crate::encoder::source::slots;

impl<'a> Builder<'a> {
    pub(super) fn structure(&mut self, unit: &'a Unit, abbrev: &Abbrev, key: u32, c: &mut Cursor<'a>) -> Result<(), DwarfError> {
        let is_union = abbrev.tag == dw::DW_TAG_union_type;
        let open = Open {
            is_union,
            late: self.s.late_bitfields.len() as u32,
            far: self.s.far.len() as u32,
            by_offset: unit.language == u32::from(dw::DW_LANG_Rust.0),
            ..Open::of(if is_union { Kind::Union } else { Kind::Struct })
        };
        if let Some((layout, short)) = abbrev.layout.and_then(|layout| Some((layout, short::read_sound(unit, layout, c)?))) {
            let name = self.short_name(unit, short.name);
            self.open(Open { name, size: short.value.into(), declaration: layout.is_declaration(), ..open });
            return self.descend_or_close(abbrev, Ctx::Class, key, What::Struct);
        }
        unit.abbrevs.take(abbrev, c, &mut self.s.attrs)?;
        if self.is_in_type_unit(unit, key) {
            if abbrev.has_children {
                self.push_frame(Ctx::StandIn, key, What::Nothing, -1);
            }
            return Ok(());
        }
        let name = self.name(unit, Slot::Name);
        let (spec_key, type_key) = (self.link(unit, Slot::Specification), self.link(unit, Slot::Annotation));
        let a = &self.s.attrs;
        let open = Open {
            name,
            size: number(a, Slot::ByteSize).unwrap_or(0),
            declaration: number(a, Slot::Declaration).unwrap_or(0) != 0,
            spec_key,
            type_key,
            ..open
        };
        self.open(open);
        self.descend_or_close(abbrev, Ctx::Class, key, What::Struct)
    }

    /// A stand-in for a type that is in a type unit is that type. Of its children, only types and functions count.
    pub(super) fn is_in_type_unit(&mut self, unit: &Unit, key: u32) -> bool {
        if !self.s.attrs.has(Slot::Signature) {
            return false;
        }
        let target = self.link(unit, Slot::Signature);
        if target != 0 {
            self.alias(key, target);
        }
        target != 0
    }

    pub(super) fn member(&mut self, unit: &'a Unit, abbrev: &Abbrev, key: u32, c: &mut Cursor<'a>) -> Result<(), DwarfError> {
        unit.abbrevs.take(abbrev, c, &mut self.s.attrs)?;
        let Some(open) = self.s.open.last_mut() else { return unit.skip_children(abbrev, c) };
        let component = open.members;
        open.members += 1;
        let chain = self.link(unit, Slot::Annotation);
        if abbrev.tag == dw::DW_TAG_member {
            self.data_member(unit, key);
        }
        if chain != 0 {
            self.annotation_chain(chain, component);
        }
        if abbrev.has_children {
            // Annotations among the children come before those of the chain in no producer: none writes both.
            self.push_frame(Ctx::Annotated, key, What::Nothing, component);
        }
        Ok(())
    }

    pub(super) fn data_member(&mut self, unit: &Unit, key: u32) {
        let name = self.name(unit, Slot::Name);
        let type_key = self.link(unit, Slot::Type);
        if type_key == 0 && !self.s.attrs.has(Slot::Type) {
            self.say(key, "member without a type: taken for void");
        }
        if let Some(byte_offset) = self.plain_offset() {
            if let Some(open) = self.s.open.last_mut().filter(|open| open.vlen < MAX_VLEN) {
                open.vlen += 1;
                self.s.words_stack.extend([name.to_word(), type_key, byte_offset * 8]);
                return;
            }
        }
        let bit_size = number(&self.s.attrs, Slot::BitSize).unwrap_or(0);
        let Ok(bit_size) = u8::try_from(bit_size).map(u32::from) else {
            self.say(key, &format!("bit-field of {bit_size} bits: BTF counts to 255, the member is left out"));
            return;
        };
        let byte_size = number(&self.s.attrs, Slot::ByteSize).unwrap_or(0) as u32;
        let has_bit_offset = self.s.attrs.has(Slot::DataBitOffset);
        let slot = if has_bit_offset { Slot::DataBitOffset } else { Slot::MemberLocation };
        let Some(offset) = self.member_offset(unit, slot) else { return };
        let (byte_offset, bit_offset) = if has_bit_offset { (0, offset) } else { (offset, offset.saturating_mul(8)) };
        let bit_offset_attr = number(&self.s.attrs, Slot::BitOffset).unwrap_or(0) as i64;
        let open = self.s.open.last_mut().expect("members stand in structs");
        if open.vlen >= MAX_VLEN {
            if open.vlen == MAX_VLEN {
                open.vlen += 1;
                self.say(key, "more than 65535 members: this one and the rest are left out");
            }
            return;
        }
        let is_bitfield = bit_size != 0;
        let limit = if is_bitfield { MAX_BITFIELD_OFFSET } else { u32::MAX };
        let Some(bit_offset) = u32::try_from(bit_offset).ok().filter(|&bits| bits <= limit) else {
            self.say(key, &too_far(bit_offset, limit));
            return;
        };
        let byte_offset = byte_offset as u32;
        open.vlen += 1;
        open.kflag |= is_bitfield || bit_offset % 8 != 0;
        if bit_offset > MAX_BITFIELD_OFFSET {
            self.s.far.push((open.vlen - 1, key));
        }
        let start = self.s.frames.last().map_or(0, |f| f.start);
        let in_record = (self.s.words_stack.len() as u32 - start) / 3;
        if is_bitfield && (!has_bit_offset || self.options.fixup_silly_bitfields) {
            self.s.late_bitfields.push(LateBitfield {
                word: u32::MAX,
                byte_offset,
                bit_offset_attr,
                bit_size,
                byte_size,
                has_bit_offset,
                in_record,
            });
        }
        let packed = (bit_size & 0xff) << 24 | bit_offset;
        self.s.words_stack.extend([name.to_word(), type_key, if is_bitfield { packed } else { bit_offset }]);
    }

    /// The offset in bytes of a member as nearly all are: no bit-field, and not far away.
    #[inline]
    fn plain_offset(&self) -> Option<u32> {
        let a = &self.s.attrs;
        if a.has_any(const { slots(&[Slot::BitSize, Slot::DataBitOffset, Slot::BitOffset]) }) {
            return None;
        }
        match a.get(Slot::MemberLocation) {
            None => Some(0),
            Some((dw::DW_FORM_data1 | dw::DW_FORM_data2 | dw::DW_FORM_implicit_const, offset)) => {
                u32::try_from(offset).ok().filter(|&bytes| bytes <= MAX_BITFIELD_OFFSET / 8)
            }
            Some(_) => None,
        }
    }

    /// A member's offset: a constant, or the expressions that compilers have used for one. `None`, with a message, for anything else.
    fn member_offset(&mut self, unit: &Unit, slot: Slot) -> Option<u64> {
        if let Some(v) = number(&self.s.attrs, slot) {
            return Some(v);
        }
        let Some((form, _)) = self.s.attrs.get(slot) else { return Some(0) };
        let what = match self.s.attrs.block(slot) {
            None => format!("{}, expected a constant or an expression", form.static_string().unwrap_or("unknown form")),
            Some(block) => match self.expression(unit, self.source.buf, block).map(|()| self.s.ops.first()) {
                Ok(None) => return Some(0),
                Ok(Some(op)) if matches!(op.code, dw::DW_OP_plus_uconst | dw::DW_OP_constu) => return Some(op.operand),
                Ok(Some(op)) => {
                    let op = op.code.static_string().unwrap_or("unknown operation");
                    format!("{op}, expected DW_OP_plus_uconst or DW_OP_constu")
                }
                Err(e) => e.to_string(),
            },
        };
        self.say(self.s.at, &format!("location of a member: {what}: the member is left out"));
        None
    }

    pub(super) fn close_struct(&mut self, frame: Frame) -> Result<(), DwarfError> {
        let Some(open) = self.s.open.pop() else { return Ok(()) };
        if open.type_key != 0 {
            self.annotation_chain(open.type_key, -1);
        }
        let start = frame.start as usize;
        if open.kflag {
            self.drop_far_members(&open, start);
        }
        self.s.far.truncate(open.far as usize);
        let vlen = ((self.s.words_stack.len() - start) / 3) as u32;
        let no_name = open.name.is_none();
        if open.declaration {
            // Bit-fields of a struct that turned out to be a declaration have no place.
            self.s.late_bitfields.truncate(open.late as usize);
            self.s.words_stack.truncate(start);
            let spec_named = no_name && open.spec_key != 0;
            if self.is_empty(open.name) && !spec_named {
                self.say(frame.key, "declaration without a name: taken for void");
                self.s.annots_stack.truncate(frame.annots as usize);
                self.alias(frame.key, 0);
                return Ok(());
            }
            let id = self.begin(frame.key)?;
            self.name_from_spec(&open);
            self.out.words.extend([open.name.to_word(), info(Kind::Fwd, 0, open.is_union), 0]);
            self.take_decl_tags(frame.annots, id);
            return Ok(());
        }
        let size = u32::try_from(open.size).unwrap_or_else(|_| {
            self.say(frame.key, &format!("size of {} bytes: BTF counts to 4294967295, which is written", open.size));
            u32::MAX
        });
        let id = self.begin(frame.key)?;
        self.name_from_spec(&open);
        self.out.words.extend([open.name.to_word(), info(open.kind, vlen, open.kflag), size]);
        if open.by_offset {
            sort_by_offset(&mut self.s.words_stack[start..]);
        }
        let first = self.out.words.len() as u32;
        if vlen != 0 {
            self.s.refs.push(Refs { first: first + 1, count: vlen as u16, step: 3 });
        }
        self.out.words.extend_from_slice(&self.s.words_stack[start..]);
        self.s.words_stack.truncate(start);
        // Inner structs are closed and have placed theirs: what has no place yet is this struct's.
        for late in &mut self.s.late_bitfields[open.late as usize..] {
            if late.word == u32::MAX {
                late.word = first + 3 * late.in_record + 2;
            }
        }
        self.take_decl_tags(frame.annots, id);
        Ok(())
    }

    /// In a struct with bit-fields, offsets have 24 bits: leaves out what is beyond.
    pub(super) fn drop_far_members(&mut self, open: &Open, start: usize) {
        for i in (open.far as usize..self.s.far.len()).rev() {
            let (at, key) = self.s.far[i];
            let row = start + 3 * at as usize;
            let bits = u64::from(self.s.words_stack[row + 2]);
            self.say(key, &too_far(bits, MAX_BITFIELD_OFFSET));
            self.s.words_stack.drain(row..row + 3);
            for late in self.s.late_bitfields[open.late as usize..].iter_mut().filter(|l| l.word == u32::MAX && l.in_record > at)
            {
                late.in_record -= 1;
            }
        }
    }

    /// Has the name word that comes next filled in from the specification.
    pub(super) fn name_from_spec(&mut self, open: &Open) {
        if open.name.is_none() && open.spec_key != 0 {
            self.s.spec_names.push((self.out.words.len() as u32, open.spec_key));
        }
    }

    pub(super) fn enumeration(
        &mut self,
        unit: &'a Unit,
        abbrev: &Abbrev,
        key: u32,
        c: &mut Cursor<'a>,
    ) -> Result<(), DwarfError> {
        unit.abbrevs.take(abbrev, c, &mut self.s.attrs)?;
        if self.is_in_type_unit(unit, key) {
            return unit.skip_children(abbrev, c);
        }
        let name = self.name(unit, Slot::Name);
        let (type_key, spec_key) = (self.link(unit, Slot::Type), self.link(unit, Slot::Specification));
        let size = match number(&self.s.attrs, Slot::ByteSize).unwrap_or(0) {
            0 => 4,
            n => n,
        };
        let kind = if size <= 4 || !self.options.enum64 { Kind::Enum } else { Kind::Enum64 };
        let open = Open { name, size, type_key, spec_key, ..Open::of(kind) };
        self.open(open);
        self.descend_or_close(abbrev, Ctx::Enum, key, What::Enum)
    }

    pub(super) fn enumerator(&mut self, unit: &'a Unit, abbrev: &Abbrev, key: u32, c: &mut Cursor<'a>) -> Result<(), DwarfError> {
        unit.abbrevs.take(abbrev, c, &mut self.s.attrs)?;
        let name = self.name(unit, Slot::Name);
        let value = number(&self.s.attrs, Slot::ConstValue).unwrap_or_else(|| {
            self.say(key, "enumerator without a number of up to 64 bits: 0 is written");
            0
        });
        let is_empty = self.is_empty(name);
        if let Some(open) = self.s.open.last_mut() {
            if is_empty {
                self.say(key, "enumerator without a name, which BTF does not have: left out");
                return unit.skip_children(abbrev, c);
            }
            open.vlen += 1;
            if open.vlen <= MAX_VLEN {
                self.s.words_stack.extend([name.to_word(), value as u32]);
                if open.kind == Kind::Enum64 {
                    self.s.words_stack.push((value >> 32) as u32);
                } else if (value as i64) < 0 && self.options.enum64 {
                    open.kflag = true;
                }
            } else if open.vlen == MAX_VLEN + 1 {
                self.say(key, "more than 65535 enumerators: this one and the rest are left out");
            }
        }
        unit.skip_children(abbrev, c)
    }

    /// BTF enumerations have no functions in them; the function itself is encoded where it has a symbol.
    pub(super) fn method_of_enum(&mut self) {
        if let Some(open) = self.s.open.last() {
            self.out.enums_with_functions.push(open.name);
        }
    }

    pub(super) fn close_enum(&mut self, frame: Frame) -> Result<(), DwarfError> {
        let Some(open) = self.s.open.pop() else { return Ok(()) };
        let start = frame.start as usize;
        let size = match open.size {
            n @ (1 | 2 | 4 | 8) => n as u32,
            n => {
                self.say(frame.key, &format!("enumeration of {n} bytes, expected 1, 2, 4 or 8: 4 are written"));
                4
            }
        };
        self.begin(frame.key)?;
        self.name_from_spec(&open);
        if open.kind == Kind::Enum64 && open.type_key != 0 {
            self.s.enum_signs.push((self.out.words.len() as u32 + 1, open.type_key));
        }
        self.out.words.extend([open.name.to_word(), info(open.kind, open.vlen.min(MAX_VLEN), open.kflag), size]);
        self.out.words.extend_from_slice(&self.s.words_stack[start..]);
        self.s.words_stack.truncate(start);
        if self.s.frames.last().is_some_and(|outer| outer.ctx == Ctx::Array) {
            // The index type of an array (Pascal): there is an element for each of its values.
            self.s.words_stack.push(open.vlen);
        }
        Ok(())
    }
}

/// Sorts members (three words each) by their offset, keeping the order of equal ones.
fn sort_by_offset(members: &mut [u32]) {
    let sorted = members.chunks_exact(3).map(|m| m[2]).is_sorted();
    if !sorted {
        let mut list: Vec<[u32; 3]> = members.chunks_exact(3).map(|m| [m[0], m[1], m[2]]).collect();
        list.sort_by_key(|m| m[2]);
        members.copy_from_slice(list.as_flattened());
    }
}
