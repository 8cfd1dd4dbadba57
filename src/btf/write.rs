//! Serialising: the header, the type section, the layout section, if there is one, and the string section, in the target's byte order.

use super::record::KindLayout;
use super::{Btf, Endian};
use std::io::{self, Write};

/// `BTF_MAGIC`.
pub(super) const MAGIC: u16 = 0xeb9f;
/// Length of the header that all readers know, in bytes.
pub(super) const HEADER_LEN: usize = 24;
/// With place and length of the layout section. Only written where there is one: readers of the other byte order refuse a header that is
/// longer than what they know.
pub(super) const LONG_HEADER_LEN: usize = 32;

/// Words converted at a time: a small buffer that stays in cache instead of a second copy of the type section.
const CHUNK: usize = 16 * 1024;

impl Btf {
    /// Number of bytes that [`write_to`](Btf::write_to) writes.
    pub fn byte_len(&self) -> usize {
        self.header_len() + self.type_bytes() + self.layout_bytes() + self.string_bytes()
    }

    /// The whole BTF, header first, as it stands in a `.BTF` section.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.byte_len());
        self.write_to(&mut out).expect("writing to a vector does not fail");
        out
    }

    /// Writes the whole BTF, header first.
    pub fn write_to(&self, w: &mut impl Write) -> io::Result<()> {
        w.write_all(&self.header()[..self.header_len() - self.header_tail.len()])?;
        w.write_all(&self.header_tail)?;
        let mut buffer = vec![0; self.words.len().min(CHUNK) * 4];
        for chunk in self.words.chunks(CHUNK) {
            let bytes = &mut buffer[..chunk.len() * 4];
            for (bytes, &word) in bytes.chunks_exact_mut(4).zip(chunk) {
                bytes.copy_from_slice(&self.word_bytes(word));
            }
            w.write_all(bytes)?;
        }
        for kind in &self.layout {
            let flags = match self.endian {
                Endian::Little => kind.flags.to_le_bytes(),
                Endian::Big => kind.flags.to_be_bytes(),
            };
            w.write_all(&[kind.info_size, kind.element_size, flags[0], flags[1]])?;
        }
        w.write_all(self.strs.bytes())
    }

    fn layout_bytes(&self) -> usize {
        self.layout.len() * KindLayout::LEN
    }

    fn header_len(&self) -> usize {
        let known = if self.long_header || self.has_layout() { LONG_HEADER_LEN } else { HEADER_LEN };
        known + self.header_tail.len()
    }

    fn header(&self) -> [u8; LONG_HEADER_LEN] {
        let mut header = [0; LONG_HEADER_LEN];
        let magic = match self.endian {
            Endian::Little => MAGIC.to_le_bytes(),
            Endian::Big => MAGIC.to_be_bytes(),
        };
        header[..2].copy_from_slice(&magic);
        header[2] = self.version;
        header[3] = self.flags;
        let (type_len, layout_len) = (self.type_bytes() as u32, self.layout_bytes() as u32);
        let layout_off = if layout_len == 0 { 0 } else { type_len };
        let fields = [self.header_len() as u32, 0, type_len, type_len + layout_len, self.strs.len(), layout_off, layout_len];
        for (bytes, field) in header[4..].chunks_exact_mut(4).zip(fields) {
            bytes.copy_from_slice(&self.word_bytes(field));
        }
        header
    }

    #[inline]
    fn word_bytes(&self, word: u32) -> [u8; 4] {
        match self.endian {
            Endian::Little => word.to_le_bytes(),
            Endian::Big => word.to_be_bytes(),
        }
    }
}
