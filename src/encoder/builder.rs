//! One walk over a unit's entries, making BTF records of its types and notes of its functions and variables.
//!
//! Types get their local ids in the order in which they are completed: a nested type before the one that holds it, types of a
//! function's body before the function. References stand in the records as keys of entries first and are resolved after the walk,
//! when every type has its id ([`super::resolve`]). The nesting lives in an explicit stack, since its depth is the input's choice.

use super::fragment::{DeclTag, Fragment, INDEX_TYPE, NameRef};
use super::merged::Deferred;
use super::options::{Abi, Options};
use super::source::SourceNames;
use crate::btf::Kind;
use crate::dwarf::DwarfError;
use crate::dwarf::abbrev::{Abbrev, Attrs, Block, Slot};
use crate::dwarf::cursor::Cursor;
use crate::dwarf::diemap::DieMap;
use crate::dwarf::expr::{Op, read_ops};
use crate::dwarf::loclist::Window;
use crate::dwarf::source::{Unit, element_count, number};
use gimli::constants as dw;
use std::ops::Range;

/// `DW_TAG_LLVM_annotation` and `DW_TAG_GNU_annotation`.
const LLVM_ANNOTATION: dw::DwTag = dw::DwTag(0x6000);
const GNU_ANNOTATION: dw::DwTag = dw::DwTag(0x6001);

/// What an entry with a key is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Die {
    /// Local id.
    Type(u32),
    /// Index in `aliases`.
    Alias(u32),
    /// Index in `params`.
    Param(u32),
    /// Index in `funcs`.
    Func(u32),
}

/// No index.
pub(super) const NOWHERE: u32 = u32::MAX;

/// A parameter, with what its location tells (see [`super::signature`]).
#[derive(Clone, Debug)]
pub(super) struct Param {
    pub key: u32,
    pub name: NameRef,
    /// Key of the type, 0 for none.
    pub type_key: u32,
    /// Local id, once resolved.
    pub type_id: u32,
    pub origin: u32,
    /// Index of the origin, [`NOWHERE`] until linked.
    pub origin_at: u32,
    /// Position in its function's list; -1 in subroutine types, -2 outside of any list.
    pub idx: i32,
    pub has_location: bool,
    pub has_const_value: bool,
    pub location: Option<(dw::DwForm, u64)>,
    pub loc: Location,
    /// In a unit that refers to others: what the location tells when the size is known only later.
    pub later: Option<Later>,
}

/// What a parameter's location tells, by the size of its type.
#[derive(Clone, Debug)]
pub(super) struct Later {
    /// Local id of the type; `None` when it is that of the parameter's origin.
    pub type_id: Option<u32>,
    /// For types larger than a register, where it differs from [`Param::loc`], which is for others.
    pub aggregate: Option<Box<Location>>,
}

/// Facts from a parameter's location, in the terms of the calling convention.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Location {
    /// DWARF register number, -1 when unknown.
    pub reg: i8,
    /// Of the parameter's type, 0 when unknown.
    pub byte_size: u32,
    pub in_memory: bool,
    pub is_const: bool,
    pub on_stack: bool,
    /// Bytes of the aggregate's first and second register that pieces name, one bit each.
    pub first_bytes: u64,
    pub second_bytes: u64,
    pub member: NameRef,
    pub member_type: u32,
    pub optimized: bool,
    pub unexpected_reg: bool,
}

impl Default for Location {
    fn default() -> Self {
        Location {
            reg: -1,
            byte_size: 0,
            in_memory: false,
            is_const: false,
            on_stack: false,
            first_bytes: 0,
            second_bytes: 0,
            member: NameRef::NONE,
            member_type: 0,
            optimized: false,
            unexpected_reg: false,
        }
    }
}

/// A subprogram.
#[derive(Clone, Debug)]
pub(super) struct Func {
    pub key: u32,
    pub name: NameRef,
    pub type_key: u32,
    pub type_id: u32,
    pub origin: u32,
    /// Index of the origin, [`NOWHERE`] until linked.
    pub origin_at: u32,
    pub specification: u32,
    pub addr: u64,
    pub declaration: bool,
    pub inlined: bool,
    pub has_origin: bool,
    /// Made by clang.
    pub clang: bool,
    pub variadic: bool,
    pub params: Range<u32>,
    pub annots: Range<u32>,
    pub signature_changed: bool,
    pub reordered: bool,
    pub optimized: bool,
    pub unexpected_reg: bool,
}

/// A variable of static storage at the top level.
#[derive(Clone, Debug)]
pub(super) struct Var {
    pub name: NameRef,
    pub type_key: u32,
    pub addr: u64,
    pub external: bool,
    pub annots: Range<u32>,
}

/// A bit-field whose place depends on the size of its type.
#[derive(Clone, Debug)]
pub(super) struct LateBitfield {
    /// Index of the member's offset word.
    pub word: u32,
    pub byte_offset: u32,
    pub bit_offset_attr: i64,
    pub bit_size: u32,
    /// From DW_AT_byte_size, 0 without it.
    pub byte_size: u32,
    /// Offset from the start of the struct already known (DW_AT_data_bit_offset).
    pub has_bit_offset: bool,
    pub in_record: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Ctx {
    Unit,
    Namespace,
    Class,
    Function,
    Lexblock,
    Subroutine,
    Enum,
    Array,
    Pointer,
    /// Only annotations count: of a member, a typedef, a variable or a parameter.
    Annotated,
}

#[derive(Clone, Copy, Debug)]
struct Frame {
    ctx: Ctx,
    /// Key of the entry whose children these are.
    key: u32,
    /// Start of the frame's share of `words_stack` (types) or `params_stack` (functions).
    start: u32,
    /// Start of the frame's share of `annots_stack`.
    annots: u32,
    /// What closes the frame: index in `open`, or the component index of [`Ctx::Annotated`].
    aux: i32,
    what: What,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum What {
    Nothing,
    Struct,
    Enum,
    Array,
    Pointer,
    Proto,
    Function,
    Typedef,
    Variable,
}

/// A type or function whose children are being read.
#[derive(Clone, Debug)]
struct Open {
    name: NameRef,
    kind: Kind,
    size: u64,
    declaration: bool,
    kflag: bool,
    vlen: u32,
    /// Count of members and base classes: the component index of annotations.
    members: i32,
    type_key: u32,
    spec_key: u32,
    variadic: bool,
    /// Of a pointer with type tags: the id of the outermost tag so far.
    tagged: u32,
    is_union: bool,
    /// Members, by position and entry's offset, that are too far from the start for a struct with bit-fields.
    far: Vec<(u32, u64)>,
    /// Length of `late_bitfields` when it was opened.
    late: usize,
    /// The language moves members: they are shown in the order of their places.
    by_offset: bool,
    func: Option<Box<Func>>,
}

/// Reusable state of one worker.
#[derive(Default)]
pub struct Scratch {
    pub(super) words_stack: Vec<u32>,
    params_stack: Vec<Param>,
    annots_stack: Vec<DeclTag>,
    frames: Vec<Frame>,
    open: Vec<Open>,
    pub(super) types: Vec<u32>,
    pub(super) aliases: Vec<(u32, u32)>,
    pub(super) params: Vec<Param>,
    pub(super) funcs: Vec<Func>,
    pub(super) vars: Vec<Var>,
    /// Words that hold keys of types.
    pub(super) refs: Vec<u32>,
    /// Names to take from the specification: (word, key).
    pub(super) spec_names: Vec<(u32, u32)>,
    pub(super) late_bitfields: Vec<LateBitfield>,
    /// ENUM64 records whose sign is that of their underlying type: (word of info, key).
    pub(super) enum_signs: Vec<(u32, u32)>,
    pub(super) map: DieMap,
    pub(super) attrs: Attrs,
    pub(super) other: Attrs,
    pub(super) ops: Vec<Op>,
    pub(super) entry_ops: Vec<Op>,
    pub(super) window: Window,
    pub(super) byte_sizes: Vec<u32>,
    pub(super) messages: Vec<String>,
    /// What depends on types of other units.
    pub(super) deferred: Vec<Deferred>,
}

impl Scratch {
    /// What was said of the units read last.
    pub fn messages(&mut self) -> &mut Vec<String> {
        &mut self.messages
    }

    pub(super) fn lookup(&self, key: u32) -> Option<Die> {
        let die = Die::unpack(self.map.get(key)?);
        let found = match die {
            Die::Type(id) => *self.types.get(id as usize - 1)?,
            Die::Alias(i) => self.aliases.get(i as usize)?.0,
            Die::Param(i) => self.params.get(i as usize)?.key,
            Die::Func(i) => self.funcs.get(i as usize)?.key,
        };
        // The map is never cleared between units: an entry counts when its owner agrees.
        (found == key).then_some(die)
    }

    fn clear(&mut self) {
        self.words_stack.clear();
        self.params_stack.clear();
        self.annots_stack.clear();
        self.frames.clear();
        self.open.clear();
        self.types.clear();
        self.aliases.clear();
        self.params.clear();
        self.funcs.clear();
        self.vars.clear();
        self.refs.clear();
        self.spec_names.clear();
        self.late_bitfields.clear();
        self.enum_signs.clear();
        self.window.clear();
        self.messages.clear();
    }
}

impl Die {
    fn pack(self) -> u32 {
        let (kind, n) = match self {
            Die::Type(n) => (0, n),
            Die::Alias(n) => (1, n),
            Die::Param(n) => (2, n),
            Die::Func(n) => (3, n),
        };
        kind << 30 | n
    }

    fn unpack(v: u32) -> Die {
        let n = v & 0x3fff_ffff;
        match v >> 30 {
            // Ids start at 1: an untouched slot of the map reads as an id that no entry has.
            0 => Die::Type(n.max(1)),
            1 => Die::Alias(n),
            2 => Die::Param(n),
            _ => Die::Func(n),
        }
    }
}

/// Most types, parameters or functions of one fragment.
const MAX_INDEX: u32 = 0x3fff_ffff;
/// BTF counts members in 16 bits.
const MAX_VLEN: u32 = 0xffff;
/// In structs with bit-fields, BTF counts members' offsets in 24 bits.
const MAX_BITFIELD_OFFSET: u32 = 0x00ff_ffff;

fn too_far(entry: u64, bits: u64, limit: u32) -> String {
    format!(".debug_info+{entry:#x}: member at bit {bits}: BTF counts to {limit} here, the member is left out")
}

pub(super) fn info(kind: Kind, vlen: u32, kflag: bool) -> u32 {
    u32::from(kflag) << 31 | (kind as u32) << 24 | vlen
}

/// Builds one fragment from the units of a source.
pub struct Builder<'a> {
    pub(super) source: SourceNames<'a>,
    pub(super) options: &'a Options,
    pub(super) abi: Abi,
    pub(super) s: &'a mut Scratch,
    pub(super) out: &'a mut Fragment,
}

impl<'a> Builder<'a> {
    pub fn new(
        source: SourceNames<'a>,
        options: &'a Options,
        abi: Abi,
        scratch: &'a mut Scratch,
        out: &'a mut Fragment,
    ) -> Builder<'a> {
        scratch.clear();
        scratch.map.prepare(source.buf.len());
        Builder { source, options, abi, s: scratch, out }
    }

    /// Reads the entries of one unit; `key` is that of its first child.
    pub fn walk(&mut self, unit: &'a Unit, key: u32) -> Result<(), DwarfError> {
        let mut c = self.source.cursor(unit, key);
        self.push_frame(Ctx::Unit, key, What::Nothing, -1);
        while !self.s.frames.is_empty() {
            let key = c.pos() as u32;
            // A unit may end without the terminators of its last lists.
            let code = if c.is_empty() { 0 } else { c.uleb()? };
            if code == 0 {
                self.close(unit)?;
                continue;
            }
            let Some(abbrev) = unit.abbrevs.get(code) else {
                return Err(c.invalid("an abbreviation code of the unit's table", code));
            };
            self.entry(unit, abbrev, key, &mut c)?;
        }
        Ok(())
    }

    fn push_frame(&mut self, ctx: Ctx, key: u32, what: What, aux: i32) {
        let start = match ctx {
            Ctx::Function | Ctx::Subroutine => self.s.params_stack.len(),
            _ => self.s.words_stack.len(),
        } as u32;
        let annots = self.s.annots_stack.len() as u32;
        self.s.frames.push(Frame { ctx, key, start, annots, aux, what });
    }

    /// One entry, the cursor standing behind its code.
    fn entry(&mut self, unit: &'a Unit, abbrev: &Abbrev, key: u32, c: &mut Cursor<'a>) -> Result<(), DwarfError> {
        let ctx = self.s.frames.last().expect("the loop ends with the last frame").ctx;
        let tag = abbrev.tag;
        match ctx {
            Ctx::Class => match tag {
                dw::DW_TAG_member | dw::DW_TAG_inheritance => return self.member(unit, abbrev, key, c),
                LLVM_ANNOTATION | GNU_ANNOTATION => {
                    unit.abbrevs.take(abbrev, c, &mut self.s.attrs)?;
                    self.decl_tag(unit, -1);
                    return self.skip_children(unit, abbrev, c);
                }
                dw::DW_TAG_template_type_parameter
                | dw::DW_TAG_template_value_parameter
                | dw::DW_TAG_GNU_template_parameter_pack
                | dw::DW_TAG_variant_part => return self.skip_entry(unit, abbrev, c),
                dw::DW_TAG_GNU_formal_parameter_pack | dw::DW_TAG_GNU_template_template_param | dw::DW_TAG_subrange_type => {
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
                dw::DW_TAG_lexical_block => {
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
                    return self.skip_children(unit, abbrev, c);
                }
                dw::DW_TAG_GNU_template_template_param => return self.unsupported(unit, abbrev, key, c),
                _ => {}
            },
            Ctx::Subroutine => match tag {
                dw::DW_TAG_formal_parameter => return self.parameter(unit, abbrev, key, c),
                dw::DW_TAG_unspecified_parameters => {
                    if let Some(open) = self.s.open.last_mut() {
                        open.variadic = true;
                    }
                    return self.skip_entry(unit, abbrev, c);
                }
                dw::DW_TAG_subrange_type => return self.unsupported(unit, abbrev, key, c),
                _ => {}
            },
            Ctx::Enum => match tag {
                dw::DW_TAG_enumerator => return self.enumerator(unit, abbrev, c),
                dw::DW_TAG_subprogram => self.method_of_enum(),
                _ => return self.skip_entry(unit, abbrev, c),
            },
            Ctx::Array => {
                if tag == dw::DW_TAG_subrange_type {
                    return self.subrange(unit, abbrev, key, c);
                }
                return self.skip_entry(unit, abbrev, c);
            }
            Ctx::Pointer => {
                if matches!(tag, LLVM_ANNOTATION | GNU_ANNOTATION) {
                    unit.abbrevs.take(abbrev, c, &mut self.s.attrs)?;
                    self.type_tag(unit, key)?;
                    return self.skip_children(unit, abbrev, c);
                }
                return self.skip_entry(unit, abbrev, c);
            }
            Ctx::Annotated => {
                if matches!(tag, LLVM_ANNOTATION | GNU_ANNOTATION) {
                    let component = self.s.frames.last().map_or(-1, |f| f.aux);
                    unit.abbrevs.take(abbrev, c, &mut self.s.attrs)?;
                    self.decl_tag(unit, component);
                    return self.skip_children(unit, abbrev, c);
                }
                return self.skip_entry(unit, abbrev, c);
            }
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
            // BTF knows neither references nor pointers to members; in memory they are pointers.
            dw::DW_TAG_reference_type | dw::DW_TAG_rvalue_reference_type | dw::DW_TAG_ptr_to_member_type => {
                self.modifier(unit, abbrev, key, c, Kind::Ptr)?;
            }
            dw::DW_TAG_atomic_type => {
                unit.abbrevs.take(abbrev, c, &mut self.s.attrs)?;
                let target = self.source.reference(unit, &self.s.attrs, Slot::Type);
                self.alias(key, target);
            }
            dw::DW_TAG_unspecified_type | dw::DW_TAG_string_type => {
                unit.abbrevs.skip(abbrev, c)?;
                self.alias(key, 0);
            }
            dw::DW_TAG_pointer_type => return self.pointer(unit, abbrev, key, c),
            dw::DW_TAG_typedef => {
                unit.abbrevs.take(abbrev, c, &mut self.s.attrs)?;
                self.typedef(unit, key)?;
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
                unit.abbrevs.take(abbrev, c, &mut self.s.attrs)?;
                let element = self.source.reference(unit, &self.s.attrs, Slot::Type);
                self.open(Open { type_key: element, ..Open::of(Kind::Array) });
                return self.descend_or_close(unit, abbrev, Ctx::Array, key, What::Array);
            }
            dw::DW_TAG_subroutine_type => {
                unit.abbrevs.take(abbrev, c, &mut self.s.attrs)?;
                let result = self.source.reference(unit, &self.s.attrs, Slot::Type);
                self.open(Open { type_key: result, ..Open::of(Kind::FuncProto) });
                return self.descend_or_close(unit, abbrev, Ctx::Subroutine, key, What::Proto);
            }
            dw::DW_TAG_subprogram => return self.subprogram(unit, abbrev, key, c),
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
        self.skip_children(unit, abbrev, c)
    }

    /// Says that an entry is not understood, and passes it.
    fn unsupported(&mut self, unit: &'a Unit, abbrev: &Abbrev, key: u32, c: &mut Cursor<'a>) -> Result<(), DwarfError> {
        let offset = self.source.offset(key);
        self.s.messages.push(format!(
            ".debug_info+{offset:#x}: {} is not supported here, left out",
            abbrev.tag.static_string().unwrap_or("unknown tag")
        ));
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
        self.skip_children(unit, abbrev, c)
    }

    fn skip_children(&mut self, unit: &'a Unit, abbrev: &Abbrev, c: &mut Cursor<'a>) -> Result<(), DwarfError> {
        let mut depth = u64::from(abbrev.has_children);
        while depth > 0 && !c.is_empty() {
            let code = c.uleb()?;
            if code == 0 {
                depth -= 1;
                continue;
            }
            let Some(abbrev) = unit.abbrevs.get(code) else {
                return Err(c.invalid("an abbreviation code of the unit's table", code));
            };
            unit.abbrevs.skip(abbrev, c)?;
            depth += u64::from(abbrev.has_children);
        }
        Ok(())
    }

    fn open(&mut self, open: Open) {
        self.s.open.push(open);
    }

    /// Goes into the children of the entry just opened, or closes it where it has none.
    fn descend_or_close(&mut self, unit: &'a Unit, abbrev: &Abbrev, ctx: Ctx, key: u32, what: What) -> Result<(), DwarfError> {
        self.push_frame(ctx, key, what, self.s.open.len() as i32 - 1);
        if abbrev.has_children { Ok(()) } else { self.close(unit) }
    }

    // Records.

    /// Starts a record: the type `key` gets the next id.
    fn begin(&mut self, key: u32) -> Result<u32, DwarfError> {
        let id = self.s.types.len() as u32 + 1;
        if id > MAX_INDEX {
            return Err(DwarfError::Invalid {
                section: ".debug_info",
                offset: self.source.offset(key),
                expected: "fewer than 2^30 types",
                found: u64::from(id),
            });
        }
        self.s.types.push(key);
        self.s.map.set(key, Die::Type(id).pack());
        self.out.starts.push(self.out.words.len() as u32);
        Ok(id)
    }

    /// A word that holds the key of a type, to be resolved.
    fn push_ref(&mut self, key: u32) {
        if key != 0 {
            self.s.refs.push(self.out.words.len() as u32);
        }
        self.out.words.push(key);
    }

    fn alias(&mut self, key: u32, target: u32) {
        let index = self.s.aliases.len() as u32;
        self.s.aliases.push((key, target));
        self.s.map.set(key, Die::Alias(index.min(MAX_INDEX)).pack());
    }

    fn name(&mut self, unit: &Unit, slot: Slot) -> NameRef {
        self.source.name(unit, &self.s.attrs, slot, &mut self.out.strings)
    }

    /// No name, or the empty one.
    fn is_empty(&self, name: NameRef) -> bool {
        name.is_none() || self.source.bytes(name, &self.out.strings).is_none_or(<[u8]>::is_empty)
    }

    fn base_type(&mut self, unit: &Unit, key: u32) -> Result<(), DwarfError> {
        let mut name = self.name(unit, Slot::Name);
        let byte_size = number(&self.s.attrs, Slot::ByteSize).unwrap_or(0);
        let encoding = dw::DwAte(number(&self.s.attrs, Slot::Encoding).unwrap_or(0) as u8);
        let bits = byte_size.wrapping_mul(8) as u16;
        let mut size = u32::from(bits).div_ceil(8);
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
        // Sizes that BTF integers cannot have come from location expressions' conversions; nothing else refers to them.
        if !size.is_power_of_two() || size > 16 || self.is_empty(name) {
            name = self.out.strings.push(b"__SANITIZED_FAKE_INT__");
            size = if size.is_power_of_two() && size <= 16 { size } else { 4 };
        }
        let id = self.begin(key)?;
        if self.out.int_id.is_none() && self.source.bytes(name, &self.out.strings) == Some(b"int") {
            self.out.int_id = Some(id);
        }
        self.out.words.extend([name.to_word(), info(Kind::Int, 0, false), size, flags << 24 | size * 8]);
        Ok(())
    }

    fn modifier(&mut self, unit: &'a Unit, abbrev: &Abbrev, key: u32, c: &mut Cursor<'a>, kind: Kind) -> Result<(), DwarfError> {
        unit.abbrevs.take(abbrev, c, &mut self.s.attrs)?;
        let target = self.source.reference(unit, &self.s.attrs, Slot::Type);
        self.begin(key)?;
        self.out.words.extend([0, info(kind, 0, false)]);
        self.push_ref(target);
        Ok(())
    }

    fn typedef(&mut self, unit: &Unit, key: u32) -> Result<(), DwarfError> {
        let name = self.name(unit, Slot::Name);
        let target = self.source.reference(unit, &self.s.attrs, Slot::Type);
        if self.is_empty(name) {
            self.alias(key, target);
            return Ok(());
        }
        self.begin(key)?;
        self.out.words.extend([name.to_word(), info(Kind::Typedef, 0, false)]);
        self.push_ref(target);
        Ok(())
    }

    fn pointer(&mut self, unit: &'a Unit, abbrev: &Abbrev, key: u32, c: &mut Cursor<'a>) -> Result<(), DwarfError> {
        if !abbrev.has_children && !self.options.type_tags {
            return self.modifier(unit, abbrev, key, c, Kind::Ptr);
        }
        unit.abbrevs.take(abbrev, c, &mut self.s.attrs)?;
        let target = self.source.reference(unit, &self.s.attrs, Slot::Type);
        if !self.options.type_tags {
            self.plain_pointer(key, target)?;
            return self.skip_children(unit, abbrev, c);
        }
        let chain = self.source.reference(unit, &self.s.attrs, Slot::Annotation);
        if !abbrev.has_children && chain == 0 {
            return self.plain_pointer(key, target);
        }
        self.open(Open { type_key: target, spec_key: chain, ..Open::of(Kind::Ptr) });
        self.descend_or_close(unit, abbrev, Ctx::Pointer, key, What::Pointer)
    }

    fn plain_pointer(&mut self, key: u32, target: u32) -> Result<(), DwarfError> {
        self.begin(key)?;
        self.out.words.extend([0, info(Kind::Ptr, 0, false)]);
        self.push_ref(target);
        Ok(())
    }

    /// A `btf_type_tag` among a pointer's children. They stand in source order, the one next to the `*` last: each wraps the one before.
    fn type_tag(&mut self, unit: &Unit, key: u32) -> Result<(), DwarfError> {
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

    fn push_type_tag(&mut self, key: u32, value: NameRef) -> Result<u32, DwarfError> {
        let id = self.begin(key)?;
        self.out.words.extend([value.to_word(), info(Kind::TypeTag, 0, false)]);
        Ok(id)
    }

    /// The annotation with `key`: its name's bytes, value and the annotation it leads to.
    fn annotation(&mut self, key: u32) -> Option<(&'a [u8], NameRef, u32)> {
        let (unit, abbrev) = self.source.entry(key, &mut self.s.other)?;
        if abbrev.tag != GNU_ANNOTATION {
            return None;
        }
        let name = self.source.string(unit, &self.s.other, Slot::Name)?;
        let value = self.source.name(unit, &self.s.other, Slot::ConstValue, &mut self.out.strings);
        Some((name, value, self.source.reference(unit, &self.s.other, Slot::Annotation)))
    }

    /// Decl tags that hang on an entry by `DW_AT_GNU_annotation`.
    fn annotation_chain(&mut self, mut key: u32, component: i32) {
        // A chain longer than this goes in a circle.
        for _ in 0..1024 {
            if key == 0 {
                return;
            }
            let Some((name, value, next)) = self.annotation(key) else { return };
            if name == b"btf_decl_tag" && self.options.decl_tags {
                self.s.annots_stack.push(DeclTag { type_id: 0, value, component_idx: component });
            }
            key = next;
        }
    }

    /// A `btf_decl_tag` among children, its attributes just read.
    fn decl_tag(&mut self, unit: &Unit, component: i32) {
        if !self.options.decl_tags || self.source.string(unit, &self.s.attrs, Slot::Name) != Some(b"btf_decl_tag") {
            return;
        }
        let value = self.name(unit, Slot::ConstValue);
        self.s.annots_stack.push(DeclTag { type_id: 0, value, component_idx: component });
    }

    fn structure(&mut self, unit: &'a Unit, abbrev: &Abbrev, key: u32, c: &mut Cursor<'a>) -> Result<(), DwarfError> {
        unit.abbrevs.take(abbrev, c, &mut self.s.attrs)?;
        if self.is_in_type_unit(unit, key) {
            return self.skip_children(unit, abbrev, c);
        }
        let name = self.name(unit, Slot::Name);
        let a = &self.s.attrs;
        let is_union = abbrev.tag == dw::DW_TAG_union_type;
        let open = Open {
            name,
            size: number(a, Slot::ByteSize).unwrap_or(0),
            declaration: number(a, Slot::Declaration).unwrap_or(0) != 0,
            spec_key: self.source.reference(unit, a, Slot::Specification),
            type_key: self.source.reference(unit, a, Slot::Annotation),
            is_union,
            late: self.s.late_bitfields.len(),
            by_offset: unit.language == u32::from(dw::DW_LANG_Rust.0),
            ..Open::of(if is_union { Kind::Union } else { Kind::Struct })
        };
        self.open(open);
        self.descend_or_close(unit, abbrev, Ctx::Class, key, What::Struct)
    }

    /// A stand-in for a type that is in a type unit is that type; its own children repeat names at most.
    fn is_in_type_unit(&mut self, unit: &Unit, key: u32) -> bool {
        if !self.s.attrs.has(Slot::Signature) {
            return false;
        }
        let target = self.source.reference(unit, &self.s.attrs, Slot::Signature);
        if target != 0 {
            self.alias(key, target);
        }
        target != 0
    }

    fn member(&mut self, unit: &'a Unit, abbrev: &Abbrev, key: u32, c: &mut Cursor<'a>) -> Result<(), DwarfError> {
        unit.abbrevs.take(abbrev, c, &mut self.s.attrs)?;
        let Some(open) = self.s.open.last_mut() else { return self.skip_children(unit, abbrev, c) };
        let component = open.members;
        open.members += 1;
        let chain = self.source.reference(unit, &self.s.attrs, Slot::Annotation);
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

    fn data_member(&mut self, unit: &Unit, key: u32) {
        let name = self.name(unit, Slot::Name);
        let type_key = self.source.reference(unit, &self.s.attrs, Slot::Type);
        let bit_size = number(&self.s.attrs, Slot::BitSize).unwrap_or(0) as u32;
        let byte_size = number(&self.s.attrs, Slot::ByteSize).unwrap_or(0) as u32;
        let has_bit_offset = self.s.attrs.has(Slot::DataBitOffset);
        let byte_offset = if has_bit_offset { 0 } else { self.member_offset(unit, Slot::MemberLocation) };
        let bit_offset =
            if has_bit_offset { self.member_offset(unit, Slot::DataBitOffset) } else { byte_offset.saturating_mul(8) };
        let bit_offset_attr = number(&self.s.attrs, Slot::BitOffset).unwrap_or(0) as i64;
        let offset = self.source.offset(key);
        let open = self.s.open.last_mut().expect("members stand in structs");
        if open.vlen == MAX_VLEN {
            let what = "more than 65535 members: the rest is left out";
            self.s.messages.push(format!(".debug_info+{offset:#x}: {what}"));
            open.vlen += 1;
        }
        if open.vlen > MAX_VLEN {
            return;
        }
        let is_bitfield = bit_size != 0;
        let limit = if is_bitfield { MAX_BITFIELD_OFFSET } else { u32::MAX };
        let Some(bit_offset) = u32::try_from(bit_offset).ok().filter(|&bits| bits <= limit) else {
            self.s.messages.push(too_far(offset, bit_offset, limit));
            return;
        };
        let byte_offset = byte_offset as u32;
        open.vlen += 1;
        open.kflag |= is_bitfield || bit_offset % 8 != 0;
        if bit_offset > MAX_BITFIELD_OFFSET {
            open.far.push((open.vlen - 1, offset));
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

    /// A member's offset: a constant, or the expressions that compilers have used for one.
    fn member_offset(&mut self, unit: &Unit, slot: Slot) -> u64 {
        if let Some(v) = number(&self.s.attrs, slot) {
            return v;
        }
        let Some(block) = self.s.attrs.block(slot) else { return 0 };
        if self.expression(unit, self.source.buf, block).is_err() {
            return 0;
        }
        match self.s.ops.first() {
            Some(op) if matches!(op.code, dw::DW_OP_plus_uconst | dw::DW_OP_constu) => op.operand,
            Some(op) => {
                self.s.messages.push(format!("dwarf_expr: unhandled {:#x} DW_OP_ operation", op.code.0));
                u64::MAX
            }
            None => 0,
        }
    }

    /// Reads an expression of the unit into `ops`.
    pub(super) fn expression(&mut self, unit: &Unit, buf: &[u8], block: Block) -> Result<(), DwarfError> {
        let h = &unit.header;
        let ref_size = if h.version == 2 { h.addr_size } else { h.offset_size };
        read_ops(
            buf,
            block.start as usize,
            block.len as usize,
            self.source.file.is_big_endian(),
            h.addr_size,
            ref_size,
            ".debug_info",
            &mut self.s.ops,
        )
    }

    fn enumeration(&mut self, unit: &'a Unit, abbrev: &Abbrev, key: u32, c: &mut Cursor<'a>) -> Result<(), DwarfError> {
        unit.abbrevs.take(abbrev, c, &mut self.s.attrs)?;
        if self.is_in_type_unit(unit, key) {
            return self.skip_children(unit, abbrev, c);
        }
        let name = self.name(unit, Slot::Name);
        let size = match number(&self.s.attrs, Slot::ByteSize).unwrap_or(0) {
            0 => 4,
            n => n,
        };
        let kind = if size <= 4 || !self.options.enum64 { Kind::Enum } else { Kind::Enum64 };
        let open = Open {
            name,
            size,
            type_key: self.source.reference(unit, &self.s.attrs, Slot::Type),
            spec_key: self.source.reference(unit, &self.s.attrs, Slot::Specification),
            ..Open::of(kind)
        };
        self.open(open);
        self.descend_or_close(unit, abbrev, Ctx::Enum, key, What::Enum)
    }

    fn enumerator(&mut self, unit: &'a Unit, abbrev: &Abbrev, c: &mut Cursor<'a>) -> Result<(), DwarfError> {
        unit.abbrevs.take(abbrev, c, &mut self.s.attrs)?;
        let name = self.name(unit, Slot::Name);
        let value = number(&self.s.attrs, Slot::ConstValue).unwrap_or(0);
        let is_empty = self.is_empty(name);
        if let Some(open) = self.s.open.last_mut() {
            if is_empty {
                // BTF has no enumerators without a name, and nothing can refer to one.
                return self.skip_children(unit, abbrev, c);
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
                self.s.messages.push("enumeration with more than 65535 enumerators: the rest is left out".to_string());
            }
        }
        self.skip_children(unit, abbrev, c)
    }

    /// BTF enumerations have no functions in them; the function itself is encoded where it has a symbol.
    fn method_of_enum(&mut self) {
        if let Some(open) = self.s.open.last() {
            self.out.enums_with_functions.push(open.name);
        }
    }

    fn subrange(&mut self, unit: &'a Unit, abbrev: &Abbrev, key: u32, c: &mut Cursor<'a>) -> Result<(), DwarfError> {
        unit.abbrevs.take(abbrev, c, &mut self.s.attrs)?;
        let a = &self.s.attrs;
        let count = element_count(unit, a);
        if count > u64::from(u32::MAX) {
            let offset = self.source.offset(key);
            self.s.messages.push(format!(
                ".debug_info+{offset:#x}: array of {count} elements: BTF counts to 4294967295, the array is encoded as its element"
            ));
            if let Some(open) = self.s.open.last_mut() {
                open.declaration = true;
            }
        }
        self.s.words_stack.push(count as u32);
        self.skip_children(unit, abbrev, c)
    }

    fn parameter(&mut self, unit: &'a Unit, abbrev: &Abbrev, key: u32, c: &mut Cursor<'a>) -> Result<(), DwarfError> {
        unit.abbrevs.take(abbrev, c, &mut self.s.attrs)?;
        let name = self.name(unit, Slot::Name);
        let (ctx, start) = match self.s.frames.last() {
            Some(f) => (f.ctx, f.start as usize),
            None => return Ok(()),
        };
        let a = &self.s.attrs;
        let mut param = Param {
            key,
            name,
            type_key: self.source.reference(unit, a, Slot::Type),
            type_id: 0,
            origin: self.source.reference(unit, a, Slot::AbstractOrigin),
            origin_at: NOWHERE,
            idx: -1,
            has_location: a.has(Slot::Location),
            has_const_value: a.has(Slot::ConstValue),
            location: a.get(Slot::Location),
            loc: Location::default(),
            later: None,
        };
        let chain = self.source.reference(unit, a, Slot::Annotation);
        match ctx {
            Ctx::Lexblock => {
                param.idx = -2;
                param.has_location = false;
                param.has_const_value = false;
                self.register_param(param)?;
                return self.skip_children(unit, abbrev, c);
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
            _ => {
                self.s.params_stack.push(param);
                self.skip_children(unit, abbrev, c)
            }
        }
    }

    fn register_param(&mut self, param: Param) -> Result<(), DwarfError> {
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

    fn subprogram(&mut self, unit: &'a Unit, abbrev: &Abbrev, key: u32, c: &mut Cursor<'a>) -> Result<(), DwarfError> {
        unit.abbrevs.take(abbrev, c, &mut self.s.attrs)?;
        let name = self.name(unit, Slot::Name);
        let a = &self.s.attrs;
        let mut func = Func {
            key,
            name,
            type_key: self.source.reference(unit, a, Slot::Type),
            type_id: 0,
            origin: self.source.reference(unit, a, Slot::AbstractOrigin),
            origin_at: NOWHERE,
            specification: self.source.reference(unit, a, Slot::Specification),
            addr: self.source.address(unit, a, Slot::LowPc).unwrap_or(0),
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
        let chain = self.source.reference(unit, a, Slot::Annotation);
        if unit.producer_clang && !func.inlined {
            // clang marks a function that no longer follows its convention.
            let convention = if func.has_origin {
                self.source.entry(func.origin, &mut self.s.other).and_then(|_| number(&self.s.other, Slot::CallingConvention))
            } else {
                number(&self.s.attrs, Slot::CallingConvention)
            };
            func.signature_changed = convention == Some(u64::from(dw::DW_CC_nocall.0));
        }
        self.open(Open { func: Some(Box::new(func)), type_key: chain, ..Open::of(Kind::Func) });
        self.descend_or_close(unit, abbrev, Ctx::Function, key, What::Function)
    }

    /// A variable at the top level, if it is one that has a place in memory.
    fn variable(&mut self, unit: &Unit) {
        let start = self.out.annots.len() as u32;
        // Annotations of a variable that is not kept are dropped when its frame closes.
        let Some(mut var) = self.static_variable(unit) else { return };
        var.annots = start..start;
        self.s.vars.push(var);
    }

    fn static_variable(&mut self, unit: &Unit) -> Option<Var> {
        let a = &self.s.attrs;
        if a.has(Slot::Declaration) || a.has(Slot::Artificial) {
            return None;
        }
        let block = a.block(Slot::Location)?;
        let spec = self.source.reference(unit, a, Slot::Specification);
        let external = a.has(Slot::External);
        let type_key = self.source.reference(unit, a, Slot::Type);
        self.expression(unit, self.source.buf, block).ok()?;
        let first = self.s.ops.first()?;
        let mut addr = match first.code {
            dw::DW_OP_addr => first.operand,
            dw::DW_OP_addrx | dw::DW_OP_GNU_addr_index => self.source.address_at(unit, first.operand)?,
            _ => return None,
        };
        if let [_, plus] = self.s.ops.as_slice() {
            if plus.code == dw::DW_OP_plus_uconst {
                addr = addr.wrapping_add(plus.operand);
            }
        }
        if spec != 0 {
            // Name, type and linkage stand where it was declared.
            if let Some((unit, abbrev)) = self.source.entry(spec, &mut self.s.other) {
                if matches!(abbrev.tag, dw::DW_TAG_variable | dw::DW_TAG_member) {
                    let name = self.source.name(unit, &self.s.other, Slot::Name, &mut self.out.strings);
                    let type_key = self.source.reference(unit, &self.s.other, Slot::Type);
                    let external = self.s.other.has(Slot::External);
                    return Some(Var { name, type_key, addr, external, annots: 0..0 });
                }
            }
        }
        let name = self.name(unit, Slot::Name);
        Some(Var { name, type_key, addr, external, annots: 0..0 })
    }

    // Closing.

    /// The end of the innermost list of children.
    fn close(&mut self, unit: &'a Unit) -> Result<(), DwarfError> {
        let Some(frame) = self.s.frames.pop() else { return Ok(()) };
        match frame.what {
            What::Nothing => Ok(()),
            What::Struct => self.close_struct(frame),
            What::Enum => self.close_enum(frame),
            What::Array => self.close_array(frame),
            What::Pointer => self.close_pointer(frame),
            What::Proto => self.close_proto(frame),
            What::Function => self.close_function(frame),
            What::Typedef => {
                if let Some(Die::Type(id)) = self.s.lookup(frame.key) {
                    self.take_decl_tags(frame.annots, id);
                }
                self.s.annots_stack.truncate(frame.annots as usize);
                Ok(())
            }
            What::Variable => {
                self.close_variable(unit, frame);
                Ok(())
            }
        }
    }

    fn take_decl_tags(&mut self, from: u32, id: u32) {
        let tags = self.s.annots_stack.drain(from as usize..);
        self.out.decl_tags.extend(tags.map(|t| DeclTag { type_id: id, ..t }));
    }

    fn close_struct(&mut self, frame: Frame) -> Result<(), DwarfError> {
        let Some(open) = self.s.open.pop() else { return Ok(()) };
        if open.type_key != 0 {
            self.annotation_chain(open.type_key, -1);
        }
        let start = frame.start as usize;
        if open.kflag {
            self.drop_far_members(&open, start);
        }
        let vlen = ((self.s.words_stack.len() - start) / 3) as u32;
        let no_name = open.name.is_none();
        if open.declaration {
            // Bit-fields of a struct that turned out to be a declaration have no place.
            self.s.late_bitfields.truncate(open.late);
            self.s.words_stack.truncate(start);
            let spec_named = no_name && open.spec_key != 0;
            if self.is_empty(open.name) && !spec_named {
                // Nothing can be said of a declaration without a name.
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
            let offset = self.source.offset(frame.key);
            self.s.messages.push(format!(
                ".debug_info+{offset:#x}: size of {} bytes: BTF counts to 4294967295, which is written",
                open.size
            ));
            u32::MAX
        });
        let id = self.begin(frame.key)?;
        self.name_from_spec(&open);
        self.out.words.extend([open.name.to_word(), info(open.kind, vlen, open.kflag), size]);
        if open.by_offset {
            sort_by_offset(&mut self.s.words_stack[start..]);
        }
        let first = self.out.words.len() as u32;
        for (i, m) in self.s.words_stack[start..].chunks_exact(3).enumerate() {
            if m[1] != 0 {
                self.s.refs.push(first + 3 * i as u32 + 1);
            }
        }
        self.out.words.extend_from_slice(&self.s.words_stack[start..]);
        self.s.words_stack.truncate(start);
        // Inner structs are closed and have placed theirs: what has no place yet is this struct's.
        for late in &mut self.s.late_bitfields[open.late..] {
            if late.word == u32::MAX {
                late.word = first + 3 * late.in_record + 2;
            }
        }
        self.take_decl_tags(frame.annots, id);
        Ok(())
    }

    /// In a struct with bit-fields, offsets have 24 bits: leaves out what is beyond.
    fn drop_far_members(&mut self, open: &Open, start: usize) {
        for &(at, offset) in open.far.iter().rev() {
            let row = start + 3 * at as usize;
            let bits = u64::from(self.s.words_stack[row + 2]);
            self.s.messages.push(too_far(offset, bits, MAX_BITFIELD_OFFSET));
            self.s.words_stack.drain(row..row + 3);
            for late in self.s.late_bitfields[open.late..].iter_mut().filter(|l| l.word == u32::MAX && l.in_record > at) {
                late.in_record -= 1;
            }
        }
    }

    /// Has the name word that comes next filled in from the specification.
    fn name_from_spec(&mut self, open: &Open) {
        if open.name.is_none() && open.spec_key != 0 {
            self.s.spec_names.push((self.out.words.len() as u32, open.spec_key));
        }
    }

    fn close_enum(&mut self, frame: Frame) -> Result<(), DwarfError> {
        let Some(open) = self.s.open.pop() else { return Ok(()) };
        let start = frame.start as usize;
        let size = match open.size {
            n @ (1 | 2 | 4 | 8) => n as u32,
            _ => 4,
        };
        self.begin(frame.key)?;
        self.name_from_spec(&open);
        if open.kind == Kind::Enum64 && open.type_key != 0 {
            self.s.enum_signs.push((self.out.words.len() as u32 + 1, open.type_key));
        }
        self.out.words.extend([open.name.to_word(), info(open.kind, open.vlen.min(MAX_VLEN), open.kflag), size]);
        self.out.words.extend_from_slice(&self.s.words_stack[start..]);
        self.s.words_stack.truncate(start);
        Ok(())
    }

    /// One ARRAY a dimension, the innermost (last) first, so that the array itself is the last of them.
    fn close_array(&mut self, frame: Frame) -> Result<(), DwarfError> {
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

    fn close_pointer(&mut self, frame: Frame) -> Result<(), DwarfError> {
        let Some(open) = self.s.open.pop() else { return Ok(()) };
        let mut tagged = open.tagged;
        if tagged == 0 && open.spec_key != 0 {
            tagged = self.type_tag_chain(open.spec_key, open.type_key)?;
        }
        self.begin(frame.key)?;
        self.out.words.extend([0, info(Kind::Ptr, 0, false)]);
        if tagged == 0 {
            self.push_ref(open.type_key);
        } else {
            self.out.words.push(tagged);
        }
        Ok(())
    }

    /// Type tags that hang on a pointer by `DW_AT_GNU_annotation`: the chain leads from the pointer to the pointee. Returns the id of
    /// the first, 0 for none.
    fn type_tag_chain(&mut self, mut key: u32, target: u32) -> Result<u32, DwarfError> {
        let first = self.s.types.len() as u32 + 1;
        let mut count = 0;
        for _ in 0..1024 {
            if key == 0 {
                break;
            }
            let Some((name, value, next)) = self.annotation(key) else { break };
            if name != b"btf_type_tag" {
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

    fn close_proto(&mut self, frame: Frame) -> Result<(), DwarfError> {
        let Some(open) = self.s.open.pop() else { return Ok(()) };
        let start = frame.start as usize;
        let count = (self.s.params_stack.len() - start) as u32;
        let total = count + u32::from(open.variadic);
        let kept = total.min(MAX_VLEN);
        self.begin(frame.key)?;
        self.out.words.extend([0, info(Kind::FuncProto, kept, false)]);
        self.push_ref(open.type_key);
        for i in 0..count.min(kept) as usize {
            let (name, type_key) = {
                let p = &self.s.params_stack[start + i];
                (p.name, p.type_key)
            };
            self.out.words.push(name.to_word());
            self.push_ref(type_key);
        }
        if open.variadic && total == kept {
            self.out.words.extend([0, 0]);
        }
        self.s.params_stack.truncate(start);
        Ok(())
    }

    fn close_function(&mut self, frame: Frame) -> Result<(), DwarfError> {
        let Some(open) = self.s.open.pop() else { return Ok(()) };
        if open.type_key != 0 {
            self.annotation_chain(open.type_key, -1);
        }
        let Some(mut func) = open.func else { return Ok(()) };
        let start = frame.start as usize;
        let first = self.s.params.len() as u32;
        let mut params = std::mem::take(&mut self.s.params_stack);
        for param in params.drain(start..) {
            self.register_param(param)?;
        }
        self.s.params_stack = params;
        func.params = first..self.s.params.len() as u32;
        func.variadic = open.variadic;
        let annots = self.out.annots.len() as u32;
        self.out.annots.extend(self.s.annots_stack.drain(frame.annots as usize..));
        func.annots = annots..self.out.annots.len() as u32;
        let index = self.s.funcs.len() as u32;
        self.s.map.set(func.key, Die::Func(index.min(MAX_INDEX)).pack());
        self.s.funcs.push(*func);
        Ok(())
    }

    fn close_variable(&mut self, _unit: &Unit, frame: Frame) {
        let start = self.out.annots.len() as u32;
        match self.s.vars.last_mut() {
            Some(var) if var.annots == (start..start) => {
                self.out.annots.extend(self.s.annots_stack.drain(frame.annots as usize..));
                var.annots = start..self.out.annots.len() as u32;
            }
            _ => self.s.annots_stack.truncate(frame.annots as usize),
        }
    }
}

impl Open {
    fn of(kind: Kind) -> Open {
        Open {
            name: NameRef::NONE,
            kind,
            size: 0,
            declaration: false,
            kflag: false,
            vlen: 0,
            members: 0,
            type_key: 0,
            spec_key: 0,
            variadic: false,
            tagged: 0,
            is_union: false,
            far: Vec::new(),
            late: 0,
            by_offset: false,
            func: None,
        }
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
