//! Line decoder: bytes of a watch, split anywhere, to lines.

use memchr::memchr;

use crate::error::{ErrorCode, InformerError, Result};

/// Splits a byte stream into lines. Chunks may end anywhere: inside a line, inside a UTF-8 sequence.
///
/// A line is decoded only when it is complete, so a split sequence does not matter. `kubectl proxy` splits events at
/// 16,384 bytes and joins small ones, so both cases are common.
#[derive(Debug)]
pub struct LineDecoder {
    rest: Vec<u8>,
    limit: usize,
}

impl LineDecoder {
    /// Creates a decoder that rejects lines longer than `limit` bytes.
    pub fn new(limit: usize) -> Self {
        Self { rest: Vec::new(), limit }
    }

    /// Processes a chunk: calls `line` with each completed line, in order, without its line end. Blank lines are
    /// skipped.
    ///
    /// # Errors
    /// [`ErrorCode::Decode`] if a line exceeds the limit. The decoder is unusable after that, because the end of the
    /// line is unknown.
    pub fn push(&mut self, mut chunk: &[u8], mut line: impl FnMut(&[u8])) -> Result<()> {
        while let Some(end) = memchr(b'\n', chunk) {
            let (head, tail) = chunk.split_at(end);
            chunk = &tail[1..];
            if self.rest.len() + head.len() > self.limit {
                return Err(self.too_long());
            }
            if self.rest.is_empty() {
                emit(head, &mut line);
            } else {
                self.rest.extend_from_slice(head);
                emit(&self.rest, &mut line);
                self.rest.clear();
                // One huge line must not keep its buffer for the life of the watch.
                self.rest.shrink_to(64 * 1024);
            }
        }
        if self.rest.len() + chunk.len() > self.limit {
            return Err(self.too_long());
        }
        self.rest.extend_from_slice(chunk);
        Ok(())
    }

    /// Returns the number of bytes of an unfinished line.
    pub fn unfinished(&self) -> usize {
        self.rest.len()
    }

    fn too_long(&self) -> InformerError {
        InformerError::new(ErrorCode::Decode, format!("a line of the watch is longer than {} bytes", self.limit))
    }
}

fn emit(line: &[u8], to: &mut impl FnMut(&[u8])) {
    let line = line.trim_ascii();
    if !line.is_empty() {
        to(line);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn lines(chunks: &[&[u8]]) -> Vec<String> {
        let mut decoder = LineDecoder::new(1_000_000);
        let mut lines = Vec::new();
        for chunk in chunks {
            decoder.push(chunk, |line| lines.push(String::from_utf8(line.to_vec()).expect("whole"))).expect("short");
        }
        lines
    }

    #[test]
    fn wat_24_blank_lines_and_keep_alives_are_skipped() {
        assert_eq!(lines(&[b"\n\n {\"a\":1}\r\n", b" \n", b"b\nc"]), ["{\"a\":1}", "b"]);
    }

    #[test]
    fn a_line_beyond_the_limit_is_rejected_at_any_split() {
        for chunks in [&[&b"123456"[..]][..], &[b"123", b"456"], &[b"12345", b"6\n"], &[b"123456\n"]] {
            let mut decoder = LineDecoder::new(5);
            let result: Result<()> = chunks.iter().try_for_each(|chunk| decoder.push(chunk, |_| ()));
            assert_eq!(result.expect_err("too long").code(), ErrorCode::Decode);
        }
    }

    #[test]
    fn wat_21_a_huge_line_is_read_and_gives_its_memory_back() {
        let mut decoder = LineDecoder::new(64 << 20);
        let mut length = 0;
        let line = vec![b'x'; 10 << 20];
        for chunk in line.chunks(16_384).chain([&b"\nnext"[..]]) {
            decoder.push(chunk, |line| length = line.len()).expect("below the limit");
        }
        assert_eq!((length, decoder.unfinished()), (10 << 20, 4));
        assert!(decoder.rest.capacity() <= 128 * 1024, "{}", decoder.rest.capacity());
    }

    proptest! {
        #[test]
        fn any_split_of_a_stream_produces_the_same_lines(
            text in "([a-zä€😀\"{} ]{0,12}\n){0,12}[a-z€]{0,5}",
            cuts in prop::collection::vec(0usize..200, 0..12),
        ) {
            let bytes = text.as_bytes();
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(bytes.len())).collect();
            cuts.extend([0, bytes.len()]);
            cuts.sort_unstable();
            let chunks: Vec<&[u8]> = cuts.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect();
            let (whole, _unfinished) = text.rsplit_once('\n').unwrap_or(("", ""));
            let expected: Vec<String> =
                whole.split('\n').map(|l| l.trim_matches(' ').to_owned()).filter(|l| !l.is_empty()).collect();
            prop_assert_eq!(lines(&chunks), expected);
        }
    }
}
