//! Compression of many small texts that resemble each other: LZ4 blocks against a dictionary.
//!
//! The format is LZ4's block format, so any LZ4 reads what is written here, given the same dictionary. It is written
//! anew because of the dictionary: `lz4_flex` enters all of it into its hash table at each call, which for a pod takes
//! longer than everything else together. Here it is entered once, when it is made.

mod compress;
mod decompress;
mod dictionary;

pub use compress::Compressor;
pub use decompress::{Corrupt, decompress};
pub use dictionary::{Dictionary, PreparedDictionary};

/// How far back a match may lie: the format has two bytes for it.
const MAX_DISTANCE: usize = 0xFFFF;
/// The shortest match that the format can say.
const FORMAT_MIN_MATCH: usize = 4;
/// Matches are looked for by this many bytes. One of four costs three bytes and a look; those are left.
const MIN_MATCH: usize = 6;

/// The slot of a hash table of 2^`bits` slots for the lowest six of eight bytes.
#[inline]
fn hash(bytes: u64, bits: u32) -> usize {
    // The factor is 2^64 divided by the golden ratio.
    #[expect(clippy::cast_possible_truncation, reason = "no more than the bits that are left")]
    let slot = ((bytes << (64 - 8 * MIN_MATCH)).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - bits)) as usize;
    slot
}

/// Eight bytes of a text; zeros where it has ended.
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
