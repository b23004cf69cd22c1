//! SIMD block: sixteen bytes compared at once.

/// Bytes in a block.
pub(crate) const BLOCK: usize = 16;

/// Number of bytes before the first one that needs attention in a string: a quote, a backslash, a control character or
/// a byte outside ASCII. 16 if there is none.
#[cfg(target_arch = "wasm32")]
#[target_feature(enable = "simd128")]
#[inline]
pub(crate) fn plain_bytes(block: [u8; BLOCK]) -> usize {
    use core::arch::wasm32::{i8x16_bitmask, i8x16_lt, i8x16_splat, u8x16_eq, u8x16_splat, v128_or};

    let block = vector(block);
    let quote = u8x16_eq(block, u8x16_splat(b'"'));
    let backslash = u8x16_eq(block, u8x16_splat(b'\\'));
    // As signed integers, bytes outside ASCII are below the control characters.
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

/// Number of bytes before the first one that needs attention in a string: a quote, a backslash, a control character or
/// a byte outside ASCII. 16 if there is none.
#[cfg(not(target_arch = "wasm32"))]
#[inline]
pub(crate) fn plain_bytes(block: [u8; BLOCK]) -> usize {
    let (low, high) = halves(block);
    let low = special(low).trailing_zeros() / 8;
    if low < 8 { low as usize } else { 8 + (special(high).trailing_zeros() / 8) as usize }
}

/// Positions of quotes, backslashes and brackets in a block: a bit for each byte, the first byte lowest.
#[derive(Clone, Copy)]
pub(crate) struct Marks {
    pub(crate) quotes: u16,
    pub(crate) backslashes: u16,
    pub(crate) opens: u16,
    pub(crate) closes: u16,
}

/// Returns the marks of a block, for brackets of arrays and objects.
#[cfg(target_arch = "wasm32")]
#[target_feature(enable = "simd128")]
#[inline]
pub(crate) fn marks(block: [u8; BLOCK]) -> Marks {
    use core::arch::wasm32::{i8x16_bitmask, u8x16_eq, u8x16_splat, v128_or};

    let block = vector(block);
    let folded = v128_or(block, u8x16_splat(0x20));
    let is = |block, byte| i8x16_bitmask(u8x16_eq(block, u8x16_splat(byte)));
    Marks { quotes: is(block, b'"'), backslashes: is(block, b'\\'), opens: is(folded, b'{'), closes: is(folded, b'}') }
}

/// Returns the marks of a block, for brackets of arrays and objects.
#[cfg(not(target_arch = "wasm32"))]
#[inline]
pub(crate) fn marks(block: [u8; BLOCK]) -> Marks {
    let (low, high) = halves(block);
    // Brackets of arrays and of objects differ in one bit, and no other byte differs from them in that bit alone.
    let folded = (low | FOLD, high | FOLD);
    let is = |(low, high), byte| equal(low, byte) | equal(high, byte) << 8;
    Marks {
        quotes: is((low, high), b'"'),
        backslashes: is((low, high), b'\\'),
        opens: is(folded, b'{'),
        closes: is(folded, b'}'),
    }
}

#[cfg(not(target_arch = "wasm32"))]
const FOLD: u64 = 0x2020_2020_2020_2020;

/// Returns a bit for each byte that equals this one.
#[cfg(not(target_arch = "wasm32"))]
#[inline]
fn equal(bytes: u64, byte: u8) -> u16 {
    const LOWS: u64 = 0x7F7F_7F7F_7F7F_7F7F;
    let bytes = bytes ^ (u64::from(byte) * 0x0101_0101_0101_0101);
    let zeros = !(((bytes & LOWS) + LOWS) | bytes | LOWS);
    // Gathers the highest bit of each byte in the highest byte.
    u16::from(((zeros >> 7).wrapping_mul(0x0102_0408_1020_4080)).to_be_bytes()[0])
}

#[inline]
fn halves(block: [u8; BLOCK]) -> (u64, u64) {
    let both = u128::from_le_bytes(block);
    #[expect(clippy::cast_possible_truncation, reason = "each half by itself")]
    (both as u64, (both >> 64) as u64)
}

/// Sets the highest bit of each byte that needs attention in a string. Bytes above the first of them may be marked
/// wrongly.
#[cfg(not(target_arch = "wasm32"))]
#[inline]
fn special(bytes: u64) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGHS: u64 = ONES << 7;
    // A byte is zero if subtracting one borrows; a borrow shows only above the first such byte.
    let zero = |bytes: u64| bytes.wrapping_sub(ONES) & !bytes;
    let control = bytes.wrapping_sub(ONES * 0x20) & !bytes;
    (zero(bytes ^ (ONES * u64::from(b'"'))) | zero(bytes ^ (ONES * u64::from(b'\\'))) | control | bytes) & HIGHS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_have_the_positions_of_their_bytes() {
        for byte in 0..=255_u8 {
            for at in 0..BLOCK {
                let mut block = [b'a'; BLOCK];
                block[at] = byte;
                let bit = |is: bool| u16::from(is) << at;
                let Marks { quotes, backslashes, opens, closes } = marks(block);
                assert_eq!((quotes, backslashes), (bit(byte == b'"'), bit(byte == b'\\')), "{byte} at {at}");
                assert_eq!((opens, closes), (bit(matches!(byte, b'{' | b'[')), bit(matches!(byte, b'}' | b']'))));
            }
        }
    }

    #[test]
    fn the_first_byte_that_is_not_plain_is_found_at_each_place() {
        for byte in 0..=255_u8 {
            let plain = !matches!(byte, b'"' | b'\\' | 0..0x20 | 0x80..);
            for at in 0..BLOCK {
                for filler in [b' ', b'!', b'#', b'[', b']', 0x7F] {
                    let mut block = [filler; BLOCK];
                    block[at] = byte;
                    assert_eq!(plain_bytes(block), if plain { BLOCK } else { at }, "{byte} at {at}");
                    // Later bytes do not matter.
                    block[at + 1..].fill(b'"');
                    assert_eq!(plain_bytes(block), if plain { (at + 1).min(BLOCK) } else { at }, "{byte} at {at}");
                }
            }
        }
    }
}
