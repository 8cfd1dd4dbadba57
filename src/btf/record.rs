//! The shape of one type record: three words (name, info, size or type) and what follows them for each kind, as laid down in
//! `include/uapi/linux/btf.h`.

use super::{StrOff, TypeId};

/// Word index of the name offset, the info word, and the size or type in a record.
pub(super) const NAME: usize = 0;
pub(super) const INFO: usize = 1;
pub(super) const SIZE_OR_TYPE: usize = 2;
/// Words of the part that all kinds share.
pub(super) const HEAD: usize = 3;

const KFLAG: u32 = 1 << 31;

/// `BTF_KIND_*`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Kind {
    Int = 1,
    Ptr,
    Array,
    Struct,
    Union,
    Enum,
    Fwd,
    Typedef,
    Volatile,
    Const,
    Restrict,
    Func,
    FuncProto,
    Var,
    Datasec,
    Float,
    DeclTag,
    TypeTag,
    Enum64,
}

impl Kind {
    /// The kind in an info word; `None` for 0 (void) and kinds that do not exist.
    #[inline]
    pub const fn of_info(info: u32) -> Option<Kind> {
        // In the order of the numbers, this is a comparison and no jump.
        Some(match kind_number(info) {
            1 => Kind::Int,
            2 => Kind::Ptr,
            3 => Kind::Array,
            4 => Kind::Struct,
            5 => Kind::Union,
            6 => Kind::Enum,
            7 => Kind::Fwd,
            8 => Kind::Typedef,
            9 => Kind::Volatile,
            10 => Kind::Const,
            11 => Kind::Restrict,
            12 => Kind::Func,
            13 => Kind::FuncProto,
            14 => Kind::Var,
            15 => Kind::Datasec,
            16 => Kind::Float,
            17 => Kind::DeclTag,
            18 => Kind::TypeTag,
            19 => Kind::Enum64,
            _ => return None,
        })
    }

    #[inline]
    pub fn is_composite(self) -> bool {
        matches!(self, Kind::Struct | Kind::Union)
    }

    #[inline]
    pub fn is_any_enum(self) -> bool {
        matches!(self, Kind::Enum | Kind::Enum64)
    }
}

/// The info word of a record.
#[inline]
pub const fn info_word(kind: Kind, vlen: u16, kflag: bool) -> u32 {
    (kflag as u32) << 31 | (kind as u32) << 24 | vlen as u32
}

/// The number of the kind, which need not exist.
#[inline]
pub(super) const fn kind_number(info: u32) -> u32 {
    info >> 24 & 0x1f
}

/// A table by the number of the kind, of what a constant function says of a kind, and of what holds for numbers without one.
macro_rules! by_kind {
    ($of:path, $none:expr) => {{
        let mut table = [$none; 32];
        let mut number = 0;
        while number < table.len() {
            if let Some(kind) = $crate::btf::Kind::of_info((number as u32) << 24) {
                table[number] = $of(kind);
            }
            number += 1;
        }
        table
    }};
}
pub(super) use by_kind;

#[inline]
pub(super) fn vlen_of(info: u32) -> usize {
    (info & 0xffff) as usize
}

#[inline]
pub(super) fn kflag_of(info: u32) -> bool {
    info & KFLAG != 0
}

/// What is in the records of a kind, beside the name. Looked up by number: types of all kinds follow each other, and branches would be
/// mispredicted at every second one.
#[derive(Clone, Copy)]
struct Shape {
    known: bool,
    /// The third word is a type's id.
    refers: bool,
    /// Words behind the head.
    fixed: u8,
    /// Words of each of as many rows as the info word says.
    row: u8,
    /// Each row begins with a name.
    names: bool,
    /// Where the first id behind the head is, from one to the next, and their number, for each row and besides.
    id_at: u8,
    id_step: u8,
    id_rows: u8,
    ids: u8,
}

impl Shape {
    const NONE: Shape =
        Shape { known: false, refers: false, fixed: 0, row: 0, names: false, id_at: 0, id_step: 0, id_rows: 0, ids: 0 };

    const fn of(kind: Kind) -> Shape {
        let plain = Shape { known: true, ..Shape::NONE };
        match kind {
            Kind::Float => plain,
            Kind::Int => Shape { fixed: 1, ..plain },
            // The type word of a forward declaration counts (it is always 0 in sane BTF).
            Kind::Fwd
            | Kind::Const
            | Kind::Volatile
            | Kind::Restrict
            | Kind::Ptr
            | Kind::Typedef
            | Kind::Func
            | Kind::TypeTag => Shape { refers: true, ..plain },
            Kind::Var | Kind::DeclTag => Shape { refers: true, fixed: 1, ..plain },
            Kind::Array => Shape { fixed: 3, id_step: 1, ids: 2, ..plain },
            Kind::Struct | Kind::Union => Shape { row: 3, names: true, id_at: 1, id_step: 3, id_rows: 1, ..plain },
            Kind::FuncProto => Shape { refers: true, row: 2, names: true, id_at: 1, id_step: 2, id_rows: 1, ..plain },
            Kind::Enum => Shape { row: 2, names: true, ..plain },
            Kind::Enum64 => Shape { row: 3, names: true, ..plain },
            Kind::Datasec => Shape { row: 3, id_step: 3, id_rows: 1, ..plain },
        }
    }

    #[inline]
    fn of_info(info: u32) -> &'static Shape {
        static SHAPES: [Shape; 32] = by_kind!(Shape::of, Shape::NONE);
        &SHAPES[kind_number(info) as usize]
    }
}

/// Length in words of the record with this info word; `None` for an unknown kind.
#[inline]
pub fn record_len(info: u32) -> Option<usize> {
    let shape = Shape::of_info(info);
    shape.known.then(|| HEAD + usize::from(shape.fixed) + usize::from(shape.row) * vlen_of(info))
}

/// What a layout section says about one kind (`struct btf_layout`), sizes in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct KindLayout {
    /// Behind the part that all kinds share.
    pub info_size: u8,
    /// Of each element, as many as the info word says.
    pub element_size: u8,
    /// None are defined.
    pub flags: u16,
}

impl KindLayout {
    /// Bytes of an entry of the section.
    pub const LEN: usize = 4;

    /// Those of all kinds, in the order of their numbers, that of void first.
    pub fn of_all() -> impl Iterator<Item = KindLayout> {
        (0..=Kind::Enum64 as u32).map(|kind| {
            let len = |vlen: u32| record_len(kind << 24 | vlen).unwrap_or(HEAD);
            let bytes = |words: usize| (words * 4) as u8;
            KindLayout { info_size: bytes(len(0) - HEAD), element_size: bytes(len(1) - len(0)), flags: 0 }
        })
    }
}

/// Word indices of one sort of field in a record: perhaps one in the head, then a regular run behind it.
#[derive(Clone)]
pub(super) struct Slots {
    head: Option<usize>,
    next: usize,
    stride: usize,
    left: usize,
}

impl Iterator for Slots {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        if let Some(head) = self.head.take() {
            return Some(head);
        }
        self.left = self.left.checked_sub(1)?;
        let slot = self.next;
        self.next += self.stride;
        Some(slot)
    }
}

/// Where the record with this info word holds type ids.
#[inline]
pub(super) fn id_slots(info: u32) -> Slots {
    let shape = Shape::of_info(info);
    Slots {
        head: shape.refers.then_some(SIZE_OR_TYPE),
        next: HEAD + usize::from(shape.id_at),
        stride: usize::from(shape.id_step),
        left: usize::from(shape.ids) + usize::from(shape.id_rows) * vlen_of(info),
    }
}

/// Whether a word of any row of `N` is `end` or more.
#[inline]
pub(super) fn reaches<const N: usize>(rows: &[u32], word: usize, end: u32) -> bool {
    rows.chunks_exact(N).any(|row| row[word] >= end)
}

/// Whether the test holds for an id of a whole record, as [`id_slots`] has them. Asked of every type, thus a loop for each stride.
#[inline]
pub(super) fn any_id(record: &[u32], test: impl Fn(u32) -> bool) -> bool {
    let rows = &record[HEAD..];
    match Kind::of_info(record[INFO]) {
        None | Some(Kind::Int | Kind::Float | Kind::Enum | Kind::Enum64) => false,
        Some(Kind::Array) => test(rows[0]) || test(rows[1]),
        Some(Kind::Struct | Kind::Union) => rows.chunks_exact(3).any(|row| test(row[1])),
        Some(Kind::FuncProto) => test(record[SIZE_OR_TYPE]) || rows.chunks_exact(2).any(|row| test(row[1])),
        Some(Kind::Datasec) => rows.chunks_exact(3).any(|row| test(row[0])),
        Some(_) => test(record[SIZE_OR_TYPE]),
    }
}

/// Passes the names of a whole record, as [`name_slots`] has them.
#[inline]
pub(super) fn for_each_name(record: &mut [u32], mut pass: impl FnMut(&mut u32)) {
    let Some((head, rows)) = record.split_first_chunk_mut::<HEAD>() else { return };
    pass(&mut head[NAME]);
    match Kind::of_info(head[INFO]) {
        Some(Kind::Struct | Kind::Union | Kind::Enum64) => rows.chunks_exact_mut(3).for_each(|row| pass(&mut row[0])),
        Some(Kind::Enum | Kind::FuncProto) => rows.chunks_exact_mut(2).for_each(|row| pass(&mut row[0])),
        _ => {}
    }
}

/// Where the record with this info word holds string offsets, in libbpf's order of visiting them.
#[inline]
pub(super) fn name_slots(info: u32) -> Slots {
    let shape = Shape::of_info(info);
    let left = if shape.names { vlen_of(info) } else { 0 };
    Slots { head: Some(NAME), next: HEAD, stride: usize::from(shape.row), left }
}

/// A view of one record.
#[derive(Clone, Copy, Debug)]
pub struct Type<'a> {
    pub(super) words: &'a [u32],
    pub(super) kind: Kind,
}

/// A member of a struct or union.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Member {
    pub name: StrOff,
    pub type_id: TypeId,
    /// From the start of the struct, in bits.
    pub bit_offset: u32,
    /// 0 for what is no bit field, in bits.
    pub bitfield_size: u32,
}

/// A parameter of a prototype; without name and type it stands for `...`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Param {
    pub name: StrOff,
    pub type_id: TypeId,
}

/// An enumerator of either width; `value` is to be read as unsigned when the enum's kind flag is not set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Enumerator {
    pub name: StrOff,
    pub value: i64,
}

/// A variable in a data section.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SecInfo {
    pub type_id: TypeId,
    /// From the start of the section, in bytes.
    pub offset: u32,
    /// In bytes.
    pub size: u32,
}

/// What follows the head of an array.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Array {
    pub elem: TypeId,
    pub index: TypeId,
    pub count: u32,
}

impl<'a> Type<'a> {
    /// `None` when the words are not one whole record of a known kind.
    #[inline]
    pub fn new(words: &'a [u32]) -> Option<Type<'a>> {
        let info = *words.get(INFO)?;
        let words = words.get(..record_len(info)?)?;
        Some(Type { words, kind: Kind::of_info(info)? })
    }

    #[inline]
    pub fn kind(&self) -> Kind {
        self.kind
    }

    #[inline]
    pub fn words(&self) -> &'a [u32] {
        self.words
    }

    #[inline]
    pub fn name(&self) -> StrOff {
        StrOff(self.words[NAME])
    }

    /// Number of members, parameters, enumerators or variables; the linkage of a function.
    #[inline]
    pub fn vlen(&self) -> usize {
        vlen_of(self.words[INFO])
    }

    /// Bit fields in a struct, a union of a forward declaration, a signed enum, an attribute of a tag.
    #[inline]
    pub fn kflag(&self) -> bool {
        kflag_of(self.words[INFO])
    }

    /// In bytes, of the kinds that have a size of their own.
    #[inline]
    pub fn size(&self) -> Option<u32> {
        matches!(self.kind, Kind::Int | Kind::Float | Kind::Struct | Kind::Union | Kind::Enum | Kind::Enum64 | Kind::Datasec)
            .then(|| self.words[SIZE_OR_TYPE])
    }

    /// The type that a reference kind refers to, or the result of a prototype.
    #[inline]
    pub fn type_id(&self) -> Option<TypeId> {
        matches!(
            self.kind,
            Kind::Ptr
                | Kind::Typedef
                | Kind::Volatile
                | Kind::Const
                | Kind::Restrict
                | Kind::Func
                | Kind::FuncProto
                | Kind::Var
                | Kind::DeclTag
                | Kind::TypeTag
        )
        .then(|| TypeId(self.words[SIZE_OR_TYPE]))
    }

    pub fn array(&self) -> Option<Array> {
        (self.kind == Kind::Array).then(|| Array {
            elem: TypeId(self.words[HEAD]),
            index: TypeId(self.words[HEAD + 1]),
            count: self.words[HEAD + 2],
        })
    }

    /// Encoding, offset and bits of an integer, as packed in the format (`BTF_INT_*`).
    pub fn int_data(&self) -> Option<u32> {
        (self.kind == Kind::Int).then(|| self.words[HEAD])
    }

    /// Linkage of a variable.
    pub fn var_linkage(&self) -> Option<u32> {
        (self.kind == Kind::Var).then(|| self.words[HEAD])
    }

    /// Which member or parameter a declaration tag is about, -1 for the whole.
    pub fn component_idx(&self) -> Option<i32> {
        (self.kind == Kind::DeclTag).then(|| self.words[HEAD] as i32)
    }

    /// Empty for what is neither struct nor union.
    pub fn members(&self) -> impl Iterator<Item = Member> + use<'a> {
        let ty = *self;
        self.rows::<3>(self.kind.is_composite()).map(move |row| ty.member_of(row))
    }

    /// The member at an index; `None` beyond the last one, and for what is neither struct nor union.
    pub fn member(&self, index: usize) -> Option<Member> {
        let row = self.kind.is_composite().then(|| self.words.get(HEAD + index * 3..)?.first_chunk::<3>()).flatten()?;
        Some(self.member_of(row))
    }

    fn member_of(&self, &[name, type_id, offset]: &[u32; 3]) -> Member {
        let (bit_offset, bitfield_size) = if self.kflag() { (offset & 0xff_ffff, offset >> 24) } else { (offset, 0) };
        Member { name: StrOff(name), type_id: TypeId(type_id), bit_offset, bitfield_size }
    }

    /// Empty for what is no prototype.
    pub fn params(&self) -> impl Iterator<Item = Param> + use<'a> {
        self.rows::<2>(self.kind == Kind::FuncProto)
            .map(|&[name, type_id]| Param { name: StrOff(name), type_id: TypeId(type_id) })
    }

    /// Empty for what is no enum.
    pub fn enumerators(&self) -> impl Iterator<Item = Enumerator> + use<'a> {
        let signed = self.kflag();
        let narrow = self.rows::<2>(self.kind == Kind::Enum).map(move |&[name, value]| Enumerator {
            name: StrOff(name),
            value: if signed { i64::from(value as i32) } else { i64::from(value) },
        });
        let wide = self
            .rows::<3>(self.kind == Kind::Enum64)
            .map(|&[name, low, high]| Enumerator { name: StrOff(name), value: (u64::from(high) << 32 | u64::from(low)) as i64 });
        narrow.chain(wide)
    }

    /// Empty for what is no data section.
    pub fn secinfos(&self) -> impl Iterator<Item = SecInfo> + use<'a> {
        self.rows::<3>(self.kind == Kind::Datasec).map(|&[type_id, offset, size]| SecInfo {
            type_id: TypeId(type_id),
            offset,
            size,
        })
    }

    fn rows<const N: usize>(&self, wanted: bool) -> impl Iterator<Item = &'a [u32; N]> + use<'a, N> {
        let words: &'a [u32] = if wanted { &self.words[HEAD..] } else { &[] };
        words.chunks_exact(N).filter_map(|row| row.try_into().ok())
    }
}
