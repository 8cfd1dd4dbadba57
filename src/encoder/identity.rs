//! What a type is, names standing for what they name: how types of one unit are known in the next.
//!
//! Nearly all of a kernel's types repeat a type of an earlier unit, and the merge drops those. A struct is the same as one before it when name,
//! size and members are, each member's type by its own words down to the next name of a struct, union or enumeration, and by whether the unit
//! defines or only declares that name. What the name stands for is not looked at: going by all that a type leads to ([`super::closure`]) would
//! tell most types of two units apart, because somewhere below them one unit declares what the other one defines. A kernel of 4.3 million types has
//! one million different closures, but 150,000 different types in this sense; 107,000 are left when all is done.
//!
//! That is right as long as a name has one definition in the file:
//!
//! - The merge sees each new definition, and notes names that have more than one ([`super::ambiguous`]); half of a hash leaves declarations out
//!   of account, so that it can tell. From the unit on that brought the second definition, types that lead to such a name are known by their
//!   closures; so are types that lead to a name which their own unit has twice. They are *apart*.
//! - Types that differ only in what is declared all stay, so that deduplication compares them and learns what a declaration stands for
//!   when it would have learned it from all types.
//!
//! With a base nothing is left out: its declarations stay declarations, so that of two types which are the same to each other, even with all they
//! lead to, one may become a type of the base and the other one that of an earlier unit.
//!
//! Types of no name are hashed with all they are made of. Where these lead to each other in a circle, the whole unit goes by closures.

use super::ambiguous::Ambiguous;
use super::closure::{HashScratch, closures_of, hash_closures};
use super::fragment::{Fragment, Named};
use super::type_hash::{Hash, START, Shape, leaf, mix_link, mix_name, shape, value};
use crate::btf::{Kind, record_len};

/// Reused buffers.
#[derive(Default)]
pub struct IdentityScratch {
    closures: HashScratch,
    /// What stands for each type among the children of others.
    tokens: Vec<Token>,
    /// Nameless types some of whose children come later.
    waiting: Vec<u32>,
    /// Nameless types whose children are looked at: the type, and the word of the child that is next.
    path: Vec<(u32, u32)>,
    names: NameTable,
    is_apart: Vec<bool>,
    all: Vec<u128>,
}

/// What stands for a type among the children of others: a hash by names, and in the lowest bits which of these are declared only.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Token(Hash);

impl Token {
    const DECLARED: u64 = (1 << 24) - 1;
    /// None yet; no hash comes out so.
    const UNKNOWN: Token = Token(Hash(0, 0));
    /// The children are being looked at.
    const STARTED: Token = Token(Hash(0, 1));
    const VOID: Token = Token(Hash(1, 0));

    fn new(hash: Hash, declared: u32) -> Token {
        Token(Hash(hash.0, hash.1 & !Token::DECLARED | u64::from(declared >> 8)))
    }

    /// Not for one in 2^64 hashes, which costs time and nothing else.
    #[inline]
    fn is_known(self) -> bool {
        self.0.0 != 0
    }

    fn hash(self) -> Hash {
        Hash(self.0.0, self.0.1 & !Token::DECLARED)
    }

    fn declared(self) -> u32 {
        (self.0.1 << 8) as u32
    }
}

/// Which names below a type are declared only, in the making.
#[derive(Clone, Copy)]
struct Declared(u32);

impl Declared {
    const NONE: Declared = Declared(1);

    fn mix(&mut self, token: Token) {
        self.0 = (self.0 ^ token.declared()).wrapping_mul(0x9e37_79b1);
    }
}

/// The hash of a type: half of it, the upper one, is by names alone.
fn identity(hash: Hash, declared: Declared) -> u128 {
    Hash(hash.0, hash.1 ^ u64::from(declared.0)).value()
}

/// Keeps closures and identities apart.
const BY_CLOSURE: u64 = 0x6170_6172_7400_0001;

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

/// Gives the fragment its hashes: identities, and closures in place of some. `known` are the names that are ambiguous so far.
pub fn identify(fragment: &mut Fragment, known: &Ambiguous, scratch: &mut IdentityScratch) {
    let mut hashes = fragment.take_hashes();
    let mut named = std::mem::take(&mut fragment.named);
    named.clear();
    let done = Walk {
        fragment,
        tokens: &mut scratch.tokens,
        waiting: &mut scratch.waiting,
        path: &mut scratch.path,
        hashes: &mut hashes,
        named: &mut named,
    }
    .run();
    fragment.set_hashes(hashes);
    if done.is_none() {
        // Nameless types in a circle.
        named.clear();
        fragment.named = named;
        hash_closures(fragment, &mut scratch.closures);
        return;
    }
    scratch.names.mark_doubled(&mut named);
    fragment.named = named;
    let count = known.count();
    let mut list = std::mem::take(&mut fragment.apart.list);
    find_apart(fragment, known, count, scratch, &mut list);
    (fragment.apart.list, fragment.apart.known) = (list, count);
}

/// The types of the fragment that lead to a name which the first `known` ambiguous ones or the unit itself has twice, and their hashes.
pub(super) fn find_apart(
    fragment: &Fragment,
    ambiguous: &Ambiguous,
    known: u32,
    scratch: &mut IdentityScratch,
    list: &mut Vec<(u32, u128)>,
) {
    list.clear();
    let is_apart = &mut scratch.is_apart;
    is_apart.clear();
    let doubled = fragment.named.iter().filter(|named| named.is_doubled);
    doubled.for_each(|named| mark(is_apart, fragment, named));
    ambiguous.find(&fragment.named, known, |i| mark(is_apart, fragment, &fragment.named[i]));
    if is_apart.is_empty() {
        return;
    }
    spread(fragment, is_apart);
    closures_of(fragment, &mut scratch.all, &mut scratch.closures);
    let all = scratch.all.iter().zip(&*is_apart).enumerate();
    list.extend(all.filter(|(_, (_, is_apart))| **is_apart).map(|(id, (&hash, _))| {
        let hash = Hash::of(hash).mix(BY_CLOSURE, START);
        (id as u32, hash.value())
    }));
}

fn mark(is_apart: &mut Vec<bool>, fragment: &Fragment, named: &Named) {
    is_apart.resize(fragment.starts.len() + 1, false);
    is_apart[named.id as usize] = true;
}

/// Marks all that leads to what is marked.
fn spread(fragment: &Fragment, is_apart: &mut [bool]) {
    /// Each takes one step of all ways, or more; what is not through then is a chain of unusual length, and all is marked.
    const ROUNDS: usize = 32;
    for _ in 0..ROUNDS {
        let mut changed = false;
        for id in 1..is_apart.len() {
            if is_apart[id] {
                continue;
            }
            let w = fragment.record(id as u32);
            if children(w, 0).any(|at| is_apart.get(w[at] as usize).is_some_and(|&x| x)) {
                is_apart[id] = true;
                changed = true;
            }
        }
        if !changed {
            return;
        }
    }
    is_apart[1..].fill(true);
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
}

impl Walk<'_> {
    /// `None` where nameless types lead to each other in a circle, or types out of the unit.
    fn run(&mut self) -> Option<()> {
        let fragment = self.fragment;
        if fragment.outward {
            return None;
        }
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
                Shape::Link(word) => match self.tokens.get(w[usize::from(word)] as usize) {
                    Some(&child) if child.is_known() => self.give_link(id, w, child),
                    _ => self.waiting.push(id),
                },
                _ => match group(w[1]).filter(|_| w[0] != 0) {
                    Some(group) => {
                        let hash = mix_name(strings, START, w[0], group as u32, START);
                        self.tokens[i] = Token::new(hash, if is_definition(w[1]) { 0 } else { u32::MAX });
                        self.named.push(Named { id, key: hash.0 ^ hash.1, is_doubled: false });
                        if shape == Shape::Leaf {
                            self.hashes[i] = identity(leaf(strings, w), Declared::NONE);
                        }
                    }
                    None if shape == Shape::Leaf => self.give(id, (leaf(strings, w), Declared::NONE)),
                    None => self.waiting.push(id),
                },
            }
        }
        for i in 0..self.waiting.len() {
            let id = self.waiting[i];
            if !self.tokens[id as usize].is_known() {
                self.give_waiting(id)?;
            }
        }
        for named in self.named.iter() {
            let w = self.record(named.id);
            if shape(w[1]) != Shape::Leaf {
                let (hash, declared) = self.value(w).0;
                self.hashes[named.id as usize] = identity(hash, declared);
            }
        }
        Some(())
    }

    #[inline]
    fn record(&self, id: u32) -> &[u32] {
        let starts = &self.fragment.starts;
        let end = starts.get(id as usize).map_or(self.fragment.words.len(), |&end| end as usize);
        &self.fragment.words[starts[id as usize - 1] as usize..end]
    }

    /// The hash of a record from the tokens of its children, and whether all of these are known.
    #[inline]
    fn value(&self, w: &[u32]) -> ((Hash, Declared), bool) {
        let (mut declared, mut are_known) = (Declared::NONE, true);
        let hash = value(&self.fragment.strings, w, |child| {
            let token = self.tokens.get(child as usize).copied().unwrap_or(Token::UNKNOWN);
            declared.mix(token);
            are_known &= token.is_known();
            token.hash()
        });
        ((hash, declared), are_known)
    }

    #[inline]
    fn give(&mut self, id: u32, (hash, declared): (Hash, Declared)) {
        self.tokens[id as usize] = Token::new(hash, declared.0);
        self.hashes[id as usize] = identity(hash, declared);
    }

    #[inline]
    fn give_link(&mut self, id: u32, w: &[u32], child: Token) {
        let mut declared = Declared::NONE;
        declared.mix(child);
        self.give(id, (mix_link(&self.fragment.strings, w, child.hash()), declared));
    }

    /// Gives a nameless type its token, and before that, where they have none, those that it leads to. `None` when it leads to itself, or out
    /// of the unit.
    #[inline]
    fn give_waiting(&mut self, id: u32) -> Option<()> {
        match self.value(self.record(id)) {
            (value, true) => {
                self.give(id, value);
                Some(())
            }
            (_, false) => self.descend(id),
        }
    }

    fn descend(&mut self, id: u32) -> Option<()> {
        self.path.clear();
        self.path.push((id, 0));
        self.tokens[id as usize] = Token::STARTED;
        while let Some(&(id, from)) = self.path.last() {
            let w = self.record(id);
            let mut next = None;
            for at in children(w, from as usize) {
                match self.tokens.get(w[at] as usize) {
                    Some(&Token::UNKNOWN) => {
                        next = Some((at as u32, w[at]));
                        break;
                    }
                    Some(&Token::STARTED) | None => return None,
                    Some(_) => {}
                }
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
        Some(())
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
