//! Reverse delta: the bytes that turn the text of an object into the text before a change.

use informer_packing::lz4::{Compressor, PreparedDictionary, decompress};
use informer_packing::{RecordReader, push_varint};

/// Length of a piece of the earlier text. Piece and window together are shorter than the distance that a match can
/// have.
const PIECE: usize = 24 << 10;

/// Margin of the window: a piece refers to the later text from this far before its own position to this far behind it.
const MARGIN: usize = 4 << 10;

/// Writer of reverse deltas, which reuses its memory.
#[derive(Debug, Default)]
pub struct DeltaWriter {
    compressor: Compressor,
    nothing: PreparedDictionary,
    text: Vec<u8>,
    delta: Vec<u8>,
}

impl DeltaWriter {
    /// Returns the bytes from which [`earlier_text`] restores `earlier`, given `later`. O(both texts).
    ///
    /// The common prefix and suffix of the texts are not stored. The rest is compressed as if it followed the rest of
    /// the later text, in pieces: each refers to its own neighbourhood there, so a text of any length is compressed.
    pub fn write(&mut self, later: &[u8], earlier: &[u8]) -> &[u8] {
        let prefix = later.iter().zip(earlier).take_while(|(a, b)| a == b).count();
        let (later, earlier) = (later.get(prefix..).unwrap_or_default(), earlier.get(prefix..).unwrap_or_default());
        let suffix = later.iter().rev().zip(earlier.iter().rev()).take_while(|(a, b)| a == b).count();
        let later = later.get(..later.len() - suffix).unwrap_or_default();
        let earlier = earlier.get(..earlier.len() - suffix).unwrap_or_default();
        self.delta.clear();
        for length in [prefix, suffix, earlier.len()] {
            push_varint(&mut self.delta, length as u64);
        }
        for (number, piece) in earlier.chunks(PIECE).enumerate() {
            let window = window(later, number * PIECE);
            self.text.clear();
            self.text.extend_from_slice(window);
            self.text.extend_from_slice(piece);
            let block = self.compressor.compress(&self.nothing, &self.text, window.len());
            push_varint(&mut self.delta, block.len() as u64);
            self.delta.extend_from_slice(block);
        }
        &self.delta
    }
}

/// Restores the text before a change from the text after it; `None` if the delta does not belong to that text.
pub fn earlier_text(delta: &[u8], later: &[u8]) -> Option<Vec<u8>> {
    let mut delta = RecordReader::new(delta);
    let (prefix, suffix, length) = (delta.length()?, delta.length()?, delta.length()?);
    let (start, rest) = later.split_at_checked(prefix)?;
    let (rest, end) = rest.split_at_checked(rest.len().checked_sub(suffix)?)?;
    let mut text = start.to_vec();
    let mut at = 0;
    while at < length {
        let block = delta.length()?;
        decompress(delta.bytes(block)?, &[], window(rest, at), PIECE.min(length - at), &mut text).ok()?;
        at += PIECE;
    }
    text.extend_from_slice(end);
    Some(text)
}

/// Window of a piece: the part of the later text that it refers to, by the position of the piece.
fn window(later: &[u8], at: usize) -> &[u8] {
    let end = later.len().min(at + PIECE + MARGIN);
    later.get(at.saturating_sub(MARGIN).min(end)..end).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn round_trip(later: &[u8], earlier: &[u8]) -> usize {
        let mut writer = DeltaWriter::default();
        let delta = writer.write(later, earlier).to_vec();
        assert_eq!(earlier_text(&delta, later).as_deref(), Some(earlier));
        // Its memory is reused.
        assert_eq!(writer.write(later, earlier), delta);
        delta.len()
    }

    /// A text of lines that do not resemble each other.
    fn lines(count: u32) -> String {
        let line = |line: u32| format!("{line}:{:x}\n", line.wrapping_mul(2_654_435_761));
        (0..count).map(line).collect::<Vec<_>>().concat()
    }

    #[test]
    fn a_small_change_of_a_long_text_is_small() {
        let text = lines(20_000);
        let changed = text.replacen("\n7:", "\nseven:", 1).replacen("\n19990:", "\nlast:", 1);
        assert!(text.len() > 4 * PIECE);
        let bytes = round_trip(text.as_bytes(), changed.as_bytes());
        assert!(bytes < text.len() / 100, "{bytes} bytes");
        assert_eq!(round_trip(text.as_bytes(), text.as_bytes()), 5, "three lengths");
    }

    #[test]
    fn a_delta_of_another_text_restores_nothing_or_anything_without_a_panic() {
        let mut writer = DeltaWriter::default();
        let delta = writer.write(b"{\"a\":1,\"b\":2}", b"{\"a\":2,\"b\":1,\"c\":3}").to_vec();
        assert_eq!(earlier_text(&delta, b"{"), None);
        for length in 0..delta.len() {
            let _ = earlier_text(&delta[..length], b"{\"a\":1,\"b\":2}");
        }
    }

    proptest! {
        #[test]
        fn the_earlier_text_is_restored(
            start in prop::collection::vec(any::<u8>(), 0..40),
            texts in prop::array::uniform2(prop::collection::vec(any::<u8>(), 0..60)),
            end in prop::collection::vec(any::<u8>(), 0..40),
            repeats in 0..2_000_usize,
        ) {
            let text = |middle: &[u8]| [&start[..], &middle.repeat(repeats), &end[..]].concat();
            round_trip(&text(&texts[0]), &text(&texts[1]));
        }

        #[test]
        fn any_bytes_are_decoded_without_a_panic(
            delta in prop::collection::vec(any::<u8>(), 0..40), text in prop::collection::vec(any::<u8>(), 0..40),
        ) {
            let _ = earlier_text(&delta, &text);
        }
    }
}
