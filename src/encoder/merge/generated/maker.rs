//! From a number to units: names are given meanings first, and then each unit takes its choice of them.

use super::{Made, Part, Unit, reorder};
use crate::btf::Kind;

struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ z >> 31) % n as u64) as usize
    }

    fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }
}

/// A type as a source has it, names standing for what they name.
#[derive(Clone, Debug)]
enum Source {
    Void,
    Int(usize),
    /// Struct, union or enumeration.
    Tag(usize),
    Typedef(usize),
    Link(Kind, Box<Source>),
    Array(u32, Box<Source>),
    Nameless(Kind, Vec<(&'static str, Source)>),
    NamelessEnum(u32),
    Proto(Vec<Source>),
}

const TAGS: [&str; 6] = ["a", "b", "c", "d", "long_e", "f"];
const TYPEDEFS: [&str; 4] = ["t", "u", "long_v", "a"];
const INTS: [(&str, u32); 3] = [("int", 4), ("chr", 1), ("unsigned_long", 8)];

/// What a name may stand for.
#[derive(Clone, Debug)]
struct Variant {
    kind: Kind,
    size: u32,
    members: Vec<(&'static str, Source)>,
}

struct Maker {
    random: Random,
    tags: Vec<Vec<Variant>>,
    typedefs: Vec<Vec<Source>>,
    tag_count: usize,
    typedef_count: usize,
    /// Chances, one in so many.
    declares: usize,
    roots: usize,
    repeats: usize,
}

impl Maker {
    fn source(&mut self, depth: usize, pointed: bool) -> Source {
        match self.random.below(if depth == 0 { 5 } else { 14 }) {
            0 if pointed => Source::Void,
            0 | 1 => Source::Int(self.random.below(INTS.len())),
            2 if pointed => Source::Tag(self.random.below(self.tag_count)),
            3 | 2 => Source::Typedef(self.random.below(self.typedef_count)),
            4 => Source::Int(0),
            5..9 => Source::Link(Kind::Ptr, Box::new(self.source(depth - 1, true))),
            9 => Source::Link(self.random.of(&[Kind::Const, Kind::Volatile]), Box::new(self.source(depth - 1, pointed))),
            10 => Source::Array(self.random.below(3) as u32, Box::new(self.source(depth - 1, false))),
            11 => {
                let kind = self.random.of(&[Kind::Struct, Kind::Union]);
                Source::Nameless(kind, self.members(depth - 1))
            }
            12 => {
                let params = (0..1 + self.random.below(3)).map(|_| self.source(depth - 1, false)).collect();
                Source::Link(Kind::Ptr, Box::new(Source::Proto(params)))
            }
            _ => Source::NamelessEnum(self.random.below(2) as u32),
        }
    }

    fn members(&mut self, depth: usize) -> Vec<(&'static str, Source)> {
        (0..1 + self.random.below(3)).map(|_| (self.random.of(&["m", "n", "long_o", ""]), self.source(depth, false))).collect()
    }

    fn variant(&mut self) -> Variant {
        let kind = self.random.of(&[Kind::Struct, Kind::Struct, Kind::Struct, Kind::Union, Kind::Enum]);
        let members = if kind == Kind::Enum { vec![("m", Source::Void); 1 + self.random.below(2)] } else { self.members(3) };
        Variant { kind, size: 8 * (1 + self.random.below(2) as u32), members }
    }

    /// A variant that is nearly another one.
    fn changed(&mut self, variant: &Variant) -> Variant {
        let mut variant = variant.clone();
        let at = self.random.below(variant.members.len());
        match self.random.below(6) {
            0 => return self.variant(),
            1 => variant.size += 8,
            2 => variant.members[at].0 = "z",
            _ if variant.kind == Kind::Enum => variant.members.push(("y", Source::Void)),
            3 => variant.members[at].1 = self.source(2, false),
            _ => {
                let member = &mut variant.members[at].1;
                *member = match (&mut *member, self.random.below(3)) {
                    (Source::Link(kind, of), 0) => Source::Link(*kind, Box::new(Source::Link(Kind::Const, of.clone()))),
                    (Source::Link(kind, of), 1) if matches!(**of, Source::Tag(_)) => {
                        Source::Link(*kind, Box::new(Source::Tag(self.random.below(self.tag_count))))
                    }
                    (Source::Array(count, of), _) => Source::Array(*count + 1, of.clone()),
                    (other, _) => Source::Link(Kind::Volatile, Box::new(other.clone())),
                };
            }
        }
        variant
    }

    fn program(&mut self) -> Vec<Unit> {
        for _ in 0..self.tag_count {
            let mut variants = vec![self.variant()];
            while self.random.one_in(3) && variants.len() < 4 {
                let at = self.random.below(variants.len());
                let variant = variants[at].clone();
                variants.push(self.changed(&variant));
            }
            self.tags.push(variants);
        }
        for _ in 0..self.typedef_count {
            let mut variants = vec![self.source(2, true)];
            while self.random.one_in(4) && variants.len() < 3 {
                variants.push(self.source(2, true));
            }
            self.typedefs.push(variants);
        }
        (0..2 + self.random.below(9)).map(|_| self.unit()).collect()
    }

    fn unit(&mut self) -> Unit {
        let is_bad = self.random.one_in(6);
        let mut unit = InUnit {
            types: Vec::new(),
            tags: vec![None; self.tag_count],
            typedefs: vec![None; self.typedef_count],
            known: Vec::new(),
            chosen_tags: (0..self.tag_count).map(|i| self.random.below(self.tags[i].len())).collect(),
            chosen_typedefs: (0..self.typedef_count).map(|i| self.random.below(self.typedefs[i].len())).collect(),
            declared: (0..self.tag_count).map(|_| self.random.one_in(self.declares)).collect(),
        };
        for _ in 0..1 + self.random.below(self.roots) {
            let of = if self.random.one_in(3) { self.source(2, true) } else { Source::Tag(self.random.below(self.tag_count)) };
            unit.of(self, &of, 0);
            if is_bad && self.random.one_in(2) {
                // Another function, with types of its own.
                let tag = self.random.below(self.tag_count);
                unit.tags[tag] = None;
                unit.declared[tag] = self.random.one_in(2);
                unit.chosen_tags[tag] = self.random.below(self.tags[tag].len());
                if self.random.one_in(2) {
                    unit.known.clear();
                    unit.typedefs.fill(None);
                }
            }
        }
        let mut types = unit.types;
        if self.random.one_in(2) {
            self.shuffle(&mut types);
        }
        types
    }

    /// Gives the types another order.
    fn shuffle(&mut self, types: &mut Unit) {
        let mut order: Vec<usize> = (0..types.len()).collect();
        for i in (1..order.len()).rev() {
            order.swap(i, self.random.below(i + 1));
        }
        reorder(types, &order);
    }
}

fn int(which: usize) -> Made {
    let (name, size) = INTS[which];
    Made { kind: Kind::Int, flag: false, name, size, parts: Vec::new() }
}

/// A unit in the making.
struct InUnit {
    types: Unit,
    tags: Vec<Option<u32>>,
    typedefs: Vec<Option<u32>>,
    /// Reference types that are there.
    known: Vec<(Made, u32)>,
    chosen_tags: Vec<usize>,
    chosen_typedefs: Vec<usize>,
    declared: Vec<bool>,
}

impl InUnit {
    fn push(&mut self, made: Made) -> u32 {
        self.types.push(made);
        self.types.len() as u32
    }

    /// The reference type, which is shared unless the compiler happens to write it again.
    fn share(&mut self, maker: &mut Maker, made: Made) -> u32 {
        if let Some(&(_, id)) = self.known.iter().find(|(known, _)| *known == made) {
            if !maker.random.one_in(maker.repeats) {
                return id;
            }
        }
        let id = self.push(made.clone());
        self.known.push((made, id));
        id
    }

    fn of(&mut self, maker: &mut Maker, source: &Source, depth: usize) -> u32 {
        let link = |kind, of| Made { kind, flag: false, name: "", size: 0, parts: vec![Part { name: "", of, place: 0 }] };
        match source {
            Source::Void => 0,
            Source::Int(which) => self.share(maker, int(*which)),
            Source::Tag(tag) => self.tag(maker, *tag, depth),
            Source::Typedef(which) => {
                if let Some(id) = self.typedefs[*which] {
                    return id;
                }
                let id = self.push(Made { name: TYPEDEFS[*which], ..link(Kind::Typedef, 0) });
                self.typedefs[*which] = Some(id);
                let of = maker.typedefs[*which][self.chosen_typedefs[*which]].clone();
                let of = self.of(maker, &of, depth + 1);
                // Only through a struct may it lead to itself.
                self.types[id as usize - 1].parts[0].of = if self.leads_on(of, id) { 0 } else { of };
                id
            }
            Source::Link(kind, of) => {
                let of = self.of(maker, of, depth + 1);
                self.share(maker, link(*kind, of))
            }
            Source::Array(count, of) => {
                let of = self.of(maker, of, depth + 1);
                self.share(maker, Made { size: *count, ..link(Kind::Array, of) })
            }
            Source::Nameless(kind, members) => {
                let id = self.push(Made { kind: *kind, flag: false, name: "", size: 8, parts: Vec::new() });
                self.types[id as usize - 1].parts = self.parts(maker, members, depth);
                id
            }
            Source::NamelessEnum(value) => {
                let parts = vec![Part { name: "e", of: 0, place: *value }];
                self.push(Made { kind: Kind::Enum, flag: false, name: "", size: 4, parts })
            }
            Source::Proto(params) => {
                let parts =
                    params.iter().map(|param| Part { name: "", of: self.of(maker, param, depth + 1), place: 0 }).collect();
                self.share(maker, Made { kind: Kind::FuncProto, flag: false, name: "", size: 0, parts })
            }
        }
    }

    fn parts(&mut self, maker: &mut Maker, members: &[(&'static str, Source)], depth: usize) -> Vec<Part> {
        let parts = members.iter().enumerate();
        parts.map(|(i, (name, source))| Part { name, of: self.of(maker, source, depth + 1), place: 32 * i as u32 }).collect()
    }

    fn tag(&mut self, maker: &mut Maker, tag: usize, depth: usize) -> u32 {
        if let Some(id) = self.tags[tag] {
            return id;
        }
        let variant = maker.tags[tag][self.chosen_tags[tag]].clone();
        let name = TAGS[tag];
        let made = Made { kind: variant.kind, flag: false, name, size: variant.size, parts: Vec::new() };
        let id = if self.declared[tag] || depth > 12 {
            match variant.kind {
                Kind::Enum => self.push(made),
                kind => self.push(Made { kind: Kind::Fwd, flag: kind == Kind::Union, size: 0, ..made }),
            }
        } else {
            self.push(made)
        };
        self.tags[tag] = Some(id);
        if !self.declared[tag] && depth <= 12 {
            self.types[id as usize - 1].parts = if variant.kind == Kind::Enum {
                let parts = variant.members.iter().enumerate();
                parts.map(|(i, (name, _))| Part { name, of: 0, place: i as u32 }).collect()
            } else {
                self.parts(maker, &variant.members, depth)
            };
        }
        id
    }

    /// Whether a type leads to one that is in the making, by way of typedefs, references and nameless types alone.
    fn leads_on(&self, from: u32, to: u32) -> bool {
        let (mut seen, mut left) = (vec![false; self.types.len() + 1], vec![from]);
        while let Some(id) = left.pop() {
            if id == to {
                return true;
            }
            if id == 0 || std::mem::replace(&mut seen[id as usize], true) {
                continue;
            }
            let made = &self.types[id as usize - 1];
            if made.name.is_empty() || made.kind == Kind::Typedef {
                left.extend(made.parts.iter().map(|part| part.of));
            }
        }
        false
    }
}

/// The units that a number stands for.
pub(super) fn program(seed: u64) -> Vec<Unit> {
    let mut random = Random(seed.wrapping_mul(0x1234_5678_9abc_def1));
    let (tag_count, typedef_count) = (1 + random.below(TAGS.len()), 1 + random.below(TYPEDEFS.len()));
    let (declares, repeats) = (random.of(&[2, 3, 6, 1000]), random.of(&[3, 10, 1000]));
    let roots = 1 + random.below(4);
    Maker { random, roots, tags: Vec::new(), typedefs: Vec::new(), tag_count, typedef_count, declares, repeats }.program()
}
