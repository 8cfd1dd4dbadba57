//! Closure hashes: types of different units with equal hashes are equal with everything they lead to.
//!
//! For types whose names are not enough to know them by ([`super::identity`]), and for files whose units refer to each other. Each type is hashed
//! together with all it refers to; the merge drops those whose hash it has seen in an earlier unit.
//!
//! A type's hash mixes its own words with a token for each child. Children that are complete give their hashes. Types that lead to each
//! other form strongly connected components (Tarjan's algorithm, with its own stack); inside of one, a child with a name gives a token of its
//! name, kind and size, a child without a name its own value, so that chains of nameless types count down to the next name. Where each such
//! token belongs to one member alone, as in nearly all components, these values say all about the component, and the hash of a member is its
//! value with the sum of all of them. Where two members share a token, further rounds with the members' values as tokens come in between.
//!
//! Pointers, qualifiers, typedefs and arrays lead to one type each. Such chains are passed in one step, so that the walk is over structs, unions
//! and prototypes only; what they are made of is mixed into the hash, or the token, of their end.

use super::fragment::{Fragment, LocalStrings};
use super::type_hash::{Hash, START, Shape, VOID, content, is_named, leaf, mix_link, shape, value};

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

/// What the walk knows of a record.
#[derive(Clone, Copy, Default)]
struct Item {
    /// Word of the first child; of a link, the child itself.
    at: u32,
    /// End of the record in words; of a link, its start.
    until: u32,
    /// Distance of children in words, 0 in links.
    step: u32,
    /// The node at the end of the chain of links that starts here; the node itself where none does.
    end: u32,
}

/// Rounds in a component in which a token is not that of one member alone. Each looks one reference further.
const AMBIGUOUS_ROUNDS: usize = 3;

/// Longest chain that is passed in one step.
const MAX_LINKS: usize = 8;

/// Reused buffers.
#[derive(Default)]
pub struct HashScratch {
    nodes: Vec<Node>,
    items: Vec<Item>,
    /// For each node the first link whose chain ends there; for each link the next one of the same end; 0 behind the last.
    links: Vec<u32>,
    /// Number of the component in which a nameless member has got its value.
    valued: Vec<u32>,
    /// Nodes of components not yet complete.
    stack: Vec<u32>,
    /// The path being walked: node and word of its next child.
    path: Vec<(u32, u32)>,
    /// Values of the members, in the order of the stack.
    values: Vec<Hash>,
    /// Tokens of the component, each with its number: open addressing. What is left of others counts as empty.
    tokens: Vec<(u64, u32)>,
    /// Number of the component hashed last, of any fragment.
    component: u32,
}

/// Gives the fragment its closure hashes.
pub fn hash_closures(fragment: &mut Fragment, scratch: &mut HashScratch) {
    let mut closures = fragment.take_hashes();
    closures_of(fragment, &mut closures, scratch);
    fragment.set_hashes(closures);
}

/// The closure hash of each type by local id, that of void first.
pub(super) fn closures_of(fragment: &Fragment, closures: &mut Vec<u128>, scratch: &mut HashScratch) {
    let count = fragment.starts.len();
    closures.resize(count + 1, 0);
    closures[0] = VOID.value();
    scratch.nodes.clear();
    scratch.nodes.resize(count + 1, Node::default());
    scratch.nodes[0] = IS_COMPLETE;
    scratch.links.clear();
    scratch.links.resize(count + 1, 0);
    scratch.items.clear();
    scratch.items.resize(count + 1, Item::default());
    // What earlier fragments left there is never looked at, since components have numbers of their own.
    if scratch.valued.len() <= count {
        scratch.valued.resize(count + 1, 0);
    }
    if scratch.component > u32::MAX / 2 {
        scratch.valued.fill(0);
        scratch.tokens.clear();
        scratch.component = 0;
    }
    let mut walk = Walk {
        words: &fragment.words,
        starts: &fragment.starts,
        strings: &fragment.strings,
        nodes: &mut scratch.nodes,
        items: &mut scratch.items,
        links: &mut scratch.links,
        valued: &mut scratch.valued,
        closures,
        stack: &mut scratch.stack,
        path: &mut scratch.path,
        values: &mut scratch.values,
        tokens: &mut scratch.tokens,
        component: &mut scratch.component,
    };
    walk.prepare();
    walk.components();
}

/// The fragment and [`HashScratch`], by slices of the same length where it is known.
struct Walk<'a> {
    words: &'a [u32],
    starts: &'a [u32],
    strings: &'a LocalStrings,
    nodes: &'a mut [Node],
    items: &'a mut [Item],
    links: &'a mut [u32],
    valued: &'a mut [u32],
    /// Hashes of complete types. In the component being hashed, tokens of members and of links that lead to them.
    closures: &'a mut [u128],
    stack: &'a mut Vec<u32>,
    path: &'a mut Vec<(u32, u32)>,
    values: &'a mut Vec<Hash>,
    tokens: &'a mut Vec<(u64, u32)>,
    component: &'a mut u32,
}

impl<'a> Walk<'a> {
    #[inline(always)]
    fn record(&self, node: u32) -> &'a [u32] {
        let starts = self.starts;
        let end = starts.get(node as usize).map_or(self.words.len(), |&e| e as usize);
        &self.words[starts[node as usize - 1] as usize..end]
    }

    /// Finds the ends of chains, and hashes leaves with the links that lead to them.
    fn prepare(&mut self) {
        let mut start = 0;
        for node in 1..self.nodes.len() as u32 {
            let until = self.starts.get(node as usize).map_or(self.words.len() as u32, |&e| e);
            let w = &self.words[start as usize..until as usize];
            let item = match shape(w[1]) {
                Shape::Leaf => {
                    self.closures[node as usize] = leaf(self.strings, w).value();
                    self.nodes[node as usize] = IS_COMPLETE;
                    Item { at: until, until, step: 1, end: node }
                }
                Shape::Link(word) => match self.end_of_chain(w[usize::from(word)]) {
                    Some(end) => {
                        self.links[node as usize] = std::mem::replace(&mut self.links[end as usize], node);
                        Item { at: w[usize::from(word)], until: start, step: 0, end }
                    }
                    None => Item { at: start + u32::from(word), until: start + u32::from(word) + 1, step: 1, end: node },
                },
                Shape::Many(first, step) => Item { at: start + u32::from(first), until, step: step.into(), end: node },
            };
            self.items[node as usize] = item;
            start = until;
        }
        for node in 0..self.nodes.len() as u32 {
            if self.nodes[node as usize].low == COMPLETE {
                self.hash_links(node);
            }
        }
    }

    /// Follows a chain of types with one child each. `None` for one that is too long, that goes in a circle, or that leads to another unit: its
    /// types are walked like all else.
    #[inline]
    fn end_of_chain(&self, mut at: u32) -> Option<u32> {
        for _ in 0..MAX_LINKS {
            if at == 0 {
                return Some(0);
            }
            let start = *self.starts.get(at as usize - 1)? as usize;
            let Shape::Link(word) = shape(self.words[start + 1]) else { return Some(at) };
            at = self.words[start + usize::from(word)];
        }
        None
    }

    /// Whether the hash of a child is known.
    #[inline(always)]
    fn is_complete(&self, child: u32) -> bool {
        self.items.get(child as usize).is_none_or(|item| self.nodes[item.end as usize].low == COMPLETE)
    }

    /// Gives each link whose chain ends at a node its hash, from that of the node.
    #[inline]
    fn hash_links(&mut self, node: u32) {
        let mut link = self.links[node as usize];
        while link != 0 {
            self.closures[link as usize] = self.hash_link(link, node).value();
            link = self.links[link as usize];
        }
    }

    #[inline]
    fn hash_link(&self, link: u32, end: u32) -> Hash {
        let (mut chain, mut count, mut at) = ([0; MAX_LINKS], 0, link);
        while at != end && count < MAX_LINKS {
            let item = self.items[at as usize];
            chain[count] = item.until;
            count += 1;
            at = item.at;
        }
        let hash = Hash::of(self.closures[end as usize]);
        chain[..count]
            .iter()
            .rev()
            .fold(hash, |hash, &start| self.words.get(start as usize..).map_or(hash, |w| mix_link(self.strings, w, hash)))
    }

    /// The hash of a record that is no link, by what its children have in `closures`. A type of another unit is known by its number.
    #[inline(always)]
    fn value(&self, node: u32) -> Hash {
        value(self.strings, self.record(node), |child| match self.closures.get(child as usize) {
            Some(&hash) => Hash::of(hash),
            None => Hash(u64::from(child - self.closures.len() as u32), START.1),
        })
    }

    /// Tarjan's algorithm over all that is no link; components come out children first.
    fn components(&mut self) {
        let mut next_index = 1;
        for root in 1..self.nodes.len() as u32 {
            if self.items[root as usize].end != root || self.nodes[root as usize].index != 0 || self.try_single(root) {
                continue;
            }
            self.visit(root, &mut next_index);
            while let Some(&(node, mut at)) = self.path.last() {
                let Item { until, step, .. } = self.items[node as usize];
                let mut low = self.nodes[node as usize].low;
                let mut descend = 0;
                while at < until {
                    let child = self.words[at as usize];
                    at += step;
                    // A type of another unit leads nowhere.
                    let Some(&Item { end: child, .. }) = self.items.get(child as usize) else { continue };
                    let n = self.nodes[child as usize];
                    if n.index != 0 {
                        low = low.min(n.low);
                    } else if !self.try_single(child) {
                        descend = child;
                        break;
                    }
                }
                self.nodes[node as usize].low = low;
                if descend != 0 {
                    if let Some(top) = self.path.last_mut() {
                        top.1 = at;
                    }
                    self.visit(descend, &mut next_index);
                    continue;
                }
                self.path.pop();
                if low == self.nodes[node as usize].index {
                    self.complete(node);
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
        let Item { mut at, until, step, .. } = self.items[node as usize];
        while at < until {
            if !self.is_complete(self.words[at as usize]) {
                return false;
            }
            at += step;
        }
        self.closures[node as usize] = self.value(node).value();
        self.nodes[node as usize] = IS_COMPLETE;
        self.hash_links(node);
        true
    }

    fn visit(&mut self, node: u32, next_index: &mut u32) {
        self.nodes[node as usize] = Node { index: *next_index, low: *next_index };
        *next_index += 1;
        self.stack.push(node);
        self.path.push((node, self.items[node as usize].at));
    }

    /// Hashes the component whose first met node is `node`; its members are the stack's top.
    fn complete(&mut self, node: u32) {
        let from = self.stack.iter().rposition(|&x| x == node).unwrap_or(0);
        *self.component += 1;
        let ambiguous = self.give_tokens(from);
        // What was met last is mostly what others wait for.
        for i in (from..self.stack.len()).rev() {
            let member = self.stack[i];
            if !is_named(self.record(member)) {
                self.nameless_values(member);
            }
        }
        let mut sum = self.take_values(from);
        if ambiguous {
            for _ in 0..AMBIGUOUS_ROUNDS {
                for i in from..self.stack.len() {
                    let member = self.stack[i];
                    self.closures[member as usize] = self.values[i - from].value();
                    self.hash_links(member);
                }
                sum = self.take_values(from);
            }
        }
        for i in from..self.stack.len() {
            let member = self.stack[i];
            self.closures[member as usize] = self.values[i - from].mix(0, sum).value();
            self.nodes[member as usize].low = COMPLETE;
            self.hash_links(member);
        }
        self.stack.truncate(from);
    }

    /// Gives the members with a name their tokens; says whether two have the same.
    fn give_tokens(&mut self, from: usize) -> bool {
        let component = *self.component;
        let room = (2 * (self.stack.len() - from)).next_power_of_two();
        if self.tokens.len() < room {
            self.tokens.clear();
            self.tokens.resize(room, (0, 0));
        }
        let mask = self.tokens.len() - 1;
        let mut ambiguous = false;
        for i in from..self.stack.len() {
            let member = self.stack[i];
            let w = self.record(member);
            if !is_named(w) {
                continue;
            }
            let token = content(self.strings, w);
            self.closures[member as usize] = token.value();
            self.hash_links(member);
            let mut at = (token.0 >> 32) as usize & mask;
            while self.tokens[at].1 == component && self.tokens[at].0 != token.0 {
                at = (at + 1) & mask;
            }
            ambiguous |= self.tokens[at].1 == component;
            self.tokens[at] = (token.0, component);
        }
        ambiguous
    }

    /// The token of a member without a name is its value, made after those of the nameless members that it leads to.
    fn nameless_values(&mut self, member: u32) {
        let component = *self.component;
        if self.valued[member as usize] == component {
            return;
        }
        let base = self.path.len();
        self.start_nameless(member);
        while self.path.len() > base {
            let (node, mut at) = self.path[self.path.len() - 1];
            let Item { until, step, .. } = self.items[node as usize];
            let mut first = 0;
            while at < until {
                let child = self.words[at as usize];
                at += step;
                let Some(&Item { end: child, .. }) = self.items.get(child as usize) else { continue };
                let is_waited_for = self.nodes[child as usize].low != COMPLETE && self.valued[child as usize] != component;
                if is_waited_for && !is_named(self.record(child)) {
                    first = child;
                    break;
                }
            }
            if let Some(top) = self.path.last_mut() {
                top.1 = at;
            }
            if first != 0 {
                self.start_nameless(first);
                continue;
            }
            self.path.pop();
            self.closures[node as usize] = self.value(node).value();
            self.hash_links(node);
        }
    }

    /// In a circle of nameless types only, its content has to do as a token.
    fn start_nameless(&mut self, node: u32) {
        self.closures[node as usize] = content(self.strings, self.record(node)).value();
        self.hash_links(node);
        self.valued[node as usize] = *self.component;
        self.path.push((node, self.items[node as usize].at));
    }

    /// Makes values of the members from the tokens of all. Returns their sum.
    fn take_values(&mut self, from: usize) -> Hash {
        self.values.clear();
        let mut sum = VOID;
        for i in from..self.stack.len() {
            let value = self.value(self.stack[i]);
            self.values.push(value);
            sum = sum.add(value);
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::btf::Kind;

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
        f.take_hashes().split_off(1)
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
    fn nothing_is_left_of_the_fragment_before() {
        // A pointer to a leaf, and one to a struct, after a fragment with other types of these ids.
        let types: [(&str, &[u32]); 4] = [("leaf", &[]), ("", &[1]), ("top", &[2, 4]), ("", &[3])];
        let mut scratch = HashScratch::default();
        let mut other = fragment(&[("a", &[2, 3, 4]), ("", &[1]), ("", &[2]), ("", &[0]), ("e", &[1])]);
        hash_closures(&mut other, &mut scratch);
        let mut f = fragment(&types);
        f.set_hashes(other.take_hashes());
        hash_closures(&mut f, &mut scratch);
        assert_eq!(f.take_hashes().split_off(1), closures(&types));
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
