//! Block of lines: their texts in one string, so that a million lines are few allocations.

use crate::level::Level;
use crate::time::Time;

/// Maximum number of lines, and of bytes of text, in a block.
const LINES: usize = 1024;
const BYTES: usize = 256 << 10;

/// Metadata of a line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Head {
    pub(crate) time: Option<Time>,
    /// Number of bytes that were cut off.
    pub(crate) cut: u32,
    pub(crate) source: u16,
    pub(crate) level: Level,
    end: u32,
}

#[derive(Debug)]
pub(crate) struct Block {
    /// Number of its first line.
    pub(crate) first: u64,
    text: String,
    heads: Vec<Head>,
}

impl Block {
    pub(crate) fn new(first: u64) -> Self {
        Self { first, text: String::new(), heads: Vec::new() }
    }

    pub(crate) fn len(&self) -> usize {
        self.heads.len()
    }

    /// Memory that it takes, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.text.len() + self.heads.len() * size_of::<Head>()
    }

    pub(crate) fn is_full(&self) -> bool {
        self.heads.len() >= LINES || self.text.len() >= BYTES
    }

    /// Appends a line; returns its size in bytes.
    pub(crate) fn push(&mut self, text: &str, time: Option<Time>, cut: u32, source: u16, level: Level) -> usize {
        let before = self.bytes();
        self.text.push_str(text);
        // A line is at most a few hundred KiB, and a block takes no more after 256 KiB.
        let end = u32::try_from(self.text.len()).unwrap_or(u32::MAX);
        self.heads.push(Head { time, cut, source, level, end });
        self.bytes() - before
    }

    /// Releases unused memory of a full block.
    pub(crate) fn close(&mut self) {
        self.text.shrink_to_fit();
        self.heads.shrink_to_fit();
    }

    pub(crate) fn line(&self, at: usize) -> Option<(&Head, &str)> {
        let head = self.heads.get(at)?;
        let start = at.checked_sub(1).and_then(|before| self.heads.get(before)).map_or(0, |before| before.end);
        Some((head, self.text.get(start as usize..head.end as usize)?))
    }
}
