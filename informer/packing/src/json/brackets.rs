//! End of an array or object, found by its quotes and brackets alone, 64 bytes at a time.

use super::block::{BLOCK, marks};

/// Blocks per step: as many bytes as an integer has bits.
const BLOCKS: usize = 4;
const WIDTH: usize = BLOCKS * BLOCK;

/// Returns the byte after the array or object that begins here; `None` if the text ends before it.
///
/// Skips strings with their escapes. Does not check that brackets match, nor anything between them.
#[cfg_attr(target_arch = "wasm32", target_feature(enable = "simd128"))]
pub(crate) fn end_of_brackets(text: &[u8], start: usize) -> Option<usize> {
    let mut at = start;
    let mut depth = 0_u32;
    // Carry of the previous step: all bits set if it ended inside a string; one if it ended with a backslash.
    let (mut in_string, mut escapes) = (0_u64, 0_u64);
    loop {
        let rest = text.get(at..).filter(|rest| !rest.is_empty())?;
        let (mut quotes, mut backslashes, mut opens, mut closes) = (0, 0, 0, 0);
        for (number, place) in (0..WIDTH).step_by(BLOCK).enumerate() {
            let found = marks(block(rest, place));
            let place = BLOCK * number;
            quotes |= u64::from(found.quotes) << place;
            backslashes |= u64::from(found.backslashes) << place;
            opens |= u64::from(found.opens) << place;
            closes |= u64::from(found.closes) << place;
        }
        if backslashes | escapes != 0 {
            quotes &= !escaped(backslashes, &mut escapes);
        }
        let strings = parity(quotes) ^ in_string;
        in_string = if strings >> 63 == 1 { u64::MAX } else { 0 };
        opens &= !strings;
        closes &= !strings;
        if depth > closes.count_ones() {
            depth = depth + opens.count_ones() - closes.count_ones();
        } else {
            let mut brackets = opens | closes;
            while brackets != 0 {
                let place = brackets.trailing_zeros();
                if opens >> place & 1 == 1 {
                    depth += 1;
                } else {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        return Some(at + place as usize + 1);
                    }
                }
                brackets &= brackets - 1;
            }
        }
        at += WIDTH;
    }
}

/// Reads a block of a text, padded with blanks.
#[inline]
fn block(text: &[u8], at: usize) -> [u8; BLOCK] {
    match text.get(at..).and_then(<[u8]>::first_chunk) {
        Some(block) => *block,
        None => block_at_the_end(text.get(at..).unwrap_or_default()),
    }
}

#[cold]
fn block_at_the_end(rest: &[u8]) -> [u8; BLOCK] {
    let mut block = [b' '; BLOCK];
    for (to, from) in block.iter_mut().zip(rest) {
        *to = *from;
    }
    block
}

/// Returns the bytes that a backslash escapes.
#[inline]
fn escaped(backslashes: u64, carried: &mut u64) -> u64 {
    let (mut escaped, mut left) = (*carried, backslashes & !*carried);
    *carried = 0;
    while left != 0 {
        let place = left.trailing_zeros();
        left &= left - 1;
        if place == 63 {
            *carried = 1;
        } else {
            escaped |= 2 << place;
            left &= !(2 << place);
        }
    }
    escaped
}

/// For each bit, whether an odd number of bits up to it are set.
#[inline]
fn parity(mut bits: u64) -> u64 {
    for shift in [1, 2, 4, 8, 16, 32] {
        bits ^= bits << shift;
    }
    bits
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn naive(text: &[u8]) -> Option<usize> {
        let (mut depth, mut in_string, mut at) = (0, false, 0);
        loop {
            match *text.get(at)? {
                b'\\' if in_string => at += 1,
                b'"' => in_string = !in_string,
                b'{' | b'[' if !in_string => depth += 1,
                b'}' | b']' if !in_string => depth -= 1,
                _ => {}
            }
            at += 1;
            if depth == 0 {
                return Some(at);
            }
        }
    }

    proptest! {
        #[test]
        fn the_end_is_where_the_last_bracket_closes(
            bytes in prop::collection::vec(prop::sample::select(b"{{[[}]\"\"\\a".to_vec()), 0..400), before in 0_usize..70,
        ) {
            // A backslash outside of a string is invalid JSON; results after it may differ between blocks.
            let mut text = vec![b'x'; before];
            text.push(b'{');
            let mut in_string = false;
            let mut escaped = false;
            for byte in bytes {
                match byte {
                    b'\\' if !in_string => continue,
                    b'"' if !escaped => in_string = !in_string,
                    _ => {}
                }
                escaped = byte == b'\\' && !escaped;
                text.push(byte);
            }
            prop_assert_eq!(end_of_brackets(&text, before), naive(&text[before..]).map(|end| before + end));
        }
    }
}
