//! Closure hashes: types of different units with equal hashes are equal with everything they lead to.
//!
//! Nearly four fifths of a kernel's types repeat, closure included, a type of an earlier unit. A worker hashes each type together
//! with all it refers to; the merge drops those whose hash it has seen in an earlier unit. Within a unit nothing is dropped: which of
//! two equal reference types deduplication keeps depends on the order in which it meets them.
//!
//! Types that lead to each other form strongly connected components (Tarjan's algorithm, with its own stack). A component of one
//! mixes its own content with its children's hashes. In a larger one each node mixes its content with, per child: the closure
//! hash of a child outside; the content of a child inside that has a name; for a child without a name the same value of that
//! child, so that chains of nameless types count down to the next name. One more round mixes in the children's values, and the
//! sum over the component goes into each node.

use super::fragment::{Fragment, INDEX_TYPE, NameRef, NameSource};
use crate::btf::Kind;

/// A hash in the making, and a finished one: 128 bits of state, two words mixed in with one multiplication.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
struct Hash(u64, u64);

const START: Hash = Hash(0x9e37_79b9_7f4a_7c15, 0xd6e8_feb8_6659_fd93);

impl Hash {
    /// The rotations make the two sides different: `x` with `y` mixed in must not be `y` with `x` mixed in. What is added to the
    /// product keeps what a factor of 0 would wipe out.
    #[inline]
    fn mix(self, v: Hash) -> Hash {
        let (a, b) = (self.0.rotate_left(31) ^ v.0, self.1.rotate_left(33).wrapping_add(v.1));
        let product = u128::from(a ^ START.0) * u128::from(b ^ START.1);
        Hash((product as u64) ^ b.rotate_left(29), ((product >> 64) as u64).wrapping_add(a.rotate_left(17)))
    }

    #[inline]
    fn mix_words(self, a: u32, b: u32, c: u32) -> Hash {
        self.mix(Hash(u64::from(a) | u64::from(b) << 32, u64::from(c)))
    }

    fn add(self, h: Hash) -> Hash {
        Hash(self.0.wrapping_add(h.0), self.1.wrapping_add(h.1))
    }

    fn value(self) -> u128 {
        u128::from(self.0) << 64 | u128::from(self.1)
    }
}

/// What stands for void among children.
const VOID: Hash = Hash(0, 0);

/// Where a type is in the walk. Node `i` is local id `i + 1`.
#[derive(Clone, Copy, Default)]
struct Node {
    /// Start of its share of `children`.
    children: u32,
    /// Order of discovery, 0 for not yet met.
    index: u32,
    /// The lowest index it leads back to; [`COMPLETE`] once its component is.
    low: u32,
    named: bool,
}

/// Higher than every index: what is complete never lowers the index that something leads back to.
const COMPLETE: u32 = u32::MAX;

/// What only members of larger components have.
#[derive(Clone, Copy, Default)]
struct Member {
    /// The value of the first round.
    first: Hash,
    /// Number of the component being hashed.
    component: u32,
    /// Component for which `first` has been started.
    done: u32,
}

/// Reused buffers.
#[derive(Default)]
pub struct HashScratch {
    /// One more than there are types: the last one ends the shares of `children`.
    nodes: Vec<Node>,
    /// Local ids, 0 for void.
    children: Vec<u32>,
    /// Hash of each type's content without its children.
    local: Vec<Hash>,
    /// Of complete types.
    closure: Vec<Hash>,
    members: Vec<Member>,
    /// Nodes of components not yet complete.
    stack: Vec<u32>,
    /// The path being walked: node and its next child.
    path: Vec<(u32, u32)>,
    /// Number of the component hashed last, of any fragment.
    last_component: u32,
}

/// Fills in `fragment.closures`.
pub fn hash_closures(fragment: &mut Fragment, s: &mut HashScratch) {
    s.read(fragment);
    s.components();
    fragment.closures.clear();
    fragment.closures.extend(s.closure[..fragment.starts.len()].iter().map(|h| h.value()));
}

/// Mixes in a name, by its offset in `.debug_str` where it has one, and two words.
#[inline(always)]
fn mix_name(h: Hash, word: u32, b: u32, c: u32, f: &Fragment) -> Hash {
    match NameRef::from_word(word).source() {
        NameSource::Local(i) => mix_bytes(h, f.strings.get(i), b, c),
        _ => h.mix_words(word, b, c),
    }
}

#[cold]
fn mix_bytes(h: Hash, bytes: &[u8], b: u32, c: u32) -> Hash {
    let h = h.mix(Hash(u64::from(b) | u64::from(c) << 32, u64::MAX ^ bytes.len() as u64));
    bytes.chunks(8).fold(h, |h, chunk| {
        let mut b = [0; 8];
        b[..chunk.len()].copy_from_slice(chunk);
        h.mix(Hash(u64::from_le_bytes(b), 0))
    })
}

impl HashScratch {
    /// Content and children of every node.
    fn read(&mut self, f: &Fragment) {
        self.nodes.clear();
        self.children.clear();
        self.local.clear();
        self.nodes.reserve(f.starts.len() + 1);
        for (i, &start) in f.starts.iter().enumerate() {
            let end = f.starts.get(i + 1).map_or(f.words.len(), |&e| e as usize);
            let w = &f.words[start as usize..end];
            let children = self.children.len() as u32;
            let (local, rest) = match Kind::of_info(w[1]) {
                Some(
                    Kind::Ptr
                    | Kind::Typedef
                    | Kind::Const
                    | Kind::Volatile
                    | Kind::Restrict
                    | Kind::TypeTag
                    | Kind::Func
                    | Kind::Var
                    | Kind::DeclTag,
                ) => {
                    self.children.push(w[2]);
                    (mix_name(START, w[0], w[1], 0, f), &w[3..])
                }
                Some(Kind::Array) => {
                    debug_assert_eq!(w[4], INDEX_TYPE);
                    self.children.push(w[3]);
                    (START.mix_words(w[0], w[1], w[5]), &[][..])
                }
                Some(Kind::Struct | Kind::Union) => {
                    let mut h = mix_name(START, w[0], w[1], w[2], f);
                    for m in w[3..].chunks_exact(3) {
                        self.children.push(m[1]);
                        h = mix_name(h, m[0], m[2], 0, f);
                    }
                    (h, &[][..])
                }
                Some(Kind::FuncProto) => {
                    self.children.push(w[2]);
                    let mut h = START.mix_words(w[0], w[1], 0);
                    for p in w[3..].chunks_exact(2) {
                        self.children.push(p[1]);
                        h = mix_name(h, p[0], 0, 0, f);
                    }
                    (h, &[][..])
                }
                Some(Kind::Enum) => {
                    let h = mix_name(START, w[0], w[1], w[2], f);
                    (w[3..].chunks_exact(2).fold(h, |h, e| mix_name(h, e[0], e[1], 0, f)), &[][..])
                }
                Some(Kind::Enum64) => {
                    let h = mix_name(START, w[0], w[1], w[2], f);
                    (w[3..].chunks_exact(3).fold(h, |h, e| mix_name(h, e[0], e[1], e[2], f)), &[][..])
                }
                Some(Kind::Int | Kind::Float | Kind::Fwd | Kind::Datasec) | None => {
                    (mix_name(START, w[0], w[1], w[2], f), &w[3..])
                }
            };
            let mut local = rest.iter().fold(local, |h, &x| h.mix_words(x, 0, 0));
            if f.outward {
                // A type of another unit counts as what it is known by.
                for child in &mut self.children[children as usize..] {
                    if *child as usize > f.starts.len() {
                        local = local.mix_words(*child - f.starts.len() as u32, u32::MAX, 0);
                        *child = 0;
                    }
                }
            }
            self.local.push(local);
            self.nodes.push(Node { children, named: w[0] != 0, ..Node::default() });
        }
        self.nodes.push(Node { children: self.children.len() as u32, ..Node::default() });
        // What earlier fragments left is never looked at: closures are written first, and components have numbers of their own.
        let count = f.starts.len();
        if self.closure.len() < count {
            self.closure.resize(count, Hash::default());
            self.members.resize(count, Member::default());
        }
    }

    #[inline]
    fn children(&self, node: u32) -> std::ops::Range<usize> {
        self.nodes[node as usize].children as usize..self.nodes[node as usize + 1].children as usize
    }

    /// Tarjan's algorithm; components come out children first.
    fn components(&mut self) {
        let count = self.local.len() as u32;
        let mut next_index = 1;
        if self.last_component > u32::MAX / 2 {
            self.members.fill(Member::default());
            self.last_component = 0;
        }
        for root in 0..count {
            if self.nodes[root as usize].index != 0 || self.try_single(root) {
                continue;
            }
            self.visit(root, &mut next_index);
            while let Some(&(node, child)) = self.path.last() {
                let end = self.nodes[node as usize + 1].children;
                let mut low = self.nodes[node as usize].low;
                let mut at = child;
                let mut descend = None;
                while at < end {
                    let c = self.children[at as usize];
                    at += 1;
                    if c == 0 {
                        continue;
                    }
                    let c = c - 1;
                    let child = &self.nodes[c as usize];
                    if child.index != 0 {
                        low = low.min(child.low);
                    } else if !self.try_single(c) {
                        descend = Some(c);
                        break;
                    }
                }
                self.nodes[node as usize].low = low;
                if let Some(c) = descend {
                    if let Some(top) = self.path.last_mut() {
                        top.1 = at;
                    }
                    self.visit(c, &mut next_index);
                    continue;
                }
                self.path.pop();
                if low == self.nodes[node as usize].index {
                    self.last_component += 1;
                    self.complete(node, self.last_component);
                } else if let Some(&(parent, _)) = self.path.last() {
                    let parent = &mut self.nodes[parent as usize];
                    parent.low = parent.low.min(low);
                }
            }
        }
    }

    /// Hashes a node all of whose children are complete, without a walk; `false` for others.
    #[inline]
    fn try_single(&mut self, node: u32) -> bool {
        let mut h = self.local[node as usize];
        for at in self.children(node) {
            h = h.mix(match self.children[at] {
                0 => VOID,
                c if self.nodes[c as usize - 1].low == COMPLETE => self.closure[c as usize - 1],
                _ => return false,
            });
        }
        self.closure[node as usize] = h;
        let n = &mut self.nodes[node as usize];
        n.index = COMPLETE;
        n.low = COMPLETE;
        true
    }

    fn visit(&mut self, node: u32, next_index: &mut u32) {
        let n = &mut self.nodes[node as usize];
        n.index = *next_index;
        n.low = *next_index;
        *next_index += 1;
        self.stack.push(node);
        self.path.push((node, n.children));
    }

    /// Hashes the component whose first met node is `node`; its members are the stack's top.
    fn complete(&mut self, node: u32, component: u32) {
        if self.stack.last() == Some(&node) {
            self.stack.pop();
            self.single(node);
            return;
        }
        let from = self.stack.iter().rposition(|&x| x == node).unwrap_or(0);
        for i in from..self.stack.len() {
            self.members[self.stack[i] as usize].component = component;
        }
        for i in from..self.stack.len() {
            self.first_round(self.stack[i], component);
        }
        let mut sum = VOID;
        for i in from..self.stack.len() {
            let member = self.stack[i];
            let mut h = self.members[member as usize].first;
            for at in self.children(member) {
                h = h.mix(match self.children[at] {
                    0 => VOID,
                    c => {
                        let c = c as usize - 1;
                        let member = &self.members[c];
                        if member.component == component { member.first } else { self.closure[c] }
                    }
                });
            }
            self.closure[member as usize] = h;
            sum = sum.add(h);
        }
        for i in from..self.stack.len() {
            let member = self.stack[i] as usize;
            self.closure[member] = self.closure[member].mix(sum);
            self.nodes[member].low = COMPLETE;
        }
        self.stack.truncate(from);
    }

    /// A component of one. A reference to itself counts as its content.
    fn single(&mut self, node: u32) {
        let local = self.local[node as usize];
        let mut h = local;
        for at in self.children(node) {
            h = h.mix(match self.children[at] {
                0 => VOID,
                c if c - 1 == node => local,
                c => self.closure[c as usize - 1],
            });
        }
        self.closure[node as usize] = h;
        self.nodes[node as usize].low = COMPLETE;
    }

    /// The first value of a member, after those of the nameless members that it leads to.
    fn first_round(&mut self, member: u32, component: u32) {
        if self.members[member as usize].done == component {
            return;
        }
        let base = self.path.len();
        self.start_first(member, component);
        while self.path.len() > base {
            let (node, at) = self.path[self.path.len() - 1];
            if at == self.nodes[node as usize + 1].children {
                self.path.pop();
                continue;
            }
            let value = match self.children[at as usize] {
                0 => VOID,
                c => {
                    let c = c as usize - 1;
                    let child = self.members[c];
                    if child.component != component {
                        self.closure[c]
                    } else if self.nodes[c].named {
                        self.local[c]
                    } else if child.done != component {
                        // Its value is needed first; this child is looked at again then.
                        self.start_first(c as u32, component);
                        continue;
                    } else {
                        // Complete, or (nameless types only, in a circle) on the way: then its content so far.
                        child.first
                    }
                }
            };
            let m = &mut self.members[node as usize];
            m.first = m.first.mix(value);
            if let Some(top) = self.path.last_mut() {
                top.1 += 1;
            }
        }
    }

    fn start_first(&mut self, node: u32, component: u32) {
        let m = &mut self.members[node as usize];
        m.done = component;
        m.first = self.local[node as usize];
        self.path.push((node, self.nodes[node as usize].children));
    }
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
        f.closures
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
    fn a_long_chain_needs_no_stack() {
        let types: Vec<(&str, Vec<u32>)> = (0..200_000u32).map(|i| ("", vec![(i + 2) % 200_001])).collect();
        let types: Vec<(&str, &[u32])> = types.iter().map(|(n, m)| (*n, m.as_slice())).collect();
        assert_eq!(closures(&types).len(), 200_000);
    }
}
