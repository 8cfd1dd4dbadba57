//! One walk over a unit's entries, making BTF records of its types and notes of its functions and variables.
//!
//! Types get their local ids in the order in which they are completed: a nested type before the one that holds it, types of a
//! function's body before the function. References stand in the records as keys of entries first and are resolved after the walk,
//! when every type has its id ([`super::resolve`]). The nesting lives in an explicit stack, since its depth is the input's choice.

mod composite;
mod declaration;
mod entry;
mod reference;
mod short;

use super::convention::Passed;
use super::fragment::{DeclTag, Fragment, INDEX_TYPE, NameRef};
use super::merged::Deferred;
use super::options::{Abi, Options};
use super::records::LongChains;
use super::source::SourceNames;
use crate::btf::Kind;
use crate::dwarf::DwarfError;
use crate::dwarf::abbrev::{Abbrev, Attrs, Block, Slot};
use crate::dwarf::cursor::Cursor;
use crate::dwarf::diemap::DieMap;
use crate::dwarf::expr::{Op, read_ops};
use crate::dwarf::passed::{Location, Place, Reader};
use crate::dwarf::source::{OUTER, Unit, element_count, number, outer_index};
use gimli::constants as dw;
use std::ops::Range;

/// `DW_TAG_LLVM_annotation` and `DW_TAG_GNU_annotation`.
const LLVM_ANNOTATION: dw::DwTag = dw::DwTag(0x6000);
const GNU_ANNOTATION: dw::DwTag = dw::DwTag(0x6001);

/// `DW_TAG_LLVM_ptrauth_type`.
const POINTER_AUTHENTICATION: dw::DwTag = dw::DwTag(0x4300);

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
    pub location: Option<(dw::DwForm, u64)>,
    pub place: Place,
    /// Name and type's key of the one member that pieces name.
    pub member: NameRef,
    pub member_type: u32,
    /// In a unit that refers to others: what the location tells when the size is known only later.
    pub later: Option<Later>,
}

/// What a parameter's location tells, by the size of its type.
#[derive(Clone, Debug)]
pub(super) struct Later {
    /// Local id of the type; [`NOWHERE`] when it is that of the parameter's origin.
    pub type_id: u32,
    /// For types larger than a register, where it differs from [`Param::loc`], which is for others.
    pub aggregate: Option<Box<Location>>,
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
    /// Index in the symbol table's functions, [`NOWHERE`] for none.
    pub elf_func: u32,
}

impl Func {
    /// The result's type is that of the abstract origin, which is no function of the unit.
    pub(super) fn lacks_origin(&self) -> bool {
        self.has_origin && self.type_id == 0 && self.origin_at == NOWHERE && outer_index(self.origin).is_none()
    }
}

/// A variable of static storage at the top level.
#[derive(Clone, Debug)]
pub(super) struct Var {
    pub name: NameRef,
    pub type_key: u32,
    pub key: u32,
    pub addr: u64,
    pub external: bool,
    /// Key of the declaration that has name and type, if that is in another unit.
    pub spec: u32,
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
    /// A struct whose members are in a type unit.
    StandIn,
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
    /// Length of `far` when it was opened.
    far: u32,
    /// Length of `late_bitfields` when it was opened.
    late: u32,
    /// The language moves members: they are shown in the order of their places.
    by_offset: bool,
}

/// Words that hold keys of types, 0 for void, at equal distances.
#[derive(Clone, Copy, Debug)]
pub(super) struct Refs {
    pub first: u32,
    pub count: u16,
    pub step: u8,
}

/// Reusable state of one worker.
#[derive(Default)]
pub struct Scratch {
    pub(super) words_stack: Vec<u32>,
    params_stack: Vec<Param>,
    annots_stack: Vec<DeclTag>,
    frames: Vec<Frame>,
    open: Vec<Open>,
    /// The functions among them.
    open_funcs: Vec<Func>,
    pub(super) types: Vec<u32>,
    pub(super) aliases: Vec<(u32, u32)>,
    pub(super) params: Vec<Param>,
    pub(super) passed: Vec<Passed>,
    pub(super) funcs: Vec<Func>,
    pub(super) vars: Vec<Var>,
    /// Words that hold keys of types.
    pub(super) refs: Vec<Refs>,
    /// Members, by position and entry's offset, that are too far from the start for a struct with bit-fields.
    far: Vec<(u32, u32)>,
    /// Names to take from the specification: (word, key).
    pub(super) spec_names: Vec<(u32, u32)>,
    pub(super) late_bitfields: Vec<LateBitfield>,
    /// Pointers, qualifiers, arrays and prototypes that refer to what comes behind them, or to themselves.
    pub(super) forward: Vec<u32>,
    /// ENUM64 records whose sign is that of their underlying type: (word of info, key).
    pub(super) enum_signs: Vec<(u32, u32)>,
    pub(super) map: DieMap,
    pub(super) attrs: Attrs,
    pub(super) other: Attrs,
    pub(super) ops: Vec<Op>,
    pub(super) places: Reader,
    pub(super) byte_sizes: Vec<u32>,
    /// Function names looked up in the symbol table, and what was found: lasts for one file.
    pub(super) found: Vec<(u32, u32)>,
    /// Names known not to be empty: lasts for one file.
    nonempty: Vec<u32>,
    /// Names to be looked up, with their hashes.
    pub(super) names: Vec<(u32, u64)>,
    messages: Vec<String>,
    /// How many more there would have been, and where the first of them is.
    unsaid: usize,
    unsaid_from: String,
    /// Key of the entry that was read last.
    at: u32,
    pub(super) long_chains: LongChains,
    /// What depends on types of other units.
    pub(super) deferred: Vec<Deferred>,
    /// Variables, by their position in the fragment, whose declarations are in other units, by the position among places.
    pub(super) declared: Vec<(u32, u32)>,
}

impl Scratch {
    /// Moves what was said of the units read last to the end of a list.
    pub fn take_messages(&mut self, to: &mut Vec<String>) {
        if self.unsaid > 0 {
            self.messages.push(format!("{}: here and behind it {} messages more", self.unsaid_from, self.unsaid));
        }
        to.append(&mut self.messages);
        self.unsaid = 0;
    }

    pub(super) fn lookup(&self, key: u32) -> Option<Die> {
        Die::unpack(self.map.get(key))
    }

    /// Clears the map: what it holds are the keys of all these.
    pub(super) fn forget_keys(&mut self) {
        let types = self.types.iter().copied();
        let others =
            self.aliases.iter().map(|a| a.0).chain(self.params.iter().map(|p| p.key)).chain(self.funcs.iter().map(|f| f.key));
        self.map.clear(types.chain(others));
    }

    fn clear(&mut self) {
        self.forget_keys();
        self.far.clear();
        self.words_stack.clear();
        self.params_stack.clear();
        self.annots_stack.clear();
        self.frames.clear();
        self.open.clear();
        self.open_funcs.clear();
        self.types.clear();
        self.aliases.clear();
        self.params.clear();
        self.funcs.clear();
        self.vars.clear();
        self.refs.clear();
        self.spec_names.clear();
        self.late_bitfields.clear();
        self.enum_signs.clear();
        self.places.forget();
        self.forward.clear();
        self.long_chains.clear();
        self.messages.clear();
        self.unsaid = 0;
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

    /// `None` for 0, which is none of them: ids start at 1.
    #[inline]
    fn unpack(v: u32) -> Option<Die> {
        let n = v & 0x3fff_ffff;
        match v >> 30 {
            0 => (n != 0).then_some(Die::Type(n)),
            1 => Some(Die::Alias(n)),
            2 => Some(Die::Param(n)),
            _ => Some(Die::Func(n)),
        }
    }
}

/// Most types, parameters or functions of one fragment.
const MAX_INDEX: u32 = 0x3fff_ffff;
/// BTF counts members in 16 bits.
const MAX_VLEN: u32 = 0xffff;
/// In structs with bit-fields, BTF counts members' offsets in 24 bits.
const MAX_BITFIELD_OFFSET: u32 = 0x00ff_ffff;

/// Messages about one unit; the rest is counted.
const MAX_MESSAGES: usize = 64;

fn too_far(bits: u64, limit: u32) -> String {
    format!("member at bit {bits}: BTF counts to {limit} here, the member is left out")
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
    /// See [`SourceNames::plain_names`].
    plain_names: u32,
}

/// Room for the types of so many bytes of entries, in words: they take about as much in either format, up to an eighth more.
pub(super) fn words_of(info: usize) -> usize {
    (info + info / 8) / size_of::<u32>()
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
        out.words.reserve(words_of(source.buf.len()));
        let plain_names = source.plain_names();
        Builder { source, options, abi, s: scratch, out, plain_names }
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
                self.close()?;
                continue;
            }
            let Some(abbrev) = unit.abbrevs.get(code) else {
                return Err(c.invalid("an abbreviation code of the unit's table", code));
            };
            self.s.at = key;
            self.entry(unit, abbrev, key, &mut c)?;
        }
        Ok(())
    }

    /// Tells the user something about the entry with a key.
    #[cold]
    pub(super) fn say(&mut self, key: u32, text: &str) {
        if self.s.messages.len() < MAX_MESSAGES {
            self.s.messages.push(format!("{}: {text}", self.source.location(key)));
        } else {
            if self.s.unsaid == 0 {
                self.s.unsaid_from = self.source.location(key);
            }
            self.s.unsaid += 1;
        }
    }

    /// The key of what a reference attribute of the entry read last names; 0 without the attribute, and, with a message, where nothing is.
    #[inline]
    fn link(&mut self, unit: &Unit, slot: Slot) -> u32 {
        let key = self.source.reference(unit, &self.s.attrs, slot);
        if key == 0 && self.s.attrs.has(slot) {
            self.lost_link(slot);
        }
        key
    }

    #[cold]
    fn lost_link(&mut self, slot: Slot) {
        let Some((form, value)) = self.s.attrs.get(slot) else { return };
        let (target, expected) = match form {
            // A missing file was told of.
            dw::DW_FORM_GNU_ref_alt | dw::DW_FORM_ref_sup4 | dw::DW_FORM_ref_sup8 if self.source.alternate.is_none() => return,
            dw::DW_FORM_ref_sig8 => ("type signature", "that of a type unit of the file"),
            dw::DW_FORM_ref_addr => ("reference to", "an offset in the file"),
            dw::DW_FORM_GNU_ref_alt | dw::DW_FORM_ref_sup4 | dw::DW_FORM_ref_sup8 => {
                ("reference to", "an offset in the alternate file")
            }
            dw::DW_FORM_ref1 | dw::DW_FORM_ref2 | dw::DW_FORM_ref4 | dw::DW_FORM_ref8 | dw::DW_FORM_ref_udata => {
                ("reference to", "an offset in the unit")
            }
            _ => ("reference form with value", "a form of references"),
        };
        self.say(self.s.at, &format!("{target} {value:#x}, expected {expected}: nothing is taken from there"));
    }

    fn push_frame(&mut self, ctx: Ctx, key: u32, what: What, aux: i32) {
        let start = match ctx {
            Ctx::Function => self.s.params_stack.len(),
            _ => self.s.words_stack.len(),
        } as u32;
        let annots = self.s.annots_stack.len() as u32;
        self.s.frames.push(Frame { ctx, key, start, annots, aux, what });
    }

    fn open(&mut self, open: Open) {
        self.s.open.push(open);
    }

    /// Goes into the children of the entry just opened, or closes it where it has none.
    fn descend_or_close(&mut self, abbrev: &Abbrev, ctx: Ctx, key: u32, what: What) -> Result<(), DwarfError> {
        self.push_frame(ctx, key, what, self.s.open.len() as i32 - 1);
        if abbrev.has_children { Ok(()) } else { self.close() }
    }

    /// Starts a record: the type `key` gets the next id.
    #[inline]
    fn begin(&mut self, key: u32) -> Result<u32, DwarfError> {
        let id = self.s.types.len() as u32 + 1;
        if id > MAX_INDEX {
            return Err(self.too_many_types(key, id));
        }
        self.s.types.push(key);
        self.s.map.set(key, Die::Type(id).pack());
        self.out.starts.push(self.out.words.len() as u32);
        Ok(id)
    }

    #[cold]
    fn too_many_types(&self, key: u32, id: u32) -> DwarfError {
        DwarfError::Invalid {
            section: ".debug_info",
            offset: self.source.offset(key),
            expected: "fewer than 2^30 types",
            found: u64::from(id),
        }
    }

    /// Reads an entry of which only the type it refers to counts: the key of that.
    #[inline]
    fn target(&mut self, unit: &'a Unit, abbrev: &Abbrev, c: &mut Cursor<'a>) -> Result<u32, DwarfError> {
        if let Some(short) = abbrev.layout.and_then(|layout| short::read_sound(unit, layout, c)) {
            return Ok(Self::short_key(unit, short.target));
        }
        unit.abbrevs.take(abbrev, c, &mut self.s.attrs)?;
        Ok(self.link(unit, Slot::Type))
    }

    /// Notes that the type with `id`, whose entry has `key`, refers to `target`: see [`super::circles`].
    #[inline]
    fn note_forward(&mut self, id: u32, key: u32, target: u32) {
        if target >= key && target < OUTER {
            self.s.forward.push(id);
        }
    }

    /// A word that holds the key of a type, to be resolved.
    fn push_ref(&mut self, key: u32) {
        if key != 0 {
            self.s.refs.push(Refs { first: self.out.words.len() as u32, count: 1, step: 1 });
        }
        self.out.words.push(key);
    }

    fn alias(&mut self, key: u32, target: u32) {
        let index = self.s.aliases.len() as u32;
        self.s.aliases.push((key, target));
        self.s.map.set(key, Die::Alias(index.min(MAX_INDEX)).pack());
    }

    #[inline]
    fn name(&mut self, unit: &Unit, slot: Slot) -> NameRef {
        let name = self.source.name(unit, &self.s.attrs, slot, &mut self.out.strings);
        if let (true, Some((form, value))) = (name.is_none(), self.s.attrs.get(slot)) {
            self.lost_name(self.s.at, form, value);
        }
        name
    }

    #[cold]
    fn lost_name(&mut self, key: u32, form: dw::DwForm, value: u64) {
        if matches!(form, dw::DW_FORM_GNU_strp_alt | dw::DW_FORM_strp_sup) && self.source.alternate.is_none() {
            // The missing file was told of.
            return;
        }
        let form = form.static_string().unwrap_or("unknown form");
        self.say(key, &format!("{form} {value:#x}, expected a string: the name is left out"));
    }

    /// No name, or the empty one.
    #[inline]
    fn is_empty(&mut self, name: NameRef) -> bool {
        const BITS: u32 = 12;
        // The same names come again and again, and the text of most is not in the cache.
        let word = name.to_word();
        if self.s.nonempty.is_empty() {
            self.s.nonempty.resize(1 << BITS, 0);
        }
        let slot = (word.wrapping_mul(0x9e37_79b1) >> (32 - BITS)) as usize;
        if word != 0 && self.s.nonempty[slot] == word {
            return false;
        }
        let is_empty = self.source.is_empty(name, &self.out.strings);
        if !is_empty && NameRef::is_global(word) {
            self.s.nonempty[slot] = word;
        }
        is_empty
    }

    /// Reads an expression of the unit into `ops`.
    pub(super) fn expression(&mut self, unit: &Unit, buf: &[u8], block: Block) -> Result<(), DwarfError> {
        let h = &unit.header;
        let ref_size = if h.version == 2 { h.addr_size } else { h.offset_size };
        let (section, start) = self.source.file.place(h.offset);
        read_ops(
            buf,
            block.start as usize,
            block.len as usize,
            self.source.file.is_big_endian(),
            h.addr_size,
            ref_size,
            (section, start.wrapping_sub(u64::from(unit.start))),
            &mut self.s.ops,
        )
    }

    /// The end of the innermost list of children.
    fn close(&mut self) -> Result<(), DwarfError> {
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
                self.close_variable(frame);
                Ok(())
            }
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
            far: 0,
            late: 0,
            by_offset: false,
        }
    }
}
