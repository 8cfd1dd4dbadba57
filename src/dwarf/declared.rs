//! Abbreviations by the bytes that they are declared with.
//!
//! A kernel's units declare some 370,000 abbreviations, of which a few thousand are different ones.

use super::abbrev::Abbrev;
use gimli::constants as dw;

/// The abbreviations met so far.
#[derive(Default)]
pub(super) struct Memory {
    /// Open addressing: hash, and position in `known` and 1; 0 for an empty slot.
    slots: Vec<(u64, u32)>,
    known: Vec<(Declaration, Abbrev)>,
    /// The declarations' bytes, back to back.
    text: Vec<u8>,
}

/// Start and length in [`Memory::text`].
type Declaration = (u32, u32);

impl Memory {
    /// Abbreviations that are remembered, at most; a kernel has a few thousand different ones.
    const LIMIT: usize = 1 << 14;

    #[inline]
    pub fn find(&self, hash: u64, bytes: &[u8]) -> Option<&Abbrev> {
        let mask = self.slots.len().checked_sub(1)?;
        let mut at = hash as usize & mask;
        loop {
            let (known, index) = self.slots[at];
            let ((start, len), abbrev) = self.known.get((index as usize).checked_sub(1)?)?;
            if known == hash && self.text.get(*start as usize..)?.get(..*len as usize)? == bytes {
                return Some(abbrev);
            }
            at = (at + 1) & mask;
        }
    }

    pub fn insert(&mut self, hash: u64, bytes: &[u8], abbrev: Abbrev) {
        let (Ok(start), Ok(len)) = (u32::try_from(self.text.len()), u32::try_from(bytes.len())) else { return };
        self.text.extend_from_slice(bytes);
        self.known.push(((start, len), abbrev));
        if self.known.len() * 2 > self.slots.len() {
            let size = (self.slots.len() * 2).max(1 << 9);
            let old = std::mem::replace(&mut self.slots, vec![(0, 0); size]);
            old.into_iter().filter(|slot| slot.1 != 0).for_each(|(hash, index)| self.place(hash, index));
        }
        self.place(hash, self.known.len() as u32);
    }

    fn place(&mut self, hash: u64, index: u32) {
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        while self.slots[at].1 != 0 {
            at = (at + 1) & mask;
        }
        self.slots[at] = (hash, index);
    }

    pub fn len(&self) -> usize {
        self.known.len()
    }

    /// Whether it is time to start anew.
    pub fn is_full(&self) -> bool {
        self.known.len() >= Self::LIMIT || self.text.len() > 1 << 20
    }
}

/// The length of the declaration of an abbreviation, behind its code, and a hash of its bytes. `None` where it is cut off, or unusual.
#[inline]
pub(super) fn declaration(bytes: &[u8]) -> Option<(usize, u64)> {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let mix = |hash: u64, word: u64| (hash.rotate_left(23) ^ word).wrapping_mul(FACTOR);
    let uleb = |at: usize| match bytes.get(at..)? {
        [low @ ..0x80, ..] => Some((u64::from(*low), at + 1)),
        [low, high @ ..0x80, ..] => Some((u64::from(*low) | u64::from(*high) << 8, at + 2)),
        _ => None,
    };
    let (tag, at) = uleb(0)?;
    let mut hash = mix(u64::from(*bytes.get(at)?), tag);
    let mut at = at + 1;
    loop {
        let (attr, form);
        (attr, at) = uleb(at)?;
        (form, at) = uleb(at)?;
        if attr == 0 && form == 0 {
            return Some((at, hash ^ hash >> 32));
        }
        hash = mix(hash, attr << 32 | form);
        if form == u64::from(dw::DW_FORM_implicit_const.0) {
            let start = at;
            at += bytes.get(at..)?.iter().position(|&byte| byte < 0x80)? + 1;
            hash = bytes[start..at].iter().fold(hash, |hash, &byte| mix(hash, u64::from(byte)));
        }
    }
}
