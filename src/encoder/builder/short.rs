//! Runs of entries that have a [`Layout`](crate::dwarf::layout::Layout): members, enumerators, parameters of prototypes, and what leads to one
//! other type. They are two thirds of a kernel's entries; all others, and these where something is unusual, go the general way.

use super::*;
use crate::dwarf::layout::{Layout, Short, ShortName};

/// The layout of an abbreviation whose entries have no children.
#[inline(always)]
pub(super) fn leaf_layout(abbrev: &Abbrev) -> Option<Layout> {
    abbrev.layout.filter(|_| !abbrev.has_children)
}

/// Reads an entry whose reference, if it has one, is to something in its unit; else the cursor stays.
#[inline(always)]
pub(super) fn read_sound(unit: &Unit, layout: Layout, c: &mut Cursor<'_>) -> Option<Short> {
    let start = c.pos();
    let short = layout.read(c)?;
    if u64::from(short.target) >= unit.header.size {
        c.set_pos(start);
        return None;
    }
    Some(short)
}

impl<'a> Builder<'a> {
    /// Reads an entry by its layout, if it has one and no children. What is wrong with others is told when they are read in the long way.
    #[inline(always)]
    pub(super) fn short(&self, unit: &Unit, abbrev: &Abbrev, c: &mut Cursor<'a>) -> Option<Short> {
        read_sound(unit, leaf_layout(abbrev)?, c)
    }

    #[inline(always)]
    pub(super) fn short_name(&mut self, unit: &Unit, name: ShortName) -> NameRef {
        match name {
            ShortName::None => NameRef::NONE,
            ShortName::DebugStr(offset) if offset < self.plain_names => NameRef::from_word(offset + 1),
            ShortName::DebugStr(offset) => {
                let name = self.source.name_of(unit, dw::DW_FORM_strp, offset.into(), &mut self.out.strings);
                if name.is_none() {
                    self.lost_name(dw::DW_FORM_strp, offset.into());
                }
                name
            }
            ShortName::Here(start, len) if self.source.kabi_prefix.is_none() => {
                self.out.strings.push(&self.source.buf[start..start + len])
            }
            ShortName::Here(start, _) => self.source.name_of(unit, dw::DW_FORM_string, start as u64, &mut self.out.strings),
        }
    }

    /// The key of a `DW_FORM_ref4` within the unit; 0 without one.
    #[inline(always)]
    pub(super) fn short_key(unit: &Unit, target: u32) -> u32 {
        if target == 0 { 0 } else { unit.start + target }
    }

    /// Goes on to the next entry if it is of the same tag and short; else the cursor stays.
    #[inline(always)]
    fn next_short(unit: &'a Unit, c: &mut Cursor<'a>, tag: dw::DwTag) -> Option<(&'a Abbrev, Layout)> {
        let start = c.pos();
        let abbrev = c.uleb().ok().and_then(|code| unit.abbrevs.get(code)).filter(|abbrev| abbrev.tag == tag);
        let next = abbrev.and_then(|abbrev| Some((abbrev, leaf_layout(abbrev)?)));
        if next.is_none() {
            c.set_pos(start);
        }
        next
    }

    /// A member and those that follow it.
    pub(super) fn members(
        &mut self,
        unit: &'a Unit,
        mut abbrev: &'a Abbrev,
        mut layout: Layout,
        mut key: u32,
        c: &mut Cursor<'a>,
    ) -> Result<(), DwarfError> {
        loop {
            let start = c.pos();
            let room = self.s.open.last().is_some_and(|open| open.vlen < MAX_VLEN);
            let short =
                read_sound(unit, layout, c).filter(|short| room && short.target != 0 && short.value <= MAX_BITFIELD_OFFSET / 8);
            let Some(short) = short else {
                c.set_pos(start);
                return self.member(unit, abbrev, key, c);
            };
            let name = self.short_name(unit, short.name);
            self.s.words_stack.extend([name.to_word(), Self::short_key(unit, short.target), short.value * 8]);
            if let Some(open) = self.s.open.last_mut() {
                open.vlen += 1;
                open.members += 1;
            }
            key = c.pos() as u32;
            self.s.at = key;
            match Self::next_short(unit, c, dw::DW_TAG_member) {
                Some(next) => (abbrev, layout) = next,
                None => return Ok(()),
            }
        }
    }

    /// An enumerator and those that follow it.
    pub(super) fn enumerators(
        &mut self,
        unit: &'a Unit,
        mut abbrev: &'a Abbrev,
        mut layout: Layout,
        mut key: u32,
        c: &mut Cursor<'a>,
    ) -> Result<(), DwarfError> {
        loop {
            let start = c.pos();
            let Some(short) = layout.read(c).filter(|_| layout.has_value()) else {
                c.set_pos(start);
                return self.enumerator(unit, abbrev, key, c);
            };
            let name = self.short_name(unit, short.name);
            let room = self.s.open.last().is_some_and(|open| open.vlen < MAX_VLEN);
            if !room || self.is_empty(name) {
                c.set_pos(start);
                return self.enumerator(unit, abbrev, key, c);
            }
            self.s.words_stack.extend([name.to_word(), short.value]);
            if let Some(open) = self.s.open.last_mut() {
                open.vlen += 1;
                if open.kind == Kind::Enum64 {
                    self.s.words_stack.push(0);
                }
            }
            key = c.pos() as u32;
            self.s.at = key;
            match Self::next_short(unit, c, dw::DW_TAG_enumerator) {
                Some(next) => (abbrev, layout) = next,
                None => return Ok(()),
            }
        }
    }

    /// A parameter of a prototype and those that follow it.
    pub(super) fn proto_params(
        &mut self,
        unit: &'a Unit,
        mut abbrev: &'a Abbrev,
        mut layout: Layout,
        c: &mut Cursor<'a>,
    ) -> Result<(), DwarfError> {
        loop {
            let Some(short) = read_sound(unit, layout, c) else { return self.proto_param(unit, abbrev, c) };
            let name = self.short_name(unit, short.name);
            self.s.words_stack.extend([name.to_word(), Self::short_key(unit, short.target)]);
            self.s.at = c.pos() as u32;
            match Self::next_short(unit, c, dw::DW_TAG_formal_parameter) {
                Some(next) => (abbrev, layout) = next,
                None => return Ok(()),
            }
        }
    }
}
