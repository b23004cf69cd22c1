//! Block of lines: their texts in one string, so that a million lines are few allocations, and older ones are compressed.

use std::rc::Rc;

use crate::level::Level;
use crate::packing::{Packed, Packing};
use crate::time::Time;

/// Maximum number of lines, and of bytes of text, in a block.
const LINES: usize = 1024;
const BYTES: usize = 256 << 10;

/// Data of a line besides its text: 24 bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Head {
    /// `i64::MIN` is none.
    nanos: i64,
    /// Number of bytes that were cut off.
    pub(crate) cut: u32,
    end: u32,
    pub(crate) source: u16,
    pub(crate) level: Level,
}

impl Head {
    pub(crate) fn time(&self) -> Option<Time> {
        (self.nanos != i64::MIN).then_some(Time(self.nanos))
    }
}

#[derive(Debug)]
enum Texts {
    Plain(String),
    Packed(Packed),
}

/// The texts of a block, to be read.
pub(crate) enum Unpacked<'a> {
    Borrowed(&'a str),
    Shared(Rc<str>),
}

impl std::ops::Deref for Unpacked<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        match self {
            Self::Borrowed(text) => text,
            Self::Shared(text) => text,
        }
    }
}

#[derive(Debug)]
pub(crate) struct Block {
    /// Number of its first line.
    pub(crate) first: u64,
    texts: Texts,
    heads: Vec<Head>,
}

impl Block {
    pub(crate) fn new(first: u64) -> Self {
        Self { first, texts: Texts::Plain(String::new()), heads: Vec::new() }
    }

    pub(crate) fn len(&self) -> usize {
        self.heads.len()
    }

    /// Memory that it takes, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let texts = match &self.texts {
            Texts::Plain(text) => text.len(),
            Texts::Packed(packed) => packed.bytes(),
        };
        texts + self.heads.len() * size_of::<Head>()
    }

    /// Whether it takes no more lines: a packed one takes none.
    pub(crate) fn is_full(&self) -> bool {
        let Texts::Plain(text) = &self.texts else { return true };
        self.heads.len() >= LINES || text.len() >= BYTES
    }

    /// Appends a line; returns its size in bytes.
    pub(crate) fn push(&mut self, text: &str, time: Option<Time>, cut: u32, source: u16, level: Level) -> usize {
        let before = self.bytes();
        let Texts::Plain(texts) = &mut self.texts else { return 0 };
        texts.push_str(text);
        // A line is at most a few hundred KiB, and a block takes no more after 256 KiB.
        let end = u32::try_from(texts.len()).unwrap_or(u32::MAX);
        let nanos = time.map_or(i64::MIN, |time| time.0);
        self.heads.push(Head { nanos, cut, end, source, level });
        self.bytes() - before
    }

    /// Releases unused memory of a full block.
    pub(crate) fn close(&mut self) {
        if let Texts::Plain(text) = &mut self.texts {
            text.shrink_to_fit();
        }
        self.heads.shrink_to_fit();
    }

    /// Compresses the texts, if that saves enough. Returns the number of saved bytes.
    pub(crate) fn pack(&mut self, packing: &mut Packing) -> usize {
        let before = self.bytes();
        if let Texts::Plain(text) = &self.texts
            && let Some(packed) = packing.pack(text)
        {
            self.texts = Texts::Packed(packed);
        }
        before - self.bytes()
    }

    /// The texts of all lines. O(bytes) if they are packed and were not read just now.
    pub(crate) fn texts(&self, packing: &Packing) -> Unpacked<'_> {
        match &self.texts {
            Texts::Plain(text) => Unpacked::Borrowed(text),
            Texts::Packed(packed) => Unpacked::Shared(packing.unpack(self.first, packed)),
        }
    }

    /// A line, of the texts of the block.
    pub(crate) fn line<'a>(&self, texts: &'a str, at: usize) -> Option<(&Head, &'a str)> {
        let head = self.heads.get(at)?;
        let start = at.checked_sub(1).and_then(|before| self.heads.get(before)).map_or(0, |before| before.end);
        Some((head, texts.get(start as usize..head.end as usize)?))
    }
}
