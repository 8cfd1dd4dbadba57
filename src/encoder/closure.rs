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

/// A hash in the making, and a finished one.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
struct Hash(u64, u64);

const K0: u64 = 0x9e37_79b9_7f4a_7c15;
const K1: u64 = 0xd6e8_feb8_6659_fd93;

#[inline]
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    (product as u64) ^ (product >> 64) as u64
}

impl Hash {
    #[inline]
    fn mix(self, v: u64) -> Hash {
        Hash(fold(self.0 ^ v, K0).wrapping_add(K1), fold(self.1.wrapping_add(v) ^ K1, K1 | 1).wrapping_add(self.0))
    }

    #[inline]
    fn mix_hash(self, h: Hash) -> Hash {
        Hash(fold(self.0 ^ h.0, K0).wrapping_add(h.1), fold(self.1.wrapping_add(h.1) ^ K1, K1 | 1).wrapping_add(h.0))
    }

    fn add(self, h: Hash) -> Hash {
        Hash(self.0.wrapping_add(h.0), self.1.wrapping_add(h.1))
    }

    fn value(self) -> u128 {
        u128::from(self.0) << 64 | u128::from(self.1)
    }
}

/// Reused buffers. Nodes are 0-based: node `i` is local id `i + 1`.
#[derive(Default)]
pub struct HashScratch {
    local: Vec<Hash>,
    named: Vec<bool>,
    child_starts: Vec<u32>,
    /// Local ids, 0 for void.
    children: Vec<u32>,
    closure: Vec<Hash>,
    /// Discovery order, 0 for not yet met.
    index: Vec<u32>,
    low: Vec<u32>,
    /// Nodes of components not yet complete.
    stack: Vec<u32>,
    /// The path being walked: node and its next child.
    path: Vec<(u32, u32)>,
    first: Vec<Hash>,
    second: Vec<Hash>,
    /// Component whose members have their values in `first`.
    done: Vec<u32>,
    /// Nodes of the component being hashed carry its number.
    component: Vec<u32>,
}

/// Fills in `fragment.closures`.
pub fn hash_closures(fragment: &mut Fragment, s: &mut HashScratch) {
    let n = fragment.starts.len();
    s.read(fragment);
    s.closure.clear();
    s.closure.resize(n, Hash::default());
    s.index.clear();
    s.index.resize(n, 0);
    s.low.clear();
    s.low.resize(n, 0);
    s.first.clear();
    s.first.resize(n, Hash::default());
    s.second.clear();
    s.second.resize(n, Hash::default());
    s.done.clear();
    s.done.resize(n, 0);
    s.component.clear();
    s.component.resize(n, 0);
    s.components();
    fragment.closures.clear();
    fragment.closures.extend(s.closure.iter().map(|h| h.value()));
}

impl HashScratch {
    /// Content and children of every node.
    fn read(&mut self, f: &Fragment) {
        self.local.clear();
        self.named.clear();
        self.child_starts.clear();
        self.children.clear();
        let name_hash = |h: Hash, word: u32| match NameRef::from_word(word).source() {
            NameSource::Local(i) => {
                let bytes = f.strings.get(i);
                bytes.chunks(8).fold(h.mix(u64::MAX ^ bytes.len() as u64), |h, c| {
                    let mut b = [0; 8];
                    b[..c.len()].copy_from_slice(c);
                    h.mix(u64::from_le_bytes(b))
                })
            }
            _ => h.mix(u64::from(word)),
        };
        for (i, &start) in f.starts.iter().enumerate() {
            let end = f.starts.get(i + 1).map_or(f.words.len(), |&e| e as usize);
            let w = &f.words[start as usize..end];
            self.child_starts.push(self.children.len() as u32);
            let mut h = name_hash(Hash(K0, K1).mix(u64::from(w[1])), w[0]);
            match Kind::of_info(w[1]) {
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
                    h = w[3..].iter().fold(h, |h, &x| h.mix(u64::from(x)));
                }
                Some(Kind::Array) => {
                    debug_assert_eq!(w[4], INDEX_TYPE);
                    self.children.push(w[3]);
                    h = h.mix(u64::from(w[5]));
                }
                Some(Kind::Struct | Kind::Union) => {
                    h = h.mix(u64::from(w[2]));
                    for m in w[3..].chunks_exact(3) {
                        self.children.push(m[1]);
                        h = name_hash(h, m[0]).mix(u64::from(m[2]));
                    }
                }
                Some(Kind::FuncProto) => {
                    self.children.push(w[2]);
                    for p in w[3..].chunks_exact(2) {
                        self.children.push(p[1]);
                        h = name_hash(h, p[0]);
                    }
                }
                Some(Kind::Enum) => {
                    h = h.mix(u64::from(w[2]));
                    h = w[3..].chunks_exact(2).fold(h, |h, e| name_hash(h, e[0]).mix(u64::from(e[1])));
                }
                Some(Kind::Enum64) => {
                    h = h.mix(u64::from(w[2]));
                    h = w[3..].chunks_exact(3).fold(h, |h, e| name_hash(h, e[0]).mix(u64::from(e[1]) | u64::from(e[2]) << 32));
                }
                Some(Kind::Int | Kind::Float | Kind::Fwd | Kind::Datasec) | None => {
                    h = w[2..].iter().fold(h, |h, &x| h.mix(u64::from(x)));
                }
            }
            self.local.push(h);
            self.named.push(w[0] != 0);
        }
        self.child_starts.push(self.children.len() as u32);
    }

    fn children(&self, node: u32) -> std::ops::Range<usize> {
        self.child_starts[node as usize] as usize..self.child_starts[node as usize + 1] as usize
    }

    /// Tarjan's algorithm; components come out children first.
    fn components(&mut self) {
        let n = self.local.len() as u32;
        let mut next_index = 1;
        let mut next_component = 1;
        for root in 0..n {
            if self.index[root as usize] != 0 {
                continue;
            }
            self.visit(root, &mut next_index);
            while let Some(&(node, child)) = self.path.last() {
                let end = self.child_starts[node as usize + 1];
                let mut at = child;
                let mut descend = None;
                while at < end {
                    let c = self.children[at as usize];
                    at += 1;
                    if c == 0 {
                        continue;
                    }
                    let c = c - 1;
                    if self.index[c as usize] == 0 {
                        descend = Some(c);
                        break;
                    }
                    // A node whose component is complete has a low of its own that is never lower.
                    if self.low[c as usize] < self.low[node as usize] {
                        self.low[node as usize] = self.low[c as usize];
                    }
                }
                if let Some(top) = self.path.last_mut() {
                    top.1 = at;
                }
                if let Some(c) = descend {
                    self.visit(c, &mut next_index);
                    continue;
                }
                self.path.pop();
                let low = self.low[node as usize];
                if low == self.index[node as usize] {
                    self.complete(node, next_component);
                    next_component += 1;
                }
                if let Some(&(parent, _)) = self.path.last() {
                    if low < self.low[parent as usize] && self.low[node as usize] != u32::MAX {
                        self.low[parent as usize] = low;
                    }
                }
            }
        }
    }

    fn visit(&mut self, node: u32, next_index: &mut u32) {
        self.index[node as usize] = *next_index;
        self.low[node as usize] = *next_index;
        *next_index += 1;
        self.stack.push(node);
        self.path.push((node, self.child_starts[node as usize]));
    }

    /// Hashes the component whose first met node is `node`; its members are the stack's top.
    fn complete(&mut self, node: u32, component: u32) {
        let from = self.stack.iter().rposition(|&x| x == node).unwrap_or(0);
        if from + 1 == self.stack.len() {
            self.stack.pop();
            self.single(node);
            self.low[node as usize] = u32::MAX;
            return;
        }
        let members = self.stack.split_off(from);
        for &m in &members {
            self.component[m as usize] = component;
        }
        for &m in &members {
            self.first_round(m, component);
        }
        let mut sum = Hash::default();
        for &m in &members {
            let h = self.children(m).fold(self.first[m as usize], |h, at| {
                let c = self.children[at];
                if c == 0 {
                    return h.mix(0);
                }
                let c = c as usize - 1;
                h.mix_hash(if self.component[c] == component { self.first[c] } else { self.closure[c] })
            });
            self.second[m as usize] = h;
            sum = sum.add(h);
        }
        for &m in &members {
            self.closure[m as usize] = self.second[m as usize].mix_hash(sum);
            self.low[m as usize] = u32::MAX;
        }
    }

    /// A component of one. A reference to itself counts as its content.
    fn single(&mut self, node: u32) {
        let h = self.children(node).fold(self.local[node as usize], |h, at| {
            let c = self.children[at];
            match c {
                0 => h.mix(0),
                c if c - 1 == node => h.mix_hash(self.local[node as usize]),
                c => h.mix_hash(self.closure[c as usize - 1]),
            }
        });
        self.closure[node as usize] = h;
    }

    /// The first value of a member, after those of the nameless members that it leads to.
    fn first_round(&mut self, member: u32, component: u32) {
        if self.done[member as usize] == component {
            return;
        }
        let base = self.path.len();
        self.path.push((member, self.child_starts[member as usize]));
        self.done[member as usize] = component;
        self.first[member as usize] = self.local[member as usize];
        while self.path.len() > base {
            let (node, at) = self.path[self.path.len() - 1];
            if at == self.child_starts[node as usize + 1] {
                self.path.pop();
                continue;
            }
            let c = self.children[at as usize];
            let h = self.first[node as usize];
            let mixed = if c == 0 {
                h.mix(0)
            } else {
                let c = c as usize - 1;
                if self.component[c] != component {
                    h.mix_hash(self.closure[c])
                } else if self.named[c] {
                    h.mix_hash(self.local[c])
                } else if self.done[c] != component {
                    // Its value is needed first; this child is looked at again then.
                    self.done[c] = component;
                    self.first[c] = self.local[c];
                    self.path.push((c as u32, self.child_starts[c]));
                    continue;
                } else {
                    // Complete, or (nameless types only, in a circle) on the way: then its content so far.
                    h.mix_hash(self.first[c])
                }
            };
            self.first[node as usize] = mixed;
            if let Some(top) = self.path.last_mut() {
                top.1 += 1;
            }
        }
    }
}
