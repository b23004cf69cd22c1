//! LZ4 blocks with a dictionary: compression of many small texts that resemble each other.
//!
//! The format is LZ4's block format, so any LZ4 implementation can read the blocks, given the same dictionary. The
//! implementation is our own because of the dictionary: `lz4_flex` enters all of it into its hash table in each call,
//! which for a pod takes longer than everything else together. Here it is entered once, when the dictionary is
//! prepared.

mod compress;
mod decompress;
mod dictionary;

pub use compress::Compressor;
pub use decompress::{Corrupt, decompress};
pub use dictionary::{Dictionary, PreparedDictionary};

/// Maximum distance of a match: the format has two bytes for it.
const MAX_DISTANCE: usize = 0xFFFF;
/// Minimum length of a match in the format.
const FORMAT_MIN_MATCH: usize = 4;
/// Minimum length of the matches used. A match of four bytes takes three bytes and a lookup, so short ones are skipped.
const MIN_MATCH: usize = 6;

/// Hash of the lowest six of eight bytes: a slot in a table of 2^`bits` slots.
#[inline]
fn hash(bytes: u64, bits: u32) -> usize {
    // The factor is 2^64 divided by the golden ratio.
    #[expect(clippy::cast_possible_truncation, reason = "no more than the bits that are left")]
    let slot = ((bytes << (64 - 8 * MIN_MATCH)).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - bits)) as usize;
    slot
}

/// Reads eight bytes of a text, with zeros beyond its end.
#[inline]
fn eight(text: &[u8], at: usize) -> u64 {
    match text.get(at..).and_then(<[u8]>::first_chunk) {
        Some(bytes) => u64::from_le_bytes(*bytes),
        None => eight_at_the_end(text, at),
    }
}

#[cold]
fn eight_at_the_end(text: &[u8], at: usize) -> u64 {
    let mut bytes = [0; 8];
    for (to, from) in bytes.iter_mut().zip(text.get(at..).unwrap_or_default()) {
        *to = *from;
    }
    u64::from_le_bytes(bytes)
}

#[cfg(test)]
mod tests;
