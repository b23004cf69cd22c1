//! JSON string, escaped as Go does.

/// Writes a string in quotes. Each byte of invalid UTF-8 becomes `\ufffd`.
pub(super) fn string(out: &mut Vec<u8>, text: &[u8]) {
    out.push(b'"');
    let mut rest = text;
    loop {
        let (plain, special) = rest.split_at(plain_bytes(rest));
        out.extend_from_slice(plain);
        let Some((byte, after)) = special.split_first() else { break };
        if *byte >= 0x80 {
            unicode(out, special);
            break;
        }
        escape(out, *byte);
        rest = after;
    }
    out.push(b'"');
}

/// Number of bytes before the first one that is escaped or not ASCII.
fn plain_bytes(text: &[u8]) -> usize {
    let (words, tail) = text.as_chunks::<8>();
    for (index, word) in words.iter().enumerate() {
        let special = special(u64::from_le_bytes(*word));
        if special != 0 {
            return 8 * index + (special.trailing_zeros() / 8) as usize;
        }
    }
    let plain = tail.iter().position(|byte| *byte >= 0x80 || is_escaped(*byte));
    8 * words.len() + plain.unwrap_or(tail.len())
}

fn is_escaped(byte: u8) -> bool {
    matches!(byte, ..b' ' | b'"' | b'\\' | b'<' | b'>' | b'&')
}

/// Sets the highest bit of each byte that is escaped or not ASCII. Bytes above the first of them may be marked wrongly.
fn special(bytes: u64) -> u64 {
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
        string(&mut out, text);
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
            for length in 1..20 {
                for at in 0..length {
                    for filler in [b' ', b'!', b'#', b'\'', b'=', b'?', b'[', b']', 0x7f] {
                        let mut text = vec![filler; length];
                        text[at] = byte;
                        assert_eq!(plain_bytes(&text), if plain { length } else { at }, "{byte} at {at}");
                    }
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
