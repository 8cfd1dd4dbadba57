//! What a type is, names standing for what they name: how types of one unit are known in the next.
//!
//! Nearly all of a kernel's types repeat a type of an earlier unit, and the merge drops those. A struct is the same as one before it when name,
//! size and members are, each member's type by its own words down to the next name of a struct, union or enumeration, and by whether the unit
//! defines or only declares that name. What the name stands for is not looked at: going by all that a type leads to would tell most types of two
//! units apart, because somewhere below them one unit declares what the other one defines. A kernel of 4.3 million types has one million that
//! differ so, but some tens of thousands that differ in this sense.
//!
//! That is right as long as a name has one definition in the file:
//!
//! - The merge sees each new definition, and notes names that have more than one ([`super::ambiguous`]); half of a hash leaves declarations out
//!   of account, so that it can tell. From the unit on that brought the second definition, types that lead to such a name all stay; so do types
//!   that lead to a name which their own unit has twice. They are *apart*. A definition that is apart may be another one than an earlier
//!   unit's, whatever its own words, so that its name has several definitions, too. Deduplication takes a declaration for any of them, so that being
//!   the same is no equivalence among these types, and it matters which of them are compared, and when.
//! - Types that differ only in what is declared all stay, so that deduplication compares them and learns what a declaration stands for
//!   when it would have learned it from all types.
//! - A declared enumeration becomes what precedes it, or what comes last of its name: it stays, with what leads to it through no name. One
//!   without name and enumerators is taken for any without a name, and ends all dropping.
//!
//! With a base nothing is left out: its declarations stay declarations, so that of two types which are the same to each other, even with all they
//! lead to, one may become a type of the base and the other one that of an earlier unit.
//!
//! Types of no name are hashed with all they are made of. Where these lead to each other in a circle, they stay, with all that leads to them. In
//! files whose units refer to each other, a type of another unit is known by its number, and may lead to any of the ambiguous names.

use super::ambiguous::Ambiguous;
use super::fragment::{Apart, Fragment, Named};
use super::type_hash::{Hash, START, Shape, leaf, mix_link, mix_name, shape, value};
use crate::btf::{Kind, record_len};

/// Reused buffers.
#[derive(Default)]
pub struct IdentityScratch {
    /// What stands for each type among the children of others.
    tokens: Vec<Token>,
    /// Nameless types some of whose children come later.
    waiting: Vec<u32>,
    /// Nameless types whose children are looked at: the type, and the word of the child that is next.
    path: Vec<(u32, u32)>,
    /// Of each circle of nameless types, one.
    in_circles: Vec<u32>,
    names: NameTable,
    marks: Vec<bool>,
    referrers: Referrers,
}

/// What stands for a type among the children of others: half a hash by names, and one of which of these are declared only.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Token {
    names: u64,
    declared: Declared,
}

impl Token {
    /// None yet; no hash comes out so.
    const UNKNOWN: Token = Token::special(0, 0);
    /// The children are being looked at.
    const STARTED: Token = Token::special(0, 1);
    const VOID: Token = Token::special(1, 0);
    /// A nameless type that leads to itself has this until it has its own.
    const CIRCLE: Token = Token::special(2, 0);

    const fn special(names: u64, declared: u64) -> Token {
        Token { names, declared: Declared(declared) }
    }

    fn new(hash: Hash, declared: Declared) -> Token {
        Token { names: strong(hash), declared }
    }

    /// Not for one in 2^64 hashes, which costs time and nothing else.
    #[inline]
    fn is_known(self) -> bool {
        self.names != 0
    }

    fn hash(self) -> Hash {
        Hash(self.names, 0)
    }
}

/// A hash of which names below a type are declared only. What is the same by names differs in nothing else, so that the same few values come up
/// at every depth: a child's has to be turned against its neighbour's, lest two declarations cancel each other.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Declared(u64);

impl Declared {
    const NONE: Declared = Declared(START.0);
    const ONLY: Declared = Declared(START.1);

    #[inline]
    fn mix(&mut self, token: Token) {
        self.0 = (self.0.rotate_left(29) ^ token.declared.0).wrapping_mul(0xd1b5_4a32_d192_ed03);
    }
}

/// Half a hash that depends on all of it: what was mixed in last, a kind above all, may be in one half alone.
#[inline]
fn strong(hash: Hash) -> u64 {
    hash.0 ^ hash.1.rotate_left(32)
}

/// The hash of a type: half of it, the upper one, is by names alone.
fn identity(hash: Hash, declared: Declared) -> u128 {
    Hash(strong(hash), hash.1 ^ declared.0).value()
}

/// What names stand for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Group {
    Struct = 1,
    Union,
    Enum,
}

/// The group of a type that is known by its name, if it has one.
fn group(info: u32) -> Option<Group> {
    Some(match Kind::of_info(info)? {
        Kind::Struct => Group::Struct,
        Kind::Union => Group::Union,
        Kind::Fwd if info >> 31 != 0 => Group::Union,
        Kind::Fwd => Group::Struct,
        Kind::Enum | Kind::Enum64 => Group::Enum,
        _ => return None,
    })
}

/// Whether a record that has a name says what the name stands for, other than a declaration.
pub(super) fn is_definition(info: u32) -> bool {
    match Kind::of_info(info) {
        // Without enumerators it is a declaration.
        Some(Kind::Enum | Kind::Enum64) => info & 0xffff != 0,
        kind => kind != Some(Kind::Fwd),
    }
}

/// Gives the fragment its hashes, and lists the types that stay whether an earlier unit had the same or not. `known` are the names that are
/// ambiguous so far.
pub fn identify(fragment: &mut Fragment, known: &Ambiguous, scratch: &mut IdentityScratch) {
    let mut hashes = fragment.take_hashes();
    let mut named = std::mem::take(&mut fragment.named);
    named.clear();
    let mut alone = std::mem::take(&mut fragment.alone);
    let mut walk = Walk {
        fragment,
        tokens: &mut scratch.tokens,
        waiting: &mut scratch.waiting,
        path: &mut scratch.path,
        hashes: &mut hashes,
        named: &mut named,
        alone: &mut alone,
        in_circles: &mut scratch.in_circles,
        has_empty_enum: false,
    };
    walk.run();
    fragment.has_empty_enum = walk.has_empty_enum;
    fragment.set_hashes(hashes);
    find_alone(fragment, scratch, &mut alone);
    fragment.alone = alone;
    scratch.names.mark_doubled(&mut named);
    fragment.named = named;
    let mut apart = std::mem::take(&mut fragment.apart);
    find_apart(fragment, known, known.count(), scratch, &mut apart);
    fragment.apart = apart;
}

/// Completes a list of declared enumerations with what leads to them through no name, and all that leads to circles of nameless types.
fn find_alone(fragment: &Fragment, scratch: &mut IdentityScratch, alone: &mut Vec<u32>) {
    if alone.is_empty() && scratch.in_circles.is_empty() {
        return;
    }
    let (marks, referrers) = (&mut scratch.marks, &mut scratch.referrers);
    marks.clear();
    if !scratch.in_circles.is_empty() {
        scratch.in_circles.iter().for_each(|&id| mark(marks, fragment, id));
        referrers.spread(fragment, marks, |_| true);
    }
    if !alone.is_empty() {
        alone.drain(..).for_each(|id| mark(marks, fragment, id));
        referrers.spread(fragment, marks, |w| w[0] == 0);
    }
    alone.extend(marked(marks));
}

/// Finds the types of the fragment that lead to a name which the first `known` ambiguous ones or the unit itself has twice.
pub(super) fn find_apart(
    fragment: &Fragment,
    ambiguous: &Ambiguous,
    known: u32,
    scratch: &mut IdentityScratch,
    apart: &mut Apart,
) {
    apart.known = known;
    apart.list.clear();
    let marks = &mut scratch.marks;
    marks.clear();
    let doubled = fragment.named.iter().filter(|named| named.is_doubled);
    doubled.for_each(|named| mark(marks, fragment, named.id));
    ambiguous.find(&fragment.named, known, |i| mark(marks, fragment, fragment.named[i].id));
    // What is in other units may have such a name, too.
    if fragment.outward && known > 0 {
        let count = fragment.starts.len() as u32;
        for id in 1..=count {
            let w = fragment.record(id);
            if children(w, 0).any(|at| w[at] > count) {
                mark(marks, fragment, id);
            }
        }
    }
    if !marks.is_empty() {
        scratch.referrers.spread(fragment, marks, |_| true);
        apart.list.extend(marked(marks));
    }
}

fn mark(marks: &mut Vec<bool>, fragment: &Fragment, id: u32) {
    marks.resize(fragment.starts.len() + 1, false);
    marks[id as usize] = true;
}

fn marked(marks: &[bool]) -> impl Iterator<Item = u32> + use<'_> {
    (0..).zip(marks).filter(|(_, is_marked)| **is_marked).map(|(id, _)| id)
}

/// Which types refer to each.
#[derive(Default)]
struct Referrers {
    /// Where the list of each type starts, and where that of the last one ends.
    starts: Vec<u32>,
    all: Vec<u32>,
    left: Vec<u32>,
}

impl Referrers {
    /// Marks all that leads to what is marked, by way of records that `passes` agrees to.
    fn spread(&mut self, fragment: &Fragment, marks: &mut [bool], passes: impl Fn(&[u32]) -> bool) {
        self.find(fragment, passes);
        self.left.clear();
        self.left.extend(marked(marks));
        while let Some(id) = self.left.pop() {
            let of_it = self.starts[id as usize] as usize..self.starts[id as usize + 1] as usize;
            for &referrer in &self.all[of_it] {
                if !std::mem::replace(&mut marks[referrer as usize], true) {
                    self.left.push(referrer);
                }
            }
        }
    }

    fn find(&mut self, fragment: &Fragment, passes: impl Fn(&[u32]) -> bool) {
        let count = fragment.starts.len();
        let each = |found: &mut dyn FnMut(u32, u32)| {
            for id in 1..=count as u32 {
                let w = fragment.record(id);
                if passes(w) {
                    children(w, 0).filter(|&at| w[at] as usize <= count).for_each(|at| found(id, w[at]));
                }
            }
        };
        self.starts.clear();
        self.starts.resize(count + 2, 0);
        each(&mut |_, child| self.starts[child as usize] += 1);
        let mut end = 0;
        for start in &mut self.starts {
            end += *start;
            *start = end;
        }
        self.all.clear();
        self.all.resize(end as usize, 0);
        // From the end of each list to its start.
        each(&mut |id, child| {
            self.starts[child as usize] -= 1;
            self.all[self.starts[child as usize] as usize] = id;
        });
    }
}

/// The words of a whole record, or the first of a longer piece, that hold its children; from one of them on, or from the first for 0.
#[inline]
fn children(w: &[u32], from: usize) -> impl Iterator<Item = usize> + use<> {
    let (first, end, step) = match shape(w[1]) {
        Shape::Leaf => (0, 0, 1),
        Shape::Link(word) => (usize::from(word), usize::from(word) + 1, 1),
        Shape::Many(first, step) => (usize::from(first), record_len(w[1]).unwrap_or(0), usize::from(step)),
    };
    (first.max(from)..end).step_by(step)
}

struct Walk<'a> {
    fragment: &'a Fragment,
    tokens: &'a mut Vec<Token>,
    waiting: &'a mut Vec<u32>,
    path: &'a mut Vec<(u32, u32)>,
    hashes: &'a mut Vec<u128>,
    named: &'a mut Vec<Named>,
    alone: &'a mut Vec<u32>,
    in_circles: &'a mut Vec<u32>,
    has_empty_enum: bool,
}

impl<'a> Walk<'a> {
    fn run(&mut self) {
        let fragment = self.fragment;
        self.alone.clear();
        self.in_circles.clear();
        let (words, strings, count) = (&*fragment.words, &fragment.strings, fragment.starts.len());
        self.tokens.clear();
        self.tokens.resize(count + 1, Token::UNKNOWN);
        self.tokens[0] = Token::VOID;
        self.hashes.clear();
        self.hashes.resize(count + 1, 0);
        self.waiting.clear();
        let mut start = 0;
        for i in 1..=count {
            let (id, end) = (i as u32, fragment.starts.get(i).map_or(words.len(), |&end| end as usize));
            let w = &words[start..end];
            start = end;
            let shape = shape(w[1]);
            match shape {
                Shape::Link(word) => match self.token(w[usize::from(word)]) {
                    child if child.is_known() => self.give_link(id, w, child),
                    _ => self.waiting.push(id),
                },
                _ => match group(w[1]).filter(|_| w[0] != 0) {
                    Some(group) => {
                        let hash = mix_name(strings, START, w[0], group as u32, START);
                        self.tokens[i] = Token::new(hash, if is_definition(w[1]) { Declared::NONE } else { Declared::ONLY });
                        self.named.push(Named { id, key: hash.0 ^ hash.1, is_doubled: false });
                        if !is_definition(w[1]) && group == Group::Enum {
                            self.alone.push(id);
                        }
                        if shape == Shape::Leaf {
                            self.hashes[i] = identity(leaf(strings, w), Declared::NONE);
                        }
                    }
                    None if shape == Shape::Leaf => {
                        self.has_empty_enum |= group(w[1]) == Some(Group::Enum) && !is_definition(w[1]);
                        self.give(id, (leaf(strings, w), Declared::NONE));
                    }
                    None => self.waiting.push(id),
                },
            }
        }
        for i in 0..self.waiting.len() {
            let id = self.waiting[i];
            if !self.tokens[id as usize].is_known() {
                self.give_waiting(id);
            }
        }
        for named in self.named.iter() {
            let w = self.record(named.id);
            if shape(w[1]) != Shape::Leaf {
                let (hash, declared) = self.value(w).0;
                self.hashes[named.id as usize] = identity(hash, declared);
            }
        }
    }

    /// What stands for a child: for a type of another unit, its number.
    #[inline]
    fn token(&self, child: u32) -> Token {
        match self.tokens.get(child as usize) {
            Some(&token) => token,
            None => Token::new(Hash(u64::from(child - self.tokens.len() as u32), !0).mix(0, START), Declared::NONE),
        }
    }

    #[inline]
    fn record(&self, id: u32) -> &'a [u32] {
        let fragment: &'a Fragment = self.fragment;
        let starts = &fragment.starts;
        let end = starts.get(id as usize).map_or(fragment.words.len(), |&end| end as usize);
        &fragment.words[starts[id as usize - 1] as usize..end]
    }

    /// The hash of a record from the tokens of its children, and whether all of these are known.
    #[inline]
    fn value(&self, w: &[u32]) -> ((Hash, Declared), bool) {
        let (mut declared, mut are_known) = (Declared::NONE, true);
        let hash = value(&self.fragment.strings, w, |child| {
            let token = self.token(child);
            declared.mix(token);
            are_known &= token.is_known();
            token.hash()
        });
        ((hash, declared), are_known)
    }

    #[inline]
    fn give(&mut self, id: u32, (hash, declared): (Hash, Declared)) {
        self.tokens[id as usize] = Token::new(hash, declared);
        self.hashes[id as usize] = identity(hash, declared);
    }

    #[inline]
    fn give_link(&mut self, id: u32, w: &[u32], child: Token) {
        let mut declared = Declared::NONE;
        declared.mix(child);
        self.give(id, (mix_link(&self.fragment.strings, w, child.hash()), declared));
    }

    /// Gives a nameless type its token, and before that, where they have none, those that it leads to.
    #[inline]
    fn give_waiting(&mut self, id: u32) {
        match self.value(self.record(id)) {
            (value, true) => self.give(id, value),
            (_, false) => self.descend(id),
        }
    }

    fn descend(&mut self, id: u32) {
        self.path.clear();
        self.path.push((id, 0));
        self.tokens[id as usize] = Token::STARTED;
        while let Some(&(id, from)) = self.path.last() {
            let w = self.record(id);
            let (mut next, mut circles) = (None, Vec::new());
            for at in children(w, from as usize) {
                match self.token(w[at]) {
                    Token::UNKNOWN => {
                        next = Some((at as u32, w[at]));
                        break;
                    }
                    Token::STARTED => circles.push(w[at]),
                    _ => {}
                }
            }
            for id in circles {
                self.tokens[id as usize] = Token::CIRCLE;
                self.in_circles.push(id);
            }
            match next {
                Some((at, child)) => {
                    if let Some(top) = self.path.last_mut() {
                        top.1 = at;
                    }
                    self.tokens[child as usize] = Token::STARTED;
                    self.path.push((child, 0));
                }
                None => {
                    let (value, _) = self.value(w);
                    self.give(id, value);
                    self.path.pop();
                }
            }
        }
    }
}

/// The keys of one unit's names.
#[derive(Default)]
struct NameTable {
    /// Open addressing, a power of two: the position in the list of names, and the number of the unit in the upper half.
    slots: Vec<u64>,
    unit: u32,
}

impl NameTable {
    /// Marks the names that the list has twice.
    fn mark_doubled(&mut self, named: &mut [Named]) {
        let room = (2 * named.len()).next_power_of_two().max(1 << 10);
        if self.slots.len() < room || self.unit == u32::MAX {
            self.slots.clear();
            self.slots.resize(room, 0);
            self.unit = 0;
        }
        self.unit += 1;
        let mask = self.slots.len() - 1;
        for i in 0..named.len() {
            let mut at = named[i].key as usize & mask;
            loop {
                let slot = self.slots[at];
                if (slot >> 32) as u32 != self.unit {
                    self.slots[at] = u64::from(self.unit) << 32 | i as u64;
                    break;
                }
                let other = slot as u32 as usize;
                if named[other].key == named[i].key {
                    (named[other].is_doubled, named[i].is_doubled) = (true, true);
                    break;
                }
                at = (at + 1) & mask;
            }
        }
    }
}

#[cfg(test)]
mod tests;
