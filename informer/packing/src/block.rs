//! Sixteen bytes looked at as one.

/// Bytes in a block.
pub(crate) const BLOCK: usize = 16;

/// How many bytes of a block stand before the first that a string cannot take as it is: a quote, a backslash, a control
/// character, or a byte that is no ASCII. 16 where there is none.
#[cfg(target_arch = "wasm32")]
#[target_feature(enable = "simd128")]
#[inline]
pub(crate) fn plain_bytes(block: [u8; BLOCK]) -> usize {
    use core::arch::wasm32::{i8x16_bitmask, i8x16_lt, i8x16_splat, u8x16_eq, u8x16_splat, v128_or};

    let block = vector(block);
    let quote = u8x16_eq(block, u8x16_splat(b'"'));
    let backslash = u8x16_eq(block, u8x16_splat(b'\\'));
    // As signed numbers, what is no ASCII is below the control characters.
    let other = i8x16_lt(block, i8x16_splat(0x20));
    (u32::from(i8x16_bitmask(v128_or(v128_or(quote, backslash), other))) | 1 << BLOCK).trailing_zeros() as usize
}

#[cfg(target_arch = "wasm32")]
#[target_feature(enable = "simd128")]
#[inline]
fn vector(block: [u8; BLOCK]) -> core::arch::wasm32::v128 {
    let (low, high) = halves(block);
    core::arch::wasm32::u64x2(low, high)
}

/// How many bytes of a block stand before the first that a string cannot take as it is: a quote, a backslash, a control
/// character, or a byte that is no ASCII. 16 where there is none.
#[cfg(not(target_arch = "wasm32"))]
#[inline]
pub(crate) fn plain_bytes(block: [u8; BLOCK]) -> usize {
    let (low, high) = halves(block);
    let low = special(low).trailing_zeros() / 8;
    if low < 8 { low as usize } else { 8 + (special(high).trailing_zeros() / 8) as usize }
}

#[inline]
fn halves(block: [u8; BLOCK]) -> (u64, u64) {
    let both = u128::from_le_bytes(block);
    #[expect(clippy::cast_possible_truncation, reason = "each half by itself")]
    (both as u64, (both >> 64) as u64)
}

/// The highest bit of each byte that a string cannot take as it is. Bytes above the first of them may be marked wrongly.
#[cfg(not(target_arch = "wasm32"))]
#[inline]
fn special(bytes: u64) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGHS: u64 = ONES << 7;
    // A byte is zero when taking one from it borrows; what is borrowed can only be seen above the first such byte.
    let zero = |bytes: u64| bytes.wrapping_sub(ONES) & !bytes;
    let control = bytes.wrapping_sub(ONES * 0x20) & !bytes;
    (zero(bytes ^ (ONES * u64::from(b'"'))) | zero(bytes ^ (ONES * u64::from(b'\\'))) | control | bytes) & HIGHS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_byte_that_is_not_plain_is_found_at_each_place() {
        for byte in 0..=255_u8 {
            let plain = !matches!(byte, b'"' | b'\\' | 0..0x20 | 0x80..);
            for at in 0..BLOCK {
                for filler in [b' ', b'!', b'#', b'[', b']', 0x7F] {
                    let mut block = [filler; BLOCK];
                    block[at] = byte;
                    assert_eq!(plain_bytes(block), if plain { BLOCK } else { at }, "{byte} at {at}");
                    // What comes after does not matter.
                    block[at + 1..].fill(b'"');
                    assert_eq!(plain_bytes(block), if plain { (at + 1).min(BLOCK) } else { at }, "{byte} at {at}");
                }
            }
        }
    }
}
