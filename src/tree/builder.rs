//! The walk: one pass over a unit's entries with an explicit stack, since their nesting is the input's choice.
//!
//! Where an entry stands decides what becomes of it: see [`Place`]. Ids are given, and tags linked to their owner, when a tag's last child has
//! been seen.

use std::ffi::c_char;
use std::ptr;

use super::keymap::KeyMap;
use super::memory::Memory;
use super::shape::{Shape, ShapeMemory};
use super::{Arenas, Message, Options};
use crate::abi::{ClassMember, Cu, Ftype, Function, Lexblock, ListHead, Tag, TypeId};
use crate::dwarf::DwarfError;
use crate::dwarf::abbrev::{Abbrev, Attrs, Slot};
use crate::dwarf::cursor::Cursor;
use crate::dwarf::expr::Op;
use crate::dwarf::passed::Reader;
use crate::dwarf::source::{Source, Unit};
use gimli::constants as dw;
use rustc_hash::FxHashMap;

pub(super) const LLVM_ANNOTATION: dw::DwTag = dw::DwTag(0x6000);
pub(super) const GNU_ANNOTATION: dw::DwTag = dw::DwTag(0x6001);

/// What the entries being read are children of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Place {
    Unit,
    Namespace,
    /// Or a struct, interface or union.
    Class,
    Enumeration,
    Function,
    Block,
    Inline,
    Subroutine,
    Array,
    TemplatePack,
    FormalPack,
    /// A part of a struct of which one variant is there at a time, or one of its variants.
    Variants,
    /// Something whose children matter as annotations only.
    Annotated,
}

impl Place {
    /// For sets of places.
    pub(super) const fn bit(self) -> u16 {
        1 << self as u16
    }

    /// The C library's function at work there, for messages.
    fn function(self) -> &'static str {
        match self {
            Place::Unit => "die__process_unit",
            Place::Namespace => "die__process_namespace",
            Place::Class => "die__process_class",
            Place::Enumeration => "die__create_new_enumeration",
            Place::Function | Place::Block => "die__process_function",
            Place::Inline => "die__process_inline_expansion",
            Place::Subroutine => "die__create_new_subroutine_type",
            Place::Array => "die__create_new_array",
            Place::TemplatePack => "template_parameter_pack__load_params",
            Place::FormalPack => "formal_parameter_pack__load_params",
            Place::Variants | Place::Annotated => "",
        }
    }
}

/// A tag whose children are being read.
pub(super) struct Frame {
    pub place: Place,
    /// NULL for the unit.
    pub tag: *mut Tag,
    /// Index of the tag's [`Entry`].
    pub entry: u32,
    /// Where labels, variables and the like go. NULL where there are none.
    pub block: *mut Lexblock,
    /// Where parameters go. NULL in blocks.
    pub ftype: *mut Ftype,
    /// Where annotations go. NULL where they are passed over.
    pub annots: *mut ListHead,
    /// Position that an annotation is about, -1 for the whole.
    pub component: i32,
    /// Members or parameters seen.
    pub count: i32,
    /// Length of `Scratch::dimensions` at the start of an array.
    pub start: u32,
    /// The last enumerator of an enumeration, NULL before the first.
    pub last: *mut ListHead,
}

/// A tag, with what the second pass needs of its entry. References are keys (0: none).
pub(super) struct Entry {
    pub tag: *mut Tag,
    pub key: u32,
    /// Resolved, the index of the type's entry, one higher.
    pub ty: u32,
    /// DW_AT_abstract_origin, or the DW_AT_containing_type of a pointer to member.
    pub origin: u32,
    /// Id in the tag's table.
    pub id: u32,
    /// In bytes, of a type that has a size of its own; else 0.
    pub size: u32,
    /// DW_TAG number.
    pub kind: u16,
    /// As what it is referred to.
    pub role: Role,
    /// Whether its DW_AT_encoding is a signed one; of a pointer, whether it has annotations.
    pub mark: bool,
}

/// As what an entry is referred to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Role {
    Type,
    /// A function, a parameter, a namespace and the like.
    Other,
    /// Nobody refers to it.
    None,
}

/// A member that is no [`Entry`]. The key of its type stands in its tag.
#[derive(Clone, Copy)]
pub(super) struct Waiting {
    pub member: *mut ClassMember,
    pub key: u32,
    /// How many entries there are before it.
    pub before: u32,
}

/// What a worker keeps from unit to unit.
pub struct Scratch {
    pub(super) attrs: Attrs,
    /// For entries looked at on the side.
    pub(super) other: Attrs,
    pub(super) frames: Vec<Frame>,
    pub(super) entries: Vec<Entry>,
    pub(super) map: KeyMap,
    pub(super) members: Vec<Waiting>,
    /// Entries of the other members, and of base classes.
    pub(super) sized: Vec<u32>,
    /// Of the unit at work, by abbreviation code from 1 on.
    pub(super) shapes: Vec<Shape>,
    pub(super) known_shapes: ShapeMemory,
    /// Entries of functions, in the order of their ids.
    pub(super) functions: Vec<u32>,
    /// Types whose ids come after those of all others, and their entries.
    pub(super) last: Vec<(*mut Tag, u32)>,
    /// Entries with a DW_AT_specification, and its key.
    pub(super) specifications: Vec<(u32, u32)>,
    /// Entries that stand in for a type in a type unit, and the key of its entry.
    pub(super) stand_ins: Vec<(u32, u32)>,
    /// Entries that take over from the entry that they are an instance of.
    pub(super) instances: Vec<u32>,
    /// Entries of parameters of functions and function types.
    pub(super) passed: Vec<u32>,
    /// The functions and function types of those parameters that are instances, by entry.
    pub(super) takers: Vec<(u32, *mut Ftype)>,
    /// The type of the one member that is passed of a parameter, by the parameter's address.
    pub(super) single_members: FxHashMap<usize, TypeId>,
    /// Keys of types by id, made when they are first needed.
    pub(super) by_id: FxHashMap<TypeId, u32>,
    pub(super) places: Reader,
    pub(super) dimensions: Vec<u64>,
    pub(super) memory: Memory,
    pub(super) messages: Vec<Message>,
    /// By the start of their unit.
    pub(super) files: FxHashMap<u32, Vec<*const c_char>>,
    pub(super) ops: Vec<Op>,
}

// SAFETY: the pointers lead to tags of the unit at work, which is the worker's own, and are not followed afterwards.
unsafe impl Send for Scratch {}

impl Scratch {
    pub fn new(arenas: Arenas) -> Scratch {
        Scratch {
            attrs: Attrs::default(),
            other: Attrs::default(),
            frames: Vec::new(),
            entries: Vec::new(),
            map: KeyMap::default(),
            members: Vec::new(),
            sized: Vec::new(),
            shapes: Vec::new(),
            known_shapes: ShapeMemory::default(),
            functions: Vec::new(),
            last: Vec::new(),
            specifications: Vec::new(),
            stand_ins: Vec::new(),
            instances: Vec::new(),
            passed: Vec::new(),
            takers: Vec::new(),
            single_members: FxHashMap::default(),
            by_id: FxHashMap::default(),
            places: Reader::default(),
            dimensions: Vec::new(),
            memory: Memory::new(arenas),
            messages: Vec::new(),
            files: FxHashMap::default(),
            ops: Vec::new(),
        }
    }

    /// The texts that came up since the last call.
    pub fn take_messages(&mut self) -> Vec<Message> {
        std::mem::take(&mut self.messages)
    }
}

/// Builds the tree of one `struct cu`, of one unit or of several.
///
/// Keys are those of [`Source`], where there is one. With an alternate file they are places: the entries of that file come behind those of the
/// main one.
pub struct Builder<'a, 's> {
    main: Source<'a>,
    alternate: Option<Alternate<'a>>,
    /// What is added to the keys of the source at work.
    pub(super) delta: u32,
    /// Whether what is taken in serves references only.
    pub(super) hidden: bool,
    pub(super) options: &'a Options,
    pub(super) cu: *mut Cu,
    pub(super) s: &'s mut Scratch,
    /// The section of the main file.
    pub(super) debug_str: &'a [u8],
    /// What kind of C the unit is, as far as members ask.
    pub(super) is_c: bool,
    pub(super) is_cpp: bool,
    /// The one with the highest address, of equal ones the latest.
    pub(super) last_function: *mut Function,
    /// DW_AT_low_pc of the unit at work, for range lists.
    pub(super) low_pc: u64,
    pub(super) rnglists_base: u64,
}

/// The source of an alternate file, and where its keys start.
struct Alternate<'a> {
    source: Source<'a>,
    delta: u32,
}

const DW_LANG_C: u16 = 2;
const DW_LANG_C_PLUS_PLUS: u16 = 4;

impl<'a, 's> Builder<'a, 's> {
    /// `cu` is empty, its language set.
    ///
    /// # Safety
    /// `cu` is valid, and nobody else uses it before [`Builder::finish`] returns.
    pub unsafe fn new(
        main: Source<'a>,
        alternate: Option<Source<'a>>,
        options: &'a Options,
        cu: *mut Cu,
        scratch: &'s mut Scratch,
    ) -> Self {
        scratch.entries.clear();
        scratch.members.clear();
        scratch.sized.clear();
        scratch.functions.clear();
        scratch.frames.clear();
        scratch.dimensions.clear();
        scratch.files.clear();
        scratch.last.clear();
        scratch.specifications.clear();
        scratch.stand_ins.clear();
        scratch.instances.clear();
        scratch.passed.clear();
        scratch.takers.clear();
        let size = main.buf.len() + alternate.as_ref().map_or(0, |source| source.buf.len());
        scratch.map.prepare(size, main.units.len() == 1 && alternate.is_none());
        let delta = main.buf.len() as u32;
        let alternate = alternate.map(|source| Alternate { source, delta });
        // SAFETY: valid by the caller's word.
        let language = unsafe { (*cu).language };
        Builder {
            debug_str: main.file.debug_str(),
            main,
            alternate,
            delta: 0,
            hidden: false,
            options,
            cu,
            s: scratch,
            is_c: language == DW_LANG_C,
            is_cpp: language == DW_LANG_C_PLUS_PLUS,
            last_function: ptr::null_mut(),
            low_pc: 0,
            rnglists_base: 0,
        }
    }

    /// Takes in the entries of a unit, from the one at `key` of its buffer (the first child of the unit's own entry) on. What is `hidden` serves
    /// references only.
    pub fn walk(&mut self, unit: &'a Unit, key: u32, hidden: bool) -> Result<(), DwarfError> {
        self.begin_unit(unit);
        self.hidden = hidden;
        let mut c = self.source_of(unit).0.cursor(unit, key);
        self.push(Frame {
            place: Place::Unit,
            tag: ptr::null_mut(),
            entry: 0,
            block: ptr::null_mut(),
            ftype: ptr::null_mut(),
            annots: ptr::null_mut(),
            component: -1,
            count: 0,
            start: 0,
            last: ptr::null_mut(),
        });
        let shapes = std::mem::take(&mut self.s.shapes);
        let result = self.children(unit, &shapes, &mut c);
        self.s.shapes = shapes;
        result
    }

    /// The entries at the cursor, up to the end of the outermost list.
    fn children(&mut self, unit: &'a Unit, shapes: &[Shape], c: &mut Cursor<'a>) -> Result<(), DwarfError> {
        while let Some(frame) = self.s.frames.last() {
            let place = frame.place;
            let start = c.pos();
            // A unit may end without the terminators of its last lists.
            let code = if c.is_empty() { 0 } else { c.uleb()? };
            if code == 0 {
                self.close();
                continue;
            }
            if let Some(shape) = shapes.get((code as usize).wrapping_sub(1)).filter(|shape| shape.fits(place)) {
                if self.quick(unit, shapes, shape, start, c) {
                    continue;
                }
            }
            let Some(abbrev) = unit.abbrevs.get(code) else {
                return Err(c.invalid("an abbreviation code of the unit's table", code));
            };
            self.entry(unit, abbrev, self.delta + start as u32, c)?;
        }
        Ok(())
    }

    fn begin_unit(&mut self, unit: &'a Unit) {
        let (_, delta) = self.source_of(unit);
        self.delta = delta;
        let key = delta + unit.start + unit.header.header_size;
        let own = self.read_aside(key).is_some();
        self.low_pc = if own { self.address_aside(unit, Slot::LowPc).unwrap_or(0) } else { 0 };
        let after_header = if unit.header.offset_size == 8 { 20 } else { 12 };
        let base = self.s.other.get(Slot::RnglistsBase).filter(|_| own);
        self.rnglists_base = base.map_or(after_header, |(_, v)| v);
        self.find_shapes(unit);
    }

    /// Whether there is one source only.
    pub(super) fn is_alone(&self) -> bool {
        self.alternate.is_none()
    }

    /// The source that a unit is of, and what is added to its keys.
    #[inline]
    pub(super) fn source_of(&self, unit: &Unit) -> (&Source<'a>, u32) {
        match &self.alternate {
            Some(alternate) if alternate.source.units.as_ptr_range().contains(&ptr::from_ref(unit)) => {
                (&alternate.source, alternate.delta)
            }
            _ => (&self.main, 0),
        }
    }

    /// The source at work.
    #[inline]
    pub(super) fn source(&self) -> &Source<'a> {
        match &self.alternate {
            Some(alternate) if self.delta != 0 => &alternate.source,
            _ => &self.main,
        }
    }

    /// Reads the entry with `key` into `Scratch::other`.
    pub(super) fn read_aside(&mut self, key: u32) -> Option<(&'a Unit, dw::DwTag)> {
        let (source, delta) = match &self.alternate {
            Some(alternate) if key >= alternate.delta => (&alternate.source, alternate.delta),
            _ => (&self.main, 0),
        };
        let (unit, abbrev) = source.entry(key - delta, &mut self.s.other)?;
        Some((unit, abbrev.tag))
    }

    /// An address of the entry read aside.
    fn address_aside(&self, unit: &Unit, slot: Slot) -> Option<u64> {
        self.source_of(unit).0.address(unit, &self.s.other, slot)
    }

    /// The key that a reference leads to; 0 without the attribute, and where it leads out of what is known.
    #[inline]
    pub(super) fn reference(&self, unit: &Unit, attrs: &Attrs, slot: Slot) -> u32 {
        if self.alternate.is_none() {
            // Keys of outer entries do not come up: there are no others than those in the buffer.
            return self.main.reference(unit, attrs, slot);
        }
        self.far_reference(unit, attrs, slot)
    }

    fn far_reference(&self, unit: &Unit, attrs: &Attrs, slot: Slot) -> u32 {
        let Some((form, value)) = attrs.get(slot) else { return 0 };
        let (source, delta) = self.source_of(unit);
        match form {
            dw::DW_FORM_ref4 | dw::DW_FORM_ref1 | dw::DW_FORM_ref2 | dw::DW_FORM_ref8 | dw::DW_FORM_ref_udata => {
                if value < unit.header.size { delta + unit.start + value as u32 } else { 0 }
            }
            _ => source.outward_place(form, value).and_then(|place| u32::try_from(place).ok()).unwrap_or(0),
        }
    }

    /// Whether a key is that of an entry of the alternate file.
    pub(super) fn is_in_alternate(&self, key: u32) -> bool {
        self.alternate.as_ref().is_some_and(|alternate| key >= alternate.delta)
    }

    /// The offset of an entry in its file, for the user.
    pub(super) fn offset_of(&self, key: u32) -> u64 {
        match &self.alternate {
            _ if key == 0 => 0,
            Some(alternate) if key >= alternate.delta => u64::from(key - alternate.delta),
            _ => self.main.offset(key),
        }
    }

    /// Where the entry with `key` is, for messages: file, section, offset, and the unit.
    pub(super) fn location(&self, key: u32) -> String {
        match &self.alternate {
            Some(alternate) if key >= alternate.delta => alternate.source.location(key - alternate.delta),
            _ => self.main.location(key),
        }
    }

    pub(super) fn push(&mut self, frame: Frame) {
        self.s.frames.push(frame);
    }

    pub(super) fn take(&mut self, unit: &Unit, abbrev: &Abbrev, c: &mut Cursor<'a>) -> Result<(), DwarfError> {
        unit.abbrevs.take(abbrev, c, &mut self.s.attrs)
    }

    /// One entry, the cursor standing behind its code.
    fn entry(&mut self, unit: &'a Unit, abbrev: &Abbrev, key: u32, c: &mut Cursor<'a>) -> Result<(), DwarfError> {
        let place = self.s.frames.last().map_or(Place::Unit, |f| f.place);
        let tag = abbrev.tag;
        match place {
            Place::Function | Place::Block | Place::Inline => match tag {
                dw::DW_TAG_call_site
                | dw::DW_TAG_call_site_parameter
                | dw::DW_TAG_GNU_call_site
                | dw::DW_TAG_GNU_call_site_parameter => return self.skip_by_sibling(unit, abbrev, c),
                dw::DW_TAG_lexical_block => {
                    self.take(unit, abbrev, c)?;
                    self.block(unit, abbrev, key);
                    return Ok(());
                }
                dw::DW_TAG_label => {
                    if self.options.ignore_labels {
                        return self.skip_entry(unit, abbrev, c);
                    }
                    self.take(unit, abbrev, c)?;
                    self.label(unit, key);
                    return unit.skip_children(abbrev, c);
                }
                dw::DW_TAG_inlined_subroutine => {
                    if place != Place::Inline && self.options.ignore_inline_expansions {
                        return self.skip_by_sibling(unit, abbrev, c);
                    }
                    self.take(unit, abbrev, c)?;
                    self.inline_expansion(unit, abbrev, key);
                    return Ok(());
                }
                dw::DW_TAG_formal_parameter if place == Place::Inline => return self.skip_entry(unit, abbrev, c),
                dw::DW_TAG_formal_parameter => {
                    self.take(unit, abbrev, c)?;
                    self.parameter(unit, abbrev, key);
                    return self.annotated(unit, abbrev, c);
                }
                _ if place == Place::Inline => {}
                dw::DW_TAG_dwarf_procedure => return self.skip_entry(unit, abbrev, c),
                dw::DW_TAG_variable => {
                    self.take(unit, abbrev, c)?;
                    self.block_variable(unit, abbrev, key);
                    return self.annotated(unit, abbrev, c);
                }
                dw::DW_TAG_unspecified_parameters => {
                    self.unspecified_parameters();
                    return self.skip_entry(unit, abbrev, c);
                }
                dw::DW_TAG_GNU_template_parameter_pack
                | dw::DW_TAG_GNU_formal_parameter_pack
                | dw::DW_TAG_template_type_parameter
                | dw::DW_TAG_template_value_parameter => {
                    self.take(unit, abbrev, c)?;
                    return self.function_template(unit, abbrev, key, c);
                }
                dw::DW_TAG_GNU_template_template_param => return self.unsupported(unit, abbrev, key, c),
                LLVM_ANNOTATION | GNU_ANNOTATION => return self.annotation(unit, abbrev, c),
                _ => {}
            },
            Place::Class => match tag {
                dw::DW_TAG_member | dw::DW_TAG_inheritance => {
                    self.take(unit, abbrev, c)?;
                    self.member(unit, abbrev, key);
                    return self.annotated(unit, abbrev, c);
                }
                dw::DW_TAG_GNU_template_parameter_pack
                | dw::DW_TAG_template_type_parameter
                | dw::DW_TAG_template_value_parameter => {
                    self.take(unit, abbrev, c)?;
                    return self.class_template(unit, abbrev, key, c);
                }
                dw::DW_TAG_variant_part => {
                    self.take(unit, abbrev, c)?;
                    self.variant_part(unit, abbrev, key);
                    return Ok(());
                }
                dw::DW_TAG_GNU_formal_parameter_pack | dw::DW_TAG_GNU_template_template_param | dw::DW_TAG_subrange_type => {
                    return self.unsupported(unit, abbrev, key, c);
                }
                LLVM_ANNOTATION | GNU_ANNOTATION => return self.annotation(unit, abbrev, c),
                _ => {}
            },
            Place::Enumeration => match tag {
                dw::DW_TAG_enumerator => {
                    self.take(unit, abbrev, c)?;
                    self.enumerator(unit, abbrev, key);
                    return unit.skip_children(abbrev, c);
                }
                dw::DW_TAG_subprogram => {}
                _ => {
                    self.not_handled(place, tag, key);
                    return self.skip_entry(unit, abbrev, c);
                }
            },
            Place::Subroutine => match tag {
                dw::DW_TAG_formal_parameter => {
                    self.take(unit, abbrev, c)?;
                    self.parameter(unit, abbrev, key);
                    return unit.skip_children(abbrev, c);
                }
                dw::DW_TAG_unspecified_parameters => {
                    self.unspecified_parameters();
                    return self.skip_entry(unit, abbrev, c);
                }
                dw::DW_TAG_subrange_type => return self.unsupported(unit, abbrev, key, c),
                _ => {}
            },
            Place::Array => {
                if tag == dw::DW_TAG_subrange_type {
                    self.take(unit, abbrev, c)?;
                    self.subrange(unit);
                    return unit.skip_children(abbrev, c);
                }
                self.not_handled(place, tag, key);
                return self.skip_entry(unit, abbrev, c);
            }
            Place::TemplatePack | Place::FormalPack => {
                let wanted = match place {
                    Place::TemplatePack => dw::DW_TAG_template_type_parameter,
                    _ => dw::DW_TAG_formal_parameter,
                };
                if tag == wanted {
                    self.take(unit, abbrev, c)?;
                    self.pack_element(unit, abbrev, key);
                    return unit.skip_children(abbrev, c);
                }
                self.not_handled(place, tag, key);
                return self.skip_entry(unit, abbrev, c);
            }
            Place::Variants => match tag {
                dw::DW_TAG_member => {
                    self.take(unit, abbrev, c)?;
                    self.variant_member(unit, abbrev, key);
                    return unit.skip_children(abbrev, c);
                }
                dw::DW_TAG_variant => {
                    self.take(unit, abbrev, c)?;
                    self.variant(abbrev);
                    return Ok(());
                }
                _ => return self.skip_entry(unit, abbrev, c),
            },
            Place::Annotated => {
                if matches!(tag, LLVM_ANNOTATION | GNU_ANNOTATION) {
                    return self.annotation(unit, abbrev, c);
                }
                return self.skip_entry(unit, abbrev, c);
            }
            Place::Unit | Place::Namespace => {}
        }
        self.general(place, unit, abbrev, key, c)
    }

    /// Entries that are the same wherever they stand.
    fn general(&mut self, place: Place, unit: &'a Unit, abbrev: &Abbrev, key: u32, c: &mut Cursor<'a>) -> Result<(), DwarfError> {
        match abbrev.tag {
            dw::DW_TAG_array_type => {
                self.take(unit, abbrev, c)?;
                self.array(unit, abbrev, key);
                Ok(())
            }
            dw::DW_TAG_structure_type | dw::DW_TAG_class_type | dw::DW_TAG_interface_type => {
                self.take(unit, abbrev, c)?;
                self.class(unit, abbrev, key);
                Ok(())
            }
            dw::DW_TAG_union_type => {
                self.take(unit, abbrev, c)?;
                self.union(unit, abbrev, key);
                Ok(())
            }
            dw::DW_TAG_enumeration_type => {
                self.take(unit, abbrev, c)?;
                self.enumeration(unit, abbrev, key);
                Ok(())
            }
            dw::DW_TAG_namespace => {
                self.take(unit, abbrev, c)?;
                self.namespace(unit, abbrev, key);
                Ok(())
            }
            dw::DW_TAG_subprogram => {
                self.take(unit, abbrev, c)?;
                self.function(unit, abbrev, key);
                Ok(())
            }
            dw::DW_TAG_subroutine_type => {
                self.take(unit, abbrev, c)?;
                self.subroutine_type(unit, abbrev, key);
                Ok(())
            }
            dw::DW_TAG_typedef | dw::DW_TAG_rvalue_reference_type => {
                self.take(unit, abbrev, c)?;
                self.typedef(unit, abbrev, key);
                self.annotated(unit, abbrev, c)
            }
            dw::DW_TAG_variable => {
                self.take(unit, abbrev, c)?;
                self.variable(unit, abbrev, key);
                self.annotated(unit, abbrev, c)
            }
            dw::DW_TAG_pointer_type => {
                self.take(unit, abbrev, c)?;
                self.pointer(unit, abbrev, key, c)?;
                unit.skip_children(abbrev, c)
            }
            dw::DW_TAG_string_type
            | dw::DW_TAG_base_type
            | dw::DW_TAG_const_type
            | dw::DW_TAG_imported_declaration
            | dw::DW_TAG_imported_module
            | dw::DW_TAG_reference_type
            | dw::DW_TAG_restrict_type
            | dw::DW_TAG_volatile_type
            | dw::DW_TAG_atomic_type
            | dw::DW_TAG_unspecified_type
            | dw::DW_TAG_ptr_to_member_type
            | dw::DW_TAG_constant => {
                self.take(unit, abbrev, c)?;
                self.leaf(unit, abbrev, key);
                unit.skip_children(abbrev, c)
            }
            dw::DW_TAG_label if !self.options.ignore_labels => {
                self.take(unit, abbrev, c)?;
                self.label(unit, key);
                unit.skip_children(abbrev, c)
            }
            // The units that they stand for are taken in by themselves.
            dw::DW_TAG_imported_unit => self.skip_entry(unit, abbrev, c),
            dw::DW_TAG_label | dw::DW_TAG_dwarf_procedure | GNU_ANNOTATION => {
                if place == Place::Unit {
                    return self.skip_entry(unit, abbrev, c);
                }
                self.unsupported(unit, abbrev, key, c)
            }
            tag => {
                self.not_handled(place, tag, key);
                self.unsupported(unit, abbrev, key, c)
            }
        }
    }

    /// The children of an entry, where only annotations matter.
    fn annotated(&mut self, unit: &'a Unit, abbrev: &Abbrev, c: &mut Cursor<'a>) -> Result<(), DwarfError> {
        // Whoever made the tag has said where they go.
        if self.s.frames.last().is_some_and(|f| f.place == Place::Annotated) {
            return Ok(());
        }
        unit.skip_children(abbrev, c)
    }

    /// The end of a list of children.
    fn close(&mut self) {
        let Some(frame) = self.s.frames.pop() else { return };
        self.complete(&frame);
    }

    /// Passes an entry and everything below it.
    fn skip_entry(&mut self, unit: &Unit, abbrev: &Abbrev, c: &mut Cursor<'a>) -> Result<(), DwarfError> {
        unit.abbrevs.skip(abbrev, c)?;
        unit.skip_children(abbrev, c)
    }

    fn skip_by_sibling(&mut self, unit: &Unit, abbrev: &Abbrev, c: &mut Cursor<'a>) -> Result<(), DwarfError> {
        if !abbrev.has_children {
            return unit.abbrevs.skip(abbrev, c);
        }
        self.take(unit, abbrev, c)?;
        let next = self.source().reference(unit, &self.s.attrs, Slot::Sibling);
        if next as usize > c.pos() && next < unit.end {
            c.set_pos(next as usize);
            return Ok(());
        }
        unit.skip_children(abbrev, c)
    }

    /// Says, once for each kind, that there is nothing for such an entry.
    fn unsupported(&mut self, unit: &Unit, abbrev: &Abbrev, key: u32, c: &mut Cursor<'a>) -> Result<(), DwarfError> {
        let place = self.s.frames.last().map_or(Place::Unit, |f| f.place);
        let tag = abbrev.tag.0;
        let name = (self.options.library.tag_name)(tag);
        let offset = self.offset_of(key);
        let text = format!("{}: tag not supported {tag:#x} ({name}) at <{offset:x}>!", place.function());
        self.s.messages.push(Message::OncePerTag(tag, text));
        self.skip_entry(unit, abbrev, c)
    }

    fn not_handled(&mut self, place: Place, tag: dw::DwTag, key: u32) {
        let name = (self.options.library.tag_name)(tag.0);
        // SAFETY: the unit is the builder's.
        let language = (self.options.library.language_name)(u32::from(unsafe { (*self.cu).language }));
        let offset = self.offset_of(key);
        let function = place.function();
        self.say(format!("{function}: DW_TAG_{name} ({:#x}) @ <{offset:#x}> not handled in a {language} CU!", tag.0));
    }

    pub(super) fn say(&mut self, text: String) {
        self.s.messages.push(Message::Always(text));
    }
}
