//! Frame decoder: bytes of a watch, split anywhere, to frames.

use crate::error::{Error, ErrorKind, Result};

/// Bytes of the length that precedes a frame, most significant first.
const LENGTH_BYTES: usize = 4;

/// Capacity of the buffer that is kept between frames, in bytes.
const MAX_IDLE_BYTES: usize = 64 << 10;

/// Splits a byte stream into frames, each preceded by its length. Chunks may end anywhere.
///
/// A frame that is complete in its chunk is not copied.
///
/// ```
/// let mut decoder = informer_protobuf::FrameDecoder::new(1_000);
/// let mut frames = Vec::new();
/// for chunk in [&b"\0\0\0\x02a"[..], b"b\0\0\0\x01c\0"] {
///     decoder.push(chunk, &mut |frame| frames.push(frame.to_vec()))?;
/// }
/// assert_eq!(frames, [&b"ab"[..], b"c"]);
/// assert_eq!(decoder.unfinished(), 1);
/// # Ok::<(), informer_protobuf::Error>(())
/// ```
#[derive(Debug)]
pub struct FrameDecoder {
    /// Beginning of an incomplete frame, with its length.
    rest: Vec<u8>,
    limit: usize,
    /// Number of bytes before `rest`.
    before: usize,
}

impl FrameDecoder {
    /// Creates a decoder that rejects frames longer than `limit` bytes.
    pub fn new(limit: usize) -> Self {
        Self { rest: Vec::new(), limit, before: 0 }
    }

    /// Processes a chunk: calls `each` with each completed frame, in order, without its length.
    ///
    /// # Errors
    /// [`ErrorKind::TooLong`] if a frame exceeds the limit, as soon as its length is known. The decoder is unusable after
    /// that.
    pub fn push(&mut self, mut chunk: &[u8], each: &mut dyn FnMut(&[u8])) -> Result<()> {
        while !chunk.is_empty() {
            let complete = if self.rest.is_empty() { split(chunk, self.limit) } else { Ok(None) };
            if let Some((frame, rest)) = complete.map_err(|error| error.moved(self.before))? {
                each(frame);
                self.before += chunk.len() - rest.len();
                chunk = rest;
                continue;
            }
            // Only as much as is missing: first the length, then the frame.
            let wanted = self.wanted()?;
            let (part, rest) = chunk.split_at(chunk.len().min(wanted - self.rest.len()));
            self.rest.extend_from_slice(part);
            chunk = rest;
            if self.rest.len() >= LENGTH_BYTES && self.rest.len() == self.wanted()? {
                each(self.rest.get(LENGTH_BYTES..).unwrap_or_default());
                self.before += self.rest.len();
                self.rest.clear();
                // One huge frame must not keep its buffer for the life of the watch.
                self.rest.shrink_to(MAX_IDLE_BYTES);
            }
        }
        Ok(())
    }

    /// Returns the number of bytes of an unfinished frame and its length.
    pub fn unfinished(&self) -> usize {
        self.rest.len()
    }

    /// Number of bytes that complete the length or the frame in the buffer.
    fn wanted(&self) -> Result<usize> {
        Ok(match length(&self.rest, self.limit).map_err(|error| error.moved(self.before))? {
            Some(length) => LENGTH_BYTES + length,
            None => LENGTH_BYTES,
        })
    }
}

/// Splits off the frame at the start of the bytes, if it is complete.
fn split(bytes: &[u8], limit: usize) -> Result<Option<(&[u8], &[u8])>> {
    let Some(length) = length(bytes, limit)? else { return Ok(None) };
    Ok(bytes.get(LENGTH_BYTES..).unwrap_or_default().split_at_checked(length))
}

/// Returns the length of the frame, if it is complete and within the limit.
fn length(bytes: &[u8], limit: usize) -> Result<Option<usize>> {
    let Some(length) = bytes.first_chunk::<LENGTH_BYTES>() else { return Ok(None) };
    let length = usize::try_from(u32::from_be_bytes(*length)).unwrap_or(usize::MAX);
    if length > limit { Err(Error::new(ErrorKind::TooLong, 0)) } else { Ok(Some(length)) }
}
