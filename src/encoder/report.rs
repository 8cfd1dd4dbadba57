//! Where the encoder's texts go.
//!
//! The encoder never prints by itself: its callers are C programs that write to the same streams through stdio, and the
//! order of the output has to be kept. Texts are bytes, since names from DWARF need not be UTF-8.

/// Takes the encoder's texts. Each call is a piece of text, not always a line; line ends are part of it.
pub trait Report {
    /// For standard error.
    fn error(&mut self, text: &[u8]);

    /// For standard output.
    fn out(&mut self, text: &[u8]);

    /// Whether what is added to the BTF, and what is left out, is to be told (`pahole -V`).
    fn verbose(&self) -> bool;
}

/// Keeps all texts; for tests, and for callers that pass them on later.
#[derive(Default, Debug)]
pub struct Collected {
    pub errors: Vec<u8>,
    pub output: Vec<u8>,
    pub verbose: bool,
}

impl Report for Collected {
    fn error(&mut self, text: &[u8]) {
        self.errors.extend_from_slice(text);
    }

    fn out(&mut self, text: &[u8]) {
        self.output.extend_from_slice(text);
    }

    fn verbose(&self) -> bool {
        self.verbose
    }
}

/// Puts a text together from byte strings and displayable values: `text!("size=", size, " of ", name)`.
macro_rules! text {
    ($($piece:expr),* $(,)?) => {{
        let mut text: Vec<u8> = Vec::new();
        $($crate::encoder::report::Piece::append(&$piece, &mut text);)*
        text
    }};
}

pub(crate) use text;

/// A piece of a text.
pub(crate) trait Piece {
    fn append(&self, text: &mut Vec<u8>);
}

impl Piece for &[u8] {
    fn append(&self, text: &mut Vec<u8>) {
        text.extend_from_slice(self);
    }
}

impl Piece for &str {
    fn append(&self, text: &mut Vec<u8>) {
        text.extend_from_slice(self.as_bytes());
    }
}

macro_rules! displayed_pieces {
    ($($kind:ty),*) => {$(
        impl Piece for $kind {
            fn append(&self, text: &mut Vec<u8>) {
                text.extend_from_slice(self.to_string().as_bytes());
            }
        }
    )*};
}

displayed_pieces!(i32, i64, u16, u32, u64, usize, std::fmt::Arguments<'_>);
