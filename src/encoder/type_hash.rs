//! What the hashes of types are made of: records mixed word by word, with a token for each child.

use super::fragment::{LocalStrings, NameRef, NameSource};
use crate::btf::Kind;

/// Words of a record before those that its kind adds.
const HEAD: usize = 3;

/// A hash in the making, and a finished one.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Hash(pub u64, pub u64);

pub(super) const START: Hash = Hash(0x9e37_79b9_7f4a_7c15, 0xd6e8_feb8_6659_fd93);
/// Keeps the factors of small contents apart from small numbers.
const KEY: Hash = Hash(0x8ebc_6af0_9c88_c6e3, 0x5897_53e7_0c2f_18a5);

impl Hash {
    /// Mixes in two words of content and a child's token with one multiplication. The rotations make the sides different: order counts. What
    /// is added to the product keeps what a factor of 0 would wipe out.
    #[inline(always)]
    pub(super) fn mix(self, content: u64, token: Hash) -> Hash {
        let (a, b) = (self.0 ^ content, self.1 ^ token.0);
        let product = u128::from(a ^ KEY.0) * u128::from(b ^ KEY.1);
        let low = (product as u64) ^ b.rotate_left(29);
        Hash(low.wrapping_add(token.1), ((product >> 64) as u64).wrapping_add(a.rotate_left(17)))
    }

    #[inline(always)]
    pub(super) fn value(self) -> u128 {
        u128::from(self.0) << 64 | u128::from(self.1)
    }
}

/// What stands for void among children.
pub(super) const VOID: Hash = Hash(0, 0);

/// What a kind's records are to the walk.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
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

pub(super) fn shape(info: u32) -> Shape {
    SHAPES[(info >> 24 & 0x1f) as usize]
}

/// The hash of a record with one child, from that of the child.
#[inline(always)]
pub(super) fn mix_link(strings: &LocalStrings, w: &[u32], child: Hash) -> Hash {
    match shape(w[1]) {
        Shape::Link(2) => mix_name(strings, START, w[0], w[1], child),
        // An array, with its count of elements.
        _ => START.mix(u64::from(w[1]) << 32 | u64::from(w[5]), child),
    }
}

/// The hash of a record, each child counting as its token.
#[inline(always)]
pub(super) fn value(strings: &LocalStrings, w: &[u32], mut token: impl FnMut(u32) -> Hash) -> Hash {
    match shape(w[1]) {
        Shape::Leaf => leaf(strings, w),
        Shape::Link(word) => mix_link(strings, w, token(w[usize::from(word)])),
        // A prototype: result, and name and type of each parameter.
        Shape::Many(2, _) => {
            let h = START.mix(u64::from(w[1]) << 32, token(w[2]));
            w[HEAD..].chunks_exact(2).fold(h, |h, p| mix_name(strings, h, p[0], 0, token(p[1])))
        }
        // Name, type and place of each member.
        Shape::Many(..) => {
            let h = mix_name(strings, START, w[0], w[1], Hash(u64::from(w[2]), 0));
            w[HEAD..].chunks_exact(3).fold(h, |h, m| mix_name(strings, h, m[0], m[2], token(m[1])))
        }
    }
}

/// The hash of a record without children.
pub(super) fn leaf(strings: &LocalStrings, w: &[u32]) -> Hash {
    let h = mix_name(strings, START, w[0], w[1], Hash(u64::from(w[2]), 0));
    match Kind::of_info(w[1]) {
        Some(Kind::Enum) => w[HEAD..].chunks_exact(2).fold(h, |h, e| mix_name(strings, h, e[0], e[1], VOID)),
        Some(Kind::Enum64) => {
            w[HEAD..].chunks_exact(3).fold(h, |h, e| mix_name(strings, h, e[0], e[1], Hash(u64::from(e[2]), 0)))
        }
        _ => w[HEAD..].iter().fold(h, |h, &x| h.mix(u64::from(x), VOID)),
    }
}

/// Mixes in a name, another word and a token.
#[inline(always)]
pub(super) fn mix_name(strings: &LocalStrings, h: Hash, word: u32, other: u32, token: Hash) -> Hash {
    if NameRef::is_global(word) {
        return h.mix(u64::from(word) | u64::from(other) << 32, token);
    }
    mix_own_name(strings, h, word, other, token)
}

/// Mixes in a name of the fragment's own.
#[cold]
fn mix_own_name(strings: &LocalStrings, h: Hash, word: u32, other: u32, token: Hash) -> Hash {
    let NameSource::Local(index) = NameRef::from_word(word).source() else { return h };
    let bytes = strings.get(index);
    let h = h.mix(u64::from(other) << 32 | u64::from(u32::MAX), token).mix(bytes.len() as u64, VOID);
    bytes.chunks(8).fold(h, |h, chunk| {
        let mut b = [0; 8];
        b[..chunk.len()].copy_from_slice(chunk);
        h.mix(u64::from_le_bytes(b), VOID)
    })
}
