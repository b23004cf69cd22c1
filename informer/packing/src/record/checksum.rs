//! Checksum: detects changed bytes.

const FACTOR: u64 = 0x51_7c_c1_b7_27_22_0a_95;

/// Checksum of bytes: detects truncated or changed bytes, but not deliberate changes. Each step is
/// invertible, so texts of equal length that differ in one word of eight bytes never share one; others do in one of
/// 2^64 cases.
pub fn checksum(bytes: &[u8]) -> u64 {
    let mut hash: u64 = bytes.len() as u64;
    let mut chunks = bytes.chunks_exact(8);
    for chunk in &mut chunks {
        let word = chunk.first_chunk::<8>().map_or(0, |chunk| u64::from_le_bytes(*chunk));
        hash = step(hash, word);
    }
    step(hash, chunks.remainder().iter().fold(0, |rest, byte| rest << 8 | u64::from(*byte)))
}

fn step(hash: u64, word: u64) -> u64 {
    (hash.rotate_left(5) ^ word).wrapping_mul(FACTOR)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_flipped_bit_changes_the_checksum(mut bytes in prop::collection::vec(any::<u8>(), 1..200), at in any::<prop::sample::Index>(), bit in 0..8u8) {
            let before = checksum(&bytes);
            let at = at.index(bytes.len());
            bytes[at] ^= 1 << bit;
            prop_assert_ne!(checksum(&bytes), before);
        }
    }
}
