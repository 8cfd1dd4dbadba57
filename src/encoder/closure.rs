//! Closure hashes: types of different units with equal hashes are equal with everything they lead to.
//!
//! Nearly four fifths of a kernel's types repeat, closure included, a type of an earlier unit. A worker hashes each type together
//! with all it refers to; the merge drops those whose hash it has seen in an earlier unit. Within a unit nothing is dropped: which of
//! two equal reference types deduplication keeps depends on the order in which it meets them.
//!
//! A type's hash mixes its own words with a token for each child. Children that are complete give their hashes. Types that lead to each
//! other form strongly connected components (Tarjan's algorithm, with its own stack); inside of one, a child with a name gives a token of its
//! name, kind and size, a child without a name its own value, so that chains of nameless types count down to the next name. Where each such
//! token belongs to one member alone, as in nearly all components, these values say all about the component, and the hash of a member is its
//! value with the sum of all of them. Where two members share a token, further rounds with the members' values as tokens come in between.
//!
//! Pointers, qualifiers, typedefs and arrays lead to one type each. Such chains are passed in one step, so that the walk is over structs, unions
//! and prototypes only; what they are made of is mixed into the hash, or the token, of their end.

use super::fragment::{Fragment, NameRef, NameSource};
use crate::btf::Kind;

/// Words of a record before those that its kind adds.
const HEAD: usize = 3;

/// A hash in the making, and a finished one.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
struct Hash(u64, u64);

const START: Hash = Hash(0x9e37_79b9_7f4a_7c15, 0xd6e8_feb8_6659_fd93);
/// Keeps the factors of small contents apart from small numbers.
const KEY: Hash = Hash(0x8ebc_6af0_9c88_c6e3, 0x5897_53e7_0c2f_18a5);

impl Hash {
    /// Mixes in two words of content and a child's token with one multiplication. The rotations make the sides different: order counts. What
    /// is added to the product keeps what a factor of 0 would wipe out.
    #[inline(always)]
    fn mix(self, content: u64, token: Hash) -> Hash {
        let (a, b) = (self.0 ^ content, self.1 ^ token.0);
        let product = u128::from(a ^ KEY.0) * u128::from(b ^ KEY.1);
        let low = (product as u64) ^ b.rotate_left(29);
        Hash(low.wrapping_add(token.1), ((product >> 64) as u64).wrapping_add(a.rotate_left(17)))
    }

    fn add(self, h: Hash) -> Hash {
        Hash(self.0.wrapping_add(h.0), self.1.wrapping_add(h.1))
    }

    #[inline(always)]
    fn value(self) -> u128 {
        u128::from(self.0) << 64 | u128::from(self.1)
    }

    #[inline(always)]
    fn of(value: u128) -> Hash {
        Hash((value >> 64) as u64, value as u64)
    }
}

/// What stands for void among children.
const VOID: Hash = Hash(0, 0);

/// Where a type is in the walk. Node 0 is void, node `i` local id `i`.
#[derive(Clone, Copy, Default)]
struct Node {
    /// Order of discovery, 0 for not yet met.
    index: u32,
    /// The lowest index it leads back to; [`COMPLETE`] once its hash is known.
    low: u32,
}

/// Higher than every index: what is complete never lowers the index that something leads back to.
const COMPLETE: u32 = u32::MAX;
const IS_COMPLETE: Node = Node { index: COMPLETE, low: COMPLETE };

/// What only members of larger components have.
#[derive(Clone, Copy, Default)]
struct Member {
    /// What it is known by to the others.
    token: Hash,
    /// Number of the component for which it has its token.
    component: u32,
}

/// Rounds in a component in which a token is not that of one member alone. Each looks one reference further.
const AMBIGUOUS_ROUNDS: usize = 3;

/// Longest chain that is passed in one step.
const MAX_LINKS: usize = 8;

/// Reused buffers.
#[derive(Default)]
pub struct HashScratch {
    nodes: Vec<Node>,
    /// The node at the end of the chain that starts at each node; itself where none does.
    ends: Vec<u32>,
    /// Of nodes in components of more than one.
    members: Vec<Member>,
    /// Nodes of components not yet complete.
    stack: Vec<u32>,
    /// The path being walked: node and word of its next child.
    path: Vec<(u32, u32)>,
    /// Tokens of the component, each with its number: open addressing. What is left of others counts as empty.
    tokens: Vec<(u64, u32)>,
    /// Number of the component hashed last, of any fragment.
    component: u32,
}

/// Fills in `fragment.closures`.
pub fn hash_closures(fragment: &mut Fragment, scratch: &mut HashScratch) {
    let count = fragment.starts.len();
    let mut closures = std::mem::take(&mut fragment.closures);
    closures.resize(count + 1, 0);
    closures[0] = VOID.value();
    scratch.nodes.clear();
    scratch.nodes.resize(count + 1, Node::default());
    scratch.nodes[0] = IS_COMPLETE;
    scratch.ends.clear();
    scratch.ends.push(0);
    // What earlier fragments left there is never looked at, since components have numbers of their own.
    if scratch.members.len() <= count {
        scratch.members.resize(count + 1, Member::default());
    }
    if scratch.component > u32::MAX / 2 {
        scratch.members.fill(Member::default());
        scratch.tokens.clear();
        scratch.component = 0;
    }
    let mut walk = Walk { f: fragment, s: scratch, closures: &mut closures };
    walk.prepare();
    walk.components();
    for node in 1..=count as u32 {
        walk.known(node);
    }
    fragment.closures = closures;
}

/// The words in which a record's children stand.
#[derive(Clone, Copy)]
struct Children {
    at: u32,
    end: u32,
    step: u32,
}

/// What a kind's records are to the walk.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    Leaf,
    /// One child, in this word.
    Link(u8),
    /// Children from this word on, at this distance.
    Many(u8, u8),
}

const SHAPES: [Shape; 32] = {
    let mut shapes = [Shape::Leaf; 32];
    shapes[Kind::Ptr as usize] = Shape::Link(2);
    shapes[Kind::Typedef as usize] = Shape::Link(2);
    shapes[Kind::Const as usize] = Shape::Link(2);
    shapes[Kind::Volatile as usize] = Shape::Link(2);
    shapes[Kind::Restrict as usize] = Shape::Link(2);
    shapes[Kind::TypeTag as usize] = Shape::Link(2);
    // The index type is known by the merge only and is the same for all.
    shapes[Kind::Array as usize] = Shape::Link(3);
    shapes[Kind::Struct as usize] = Shape::Many(4, 3);
    shapes[Kind::Union as usize] = Shape::Many(4, 3);
    // The result, and then each parameter's type.
    shapes[Kind::FuncProto as usize] = Shape::Many(2, 2);
    shapes
};

struct Walk<'a> {
    f: &'a Fragment,
    s: &'a mut HashScratch,
    /// Of complete types, and the values of members while their component is hashed.
    closures: &'a mut [u128],
}

impl<'a> Walk<'a> {
    #[inline(always)]
    fn record(&self, node: u32) -> &'a [u32] {
        let starts = &self.f.starts;
        let end = starts.get(node as usize).map_or(self.f.words.len(), |&e| e as usize);
        &self.f.words[starts[node as usize - 1] as usize..end]
    }

    #[inline(always)]
    fn shape(&self, start: u32) -> Shape {
        SHAPES[(self.f.words[start as usize + 1] >> 24 & 0x1f) as usize]
    }

    #[inline(always)]
    fn children(&self, node: u32) -> Children {
        let starts = &self.f.starts;
        let start = starts[node as usize - 1];
        let end = starts.get(node as usize).map_or(self.f.words.len() as u32, |&e| e);
        match self.shape(start) {
            Shape::Leaf => Children { at: end, end, step: 1 },
            Shape::Link(first) => Children { at: start + u32::from(first), end: start + u32::from(first) + 1, step: 1 },
            Shape::Many(first, step) => Children { at: start + u32::from(first), end, step: u32::from(step) },
        }
    }

    /// Hashes leaves, and finds the ends of chains.
    fn prepare(&mut self) {
        for node in 1..self.s.nodes.len() as u32 {
            let end = match self.shape(self.f.starts[node as usize - 1]) {
                Shape::Leaf => {
                    self.closures[node as usize] = leaf(self.f, self.record(node)).value();
                    self.s.nodes[node as usize] = IS_COMPLETE;
                    node
                }
                Shape::Link(_) => self.end_of_chain(node),
                Shape::Many(..) => node,
            };
            self.s.ends.push(end);
        }
    }

    /// Follows a chain of types with one child each. Those that are too long, that go in a circle, or that lead to another unit are walked
    /// like all else.
    #[inline]
    fn end_of_chain(&self, node: u32) -> u32 {
        let mut at = node;
        for _ in 0..MAX_LINKS {
            let Some(&start) = self.f.starts.get((at as usize).wrapping_sub(1)) else {
                return if at == 0 { 0 } else { node };
            };
            let Shape::Link(word) = self.shape(start) else { return at };
            at = self.f.words[start as usize + usize::from(word)];
        }
        node
    }

    /// What a chain ends with, as far as known; `None` for a type of another unit, which is known by its number.
    #[inline(always)]
    fn end(&self, child: u32) -> Option<Node> {
        self.s.ends.get(child as usize).map(|&end| self.s.nodes[end as usize])
    }

    #[inline(always)]
    fn is_complete(&self, child: u32) -> bool {
        self.end(child).is_none_or(|n| n.low == COMPLETE)
    }

    /// The hash of a type that is complete, or that starts a chain to one that is.
    #[inline(always)]
    fn known(&mut self, node: u32) -> Hash {
        match self.s.nodes.get(node as usize) {
            Some(n) if n.low == COMPLETE => Hash::of(self.closures[node as usize]),
            Some(_) => self.along_chain(node),
            None => Hash(u64::from(node - self.closures.len() as u32), START.1),
        }
    }

    /// Hashes a chain, from its end to its start.
    fn along_chain(&mut self, node: u32) -> Hash {
        let (links, count, end) = self.links(node);
        let mut hash = Hash::of(self.closures[end as usize]);
        for &link in links[..count].iter().rev() {
            hash = value(self.f, self.record(link), |_| hash);
            self.closures[link as usize] = hash.value();
            self.s.nodes[link as usize] = IS_COMPLETE;
        }
        hash
    }

    /// The links of a chain, their count, and its end or where hashes are known.
    #[inline(always)]
    fn links(&self, node: u32) -> ([u32; MAX_LINKS], usize, u32) {
        let end = self.s.ends[node as usize];
        let mut links = [0; MAX_LINKS];
        let (mut count, mut at) = (0, node);
        while count < MAX_LINKS && at != end && self.s.nodes[at as usize].low != COMPLETE {
            links[count] = at;
            count += 1;
            at = self.f.words[self.children(at).at as usize];
        }
        (links, count, at)
    }

    /// Tarjan's algorithm over all that is no link of a chain; components come out children first.
    fn components(&mut self) {
        let mut next_index = 1;
        for root in 1..self.s.nodes.len() as u32 {
            if self.s.ends[root as usize] != root || self.s.nodes[root as usize].index != 0 || self.try_single(root) {
                continue;
            }
            self.visit(root, &mut next_index);
            while let Some(&(node, at)) = self.s.path.last() {
                let Children { mut at, end, step } = Children { at, ..self.children(node) };
                let mut low = self.s.nodes[node as usize].low;
                let mut descend = 0;
                while at < end {
                    let child = self.f.words[at as usize];
                    at += step;
                    // A type of another unit leads nowhere.
                    let Some(&child) = self.s.ends.get(child as usize) else { continue };
                    let n = self.s.nodes[child as usize];
                    if n.index != 0 {
                        low = low.min(n.low);
                    } else if !self.try_single(child) {
                        descend = child;
                        break;
                    }
                }
                self.s.nodes[node as usize].low = low;
                if descend != 0 {
                    if let Some(top) = self.s.path.last_mut() {
                        top.1 = at;
                    }
                    self.visit(descend, &mut next_index);
                    continue;
                }
                self.s.path.pop();
                if low == self.s.nodes[node as usize].index {
                    self.complete(node);
                } else if let Some(&(parent, _)) = self.s.path.last() {
                    let parent = &mut self.s.nodes[parent as usize];
                    parent.low = parent.low.min(low);
                }
            }
        }
    }

    /// Hashes a node all of whose children are complete, without a walk; `false` for others.
    #[inline]
    fn try_single(&mut self, node: u32) -> bool {
        let Children { mut at, end, step } = self.children(node);
        while at < end {
            if !self.is_complete(self.f.words[at as usize]) {
                return false;
            }
            at += step;
        }
        let value = value(self.f, self.record(node), |child| self.known(child));
        self.closures[node as usize] = value.value();
        self.s.nodes[node as usize] = IS_COMPLETE;
        true
    }

    fn visit(&mut self, node: u32, next_index: &mut u32) {
        self.s.nodes[node as usize] = Node { index: *next_index, low: *next_index };
        *next_index += 1;
        self.s.stack.push(node);
        self.s.path.push((node, self.children(node).at));
    }

    /// Hashes the component whose first met node is `node`; its members are the stack's top.
    fn complete(&mut self, node: u32) {
        let from = self.s.stack.iter().rposition(|&x| x == node).unwrap_or(0);
        self.s.component += 1;
        let ambiguous = self.give_tokens(from);
        // What was met last is mostly what others wait for.
        for i in (from..self.s.stack.len()).rev() {
            let member = self.s.stack[i];
            if !is_named(self.record(member)) {
                self.nameless_values(member);
            }
        }
        for i in from..self.s.stack.len() {
            let member = self.s.stack[i];
            if is_named(self.record(member)) {
                self.closures[member as usize] = self.member_value(member).value();
            }
        }
        if ambiguous {
            for _ in 0..AMBIGUOUS_ROUNDS {
                self.further_round(from);
            }
        }
        let members = &self.s.stack[from..];
        let sum = members.iter().fold(VOID, |sum, &m| sum.add(Hash::of(self.closures[m as usize])));
        for &m in members {
            let closure = &mut self.closures[m as usize];
            *closure = Hash::of(*closure).mix(0, sum).value();
            self.s.nodes[m as usize].low = COMPLETE;
        }
        self.s.stack.truncate(from);
    }

    /// Gives the members with a name their tokens; says whether two have the same.
    fn give_tokens(&mut self, from: usize) -> bool {
        let component = self.s.component;
        let room = (2 * (self.s.stack.len() - from)).next_power_of_two();
        if self.s.tokens.len() < room {
            self.s.tokens.clear();
            self.s.tokens.resize(room, (0, 0));
        }
        let mask = self.s.tokens.len() - 1;
        let mut ambiguous = false;
        for i in from..self.s.stack.len() {
            let member = self.s.stack[i];
            let w = self.record(member);
            if !is_named(w) {
                continue;
            }
            let token = content(self.f, w);
            self.s.members[member as usize] = Member { token, component };
            let mut at = (token.0 >> 32) as usize & mask;
            while self.s.tokens[at].1 == component && self.s.tokens[at].0 != token.0 {
                at = (at + 1) & mask;
            }
            ambiguous |= self.s.tokens[at].1 == component;
            self.s.tokens[at] = (token.0, component);
        }
        ambiguous
    }

    /// The value of a member without a name, after those of the nameless members that it leads to: they are their tokens.
    fn nameless_values(&mut self, member: u32) {
        let component = self.s.component;
        if self.s.members[member as usize].component == component {
            return;
        }
        let base = self.s.path.len();
        self.start_nameless(member);
        while self.s.path.len() > base {
            let (node, at) = self.s.path[self.s.path.len() - 1];
            let Children { mut at, end, step } = Children { at, ..self.children(node) };
            let mut first = 0;
            while at < end {
                let child = self.f.words[at as usize];
                at += step;
                let Some(&child) = self.s.ends.get(child as usize) else { continue };
                if self.s.nodes[child as usize].low != COMPLETE && self.s.members[child as usize].component != component {
                    first = child;
                    break;
                }
            }
            if let Some(top) = self.s.path.last_mut() {
                top.1 = at;
            }
            if first != 0 {
                self.start_nameless(first);
                continue;
            }
            self.s.path.pop();
            let value = self.member_value(node);
            self.closures[node as usize] = value.value();
            self.s.members[node as usize].token = value;
        }
    }

    /// In a circle of nameless types only, its content has to do as a token.
    fn start_nameless(&mut self, node: u32) {
        let token = content(self.f, self.record(node));
        self.s.members[node as usize] = Member { token, component: self.s.component };
        self.s.path.push((node, self.children(node).at));
    }

    /// The value of a member: its record, with the tokens of members among its children.
    #[inline]
    fn member_value(&mut self, node: u32) -> Hash {
        value(self.f, self.record(node), |child| {
            let Some(&end) = self.s.ends.get(child as usize) else { return self.known(child) };
            if self.s.nodes[end as usize].low == COMPLETE {
                return self.known(child);
            }
            let token = self.s.members[end as usize].token;
            if child == end {
                return token;
            }
            let (links, count, _) = self.links(child);
            links[..count].iter().rev().fold(token, |token, &link| value(self.f, self.record(link), |_| token))
        })
    }

    /// Makes the members' values their tokens, and values of those.
    fn further_round(&mut self, from: usize) {
        for i in from..self.s.stack.len() {
            let member = self.s.stack[i] as usize;
            self.s.members[member].token = Hash::of(self.closures[member]);
        }
        for i in from..self.s.stack.len() {
            let member = self.s.stack[i];
            self.closures[member as usize] = self.member_value(member).value();
        }
    }
}

#[inline(always)]
fn is_named(w: &[u32]) -> bool {
    w[0] != 0
}

/// A type's content without its children: name, kind and size.
fn content(f: &Fragment, w: &[u32]) -> Hash {
    let size = if matches!(Kind::of_info(w[1]), Some(Kind::Struct | Kind::Union)) { w[2] } else { 0 };
    mix_name(f, START, w[0], w[1], Hash(u64::from(size), START.0))
}

/// The hash of a record, each child counting as its token.
#[inline(always)]
fn value(f: &Fragment, w: &[u32], mut token: impl FnMut(u32) -> Hash) -> Hash {
    match SHAPES[(w[1] >> 24 & 0x1f) as usize] {
        Shape::Leaf => leaf(f, w),
        Shape::Link(2) => mix_name(f, START, w[0], w[1], token(w[2])),
        // An array, with its count of elements.
        Shape::Link(_) => START.mix(u64::from(w[1]) << 32 | u64::from(w[5]), token(w[3])),
        // A prototype: result, and name and type of each parameter.
        Shape::Many(2, _) => {
            let h = START.mix(u64::from(w[1]) << 32, token(w[2]));
            w[HEAD..].chunks_exact(2).fold(h, |h, p| mix_name(f, h, p[0], 0, token(p[1])))
        }
        // Name, type and place of each member.
        Shape::Many(..) => {
            let h = mix_name(f, START, w[0], w[1], Hash(u64::from(w[2]), 0));
            w[HEAD..].chunks_exact(3).fold(h, |h, m| mix_name(f, h, m[0], m[2], token(m[1])))
        }
    }
}

/// The hash of a record without children.
fn leaf(f: &Fragment, w: &[u32]) -> Hash {
    let h = mix_name(f, START, w[0], w[1], Hash(u64::from(w[2]), 0));
    match Kind::of_info(w[1]) {
        Some(Kind::Enum) => w[HEAD..].chunks_exact(2).fold(h, |h, e| mix_name(f, h, e[0], e[1], VOID)),
        Some(Kind::Enum64) => w[HEAD..].chunks_exact(3).fold(h, |h, e| mix_name(f, h, e[0], e[1], Hash(u64::from(e[2]), 0))),
        _ => w[HEAD..].iter().fold(h, |h, &x| h.mix(u64::from(x), VOID)),
    }
}

/// Mixes in a name, another word and a token.
#[inline(always)]
fn mix_name(f: &Fragment, h: Hash, word: u32, other: u32, token: Hash) -> Hash {
    if NameRef::is_global(word) {
        return h.mix(u64::from(word) | u64::from(other) << 32, token);
    }
    mix_own_name(f, h, word, other, token)
}

/// Mixes in a name of the fragment's own.
#[cold]
fn mix_own_name(f: &Fragment, h: Hash, word: u32, other: u32, token: Hash) -> Hash {
    let NameSource::Local(index) = NameRef::from_word(word).source() else { return h };
    let bytes = f.strings.get(index);
    let h = h.mix(u64::from(other) << 32 | u64::from(u32::MAX), token).mix(bytes.len() as u64, VOID);
    bytes.chunks(8).fold(h, |h, chunk| {
        let mut b = [0; 8];
        b[..chunk.len()].copy_from_slice(chunk);
        h.mix(u64::from_le_bytes(b), VOID)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A fragment of structs with a name and a member of each of the given types; nameless ones are pointers to their only member.
    fn fragment(types: &[(&str, &[u32])]) -> Fragment {
        let mut f = Fragment::default();
        for (name, members) in types {
            f.starts.push(f.words.len() as u32);
            if name.is_empty() {
                f.words.extend([0, crate::btf::info_word(Kind::Ptr, 0, false), members[0]]);
                continue;
            }
            let name = f.strings.push(name.as_bytes()).to_word();
            f.words.extend([name, crate::btf::info_word(Kind::Struct, members.len() as u16, false), 8]);
            for &m in *members {
                f.words.extend([0, m, 0]);
            }
        }
        f
    }

    fn closures(types: &[(&str, &[u32])]) -> Vec<u128> {
        let mut f = fragment(types);
        hash_closures(&mut f, &mut HashScratch::default());
        f.closures.split_off(1)
    }

    #[test]
    fn order_of_ids_does_not_matter() {
        // list -> pointer -> list, and leaf.
        let a = closures(&[("list", &[2, 3]), ("", &[1]), ("leaf", &[])]);
        let b = closures(&[("leaf", &[]), ("list", &[3, 1]), ("", &[2])]);
        assert_eq!([a[0], a[1], a[2]], [b[1], b[2], b[0]]);
    }

    #[test]
    fn what_is_far_away_counts() {
        let a = closures(&[("a", &[2]), ("", &[3]), ("b", &[4]), ("", &[5]), ("c", &[])]);
        let b = closures(&[("a", &[2]), ("", &[3]), ("b", &[4]), ("", &[5]), ("d", &[])]);
        for i in 0..5 {
            assert_ne!(a[i], b[i], "type {}", i + 1);
        }
    }

    #[test]
    fn what_is_far_away_in_a_circle_counts() {
        let a = closures(&[("a", &[2]), ("", &[3]), ("b", &[4, 5]), ("", &[1]), ("c", &[])]);
        let b = closures(&[("a", &[2]), ("", &[3]), ("b", &[4, 5]), ("", &[1]), ("d", &[])]);
        for i in 0..5 {
            assert_ne!(a[i], b[i], "type {}", i + 1);
        }
    }

    #[test]
    fn nameless_chains_of_different_length_differ() {
        // a -> ptr -> ptr -> a, against a -> ptr -> a with a second pointer beside it.
        let a = closures(&[("a", &[2, 2]), ("", &[3]), ("", &[1])]);
        let b = closures(&[("a", &[2, 3]), ("", &[3]), ("", &[1])]);
        assert_ne!(a[0], b[0]);
        assert_ne!(a[1], a[2]);
        assert_ne!(a[2], b[2]);
    }

    #[test]
    fn a_struct_and_the_pointer_to_it_differ() {
        let a = closures(&[("node", &[2]), ("", &[1])]);
        assert_ne!(a[0], a[1]);
    }

    #[test]
    fn members_of_one_name_are_told_apart() {
        // Two structs `b` of one size; `a` and `c` lead to one or the other.
        let structs =
            |a: u32, c: u32| closures(&[("top", &[2, 3]), ("a", &[a]), ("c", &[c]), ("b", &[1]), ("b", &[6]), ("leaf", &[1])]);
        let (one, other) = (structs(4, 5), structs(5, 4));
        assert_ne!(one[1], other[1]);
        assert_ne!(one[0], other[0]);
        assert_ne!(one[3], one[4]);
    }

    #[test]
    fn a_long_chain_needs_no_stack() {
        let types: Vec<(&str, Vec<u32>)> = (0..200_000u32).map(|i| ("", vec![(i + 2) % 200_001])).collect();
        let types: Vec<(&str, &[u32])> = types.iter().map(|(n, m)| (*n, m.as_slice())).collect();
        assert_eq!(closures(&types).len(), 200_000);
    }
}
