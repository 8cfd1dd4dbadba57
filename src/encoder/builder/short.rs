//! Runs of entries that have a [`Layout`](crate::dwarf::layout::Layout): members, enumerators, parameters of prototypes, and what leads to one
//! other type. They are two thirds of a kernel's entries; all others, and these where something is unusual, go the general way.

use super::*;
use crate::dwarf::layout::{Layout, Short, ShortName};
use crate::encoder::fragment::LocalStrings;

/// The layout of an abbreviation whose entries have no children.
#[inline(always)]
pub(super) fn leaf_layout(abbrev: &Abbrev) -> Option<Layout> {
    abbrev.layout.filter(Layout::is_leaf)
}

/// Reads an entry whose reference, if it has one, is to something in its unit; else the cursor stays. What is wrong with others is told when
/// they are read in the long way.
#[inline(always)]
pub(super) fn read_sound(unit: &Unit, layout: Layout, c: &mut Cursor<'_>) -> Option<Short> {
    let start = c.pos();
    let short = layout.read(c)?;
    if short.target.is_some_and(|target| u64::from(target) >= unit.header.size) {
        c.set_pos(start);
        return None;
    }
    Some(short)
}

/// Where names are found.
struct Names<'s, 'a> {
    source: &'s SourceNames<'a>,
    /// See [`SourceNames::plain_names`].
    plain: u32,
}

impl Names<'_, '_> {
    /// The name; `None` where nothing can be read.
    #[inline(always)]
    fn get(&self, unit: &Unit, name: ShortName, strings: &mut LocalStrings) -> Option<NameRef> {
        let (form, value) = match name {
            ShortName::None => return Some(NameRef::NONE),
            ShortName::DebugStr(offset) if offset < self.plain => return Some(NameRef::from_word(offset + 1)),
            ShortName::Here(start, len) if self.source.kabi_prefix.is_none() => {
                return Some(strings.push(&self.source.buf[start..start + len]));
            }
            ShortName::DebugStr(offset) => (dw::DW_FORM_strp, u64::from(offset)),
            ShortName::Here(start, _) => (dw::DW_FORM_string, start as u64),
        };
        Some(self.source.name_of(unit, form, value, strings)).filter(|name| !name.is_none())
    }
}

impl<'a> Builder<'a> {
    /// Reads an entry by its layout, if it has one and no children.
    #[inline(always)]
    pub(super) fn short(&self, unit: &Unit, abbrev: &Abbrev, c: &mut Cursor<'a>) -> Option<Short> {
        read_sound(unit, leaf_layout(abbrev)?, c)
    }

    #[inline(always)]
    pub(super) fn short_name(&mut self, unit: &Unit, name: ShortName) -> NameRef {
        let names = Names { source: &self.source, plain: self.plain_names };
        if let Some(name) = names.get(unit, name, &mut self.out.strings) {
            return name;
        }
        if let ShortName::DebugStr(offset) = name {
            self.lost_name(self.s.at, dw::DW_FORM_strp, offset.into());
        }
        NameRef::NONE
    }

    /// The key of a `DW_FORM_ref4` within the unit; 0 without one.
    #[inline(always)]
    pub(super) fn short_key(unit: &Unit, target: Option<u32>) -> u32 {
        target.filter(|&target| target != 0).map_or(0, |target| unit.start + target)
    }

    /// Goes on to the next entry if it is a short one of the same tag; else the cursor stays.
    #[inline(always)]
    fn next_short(unit: &'a Unit, c: &mut Cursor<'a>, tag: dw::DwTag) -> Option<Layout> {
        let (code, len) = match *c.rest() {
            [low @ ..0x80, ..] => (u64::from(low), 1),
            [low, high @ ..0x80, ..] => (u64::from(low & 0x7f) | u64::from(high) << 7, 2),
            _ => return None,
        };
        let layout = unit.abbrevs.layout(code).filter(|layout| layout.tag == tag && layout.is_leaf())?;
        c.set_pos(c.pos() + len);
        Some(layout)
    }

    /// The abbreviation of an entry with `key`, which was met before.
    fn abbrev_at(&self, unit: &'a Unit, key: u32) -> Result<&'a Abbrev, DwarfError> {
        let mut c = self.source.cursor(unit, key);
        let code = c.uleb()?;
        unit.abbrevs.get(code).ok_or_else(|| c.invalid("an abbreviation code of the unit's table", code))
    }

    /// A member and those that follow it.
    pub(super) fn members(
        &mut self,
        unit: &'a Unit,
        mut layout: Layout,
        mut key: u32,
        c: &mut Cursor<'a>,
    ) -> Result<(), DwarfError> {
        let Scratch { words_stack, open, at, .. } = &mut *self.s;
        let names = Names { source: &self.source, plain: self.plain_names };
        let room = open.last().map_or(0, |open| MAX_VLEN.saturating_sub(open.vlen));
        let mut count = 0;
        let is_done = loop {
            let start = c.pos();
            let sound = |short: &Short| {
                count < room && short.target.is_some_and(|target| target != 0) && short.value <= MAX_BITFIELD_OFFSET / 8
            };
            let short = read_sound(unit, layout, c).filter(sound);
            let Some((short, name)) = short.and_then(|s| Some((s, names.get(unit, s.name, &mut self.out.strings)?))) else {
                c.set_pos(start);
                break false;
            };
            words_stack.extend([name.to_word(), Self::short_key(unit, short.target), short.value * 8]);
            count += 1;
            key = c.pos() as u32;
            *at = key;
            match Self::next_short(unit, c, dw::DW_TAG_member) {
                Some(next) => layout = next,
                None => break true,
            }
        };
        if let Some(open) = open.last_mut() {
            open.vlen += count;
            open.members += count as i32;
        }
        if is_done { Ok(()) } else { self.member(unit, self.abbrev_at(unit, key)?, key, c) }
    }

    /// An enumerator and those that follow it.
    pub(super) fn enumerators(
        &mut self,
        unit: &'a Unit,
        mut layout: Layout,
        mut key: u32,
        c: &mut Cursor<'a>,
    ) -> Result<(), DwarfError> {
        loop {
            let start = c.pos();
            let Some(short) = layout.read(c).filter(|_| layout.has_value()) else {
                c.set_pos(start);
                return self.enumerator(unit, self.abbrev_at(unit, key)?, key, c);
            };
            let name = self.short_name(unit, short.name);
            let room = self.s.open.last().is_some_and(|open| open.vlen < MAX_VLEN);
            if !room || self.is_empty(name) {
                c.set_pos(start);
                return self.enumerator(unit, self.abbrev_at(unit, key)?, key, c);
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
                Some(next) => layout = next,
                None => return Ok(()),
            }
        }
    }

    /// A parameter of a prototype and those that follow it.
    pub(super) fn proto_params(
        &mut self,
        unit: &'a Unit,
        mut layout: Layout,
        mut key: u32,
        c: &mut Cursor<'a>,
    ) -> Result<(), DwarfError> {
        loop {
            let Some(short) = read_sound(unit, layout, c) else { return self.proto_param(unit, self.abbrev_at(unit, key)?, c) };
            let name = self.short_name(unit, short.name);
            self.s.words_stack.extend([name.to_word(), Self::short_key(unit, short.target)]);
            key = c.pos() as u32;
            self.s.at = key;
            match Self::next_short(unit, c, dw::DW_TAG_formal_parameter) {
                Some(next) => layout = next,
                None => return Ok(()),
            }
        }
    }
}
