//! LZ4 compression of one block.

use std::fmt;

use super::dictionary::PreparedDictionary;
use super::{FORMAT_MIN_MATCH, MAX_DISTANCE, MIN_MATCH, eight, hash};

/// Bits of the text's hash table, which has 2^12 slots.
const TEXT_BITS: u32 = 12;
/// The last match begins at least this many bytes before the end; the last five bytes are literals.
const LAST_MATCH: usize = 12;
const LAST_LITERALS: usize = 5;
/// Literals are copied in chunks of this size.
const CHUNK: usize = 16;
/// Acceleration: after 2^3 positions without a match every second one is tried, after as many more every third, and so
/// on. With 2^5, LZ4's own value, blocks of pods are 0.04 % shorter and take a tenth longer.
const SKIP_SHIFT: u32 = 3;

/// Compressor that reuses its working memory.
pub struct Compressor {
    /// Last position of each hash. Positions continue from text to text, so the table is never cleared.
    positions: Box<[u32]>,
    /// Position at which the next text begins.
    base: u32,
    block: Vec<u8>,
}

impl Default for Compressor {
    fn default() -> Self {
        Self { positions: vec![0; 1 << TEXT_BITS].into(), base: 1, block: Vec::new() }
    }
}

impl fmt::Debug for Compressor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Compressor")
    }
}

/// Bytes known before the text.
#[derive(Clone, Copy)]
struct Match {
    distance: usize,
    length: usize,
}

impl Compressor {
    /// Compresses `text` after its first `known` bytes, which the reader must know like the dictionary. The block is
    /// valid until the next call. Texts of 2 GiB and more are not compressed. O(text).
    pub fn compress(&mut self, dictionary: &PreparedDictionary, text: &[u8], known: usize) -> &[u8] {
        let known = known.min(text.len());
        let bound = text.len() + text.len() / 255 + 64;
        if self.block.len() < bound {
            self.block.resize(bound, 0);
        }
        let length = u32::try_from(text.len()).unwrap_or(u32::MAX);
        if self.base > u32::MAX / 2 {
            self.positions.fill(0);
            self.base = 1;
        }
        let mut writer = Writer { block: &mut self.block, at: 0 };
        let mut literals = known;
        if length < u32::MAX / 2 {
            let mut finder = Finder {
                dictionary: dictionary.dictionary().bytes(),
                dictionary_positions: &dictionary.positions,
                dictionary_bits: dictionary.bits,
                text,
                positions: &mut self.positions,
                base: self.base,
            };
            literals = finder.matches(known, &mut writer);
            self.base += length;
        }
        writer.literals(text, literals, text.len());
        let written = writer.at;
        self.block.get(..written).unwrap_or_default()
    }

    /// Bytes of working memory, as many as the longest text so far needed.
    pub fn capacity(&self) -> usize {
        self.block.capacity()
    }
}

/// Searches matches in one text.
struct Finder<'a> {
    dictionary: &'a [u8],
    dictionary_positions: &'a [u16],
    dictionary_bits: u32,
    text: &'a [u8],
    positions: &'a mut [u32],
    base: u32,
}

impl Finder<'_> {
    /// Writes all sequences up to the last match. Returns its end.
    fn matches(&mut self, known: usize, writer: &mut Writer<'_>) -> usize {
        let text = self.text;
        // No match may begin or end beyond this.
        let end = text.len().saturating_sub(LAST_MATCH);
        let longest = text.len().saturating_sub(LAST_LITERALS);
        // Every second position is enough: matches are longer than that, and are found from their second byte.
        for at in (0..known.min(end)).step_by(2) {
            self.add_position(at, eight(text, at));
        }
        let (mut at, mut literals) = (known, known);
        // Distance of the last match. Similar texts differ in values of equal length, and continue as before after
        // them.
        let mut distance = 0;
        let mut misses = 0_usize;
        while at < end {
            let Some(found) = self.find(at, longest, distance) else {
                misses += 1;
                at += 1 + (misses >> SKIP_SHIFT);
                continue;
            };
            distance = found.distance;
            let start = at - self.common_before(at, literals, distance);
            let length = at - start + found.length;
            writer.literals_and_match(text, literals, start, Match { distance, length });
            at = start + length;
            literals = at;
            misses = 0;
            if let Some(before) = at.checked_sub(2).filter(|_| at < end) {
                self.add_position(before, eight(text, before));
            }
        }
        literals
    }

    #[inline]
    fn find(&mut self, at: usize, longest: usize, last_distance: usize) -> Option<Match> {
        let text = self.text;
        let bytes = eight(text, at);
        let slot = self.positions.get_mut(hash(bytes, TEXT_BITS))?;
        let position = std::mem::replace(slot, self.base + narrow(at));
        let is_match = |other: u64| (bytes ^ other) << (64 - 8 * MIN_MATCH) == 0;
        if last_distance != 0 && is_match(self.back(at, last_distance)) {
            return Some(Match { distance: last_distance, length: self.common(at, longest, last_distance) });
        }
        let mut found = None;
        if position >= self.base {
            let distance = at - (position - self.base) as usize;
            if distance <= MAX_DISTANCE && is_match(eight(text, at - distance)) {
                found = Some(Match { distance, length: self.common(at, longest, distance) });
            }
        }
        let dictionary = self.dictionary;
        let position =
            usize::from(self.dictionary_positions.get(hash(bytes, self.dictionary_bits)).copied().unwrap_or_default());
        if let Some(position) = position.checked_sub(1)
            && is_match(eight(dictionary, position))
        {
            let distance = at + dictionary.len() - position;
            if distance <= MAX_DISTANCE {
                let length = self.common(at, longest, distance);
                if found.is_none_or(|other| other.length < length) {
                    found = Some(Match { distance, length });
                }
            }
        }
        found
    }

    #[inline]
    fn add_position(&mut self, at: usize, bytes: u64) {
        if let Some(slot) = self.positions.get_mut(hash(bytes, TEXT_BITS)) {
            *slot = self.base + narrow(at);
        }
    }

    /// Position of the byte at this distance: in the text, or in the dictionary before it.
    #[inline]
    fn source(&self, at: usize, distance: usize) -> (&[u8], usize) {
        match at.checked_sub(distance) {
            Some(start) => (self.text, start),
            None => (self.dictionary, (at + self.dictionary.len()).wrapping_sub(distance)),
        }
    }

    /// Reads its eight bytes.
    #[inline]
    fn back(&self, at: usize, distance: usize) -> u64 {
        let (source, start) = self.source(at, distance);
        eight(source, start)
    }

    /// Number of bytes from a position on that equal those at this distance. A match that begins in the dictionary ends
    /// with it.
    #[inline]
    fn common(&self, at: usize, longest: usize, distance: usize) -> usize {
        let (source, start) = self.source(at, distance);
        let mut here = self.text.get(at..longest).unwrap_or_default();
        let mut there = source.get(start..).unwrap_or_default();
        let mut length = 0;
        while let (Some((a, rest)), Some((b, other))) = (here.split_first_chunk(), there.split_first_chunk()) {
            let differs = u64::from_le_bytes(*a) ^ u64::from_le_bytes(*b);
            if differs != 0 {
                return length + (differs.trailing_zeros() / 8) as usize;
            }
            length += 8;
            (here, there) = (rest, other);
        }
        length + here.iter().zip(there).take_while(|(a, b)| a == b).count()
    }

    /// Number of bytes before a position that equal those at this distance.
    #[inline]
    fn common_before(&self, at: usize, literals: usize, distance: usize) -> usize {
        let (source, start) = self.source(at, distance);
        let here = self.text.get(literals..at).unwrap_or_default();
        let there = source.get(..start).unwrap_or_default();
        here.iter().rev().zip(there.iter().rev()).take_while(|(a, b)| a == b).count()
    }
}

/// Position in a text that is shorter than 2 GiB.
#[expect(clippy::cast_possible_truncation, reason = "see above")]
#[inline]
fn narrow(at: usize) -> u32 {
    at as u32
}

/// Writes sequences into a block that has room for the worst case.
struct Writer<'a> {
    block: &'a mut [u8],
    at: usize,
}

impl Writer<'_> {
    #[inline]
    fn literals_and_match(&mut self, text: &[u8], from: usize, to: usize, found: Match) {
        let more = found.length - FORMAT_MIN_MATCH;
        self.head(to - from, more.min(15));
        self.copy(text, from, to);
        let [low, high, ..] = found.distance.to_le_bytes();
        self.push(low);
        self.push(high);
        self.rest_of_length(more);
    }

    /// Writes the last sequence.
    fn literals(&mut self, text: &[u8], from: usize, to: usize) {
        self.head(to - from, 0);
        self.copy(text, from, to);
    }

    #[inline]
    fn head(&mut self, literals: usize, matched: usize) {
        self.push((literals.min(15) << 4 | matched).to_le_bytes()[0]);
        self.rest_of_length(literals);
    }

    /// Writes the part of a length that exceeds the token.
    #[inline]
    fn rest_of_length(&mut self, length: usize) {
        if let Some(mut rest) = length.checked_sub(15) {
            while rest >= 255 {
                self.push(255);
                rest -= 255;
            }
            self.push(rest.to_le_bytes()[0]);
        }
    }

    #[inline]
    fn push(&mut self, byte: u8) {
        if let Some(to) = self.block.get_mut(self.at) {
            *to = byte;
        }
        self.at += 1;
    }

    /// Copies literals, in whole chunks if there is room: surplus bytes are overwritten later.
    #[inline]
    fn copy(&mut self, text: &[u8], from: usize, to: usize) {
        let mut done = from;
        while done < to {
            let chunk = text.get(done..).and_then(<[u8]>::first_chunk::<CHUNK>);
            let room = self.block.get_mut(self.at + done - from..).and_then(<[u8]>::first_chunk_mut::<CHUNK>);
            let (Some(chunk), Some(room)) = (chunk, room) else {
                let rest = text.get(done..to).unwrap_or_default();
                for (to, from) in self.block.iter_mut().skip(self.at + done - from).zip(rest) {
                    *to = *from;
                }
                break;
            };
            *room = *chunk;
            done += CHUNK;
        }
        self.at += to - from;
    }
}
