//! A bounds-checked reader over bytes in the file's byte order.

use super::DwarfError;

/// Reads forward through `buf`; `base` is where `buf` starts in `section`, for error messages.
#[derive(Clone)]
pub struct Cursor<'a> {
    buf: &'a [u8],
    pos: usize,
    big: bool,
    base: u64,
    section: &'static str,
}

macro_rules! fixed {
    ($name:ident, $ty:ty, $what:literal) => {
        #[inline]
        pub fn $name(&mut self) -> Result<$ty, DwarfError> {
            const N: usize = std::mem::size_of::<$ty>();
            match self.buf.get(self.pos..self.pos.wrapping_add(N)) {
                Some(b) => {
                    self.pos += N;
                    let v = <$ty>::from_le_bytes(b.try_into().expect("slice of the type's size"));
                    Ok(if self.big { v.swap_bytes() } else { v })
                }
                None => Err(self.truncated($what)),
            }
        }
    };
}

impl<'a> Cursor<'a> {
    pub fn new(buf: &'a [u8], big: bool, base: u64, section: &'static str) -> Cursor<'a> {
        Cursor { buf, pos: 0, big, base, section }
    }

    /// Offset in the buffer, in bytes.
    #[inline]
    pub fn pos(&self) -> usize {
        self.pos
    }

    #[inline]
    pub fn set_pos(&mut self, pos: usize) {
        self.pos = pos;
    }

    #[inline]
    pub fn len(&self) -> usize {
        self.buf.len()
    }

    #[inline]
    pub fn is_empty(&self) -> bool {
        self.pos >= self.buf.len()
    }

    #[inline]
    pub fn is_big_endian(&self) -> bool {
        self.big
    }

    #[cold]
    pub fn truncated(&self, expected: &'static str) -> DwarfError {
        DwarfError::Truncated { section: self.section, offset: self.base.wrapping_add(self.pos as u64), expected }
    }

    #[cold]
    pub fn invalid(&self, expected: &'static str, found: u64) -> DwarfError {
        DwarfError::Invalid { section: self.section, offset: self.base.wrapping_add(self.pos as u64), expected, found }
    }

    fixed!(u8, u8, "a byte");
    fixed!(u16, u16, "a 2-byte value");
    fixed!(u32, u32, "a 4-byte value");
    fixed!(u64, u64, "an 8-byte value");

    /// All bytes from an offset in the buffer on.
    #[inline]
    pub fn from(&self, at: usize) -> &'a [u8] {
        self.buf.get(at..).unwrap_or_default()
    }

    /// Two bytes in the buffer's order.
    #[inline]
    pub fn half(&self, b: [u8; 2]) -> u16 {
        let v = u16::from_le_bytes(b);
        if self.big { v.swap_bytes() } else { v }
    }

    /// Four bytes in the buffer's order.
    #[inline]
    pub fn word(&self, b: [u8; 4]) -> u32 {
        let v = u32::from_le_bytes(b);
        if self.big { v.swap_bytes() } else { v }
    }

    /// The length, without its NUL, of the string that starts here.
    #[inline]
    pub fn cstr_len(&self) -> Option<usize> {
        let rest = self.buf.get(self.pos..)?;
        // Strings in entries are those that are no longer than an offset.
        let near = rest.iter().take(4).position(|&b| b == 0);
        near.or_else(|| memchr::memchr(0, rest))
    }

    /// The three-byte values of `DW_FORM_strx3` and `DW_FORM_addrx3`.
    pub fn u24(&mut self) -> Result<u32, DwarfError> {
        let b = self.bytes(3)?;
        Ok(if self.big { u32::from_be_bytes([0, b[0], b[1], b[2]]) } else { u32::from_le_bytes([b[0], b[1], b[2], 0]) })
    }

    /// An unsigned value of 1, 2, 4 or 8 bytes.
    pub fn uint(&mut self, size: u8) -> Result<u64, DwarfError> {
        match size {
            1 => self.u8().map(u64::from),
            2 => self.u16().map(u64::from),
            4 => self.u32().map(u64::from),
            8 => self.u64(),
            _ => Err(self.invalid("a value of 1, 2, 4 or 8 bytes", u64::from(size))),
        }
    }

    #[inline]
    pub fn uleb(&mut self) -> Result<u64, DwarfError> {
        let first = self.u8()?;
        if first < 0x80 {
            return Ok(u64::from(first));
        }
        let mut value = u64::from(first & 0x7f);
        let mut shift = 7u32;
        loop {
            let b = self.u8()?;
            if shift < 64 {
                value |= u64::from(b & 0x7f) << shift;
            }
            if b < 0x80 {
                return Ok(value);
            }
            shift = shift.saturating_add(7);
        }
    }

    pub fn sleb(&mut self) -> Result<i64, DwarfError> {
        let mut value = 0u64;
        let mut shift = 0u32;
        loop {
            let b = self.u8()?;
            if shift < 64 {
                value |= u64::from(b & 0x7f) << shift;
            }
            shift = shift.saturating_add(7);
            if b < 0x80 {
                if b & 0x40 != 0 && shift < 64 {
                    value |= u64::MAX << shift;
                }
                return Ok(value as i64);
            }
        }
    }

    #[inline]
    pub fn skip(&mut self, n: u64) -> Result<(), DwarfError> {
        if n > (self.buf.len() - self.pos.min(self.buf.len())) as u64 {
            return Err(self.truncated("the rest of an attribute"));
        }
        self.pos += n as usize;
        Ok(())
    }

    #[inline]
    pub fn bytes(&mut self, n: u64) -> Result<&'a [u8], DwarfError> {
        let start = self.pos;
        self.skip(n)?;
        Ok(&self.buf[start..self.pos])
    }

    /// All bytes from the cursor on.
    #[inline]
    pub fn rest(&self) -> &'a [u8] {
        self.buf.get(self.pos..).unwrap_or_default()
    }

    /// A NUL-terminated string, without the NUL.
    #[inline]
    pub fn cstr(&mut self) -> Result<&'a [u8], DwarfError> {
        let rest = self.rest();
        match memchr::memchr(0, rest) {
            Some(n) => {
                self.pos += n + 1;
                Ok(&rest[..n])
            }
            None => Err(self.truncated("the end of a string")),
        }
    }
}

/// The string that starts at `offset` of a string section, without its NUL; `None` outside the section or without a NUL.
#[inline]
pub fn str_at(section: &[u8], offset: u64) -> Option<&[u8]> {
    let rest = section.get(usize::try_from(offset).ok()?..)?;
    memchr::memchr(0, rest).map(|n| &rest[..n])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cur(b: &[u8], big: bool) -> Cursor<'_> {
        Cursor::new(b, big, 0, ".debug_info")
    }

    #[test]
    fn fixed_sizes_in_both_orders() {
        assert_eq!(cur(&[1, 2, 3, 4], false).u32().unwrap(), 0x0403_0201);
        assert_eq!(cur(&[1, 2, 3, 4], true).u32().unwrap(), 0x0102_0304);
        assert_eq!(cur(&[1, 2, 3], false).u24().unwrap(), 0x03_0201);
        assert_eq!(cur(&[1, 2, 3], true).u24().unwrap(), 0x01_0203);
        assert!(cur(&[1, 2, 3], true).u32().is_err());
    }

    #[test]
    fn leb128() {
        assert_eq!(cur(&[0xe5, 0x8e, 0x26], false).uleb().unwrap(), 624_485);
        assert_eq!(cur(&[0x7f], false).sleb().unwrap(), -1);
        assert_eq!(cur(&[0x80, 0x7f], false).sleb().unwrap(), -128);
        assert_eq!(cur(&[0xff; 11], false).uleb().ok(), None);
        let max = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01];
        assert_eq!(cur(&max, false).uleb().unwrap(), u64::MAX);
    }

    #[test]
    fn strings_end_inside_the_section() {
        assert_eq!(str_at(b"ab\0c\0", 3), Some(&b"c"[..]));
        assert_eq!(str_at(b"ab\0c", 3), None);
        assert_eq!(str_at(b"ab\0", 7), None);
    }
}
