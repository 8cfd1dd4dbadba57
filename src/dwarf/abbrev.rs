//! Abbreviation tables compiled to reading plans.
//!
//! Every unit of a kernel has a table of its own, but the same abbreviations are in all of them under other codes: a worker remembers those that it
//! has met, by the bytes they are declared with. For each abbreviation there are two plans: one that takes the attributes somebody asked for, and one that skips the
//! whole entry. Runs of forms of fixed size are merged to one skip in both; where all are, the entry is passed in one step, and what is taken
//! is read from its place. The most frequent sorts of entries have a [`Layout`] beside that.

use super::DwarfError;
pub use super::attrs::{Attrs, Block, Slot};
use super::cursor::Cursor;
use super::declared::{Memory, declaration};
use super::layout::{Attr, Layout};
use gimli::constants as dw;
use rustc_hash::FxHashMap;
use std::sync::atomic::{AtomicU64, Ordering};

/// How to read or pass one attribute.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Read {
    /// Pass `n` bytes.
    Skip,
    Fixed1,
    Fixed2,
    Fixed3,
    Fixed4,
    Fixed8,
    Fixed16,
    Uleb,
    Sleb,
    Str,
    Block1,
    Block2,
    Block4,
    BlockUleb,
    /// No bytes: the value stands in the table (`n` is its index in `constants`).
    Implicit,
    /// No bytes: true.
    Present,
    /// The form stands in the entry.
    Indirect,
}

impl Read {
    /// Bytes in the entry; `None` when the entry says.
    pub(super) fn fixed_size(self) -> Option<u32> {
        Some(match self {
            Read::Implicit | Read::Present => 0,
            Read::Fixed1 => 1,
            Read::Fixed2 => 2,
            Read::Fixed3 => 3,
            Read::Fixed4 => 4,
            Read::Fixed8 => 8,
            Read::Fixed16 => 16,
            _ => return None,
        })
    }
}

const NO_SLOT: u8 = u8::MAX;

#[derive(Clone, Copy, Debug)]
struct Step {
    read: Read,
    slot: u8,
    form: u16,
    /// Of an implicit constant its index, of a skip its length; where the entry's size is fixed, the attribute's offset in it.
    n: u32,
}

/// A wanted attribute of an entry with [`Abbrevs::fields`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Field {
    /// The number of its [`Slot`].
    pub slot: u8,
    pub form: dw::DwForm,
    pub at: At,
}

/// Where the value of a [`Field`] is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum At {
    /// `size` bytes at this offset behind the entry's code, or behind the string that follows it.
    Bytes { offset: u32, size: u8 },
    /// In no entry: the same for all.
    Constant(i64),
    /// A string in front of everything else.
    Head,
    /// In a block behind everything else.
    Tail,
}

/// How much of an entry all its attributes take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Extent {
    /// Whether a string stands in front.
    pub has_head: bool,
    /// In bytes, but for head and tail.
    pub size: u32,
    /// Whether a block with its length in front follows.
    pub has_tail: bool,
}

/// One abbreviation.
#[derive(Clone, Copy, Debug)]
pub struct Abbrev {
    pub tag: dw::DwTag,
    pub has_children: bool,
    /// What the most frequent sorts of entries have at fixed places.
    pub layout: Option<Layout>,
    /// The number of its declaration, from 0; [`UNNUMBERED`] where it is not remembered.
    number: u32,
    /// Whether there are forms for references out of the unit, or forms that stand in the entries.
    is_outward: bool,
    /// Bytes of all attributes; [`VARIABLE`] where the entry says.
    size: u32,
    take: (u32, u32),
    /// Empty where the size is fixed.
    skip: (u32, u32),
}

const VARIABLE: u32 = u32::MAX;
const UNNUMBERED: u32 = u32::MAX;

/// Numbers memories of declarations.
static MEMORIES: AtomicU64 = AtomicU64::new(0);

/// Which declaration an abbreviation has: of the same memory, equal numbers are equal declarations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Declared {
    pub memory: u64,
    pub number: u32,
}

/// Sizes that forms depend on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FormSizes {
    pub addr_size: u8,
    /// 4 or 8: 32-bit or 64-bit DWARF.
    pub offset_size: u8,
    pub version: u16,
}

/// A compiled table.
#[derive(Default)]
pub struct Abbrevs {
    list: Vec<Abbrev>,
    /// Of each abbreviation in the list.
    layouts: Vec<Option<Layout>>,
    /// Codes 1, 2, 3... in order need no map.
    dense: bool,
    codes: FxHashMap<u64, u32>,
    sizes: Option<FormSizes>,
    /// Whether there are forms for references out of the unit, or forms that stand in the entries.
    pub has_outward: bool,
    steps: Vec<Step>,
    constants: Vec<i64>,
    /// Steps and constants of what is in it are kept.
    memory: Option<Memory>,
    /// In the life of the process no other one has this number.
    memory_number: u64,
}

impl Abbrevs {
    /// An object for the tables of many units.
    pub fn remembering() -> Abbrevs {
        Abbrevs { memory: Some(Memory::default()), ..Abbrevs::default() }
    }

    /// Compiles the table at the cursor, up to its terminator, reusing this object's memory. `wanted` says into which slot an
    /// attribute of a tag is taken; with a memory, it has to say the same each time.
    pub fn compile(
        &mut self,
        c: &mut Cursor<'_>,
        sizes: FormSizes,
        wanted: impl Fn(dw::DwTag, dw::DwAt) -> Option<Slot>,
    ) -> Result<(), DwarfError> {
        self.list.clear();
        self.layouts.clear();
        self.codes.clear();
        self.dense = true;
        self.has_outward = false;
        let knows = self.memory.as_ref().is_some_and(|memory| !memory.is_full() && self.steps.len() < 1 << 20);
        if !knows || self.sizes != Some(sizes) {
            self.sizes = Some(sizes);
            self.memory = self.memory.take().map(|_| Memory::default());
            self.memory_number = MEMORIES.fetch_add(1, Ordering::Relaxed);
            self.steps.clear();
            self.constants.clear();
        }
        let mut attrs: Vec<Attr> = Vec::with_capacity(16);
        loop {
            let code = c.uleb()?;
            if code == 0 {
                return Ok(());
            }
            let rest = c.rest();
            let known = self.memory.as_ref().and_then(|memory| Some((memory, declaration(rest)?)));
            let found = known.and_then(|(memory, (len, hash))| Some((len, *memory.find(hash, &rest[..len])?)));
            let abbrev = match found {
                Some((len, abbrev)) => {
                    c.set_pos(c.pos() + len);
                    abbrev
                }
                None => {
                    let declaration = known.map(|(_, declaration)| declaration);
                    let mut abbrev = self.compile_one(c, sizes, &mut attrs, &wanted)?;
                    if let (Some(memory), Some((len, hash))) = (&mut self.memory, declaration) {
                        abbrev.number = memory.len() as u32;
                        memory.insert(hash, &rest[..len], abbrev);
                    }
                    abbrev
                }
            };
            self.has_outward |= abbrev.is_outward;
            let index = self.list.len() as u32;
            if code != u64::from(index) + 1 && self.dense {
                self.dense = false;
                self.codes.extend((0..index).map(|i| (u64::from(i) + 1, i)));
            }
            if !self.dense {
                self.codes.insert(code, index);
            }
            self.list.push(abbrev);
            self.layouts.push(abbrev.layout);
        }
    }

    /// Compiles the declaration at the cursor, which stands behind the code.
    fn compile_one(
        &mut self,
        c: &mut Cursor<'_>,
        sizes: FormSizes,
        attrs: &mut Vec<Attr>,
        wanted: impl Fn(dw::DwTag, dw::DwAt) -> Option<Slot>,
    ) -> Result<Abbrev, DwarfError> {
        let tag = c.uleb()?;
        let tag = dw::DwTag(u16::try_from(tag).map_err(|_| c.invalid("a tag below 0x10000", tag))?);
        let has_children = c.u8()? != 0;
        attrs.clear();
        let mut size = Some(0u32);
        let mut outward = false;
        loop {
            let at = c.uleb()?;
            let form = c.uleb()?;
            if at == 0 && form == 0 {
                break;
            }
            let form = u16::try_from(form).map_err(|_| c.invalid("a form below 0x10000", form))?;
            let mut constant = 0;
            if dw::DwForm(form) == dw::DW_FORM_implicit_const {
                constant = self.constants.len() as u32;
                self.constants.push(c.sleb()?);
            }
            outward |= is_outward(dw::DwForm(form));
            let read = read_of(dw::DwForm(form), sizes).ok_or_else(|| c.invalid("a known attribute form", u64::from(form)))?;
            // An attribute number that does not fit is nobody's: 0 is no attribute.
            let slot = wanted(tag, dw::DwAt(u16::try_from(at).unwrap_or(0)));
            size = size.zip(read.fixed_size()).and_then(|(sum, size)| sum.checked_add(size));
            attrs.push(Attr { slot, form, read, constant });
        }
        let start = self.steps.len() as u32;
        match size {
            Some(_) => self.push_fixed(attrs),
            None => {
                for &Attr { slot, form, read, constant } in &*attrs {
                    match slot {
                        Some(slot) => self.steps.push(Step { read, slot: slot as u8, form, n: constant }),
                        None => self.push_skip(start, read, form),
                    }
                }
            }
        }
        let middle = self.steps.len() as u32;
        if size.is_none() {
            for attr in &*attrs {
                self.push_skip(middle, attr.read, attr.form);
            }
        }
        Ok(Abbrev {
            tag,
            has_children,
            layout: Layout::of(tag, has_children, attrs),
            number: UNNUMBERED,
            is_outward: outward,
            size: size.unwrap_or(VARIABLE),
            take: (start, middle),
            skip: (middle, self.steps.len() as u32),
        })
    }

    /// Adds the steps that take attributes of an entry whose size is fixed.
    fn push_fixed(&mut self, attrs: &[Attr]) {
        let mut at = 0;
        for &Attr { slot, form, read, constant } in attrs {
            if let Some(slot) = slot {
                self.steps.push(Step { read, slot: slot as u8, form, n: if read == Read::Implicit { constant } else { at } });
            }
            at += read.fixed_size().unwrap_or(0);
        }
    }

    /// Adds a step that passes an attribute to the plan that starts at `plan_start`.
    fn push_skip(&mut self, plan_start: u32, read: Read, form: u16) {
        let slot = NO_SLOT;
        let Some(size) = read.fixed_size() else {
            self.steps.push(Step { read, slot, form, n: 0 });
            return;
        };
        if size == 0 {
            return;
        }
        match self.steps.get_mut(plan_start as usize..).and_then(<[Step]>::last_mut) {
            Some(Step { read: Read::Skip, n, .. }) => *n += size,
            _ => self.steps.push(Step { read: Read::Skip, slot, form: 0, n: size }),
        }
    }

    #[inline]
    pub fn get(&self, code: u64) -> Option<&Abbrev> {
        if self.dense {
            return self.list.get(usize::try_from(code).ok()?.wrapping_sub(1));
        }
        self.codes.get(&code).map(|&i| &self.list[i as usize])
    }

    /// The layout, if it has one, of the entries with a code; only where codes are 1, 2, 3... in order.
    #[inline(always)]
    pub fn layout(&self, code: u64) -> Option<Layout> {
        if !self.dense {
            return None;
        }
        *self.layouts.get((code as usize).wrapping_sub(1))?
    }

    /// Reads the wanted attributes of an entry; the cursor stands behind its abbreviation code.
    #[inline]
    pub fn take(&self, abbrev: &Abbrev, c: &mut Cursor<'_>, out: &mut Attrs) -> Result<(), DwarfError> {
        out.present = 0;
        if abbrev.size != VARIABLE {
            return self.take_fixed(abbrev, c, out);
        }
        for step in &self.steps[abbrev.take.0 as usize..abbrev.take.1 as usize] {
            self.step(step, c, out)?;
        }
        Ok(())
    }

    #[inline]
    fn take_fixed(&self, abbrev: &Abbrev, c: &mut Cursor<'_>, out: &mut Attrs) -> Result<(), DwarfError> {
        let start = c.pos();
        let b = c.bytes(u64::from(abbrev.size))?;
        for step in &self.steps[abbrev.take.0 as usize..abbrev.take.1 as usize] {
            let at = step.n as usize;
            let value = match step.read {
                Read::Fixed4 => b[at..].first_chunk().map_or(0, |&b| c.word(b)).into(),
                Read::Fixed1 => u64::from(b[at]),
                Read::Fixed2 => b[at..].first_chunk().map_or(0, |&b| c.half(b)).into(),
                Read::Implicit => self.constants[at] as u64,
                Read::Present => 1,
                read => {
                    let mut attr = c.clone();
                    attr.set_pos(start + at);
                    value_of(read, &mut attr)?
                }
            };
            out.set(step.slot, step.form, value);
        }
        Ok(())
    }

    /// Tells `field` where the wanted attributes stand in every entry of this abbreviation; `None` where attributes have a size that only the
    /// entry tells, but for a string at the start and a block at the end.
    pub fn fields(&self, abbrev: &Abbrev, mut field: impl FnMut(Field)) -> Option<Extent> {
        let mut extent = Extent { has_head: false, size: 0, has_tail: false };
        for (i, step) in self.steps[abbrev.take.0 as usize..abbrev.take.1 as usize].iter().enumerate() {
            let offset = extent.size;
            let at = match (step.read, step.read.fixed_size()) {
                _ if extent.has_tail => return None,
                (Read::Skip, _) => {
                    extent.size = offset.checked_add(step.n)?;
                    continue;
                }
                (Read::Implicit, _) => At::Constant(self.constants[step.n as usize]),
                (Read::Present, _) => At::Constant(1),
                (Read::Str, _) if i == 0 => {
                    extent.has_head = true;
                    At::Head
                }
                (Read::BlockUleb, _) => {
                    extent.has_tail = true;
                    At::Tail
                }
                (_, Some(size)) if abbrev.size == VARIABLE => {
                    extent.size = offset.checked_add(size)?;
                    At::Bytes { offset, size: size as u8 }
                }
                // There are no steps for what is not wanted.
                (_, Some(size)) => At::Bytes { offset: step.n, size: size as u8 },
                _ => return None,
            };
            if step.slot != NO_SLOT {
                field(Field { slot: step.slot, form: dw::DwForm(step.form), at });
            }
        }
        if abbrev.size != VARIABLE {
            extent.size = abbrev.size;
        }
        Some(extent)
    }

    /// The declaration of an abbreviation of this table, if it is remembered.
    pub fn declared(&self, abbrev: &Abbrev) -> Option<Declared> {
        (abbrev.number != UNNUMBERED).then_some(Declared { memory: self.memory_number, number: abbrev.number })
    }

    /// All abbreviations, by their codes from 1 on; none when the codes are other ones.
    pub fn by_code(&self) -> &[Abbrev] {
        if self.dense { &self.list } else { &[] }
    }

    /// Passes all attributes of an entry.
    #[inline]
    pub fn skip(&self, abbrev: &Abbrev, c: &mut Cursor<'_>) -> Result<(), DwarfError> {
        if abbrev.size != VARIABLE {
            return c.skip(u64::from(abbrev.size));
        }
        for step in &self.steps[abbrev.skip.0 as usize..abbrev.skip.1 as usize] {
            match step.read {
                Read::Skip => c.skip(u64::from(step.n))?,
                read => self.pass(read, c)?,
            }
        }
        Ok(())
    }

    #[inline]
    fn step(&self, step: &Step, c: &mut Cursor<'_>, out: &mut Attrs) -> Result<(), DwarfError> {
        if step.slot == NO_SLOT {
            return match step.read {
                Read::Skip => c.skip(u64::from(step.n)),
                read => self.pass(read, c),
            };
        }
        let value = match step.read {
            Read::Fixed4 => u64::from(c.u32()?),
            Read::Fixed1 => u64::from(c.u8()?),
            Read::Fixed2 => u64::from(c.u16()?),
            Read::Implicit => self.constants[step.n as usize] as u64,
            Read::Present => 1,
            Read::Indirect => {
                let form = c.uleb()?;
                let form = u16::try_from(form).map_err(|_| c.invalid("a form below 0x10000", form))?;
                let value = self.indirect(form, c)?;
                out.set(step.slot, form, value);
                return Ok(());
            }
            read => value_of(read, c)?,
        };
        out.set(step.slot, step.form, value);
        Ok(())
    }

    fn pass(&self, read: Read, c: &mut Cursor<'_>) -> Result<(), DwarfError> {
        if read == Read::Indirect {
            let form = c.uleb()?;
            let form = u16::try_from(form).map_err(|_| c.invalid("a form below 0x10000", form))?;
            return self.indirect(form, c).map(|_| ());
        }
        value_of(read, c).map(|_| ())
    }

    #[cold]
    fn indirect(&self, form: u16, c: &mut Cursor<'_>) -> Result<u64, DwarfError> {
        let sizes = self.sizes.expect("compiled before use");
        match read_of(dw::DwForm(form), sizes) {
            Some(Read::Implicit) => Ok(c.sleb()? as u64),
            Some(Read::Present) => Ok(1),
            Some(Read::Indirect) | None => Err(c.invalid("a known attribute form", u64::from(form))),
            Some(read) => value_of(read, c),
        }
    }
}

fn is_outward(form: dw::DwForm) -> bool {
    matches!(
        form,
        dw::DW_FORM_ref_addr
            | dw::DW_FORM_ref_sig8
            | dw::DW_FORM_GNU_ref_alt
            | dw::DW_FORM_ref_sup4
            | dw::DW_FORM_ref_sup8
            | dw::DW_FORM_indirect
    )
}

fn value_of(read: Read, c: &mut Cursor<'_>) -> Result<u64, DwarfError> {
    let len = match read {
        Read::Fixed1 => return c.u8().map(u64::from),
        Read::Fixed2 => return c.u16().map(u64::from),
        Read::Fixed3 => return c.u24().map(u64::from),
        Read::Fixed4 => return c.u32().map(u64::from),
        Read::Fixed8 => return c.u64(),
        Read::Fixed16 => {
            let start = c.pos() as u64;
            c.skip(16)?;
            return Ok(start << 32 | 16);
        }
        Read::Uleb => return c.uleb(),
        Read::Sleb => return c.sleb().map(|v| v as u64),
        Read::Str => {
            let start = c.pos() as u64;
            c.cstr()?;
            return Ok(start);
        }
        Read::Block1 => u64::from(c.u8()?),
        Read::Block2 => u64::from(c.u16()?),
        Read::Block4 => u64::from(c.u32()?),
        Read::BlockUleb => c.uleb()?,
        Read::Skip | Read::Implicit | Read::Present | Read::Indirect => return Ok(0),
    };
    let start = c.pos() as u64;
    c.skip(len)?;
    Ok(start << 32 | len)
}

fn read_of(form: dw::DwForm, sizes: FormSizes) -> Option<Read> {
    let offset = if sizes.offset_size == 8 { Read::Fixed8 } else { Read::Fixed4 };
    let addr = match sizes.addr_size {
        2 => Read::Fixed2,
        4 => Read::Fixed4,
        _ => Read::Fixed8,
    };
    Some(match form {
        dw::DW_FORM_addr => addr,
        dw::DW_FORM_data1 | dw::DW_FORM_ref1 | dw::DW_FORM_flag | dw::DW_FORM_strx1 | dw::DW_FORM_addrx1 => Read::Fixed1,
        dw::DW_FORM_data2 | dw::DW_FORM_ref2 | dw::DW_FORM_strx2 | dw::DW_FORM_addrx2 => Read::Fixed2,
        dw::DW_FORM_strx3 | dw::DW_FORM_addrx3 => Read::Fixed3,
        dw::DW_FORM_data4 | dw::DW_FORM_ref4 | dw::DW_FORM_ref_sup4 | dw::DW_FORM_strx4 | dw::DW_FORM_addrx4 => Read::Fixed4,
        dw::DW_FORM_data8 | dw::DW_FORM_ref8 | dw::DW_FORM_ref_sig8 | dw::DW_FORM_ref_sup8 => Read::Fixed8,
        dw::DW_FORM_data16 => Read::Fixed16,
        dw::DW_FORM_sdata => Read::Sleb,
        dw::DW_FORM_udata
        | dw::DW_FORM_ref_udata
        | dw::DW_FORM_strx
        | dw::DW_FORM_addrx
        | dw::DW_FORM_loclistx
        | dw::DW_FORM_rnglistx
        | dw::DW_FORM_GNU_addr_index
        | dw::DW_FORM_GNU_str_index => Read::Uleb,
        dw::DW_FORM_string => Read::Str,
        dw::DW_FORM_strp
        | dw::DW_FORM_sec_offset
        | dw::DW_FORM_line_strp
        | dw::DW_FORM_strp_sup
        | dw::DW_FORM_GNU_ref_alt
        | dw::DW_FORM_GNU_strp_alt => offset,
        // DWARF 2 made it as large as an address.
        dw::DW_FORM_ref_addr => {
            if sizes.version == 2 {
                addr
            } else {
                offset
            }
        }
        dw::DW_FORM_block1 => Read::Block1,
        dw::DW_FORM_block2 => Read::Block2,
        dw::DW_FORM_block4 => Read::Block4,
        dw::DW_FORM_block | dw::DW_FORM_exprloc => Read::BlockUleb,
        dw::DW_FORM_flag_present => Read::Present,
        dw::DW_FORM_implicit_const => Read::Implicit,
        dw::DW_FORM_indirect => Read::Indirect,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZES: FormSizes = FormSizes { addr_size: 8, offset_size: 4, version: 5 };

    fn compile(table: &[u8]) -> Result<Abbrevs, DwarfError> {
        let mut a = Abbrevs::default();
        a.compile(&mut Cursor::new(table, false, 0, ".debug_abbrev"), SIZES, |_, at| match at {
            dw::DW_AT_name => Some(Slot::Name),
            dw::DW_AT_type => Some(Slot::Type),
            _ => None,
        })?;
        Ok(a)
    }

    #[test]
    fn takes_what_is_wanted_and_skips_the_rest() {
        // 1: member, no children; decl_file data1, name strp, decl_line data2, decl_column data1, type ref4.
        let a = compile(&[1, 0x0d, 0, 0x3a, 0x0b, 0x03, 0x0e, 0x3b, 0x05, 0x39, 0x0b, 0x49, 0x13, 0, 0, 0]).expect("valid table");
        let abbrev = a.get(1).expect("code 1");
        let die = [9, 1, 2, 0, 0, 7, 7, 8, 0x55, 0, 0, 0];
        let mut c = Cursor::new(&die, false, 0, ".debug_info");
        let mut attrs = Attrs::default();
        a.take(abbrev, &mut c, &mut attrs).expect("valid entry");
        assert_eq!(attrs.get(Slot::Name), Some((dw::DW_FORM_strp, 0x201)));
        assert_eq!(attrs.get(Slot::Type), Some((dw::DW_FORM_ref4, 0x55)));
        assert_eq!(c.pos(), die.len());
        let mut c = Cursor::new(&die, false, 0, ".debug_info");
        a.skip(abbrev, &mut c).expect("valid entry");
        assert_eq!(c.pos(), die.len());
        assert_eq!(abbrev.size as usize, die.len(), "all forms are of fixed size: one skip");
    }

    #[test]
    fn fields_say_where_everything_stands() {
        // 1: name strp, decl_line data2, type ref4, location exprloc. 2: name string, type ref4. 3: type implicit_const -1.
        // 4: type ref4, name string.
        let table = [
            1, 5, 0, 3, 0x0e, 0x3b, 5, 0x49, 0x13, 2, 0x18, 0, 0, 2, 5, 0, 3, 8, 0x49, 0x13, 0, 0, 3, 5, 0, 0x49, 0x21, 0x7f, 0,
            0, 4, 5, 0, 0x49, 0x13, 3, 8, 0, 0, 0,
        ];
        let a = compile(&table).expect("valid table");
        let mut fields = Vec::new();
        let extent = |code, fields: &mut Vec<Field>| {
            fields.clear();
            a.fields(a.get(code).expect("a code of the table"), |field| fields.push(field))
        };
        assert_eq!(extent(1, &mut fields), Some(Extent { has_head: false, size: 10, has_tail: true }));
        let name = Field { slot: Slot::Name as u8, form: dw::DW_FORM_strp, at: At::Bytes { offset: 0, size: 4 } };
        let ty = Field { slot: Slot::Type as u8, form: dw::DW_FORM_ref4, at: At::Bytes { offset: 6, size: 4 } };
        assert_eq!(fields, [name, ty]);
        assert_eq!(extent(2, &mut fields), Some(Extent { has_head: true, size: 4, has_tail: false }));
        assert_eq!((fields[0].at, fields[1].at), (At::Head, At::Bytes { offset: 0, size: 4 }));
        assert_eq!(extent(3, &mut fields), Some(Extent { has_head: false, size: 0, has_tail: false }));
        assert_eq!(fields[0].at, At::Constant(-1));
        assert_eq!(extent(4, &mut fields), None);
    }

    #[test]
    fn abbreviations_met_before() {
        // An enumerator with a constant of its own, a pointer; then the same and one with another constant under other codes.
        let mut a = Abbrevs::remembering();
        let wanted = |_: dw::DwTag, at| (at == dw::DW_AT_const_value).then_some(Slot::ConstValue);
        let value = |a: &Abbrevs, code| {
            let mut attrs = Attrs::default();
            a.take(a.get(code).expect("a code"), &mut Cursor::new(&[], false, 0, ".debug_info"), &mut attrs).expect("no bytes");
            attrs.get(Slot::ConstValue).map(|(_, v)| v)
        };
        let first = [1, 0x28, 0, 0x1c, 0x21, 7, 0, 0, 2, 0x0f, 0, 0x49, 0x13, 0, 0, 0];
        a.compile(&mut Cursor::new(&first, false, 0, ".debug_abbrev"), SIZES, wanted).expect("valid table");
        assert_eq!(value(&a, 1), Some(7));
        let second = [1, 0x0f, 0, 0x49, 0x13, 0, 0, 2, 0x28, 0, 0x1c, 0x21, 8, 0, 0, 3, 0x28, 0, 0x1c, 0x21, 7, 0, 0, 0];
        a.compile(&mut Cursor::new(&second, false, 0, ".debug_abbrev"), SIZES, wanted).expect("valid table");
        assert_eq!(a.memory.as_ref().map(|memory| memory.len()), Some(3));
        assert_eq!((value(&a, 2), value(&a, 3)), (Some(8), Some(7)));
        assert_eq!(a.get(1).map(|x| x.tag), Some(dw::DW_TAG_pointer_type));
        // Forms are of another size there.
        let sizes = FormSizes { offset_size: 8, ..SIZES };
        a.compile(&mut Cursor::new(&second, false, 0, ".debug_abbrev"), sizes, wanted).expect("valid table");
        assert_eq!(value(&a, 2), Some(8));
    }

    #[test]
    fn codes_out_of_order() {
        let a = compile(&[5, 0x24, 0, 0, 0, 2, 0x0f, 0, 0, 0, 0]).expect("valid table");
        assert_eq!(a.get(5).map(|x| x.tag), Some(dw::DW_TAG_base_type));
        assert_eq!(a.get(2).map(|x| x.tag), Some(dw::DW_TAG_pointer_type));
        assert!(a.get(1).is_none());
    }

    #[test]
    fn unknown_forms_are_refused() {
        assert!(compile(&[1, 0x24, 0, 0x03, 0x7d, 0, 0, 0]).is_err());
        assert!(compile(&[1, 0x24, 0, 0x03]).is_err());
    }
}
