//! JSON string, escaped as Go does.

use std::ops::Range;

use crate::wire::BLOCK;

/// Writes a part of the bytes as a string in quotes. Each byte of invalid UTF-8 becomes `\ufffd`.
///
/// It copies whole blocks, also those that end after the part: a copy of a known length takes no call.
#[cfg_attr(target_arch = "wasm32", target_feature(enable = "simd128"))]
pub(super) fn string(out: &mut Vec<u8>, bytes: &[u8], part: Range<usize>) {
    out.push(b'"');
    let (mut at, end) = (part.start, part.end.min(bytes.len()));
    while at < end {
        let Some(block) = bytes.get(at..).and_then(|rest| rest.first_chunk::<BLOCK>()) else {
            let text = bytes.get(at..end).unwrap_or_default();
            let plain = text.iter().position(|byte| *byte >= 0x80 || is_escaped(*byte)).unwrap_or(text.len());
            out.extend_from_slice(text.get(..plain).unwrap_or_default());
            at += plain;
            at += special(out, bytes, at..end);
            continue;
        };
        let plain = plain_bytes(*block).min(end - at);
        let length = out.len() + plain;
        out.extend_from_slice(block);
        out.truncate(length);
        at += plain;
        if plain < BLOCK {
            at += special(out, bytes, at..end);
        }
    }
    out.push(b'"');
}

/// Writes what is not plain at the start of the text, and returns its length.
fn special(out: &mut Vec<u8>, bytes: &[u8], text: Range<usize>) -> usize {
    let text = bytes.get(text).unwrap_or_default();
    match text.first() {
        None => 0,
        Some(0x80..) => {
            unicode(out, text);
            text.len()
        }
        Some(byte) => {
            escape(out, *byte);
            1
        }
    }
}

/// Copies a part of the bytes, which has at least a block after its start, by blocks.
pub(super) fn copy(out: &mut Vec<u8>, bytes: &[u8], part: Range<usize>) {
    let (length, mut at) = (out.len() + part.len(), part.start);
    while at < part.end {
        let Some(block) = bytes.get(at..).and_then(|rest| rest.first_chunk::<BLOCK>()) else { break };
        out.extend_from_slice(block);
        at += BLOCK;
    }
    out.truncate(length);
}

/// Number of bytes before the first one that is escaped or not ASCII; 16 if there is none.
#[cfg(target_arch = "wasm32")]
#[target_feature(enable = "simd128")]
#[inline]
fn plain_bytes(block: [u8; BLOCK]) -> usize {
    use core::arch::wasm32::{i8x16_bitmask, i8x16_lt, i8x16_splat, u8x16_eq, u8x16_splat, u64x2, v128_or};

    let [low, high] = halves(block);
    let block = u64x2(low, high);
    // As signed integers, bytes outside ASCII are below the control characters.
    let other = i8x16_lt(block, i8x16_splat(0x20));
    let backslash = u8x16_eq(block, u8x16_splat(b'\\'));
    // Pairs that differ in one bit.
    let angle = u8x16_eq(v128_or(block, u8x16_splat(0x02)), u8x16_splat(b'>'));
    let quote = u8x16_eq(v128_or(block, u8x16_splat(0x04)), u8x16_splat(b'&'));
    let special = v128_or(v128_or(other, backslash), v128_or(angle, quote));
    (u32::from(i8x16_bitmask(special)) | 1 << BLOCK).trailing_zeros() as usize
}

/// Number of bytes before the first one that is escaped or not ASCII; 16 if there is none.
#[cfg(not(target_arch = "wasm32"))]
#[inline]
fn plain_bytes(block: [u8; BLOCK]) -> usize {
    let [low, high] = halves(block);
    let low = marks(low).trailing_zeros() / 8;
    if low < 8 { low as usize } else { 8 + (marks(high).trailing_zeros() / 8) as usize }
}

#[inline]
fn halves(block: [u8; BLOCK]) -> [u64; 2] {
    let both = u128::from_le_bytes(block);
    #[expect(clippy::cast_possible_truncation, reason = "each half by itself")]
    [both as u64, (both >> 64) as u64]
}

fn is_escaped(byte: u8) -> bool {
    matches!(byte, ..b' ' | b'"' | b'\\' | b'<' | b'>' | b'&')
}

/// Sets the highest bit of each byte that is escaped or not ASCII. Bytes above the first of them may be marked wrongly.
#[cfg(not(target_arch = "wasm32"))]
#[inline]
fn marks(bytes: u64) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGHS: u64 = ONES << 7;
    // A byte is zero if subtracting one borrows; a borrow shows only above the first such byte.
    let zero = |bytes: u64| bytes.wrapping_sub(ONES) & !bytes;
    let control = bytes.wrapping_sub(ONES * 0x20) & !bytes;
    let backslash = zero(bytes ^ (ONES * u64::from(b'\\')));
    // Pairs that differ in one bit.
    let angle = zero((bytes | (ONES * 0x02)) ^ (ONES * u64::from(b'>')));
    let quote = zero((bytes | (ONES * 0x04)) ^ (ONES * u64::from(b'&')));
    (control | backslash | angle | quote | bytes) & HIGHS
}

/// Writes the escape of an ASCII character.
pub(super) fn escape(out: &mut Vec<u8>, byte: u8) {
    let short = match byte {
        b'"' | b'\\' => byte,
        0x08 => b'b',
        0x0c => b'f',
        b'\n' => b'n',
        b'\r' => b'r',
        b'\t' => b't',
        _ => {
            const DIGITS: &[u8; 16] = b"0123456789abcdef";
            let digit = |at: u8| DIGITS[usize::from(at & 15)];
            out.extend_from_slice(&[b'\\', b'u', b'0', b'0', digit(byte >> 4), digit(byte)]);
            return;
        }
    };
    out.extend_from_slice(&[b'\\', short]);
}

/// Writes text that is not only ASCII.
fn unicode(out: &mut Vec<u8>, text: &[u8]) {
    for chunk in text.utf8_chunks() {
        let mut rest = chunk.valid().as_bytes();
        while let Some(at) = rest.iter().position(|byte| is_escaped(*byte) || *byte == 0xe2) {
            let (plain, special) = rest.split_at(at);
            out.extend_from_slice(plain);
            rest = match special {
                [0xe2, 0x80, last @ (0xa8 | 0xa9), after @ ..] => {
                    out.extend_from_slice(if *last == 0xa8 { b"\\u2028" } else { b"\\u2029" });
                    after
                }
                [0xe2, after @ ..] => {
                    out.push(0xe2);
                    after
                }
                [byte, after @ ..] => {
                    escape(out, *byte);
                    after
                }
                [] => special,
            };
        }
        out.extend_from_slice(rest);
        for _ in chunk.invalid() {
            out.extend_from_slice(b"\\ufffd");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn written(text: &[u8]) -> String {
        let mut out = Vec::new();
        string(&mut out, text, 0..text.len());
        // The bytes after the text do not matter.
        let (mut again, longer) = (Vec::new(), [text, b"\"\xff and a long rest of the message"].concat());
        string(&mut again, &longer, 0..text.len());
        assert_eq!(again, out);
        String::from_utf8(out).expect("UTF-8")
    }

    #[test]
    fn the_escapes_of_go() {
        assert_eq!(
            written(
                "\0\u{1}\u{8}\t\n\u{b}\u{c}\r\u{1f} \"&'/<=>?\\\u{7f}ä\u{2028}\u{2029}\u{2027}\u{fffd}😀".as_bytes()
            ),
            "\"\\u0000\\u0001\\b\\t\\n\\u000b\\f\\r\\u001f \\\"\\u0026'/\\u003c=\\u003e?\\\\\u{7f}ä\\u2028\\u2029\u{2027}\u{fffd}😀\""
        );
    }

    #[test]
    fn invalid_utf8_is_replaced_byte_by_byte() {
        // What Go prints for the same bytes.
        for (bytes, text) in [
            (&b"\xff"[..], r"\ufffd"),
            (b"a\x80\xbfb", r"a\ufffd\ufffdb"),
            (b"\xe2\x82", r"\ufffd\ufffd"),
            (b"\xe2\x82A<", r"\ufffd\ufffdA\u003c"),
            (b"\xed\xa0\x80", r"\ufffd\ufffd\ufffd"),
            (b"\xf0\x9f\x98\xf0\x9f\x98\x80", "\\ufffd\\ufffd\\ufffd😀"),
            (b"\xc0\xaf", r"\ufffd\ufffd"),
            (b"\xf4\x90\x80\x80", r"\ufffd\ufffd\ufffd\ufffd"),
        ] {
            assert_eq!(written(bytes), format!("\"{text}\""), "{bytes:?}");
        }
    }

    #[test]
    fn each_byte_is_found_at_each_place() {
        for byte in 0..=255_u8 {
            let plain = !matches!(byte, b'"' | b'\\' | b'<' | b'>' | b'&' | ..0x20 | 0x80..);
            for at in 0..BLOCK {
                for filler in [b' ', b'!', b'#', b'\'', b'=', b'?', b'[', b']', 0x7f] {
                    let mut block = [filler; BLOCK];
                    block[at] = byte;
                    assert_eq!(plain_bytes(block), if plain { BLOCK } else { at }, "{byte} at {at}");
                    // Later bytes do not matter.
                    block[at + 1..].fill(b'<');
                    assert_eq!(plain_bytes(block), if plain { (at + 1).min(BLOCK) } else { at }, "{byte} at {at}");
                }
            }
        }
    }

    proptest! {
        #[test]
        fn any_text_is_json(text in any::<String>()) {
            let json = written(text.as_bytes());
            prop_assert_eq!(informer_packing::Json::new(&json).as_str().expect("a string"), text);
        }
    }
}
