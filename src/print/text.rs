//! The text under composition, with the paddings of printf that C's output is made of.
//!
//! A width is an `i32` as in printf's `*`: nested types are printed with ever less room, down to negative widths, which printf
//! takes as "left-justified in that many bytes". Layouts depend on that, so it is kept.

use std::fmt::{self, Write};

/// How deep lines are indented at most: C has a string of that many tabs.
pub const MAX_INDENT: i32 = 16;

/// How much is composed before [`Text::pass_on`] hands it over, in bytes.
const ENOUGH: usize = 1 << 20;

/// Takes what is finished of a long text.
pub type Sink = Box<dyn FnMut(&[u8])>;

/// Bytes to be printed. Names are bytes, not UTF-8: they come from the debugging information as they are.
///
/// Positions count from the beginning of all that was put, also when the first part is no longer here.
#[derive(Default)]
pub struct Text {
    bytes: Vec<u8>,
    sink: Option<Sink>,
    /// How many bytes the sink has.
    passed: usize,
    /// How many parts under composition may still be taken back.
    held: u32,
}

impl Text {
    /// A text that does not grow without end: `sink` gets the first parts of it, [`bytes`](Text::bytes) is the rest.
    pub fn with_sink(sink: Sink) -> Text {
        Text { sink: Some(sink), ..Text::default() }
    }

    pub(super) fn len(&self) -> usize {
        self.passed + self.bytes.len()
    }

    /// Keeps what is put from here on until [`release`](Text::release), so that it can be shortened or taken back.
    pub(super) fn hold(&mut self) {
        self.held += 1;
    }

    pub(super) fn release(&mut self) {
        self.held -= 1;
    }

    /// Hands over what is finished once it is much: expanded types make gigabytes of a few megabytes of debugging information.
    pub(super) fn pass_on(&mut self) {
        if self.bytes.len() >= ENOUGH && self.held == 0 {
            if let Some(sink) = &mut self.sink {
                sink(&self.bytes);
                self.passed += self.bytes.len();
                self.bytes.clear();
            }
        }
    }

    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub fn put(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// `put!`-like formatting; composing in memory cannot fail.
    pub fn fmt(&mut self, args: fmt::Arguments) {
        let _ = self.write_fmt(args);
    }

    fn spaces(&mut self, count: usize) {
        self.bytes.resize(self.bytes.len() + count, b' ');
    }

    /// printf's `%-*s`.
    pub fn left(&mut self, text: &[u8], width: i32) {
        self.put(text);
        self.pad_from(self.len() - text.len(), width);
    }

    /// Fills what was put since `start` up to a width, as `%-*s` does.
    pub fn pad_from(&mut self, start: usize, width: i32) {
        let has = self.len() - start;
        self.spaces((width.unsigned_abs() as usize).saturating_sub(has));
    }

    /// printf's `%*s`.
    pub fn right(&mut self, text: &[u8], width: i32) {
        if width < 0 {
            return self.left(text, width);
        }
        self.spaces((width as usize).saturating_sub(text.len()));
        self.put(text);
    }

    /// Tabs, [`MAX_INDENT`] at most. All of them for a negative number, as printf's precision has it.
    pub fn indent(&mut self, tabs: i32) {
        let tabs = if tabs < 0 { MAX_INDENT } else { tabs.min(MAX_INDENT) };
        self.bytes.resize(self.bytes.len() + tabs as usize, b'\t');
    }

    /// Shortens what was put since `start` to what a C buffer of `room` bytes holds beside its NUL.
    pub fn limit(&mut self, start: usize, room: usize) {
        self.bytes.truncate((start + room.saturating_sub(1)).saturating_sub(self.passed));
    }

    /// Takes back what was put since `start`.
    pub fn split_off(&mut self, start: usize) -> Vec<u8> {
        self.bytes.split_off(start.saturating_sub(self.passed).min(self.bytes.len()))
    }
}

impl Write for Text {
    fn write_str(&mut self, s: &str) -> fmt::Result {
        self.put(s.as_bytes());
        Ok(())
    }
}

/// printf's `%#llx`, which leaves zero bare.
pub struct Hex(pub u64);

impl fmt::Display for Hex {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        if self.0 == 0 { f.pad("0") } else { f.pad(&format!("{:#x}", self.0)) }
    }
}

/// The ending of a counted noun.
pub fn plural(count: impl Into<i64>) -> &'static str {
    if count.into() == 1 { "" } else { "s" }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn composed(compose: impl FnOnce(&mut Text)) -> String {
        let mut text = Text::default();
        compose(&mut text);
        String::from_utf8(text.bytes).unwrap()
    }

    #[test]
    fn widths_are_those_of_printf() {
        assert_eq!(composed(|t| t.left(b"ab", 4)), "ab  ");
        assert_eq!(composed(|t| t.left(b"ab", -4)), "ab  ");
        assert_eq!(composed(|t| t.left(b"abcde", 4)), "abcde");
        assert_eq!(composed(|t| t.right(b"ab", 4)), "  ab");
        assert_eq!(composed(|t| t.right(b"ab", -4)), "ab  ");
        assert_eq!(composed(|t| t.right(b"ab", 0)), "ab");
    }

    #[test]
    fn indents_stop_at_sixteen() {
        assert_eq!(composed(|t| t.indent(2)), "\t\t");
        assert_eq!(composed(|t| t.indent(200)).len(), 16);
        assert_eq!(composed(|t| t.indent(-1)).len(), 16);
    }

    #[test]
    fn limits_leave_room_for_the_nul() {
        let cut = |room| {
            composed(|t| {
                t.put(b"x");
                t.put(b"abc");
                t.limit(1, room);
            })
        };
        assert_eq!((cut(3).as_str(), cut(4).as_str(), cut(0).as_str()), ("xab", "xabc", "x"));
    }

    #[test]
    fn long_texts_are_passed_on_unless_they_are_held() {
        let passed = std::rc::Rc::new(std::cell::RefCell::new(Vec::new()));
        let to = passed.clone();
        let mut text = Text::with_sink(Box::new(move |bytes| to.borrow_mut().extend_from_slice(bytes)));
        text.put(&vec![b'x'; ENOUGH]);
        text.hold();
        text.pass_on();
        assert!(passed.borrow().is_empty());
        text.release();
        text.pass_on();
        assert_eq!((passed.borrow().len(), text.bytes().len(), text.len()), (ENOUGH, 0, ENOUGH));
        let start = text.len();
        text.left(b"abc", 5);
        text.limit(start, 3);
        assert_eq!((text.bytes(), text.len()), (&b"ab"[..], ENOUGH + 2));
        assert_eq!(text.split_off(start + 1), b"b");
    }

    #[test]
    fn hexadecimal_zero_is_bare() {
        assert_eq!(format!("{:>5}|{:>5}|{}", Hex(0), Hex(16), Hex(255)), "    0| 0x10|0xff");
    }
}
