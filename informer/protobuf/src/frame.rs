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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn stream(frames: &[Vec<u8>]) -> Vec<u8> {
        let frame = |frame: &Vec<u8>| [&u32::try_from(frame.len()).expect("short").to_be_bytes()[..], frame].concat();
        frames.iter().flat_map(frame).collect()
    }

    #[test]
    fn a_frame_beyond_the_limit_is_rejected_at_any_split() {
        let stream = [stream(&[vec![1; 5], vec![]]), b"\0\0\0\x06".to_vec()].concat();
        for size in 1..=stream.len() {
            let (mut decoder, mut frames) = (FrameDecoder::new(5), 0);
            let result: Result<()> =
                stream.chunks(size).try_for_each(|chunk| decoder.push(chunk, &mut |_| frames += 1));
            assert_eq!((result, frames), (Err(Error::new(ErrorKind::TooLong, 13)), 2), "{size}");
        }
    }

    #[test]
    fn a_frame_inside_a_chunk_is_not_copied() {
        let stream = stream(&[vec![1; 10], vec![2; 10]]);
        let mut found = Vec::new();
        let mut decoder = FrameDecoder::new(100);
        for chunk in [&stream[..16], &stream[16..]] {
            decoder
                .push(chunk, &mut |frame| found.push(stream.as_ptr_range().contains(&frame.as_ptr())))
                .expect("frames");
        }
        assert_eq!(found, [true, false]);
    }

    #[test]
    fn a_huge_frame_is_read_and_gives_its_memory_back() {
        let stream = [stream(&[vec![1; 10 << 20]]), b"\0\0\0\x09next".to_vec()].concat();
        let (mut decoder, mut length) = (FrameDecoder::new(64 << 20), 0);
        for chunk in stream.chunks(16_384) {
            decoder.push(chunk, &mut |frame| length = frame.len()).expect("below the limit");
        }
        assert_eq!((length, decoder.unfinished()), (10 << 20, 8));
        assert!(decoder.rest.capacity() <= MAX_IDLE_BYTES, "{}", decoder.rest.capacity());
    }

    proptest! {
        #[test]
        fn any_split_of_a_stream_produces_the_same_frames(
            frames in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..300), 0..6),
            rest in prop::collection::vec(Just(0_u8), 0..4),
            cuts in prop::collection::vec(0_usize..900, 0..12),
        ) {
            let bytes = [stream(&frames), rest.clone()].concat();
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(bytes.len())).collect();
            cuts.extend([0, bytes.len()]);
            cuts.sort_unstable();
            let (mut decoder, mut found) = (FrameDecoder::new(1_000), Vec::new());
            for pair in cuts.windows(2) {
                decoder.push(&bytes[pair[0]..pair[1]], &mut |frame| found.push(frame.to_vec())).expect("frames");
            }
            prop_assert_eq!((found, decoder.unfinished()), (frames, rest.len()));
        }
    }
}
