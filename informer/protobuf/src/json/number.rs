//! JSON numbers, and bytes in base64.

/// Writes an integer.
pub(super) fn integer(out: &mut Vec<u8>, number: i64) {
    if number < 0 {
        out.push(b'-');
    }
    digits(out, number.unsigned_abs(), 1);
}

/// Writes a number with at least so many digits, at most 20.
#[inline(never)]
pub(super) fn digits(out: &mut Vec<u8>, number: u64, least: usize) {
    let mut digits = [b'0'; 20];
    let (mut start, mut rest) = (digits.len(), number);
    while rest > 0 {
        start -= 1;
        // Below ten, so it fits.
        digits[start] = b'0' + (rest % 10) as u8;
        rest /= 10;
    }
    out.extend_from_slice(digits.get(start.min(digits.len() - least)..).unwrap_or_default());
}

/// Writes bytes in the standard alphabet, padded, in quotes.
pub(super) fn base64(out: &mut Vec<u8>, bytes: &[u8]) {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let digit = |group: u32, shift: u32| ALPHABET[(group >> shift) as usize & 63];
    out.reserve(bytes.len() / 3 * 4 + 6);
    out.push(b'"');
    let (triples, rest) = bytes.as_chunks::<3>();
    for [one, two, three] in triples {
        let group = u32::from_be_bytes([0, *one, *two, *three]);
        out.extend_from_slice(&[digit(group, 18), digit(group, 12), digit(group, 6), digit(group, 0)]);
    }
    match rest {
        [one] => {
            let group = u32::from_be_bytes([0, *one, 0, 0]);
            out.extend_from_slice(&[digit(group, 18), digit(group, 12), b'=', b'=']);
        }
        [one, two] => {
            let group = u32::from_be_bytes([0, *one, *two, 0]);
            out.extend_from_slice(&[digit(group, 18), digit(group, 12), digit(group, 6), b'=']);
        }
        _ => {}
    }
    out.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers() {
        for number in [0, 1, -1, 10, 100, 1_234_567, i64::from(i32::MIN), i64::MAX, i64::MIN] {
            let mut out = Vec::new();
            integer(&mut out, number);
            assert_eq!(out, number.to_string().as_bytes());
        }
    }

    #[test]
    fn base64_of_each_length() {
        for (bytes, text) in [
            (&b""[..], "\"\""),
            (b"f", "\"Zg==\""),
            (b"fo", "\"Zm8=\""),
            (b"foo", "\"Zm9v\""),
            (b"foob", "\"Zm9vYg==\""),
            (b"\xff\xef\xbe\xfb", "\"/++++w==\""),
        ] {
            let mut out = Vec::new();
            base64(&mut out, bytes);
            assert_eq!(out, text.as_bytes());
        }
    }
}
