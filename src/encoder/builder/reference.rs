//! Base types, and what leads to one other type or a list of them: modifiers, typedefs, pointers, arrays, prototypes.

use super::*;
use crate::dwarf::pointee::MAX_NAMES;

impl<'a> Builder<'a> {
    pub(super) fn base_type(&mut self, unit: &Unit, key: u32) -> Result<(), DwarfError> {
        let mut name = self.name(unit, Slot::Name);
        let byte_size = number(&self.s.attrs, Slot::ByteSize).unwrap_or(0);
        let encoding = dw::DwAte(number(&self.s.attrs, Slot::Encoding).unwrap_or(0) as u8);
        let mut size = u32::try_from(byte_size).unwrap_or(u32::MAX);
        let is_float = matches!(encoding, dw::DW_ATE_float) && self.options.floats;
        if is_float && matches!(size, 2 | 4 | 8 | 12 | 16) && !self.is_empty(name) {
            self.begin(key)?;
            self.out.words.extend([name.to_word(), info(Kind::Float, 0, false), size]);
            return Ok(());
        }
        let flags = match encoding {
            dw::DW_ATE_signed | dw::DW_ATE_signed_char => 1u32,
            dw::DW_ATE_boolean => 4,
            _ => 0,
        };
        // Those without a name come from location expressions' conversions; nothing else refers to them.
        let has_size = size.is_power_of_two() && size <= 16;
        let is_nameless = self.is_empty(name);
        if !has_size || is_nameless {
            // Rust's `()` has no bytes, and that is no mistake.
            if !is_nameless && (byte_size != 0 || !self.s.attrs.has(Slot::ByteSize)) {
                self.say(key, &format!("base type of {byte_size} bytes, which BTF does not have: an integer of 4 stands for it"));
            }
            name = self.out.strings.push(b"__SANITIZED_FAKE_INT__");
            size = if has_size { size } else { 4 };
        }
        let id = self.begin(key)?;
        if u64::from(size) != byte_size {
            self.out.odd_sizes.push((id, u32::try_from(byte_size).unwrap_or(u32::MAX)));
        }
        if self.out.int_id.is_none() && self.source.bytes(&name, &self.out.strings) == Some(b"int") {
            self.out.int_id = Some(id);
        }
        self.out.words.extend([name.to_word(), info(Kind::Int, 0, false), size, (flags << 24) | (size * 8)]);
        Ok(())
    }

    pub(super) fn modifier(
        &mut self,
        unit: &'a Unit,
        abbrev: &Abbrev,
        key: u32,
        c: &mut Cursor<'a>,
        kind: Kind,
    ) -> Result<(), DwarfError> {
        let target = self.target(unit, abbrev, c)?;
        self.plain(key, NameRef::NONE, kind, target)
    }

    /// A record of three words that leads to one other type.
    #[inline]
    fn plain(&mut self, key: u32, name: NameRef, kind: Kind, target: u32) -> Result<(), DwarfError> {
        let id = self.begin(key)?;
        if kind != Kind::Typedef {
            self.note_forward(id, key, target);
        }
        let first = self.out.words.len() as u32 + 2;
        self.out.words.extend([name.to_word(), info(kind, 0, false), target]);
        if target != 0 {
            self.s.refs.push(Refs { first, count: 1, step: 1 });
        }
        Ok(())
    }

    /// BTF has no pointers to members. One to data is as large as a pointer; one to a function is two words, which gcc and clang call so
    /// (Itanium C++ ABI, 2.3).
    pub(super) fn member_pointer(&mut self, unit: &Unit, key: u32) -> Result<(), DwarfError> {
        let target = self.link(unit, Slot::Type);
        let is_method = self.source.is_method_pointer(unit, &mut self.s.attrs);
        if is_method.is_none() {
            self.say(key, &format!("pointer to a member whose type has more than {MAX_NAMES} names: taken for one to data"));
        }
        if is_method != Some(true) {
            return self.plain(key, NameRef::NONE, Kind::Ptr, target);
        }
        let size = u32::from(unit.header.addr_size);
        let function = self.s.types.len() as u32 + 1;
        self.plain(0, NameRef::NONE, Kind::Ptr, target)?;
        let delta = self.begin(0)?;
        let name = self.out.strings.push(if size == 8 { b"long int" } else { b"int" });
        self.out.words.extend([name.to_word(), info(Kind::Int, 0, false), size, 1 << 24 | (size * 8)]);
        self.begin(key)?;
        let (pfn, adjustment) = (self.out.strings.push(b"__pfn"), self.out.strings.push(b"__delta"));
        self.out.words.extend([0, info(Kind::Struct, 2, false), 2 * size]);
        self.out.words.extend([pfn.to_word(), function, 0, adjustment.to_word(), delta, size * 8]);
        Ok(())
    }

    pub(super) fn typedef(&mut self, key: u32, name: NameRef, target: u32) -> Result<(), DwarfError> {
        if self.is_empty(name) {
            self.alias(key, target);
            return Ok(());
        }
        self.plain(key, name, Kind::Typedef, target)
    }

    pub(super) fn pointer(&mut self, unit: &'a Unit, abbrev: &Abbrev, key: u32, c: &mut Cursor<'a>) -> Result<(), DwarfError> {
        // An entry with a layout has no annotations.
        if short::leaf_layout(abbrev).is_some() || !abbrev.has_children && !self.options.type_tags {
            return self.modifier(unit, abbrev, key, c, Kind::Ptr);
        }
        unit.abbrevs.take(abbrev, c, &mut self.s.attrs)?;
        let target = self.link(unit, Slot::Type);
        if !self.options.type_tags {
            self.plain(key, NameRef::NONE, Kind::Ptr, target)?;
            return unit.skip_children(abbrev, c);
        }
        let chain = self.link(unit, Slot::Annotation);
        if !abbrev.has_children && chain == 0 {
            return self.plain(key, NameRef::NONE, Kind::Ptr, target);
        }
        self.open(Open { type_key: target, spec_key: chain, ..Open::of(Kind::Ptr) });
        self.descend_or_close(abbrev, Ctx::Pointer, key, What::Pointer)
    }

    /// A `btf_type_tag` among a pointer's children. They stand in source order, the one next to the `*` last: each wraps the one before.
    pub(super) fn type_tag(&mut self, unit: &Unit, key: u32) -> Result<(), DwarfError> {
        if self.source.string(unit, &self.s.attrs, Slot::Name) != Some(b"btf_type_tag") {
            return Ok(());
        }
        let value = self.name(unit, Slot::ConstValue);
        let (inner, target) = match self.s.open.last() {
            Some(o) => (o.tagged, o.type_key),
            None => return Ok(()),
        };
        let id = self.push_type_tag(key, value)?;
        if inner != 0 {
            self.out.words.push(inner);
        } else {
            self.push_ref(target);
        }
        if let Some(o) = self.s.open.last_mut() {
            o.tagged = id;
        }
        Ok(())
    }

    pub(super) fn push_type_tag(&mut self, key: u32, value: NameRef) -> Result<u32, DwarfError> {
        let id = self.begin(key)?;
        self.out.words.extend([value.to_word(), info(Kind::TypeTag, 0, false)]);
        Ok(id)
    }

    /// Type tags that hang on a pointer by `DW_AT_GNU_annotation`: the chain leads from the pointer to the pointee. Returns the id of
    /// the first, 0 for none.
    pub(super) fn type_tag_chain(&mut self, mut key: u32, target: u32) -> Result<u32, DwarfError> {
        let first = self.s.types.len() as u32 + 1;
        let mut count = 0;
        while key != 0 {
            let Some((name, value, next)) = self.annotation(key) else { break };
            if name != b"btf_type_tag" {
                break;
            }
            if count == declaration::MAX_CHAIN {
                self.say_long_chain(key);
                break;
            }
            let id = self.push_type_tag(0, value)?;
            // To the next of the chain; the last is corrected below.
            self.out.words.push(id + 1);
            count += 1;
            key = next;
        }
        if count == 0 {
            return Ok(0);
        }
        self.out.words.pop();
        self.push_ref(target);
        Ok(first)
    }

    pub(super) fn close_pointer(&mut self, frame: Frame) -> Result<(), DwarfError> {
        let Some(open) = self.s.open.pop() else { return Ok(()) };
        let mut tagged = open.tagged;
        if tagged == 0 && open.spec_key != 0 {
            tagged = self.type_tag_chain(open.spec_key, open.type_key)?;
        }
        let id = self.begin(frame.key)?;
        self.note_forward(id, frame.key, open.type_key);
        self.out.words.extend([0, info(Kind::Ptr, 0, false)]);
        if tagged == 0 {
            self.push_ref(open.type_key);
        } else {
            self.out.words.push(tagged);
        }
        Ok(())
    }

    pub(super) fn subrange(&mut self, unit: &'a Unit, abbrev: &Abbrev, key: u32, c: &mut Cursor<'a>) -> Result<(), DwarfError> {
        unit.abbrevs.take(abbrev, c, &mut self.s.attrs)?;
        let a = &self.s.attrs;
        let count = element_count(unit, a);
        if count > u64::from(u32::MAX) {
            let text = format!("array of {count} elements: BTF counts to 4294967295, the array is encoded as its element");
            self.say(key, &text);
            if let Some(open) = self.s.open.last_mut() {
                open.declaration = true;
            }
        }
        self.s.words_stack.push(count as u32);
        unit.skip_children(abbrev, c)
    }

    /// One ARRAY a dimension, the innermost (last) first, so that the array itself is the last of them.
    pub(super) fn close_array(&mut self, frame: Frame) -> Result<(), DwarfError> {
        let Some(open) = self.s.open.pop() else { return Ok(()) };
        let start = frame.start as usize;
        if open.declaration {
            self.s.words_stack.truncate(start);
            self.alias(frame.key, open.type_key);
            return Ok(());
        }
        self.out.has_array = true;
        let dimensions = self.s.words_stack.len() - start;
        let mut inner = 0;
        for d in (0..dimensions.max(1)).rev() {
            // Only the last has an entry of its own.
            let key = if d == 0 { frame.key } else { 0 };
            let count = self.s.words_stack.get(start + d).copied().unwrap_or(1);
            let id = self.begin(key)?;
            self.out.words.extend([0, info(Kind::Array, 0, false), 0]);
            if inner == 0 {
                self.note_forward(id, frame.key, open.type_key);
                self.push_ref(open.type_key);
            } else {
                self.out.words.push(inner);
            }
            self.out.words.extend([INDEX_TYPE, count]);
            inner = id;
        }
        self.s.words_stack.truncate(start);
        Ok(())
    }

    /// A text of fixed length (Fortran): an array of characters, of none where the length is not constant.
    pub(super) fn string_type(&mut self, key: u32) -> Result<(), DwarfError> {
        let bytes = number(&self.s.attrs, Slot::ByteSize).unwrap_or(0);
        let count = u32::try_from(bytes).unwrap_or_else(|_| {
            self.say(key, &format!("text of {bytes} characters: BTF counts to 4294967295, which is written"));
            u32::MAX
        });
        self.bytes(key, b"character", count)
    }

    /// A set (Pascal, Modula-2) or a file (Pascal): as many bytes as it has.
    pub(super) fn set_or_file(&mut self, unit: &Unit, key: u32) -> Result<(), DwarfError> {
        let Some(count) = number(&self.s.attrs, Slot::ByteSize).and_then(|bytes| u32::try_from(bytes).ok()) else {
            self.say(key, "set or file without a size of up to 4 GiB: taken for void");
            self.alias(key, 0);
            return Ok(());
        };
        let name = self.name(unit, Slot::Name);
        if self.is_empty(name) {
            return self.bytes(key, b"unsigned char", count);
        }
        self.bytes(0, b"unsigned char", count)?;
        let array = self.s.types.len() as u32;
        self.begin(key)?;
        self.out.words.extend([name.to_word(), info(Kind::Typedef, 0, false), array]);
        Ok(())
    }

    /// An array of integers of one byte.
    fn bytes(&mut self, key: u32, element: &[u8], count: u32) -> Result<(), DwarfError> {
        let name = self.out.strings.push(element);
        let element = self.begin(0)?;
        self.out.words.extend([name.to_word(), info(Kind::Int, 0, false), 1, 8]);
        self.begin(key)?;
        self.out.has_array = true;
        self.out.words.extend([0, info(Kind::Array, 0, false), 0, element, INDEX_TYPE, count]);
        Ok(())
    }

    /// A range that is a type of its own: a name of what it is a range of. Without that, it is an integer.
    pub(super) fn range(&mut self, unit: &Unit, key: u32) -> Result<(), DwarfError> {
        let name = self.name(unit, Slot::Name);
        if self.s.attrs.has(Slot::Type) {
            let target = self.link(unit, Slot::Type);
            return self.typedef(key, name, target);
        }
        // DWARF 5, 5.13: an integer of the language's choice, as large as an address.
        let bytes = number(&self.s.attrs, Slot::ByteSize).unwrap_or(unit.header.addr_size.into());
        let Some(size) = u32::try_from(bytes).ok().filter(|size| size.is_power_of_two() && *size <= 16) else {
            self.say(key, &format!("range of {bytes} bytes without a type: taken for void"));
            self.alias(key, 0);
            return Ok(());
        };
        let name = if self.is_empty(name) { self.out.strings.push(b"integer") } else { name };
        self.begin(key)?;
        self.out.words.extend([name.to_word(), info(Kind::Int, 0, false), size, 1 << 24 | (size * 8)]);
        Ok(())
    }

    pub(super) fn close_proto(&mut self, frame: Frame) -> Result<(), DwarfError> {
        let Some(open) = self.s.open.pop() else { return Ok(()) };
        let start = frame.start as usize;
        let count = ((self.s.words_stack.len() - start) / 2) as u32;
        let total = count + u32::from(open.variadic);
        let kept = total.min(MAX_VLEN);
        if kept < total {
            self.say(frame.key, &format!("{total} parameters: BTF counts to 65535, the rest is left out"));
        }
        let id = self.begin(frame.key)?;
        let params = self.s.words_stack[start..].chunks_exact(2).map(|param| param[1]);
        if let Some(target) = params.chain([open.type_key]).find(|&target| target >= frame.key && target < OUTER) {
            self.note_forward(id, frame.key, target);
        }
        self.out.words.extend([0, info(Kind::FuncProto, kept, false)]);
        self.push_ref(open.type_key);
        let params = count.min(kept);
        if params != 0 {
            self.s.refs.push(Refs { first: self.out.words.len() as u32 + 1, count: params as u16, step: 2 });
        }
        self.out.words.extend_from_slice(&self.s.words_stack[start..start + 2 * params as usize]);
        if open.variadic && total == kept {
            self.out.words.extend([0, 0]);
        }
        self.s.words_stack.truncate(start);
        Ok(())
    }
}
