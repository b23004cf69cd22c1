//! LZ4 decompression of one block.

use std::fmt;

use super::FORMAT_MIN_MATCH;

/// Error: the block is corrupt, or belongs to another dictionary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Corrupt;

impl fmt::Display for Corrupt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the block is not LZ4, or was compressed with another dictionary")
    }
}

impl std::error::Error for Corrupt {}

/// Appends the text of a block to `to`: exactly `length` bytes. It allocates no more than a block of this size can
/// need. No input causes a panic, and the time is O(block + length).
///
/// # Errors
/// If the block does not contain that; `to` is unchanged then.
pub fn decompress(
    block: &[u8],
    dictionary: &[u8],
    known: &[u8],
    length: usize,
    to: &mut Vec<u8>,
) -> Result<(), Corrupt> {
    let start = to.len();
    // A byte of a block expands to at most 255 bytes of text.
    if length / 255 > block.len() {
        return Err(Corrupt);
    }
    to.reserve(length);
    let mut reader = Reader { block, history: [dictionary, known], start, end: start + length };
    let read = reader.read(to);
    if read.is_none() {
        to.truncate(start);
    }
    read.ok_or(Corrupt)
}

struct Reader<'a> {
    block: &'a [u8],
    /// Bytes before the text, the nearest last.
    history: [&'a [u8]; 2],
    start: usize,
    end: usize,
}

impl Reader<'_> {
    fn read(&mut self, to: &mut Vec<u8>) -> Option<()> {
        loop {
            let token = self.byte()?;
            let literals = self.length(token >> 4)?;
            let (literals, rest) = self.block.split_at_checked(literals)?;
            self.block = rest;
            if literals.len() > self.end - to.len() {
                return None;
            }
            to.extend_from_slice(literals);
            if self.block.is_empty() {
                return (to.len() == self.end).then_some(());
            }
            let distance = usize::from(u16::from_le_bytes([self.byte()?, self.byte()?]));
            let length = self.length(token & 15)?.checked_add(FORMAT_MIN_MATCH)?;
            if distance == 0 || length > self.end - to.len() {
                return None;
            }
            self.copy(distance, length, to)?;
        }
    }

    fn byte(&mut self) -> Option<u8> {
        let (byte, rest) = self.block.split_first()?;
        self.block = rest;
        Some(*byte)
    }

    fn length(&mut self, in_token: u8) -> Option<usize> {
        let mut length = usize::from(in_token);
        if in_token == 15 {
            loop {
                let byte = self.byte()?;
                length = length.checked_add(usize::from(byte))?;
                if byte < 255 {
                    break;
                }
            }
        }
        Some(length)
    }

    /// Copies from this distance: from the dictionary, the known bytes and the text, in turn.
    fn copy(&self, distance: usize, mut length: usize, to: &mut Vec<u8>) -> Option<()> {
        while length > 0 {
            let written = to.len() - self.start;
            let copied = match distance.checked_sub(written) {
                // From the text, whose new bytes can be copied while it grows.
                None | Some(0) => {
                    let from = to.len() - distance;
                    let copied = length.min(distance);
                    to.extend_from_within(from..from + copied);
                    copied
                }
                Some(before) => {
                    let [dictionary, known] = self.history;
                    let source = match before.checked_sub(known.len()) {
                        None | Some(0) => known.get(known.len() - before..)?,
                        Some(before) => dictionary.get(dictionary.len().checked_sub(before)?..)?,
                    };
                    let source = source.get(..length.min(source.len()))?;
                    to.extend_from_slice(source);
                    source.len()
                }
            };
            length -= copied;
        }
        Some(())
    }
}
