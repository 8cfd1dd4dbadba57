//! Random type graphs, always the same for the same seed: programs of several units that share their types, as compilers emit
//! them, and tangles without such sense.

use super::{Op, op};

/// SplitMix64.
pub struct Rng(pub u64);

impl Rng {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

/// A type as the source code would write it.
#[derive(Clone, Debug, PartialEq)]
enum Expr {
    Void,
    Int(usize),
    Float(usize),
    Ptr(Box<Expr>),
    Const(Box<Expr>),
    Volatile(Box<Expr>),
    Restrict(Box<Expr>),
    Tag(usize, bool, Box<Expr>),
    Array(Box<Expr>, i64),
    Proto(Box<Expr>, Vec<(String, Expr)>),
    Anon { union: bool, fields: Vec<(String, Expr)> },
    AnonEnum(usize),
    Named(usize),
}

#[derive(Clone, Debug)]
enum Entity {
    Composite { union: bool, name: String, size: i64, fields: Vec<(String, Expr)> },
    Enum { name: String, values: Vec<(String, i64)>, wide: bool },
    Typedef { name: String, of: Expr },
}

/// What all units of a program have in their headers.
pub struct Program {
    entities: Vec<Entity>,
    /// Percentage of definitions that differ from unit to unit.
    contradictions: usize,
}

const INTS: [(&str, i64, i64); 4] = [("int", 4, 1), ("char", 1, 1), ("unsigned_long", 8, 0), ("bool", 1, 4)];
const FLOATS: [(&str, i64); 2] = [("float", 4), ("double", 8)];

fn random_expr(rng: &mut Rng, entities: usize, depth: usize) -> Expr {
    let leaf = depth == 0 || rng.chance(30);
    if leaf {
        return match rng.below(8) {
            0..=2 => Expr::Int(rng.below(INTS.len())),
            3 => Expr::Float(rng.below(FLOATS.len())),
            _ => Expr::Named(rng.below(entities)),
        };
    }
    let inner = |rng: &mut Rng| Box::new(random_expr(rng, entities, depth - 1));
    match rng.below(14) {
        0..=4 => Expr::Ptr(if rng.chance(10) { Box::new(Expr::Void) } else { inner(rng) }),
        5 => Expr::Const(inner(rng)),
        6 => Expr::Volatile(inner(rng)),
        7 => Expr::Restrict(inner(rng)),
        8 => Expr::Tag(rng.below(2), rng.chance(20), inner(rng)),
        9 => Expr::Array(inner(rng), rng.below(4) as i64),
        10 => {
            let count = rng.below(3);
            let params = (0..count).map(|i| (format!("p{i}"), random_expr(rng, entities, depth - 1))).collect();
            Expr::Ptr(Box::new(Expr::Proto(inner(rng), params)))
        }
        11 | 12 => {
            let union = rng.chance(50);
            Expr::Anon { union, fields: random_fields(rng, entities, depth - 1, 2) }
        }
        _ => Expr::AnonEnum(rng.below(3)),
    }
}

fn random_fields(rng: &mut Rng, entities: usize, depth: usize, most: usize) -> Vec<(String, Expr)> {
    let count = rng.below(most + 1);
    (0..count)
        .map(|i| (if rng.chance(10) { String::new() } else { format!("f{i}") }, random_expr(rng, entities, depth)))
        .collect()
}

impl Program {
    pub fn random(rng: &mut Rng, count: usize) -> Program {
        Program::with(rng, count, 15, 6)
    }

    /// One in which a name means the same everywhere.
    pub fn consistent(rng: &mut Rng, count: usize) -> Program {
        Program::with(rng, count, 0, 0)
    }

    fn with(rng: &mut Rng, count: usize, shared_names: usize, contradictions: usize) -> Program {
        let entities = (0..count)
            .map(|i| {
                // Two entities in a row sometimes share a name: static types of different units.
                let name = format!("t{}", if rng.chance(shared_names) { i / 2 } else { i });
                match rng.below(8) {
                    0 => Entity::Enum {
                        name,
                        values: (0..1 + rng.below(3)).map(|v| (format!("E{i}_{v}"), v as i64 - rng.below(3) as i64)).collect(),
                        wide: rng.chance(30),
                    },
                    1 | 2 => Entity::Typedef { name, of: random_expr(rng, i.max(1), 2) },
                    _ => Entity::Composite {
                        union: rng.chance(20),
                        name,
                        size: 8 + 8 * rng.below(2) as i64,
                        fields: random_fields(rng, count, 3, 4),
                    },
                }
            })
            .collect();
        Program { entities, contradictions }
    }

    /// Appends one unit's types to `ops`; the first one gets the id `first`. Returns the id after the last.
    pub fn unit(&self, rng: &mut Rng, first: i64, ops: &mut Vec<Op>) -> i64 {
        let mut unit = Unit {
            program: self,
            complete: self.entities.iter().map(|_| rng.chance(65)).collect(),
            changed: self.entities.iter().map(|_| rng.chance(self.contradictions)).collect(),
            nodes: Vec::new(),
            seen: Vec::new(),
        };
        for _ in 0..1 + rng.below(4) {
            let root = Expr::Named(rng.below(self.entities.len()));
            unit.node(rng, &root);
        }
        for i in 0..rng.below(3) {
            let proto = random_expr(rng, self.entities.len(), 1);
            let at =
                unit.node(rng, &Expr::Proto(Box::new(proto), vec![("a".into(), Expr::Named(0)), (String::new(), Expr::Void)]));
            unit.nodes.push(Node::Func(format!("fn{i}"), at));
        }
        unit.emit(rng, first, ops)
    }
}

/// A record to be, with references by index of node; `None` is void.
type Ref = Option<usize>;

#[derive(Clone, Debug)]
enum Node {
    Plain(Op),
    One(&'static str, String, Ref),
    Array(Ref, Ref, i64),
    Proto(Ref, Vec<(String, Ref)>),
    Composite(bool, String, i64, Vec<(String, Ref)>),
    Enum(String, Vec<(String, i64)>, bool),
    Func(String, Ref),
}

struct Unit<'a> {
    program: &'a Program,
    /// Which entities this unit sees the definition of.
    complete: Vec<bool>,
    /// Which entities are defined a little differently here.
    changed: Vec<bool>,
    nodes: Vec<Node>,
    seen: Vec<(Expr, usize)>,
}

impl Unit<'_> {
    fn node(&mut self, rng: &mut Rng, expr: &Expr) -> Ref {
        if *expr == Expr::Void {
            return None;
        }
        // Compilers emit most types once a unit, and some twice.
        if !rng.chance(3) || matches!(expr, Expr::Named(_)) {
            if let Some(&(_, at)) = self.seen.iter().find(|(seen, _)| seen == expr) {
                return Some(at);
            }
        }
        let at = self.nodes.len();
        self.seen.push((expr.clone(), at));
        self.nodes.push(Node::Plain(op("ptr", "", &[0])));
        self.nodes[at] = match expr {
            Expr::Void => unreachable!(),
            Expr::Int(i) => Node::Plain(op("int", INTS[*i].0, &[INTS[*i].1, INTS[*i].2])),
            Expr::Float(i) => Node::Plain(op("float", FLOATS[*i].0, &[FLOATS[*i].1])),
            Expr::Ptr(of) => Node::One("ptr", String::new(), self.node(rng, of)),
            Expr::Const(of) => Node::One("const", String::new(), self.node(rng, of)),
            Expr::Volatile(of) => Node::One("volatile", String::new(), self.node(rng, of)),
            Expr::Restrict(of) => Node::One("restrict", String::new(), self.node(rng, of)),
            Expr::Tag(tag, attr, of) => {
                Node::One(if *attr { "type_attr" } else { "type_tag" }, format!("tag{tag}"), self.node(rng, of))
            }
            Expr::Array(of, count) => {
                let elem = self.node(rng, of);
                Node::Array(self.node(rng, &Expr::Int(2)), elem, *count)
            }
            Expr::Proto(result, params) => {
                let result = self.node(rng, result);
                Node::Proto(result, params.iter().map(|(name, ty)| (name.clone(), self.node(rng, ty))).collect())
            }
            Expr::Anon { union, fields } => {
                Node::Composite(*union, String::new(), 8, fields.iter().map(|(n, ty)| (n.clone(), self.node(rng, ty))).collect())
            }
            Expr::AnonEnum(i) => Node::Enum(String::new(), vec![(format!("A{i}"), *i as i64)], *i == 2),
            Expr::Named(index) => self.entity(rng, *index),
        };
        Some(at)
    }

    fn entity(&mut self, rng: &mut Rng, index: usize) -> Node {
        let changed = self.changed[index];
        match self.program.entities[index].clone() {
            Entity::Composite { union, name, .. } if !self.complete[index] => {
                Node::Plain(op("fwd", &name, &[i64::from(union != changed)]))
            }
            Entity::Composite { union, name, size, mut fields } => {
                if changed {
                    match fields.first_mut() {
                        Some(field) => field.1 = Expr::Ptr(Box::new(Expr::Int(rng.below(2)))),
                        None => fields.push(("extra".into(), Expr::Int(0))),
                    }
                }
                let fields = fields.iter().map(|(name, ty)| (name.clone(), self.node(rng, ty))).collect();
                Node::Composite(union, name, size, fields)
            }
            Entity::Enum { name, .. } if !self.complete[index] => Node::Plain(op("fwd", &name, &[2])),
            Entity::Enum { name, mut values, wide } => {
                if changed {
                    values.pop();
                }
                Node::Enum(name, values, wide)
            }
            Entity::Typedef { name, of } => {
                let of = if changed { Expr::Ptr(Box::new(of)) } else { of };
                Node::One("typedef", name, self.node(rng, &of))
            }
        }
    }

    fn emit(self, rng: &mut Rng, first: i64, ops: &mut Vec<Op>) -> i64 {
        // Mostly in the order of the walk, sometimes shuffled: ids may point both ways.
        let mut order: Vec<usize> = (0..self.nodes.len()).collect();
        if rng.chance(30) {
            for i in (1..order.len()).rev() {
                order.swap(i, rng.below(i + 1));
            }
        }
        let mut ids = vec![0; order.len()];
        for (at, &node) in order.iter().enumerate() {
            ids[node] = first + at as i64;
        }
        let id = |r: &Ref| r.map_or(0, |node| ids[node]);
        let mut tags = Vec::new();
        for &node in &order {
            match &self.nodes[node] {
                Node::Plain(plain) => ops.push(plain.clone()),
                Node::One(what, name, to) => ops.push(op(what, name, &[id(to)])),
                Node::Array(index, elem, count) => ops.push(op("array", "", &[id(index), id(elem), *count])),
                Node::Proto(result, params) => {
                    ops.push(op("func_proto", "", &[id(result)]));
                    ops.extend(params.iter().map(|(name, ty)| op("func_param", name, &[id(ty)])));
                }
                Node::Composite(union, name, size, fields) => {
                    ops.push(op(if *union { "union" } else { "struct" }, name, &[*size]));
                    for (i, (name, ty)) in fields.iter().enumerate() {
                        let offset = if *union { 0 } else { i as i64 * 32 };
                        let bits = if name == "f1" && fields.len() > 2 { 3 } else { 0 };
                        ops.push(op("field", name, &[id(ty), offset, bits]));
                    }
                    if rng.chance(20) {
                        tags.push(op("decl_tag", "marked", &[ids[node], rng.below(fields.len() + 1) as i64 - 1]));
                    }
                }
                Node::Enum(name, values, wide) => {
                    ops.push(if *wide { op("enum64", name, &[8, 0]) } else { op("enum", name, &[4]) });
                    for (name, value) in values {
                        ops.push(op(if *wide { "enum64_value" } else { "enum_value" }, name, &[*value]));
                    }
                }
                Node::Func(name, proto) => {
                    ops.push(op("func", name, &[1, id(proto)]));
                    if rng.chance(30) {
                        tags.push(op(if rng.chance(50) { "decl_tag" } else { "decl_attr" }, "kfunc", &[ids[node], -1]));
                    }
                }
            }
        }
        let mut next = first + order.len() as i64 + tags.len() as i64;
        ops.append(&mut tags);
        if rng.chance(30) && !ids.is_empty() {
            ops.push(op("var", "counter", &[1, ids[0]]));
            ops.push(op("datasec", ".data", &[64]));
            ops.push(op("secinfo", "", &[next, 0, 8]));
            next += 2;
        }
        next
    }
}

/// Types that refer to each other at random. References other than members only point to structs or backwards, so that every
/// chain of them ends.
pub fn tangle(rng: &mut Rng, first: i64, count: usize, names: usize, ops: &mut Vec<Op>) -> i64 {
    let is_struct: Vec<bool> = (0..count).map(|_| rng.chance(40)).collect();
    let structs: Vec<i64> = (0..count).filter(|&i| is_struct[i]).map(|i| first + i as i64).collect();
    for (i, &is_struct) in is_struct.iter().enumerate() {
        let id = first + i as i64;
        let name = |rng: &mut Rng| format!("n{}", rng.below(names));
        let back = |rng: &mut Rng| {
            if !structs.is_empty() && rng.chance(50) { structs[rng.below(structs.len())] } else { rng.below(id as usize) as i64 }
        };
        if is_struct {
            let union = rng.chance(10);
            let label = if rng.chance(30) { String::new() } else { name(rng) };
            ops.push(op(if union { "union" } else { "struct" }, &label, &[8]));
            for f in 0..rng.below(3) {
                let to = if rng.chance(70) { first + rng.below(count) as i64 } else { back(rng) };
                ops.push(op("field", &format!("f{f}"), &[to, if union { 0 } else { 64 * f as i64 }, 0]));
            }
            continue;
        }
        match rng.below(14) {
            0 => ops.push(op("int", &name(rng), &[4, 1])),
            1 => ops.push(op("fwd", &name(rng), &[rng.below(3) as i64])),
            2 => {
                ops.push(op("enum", &name(rng), &[if rng.chance(80) { 4 } else { 8 }]));
                for v in 0..rng.below(3) {
                    ops.push(op("enum_value", &format!("V{v}"), &[v as i64]));
                }
            }
            3 => {
                ops.push(op("enum64", &name(rng), &[8, 1]));
                for v in 0..rng.below(2) {
                    ops.push(op("enum64_value", &format!("V{v}"), &[v as i64]));
                }
            }
            4..=6 => ops.push(op("ptr", "", &[back(rng)])),
            7 => ops.push(op("const", "", &[back(rng)])),
            8 | 9 => ops.push(op("typedef", &name(rng), &[back(rng)])),
            10 => ops.push(op("array", "", &[back(rng), back(rng), rng.below(2) as i64])),
            11 => ops.push(op("type_tag", &name(rng), &[back(rng)])),
            12 => ops.push(op("fwd", &name(rng), &[rng.below(2) as i64])),
            _ => {
                ops.push(op("func_proto", "", &[back(rng)]));
                for _ in 0..rng.below(3) {
                    ops.push(op("func_param", "", &[back(rng)]));
                }
            }
        }
    }
    first + count as i64
}
