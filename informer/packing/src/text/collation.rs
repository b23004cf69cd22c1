//! Natural sort keys: bytes that sort like text with numbers.

/// Appends the sort key of a text: runs of digits sort as numbers, `web-9` before `web-10`. Of texts that differ only
/// in leading zeros, the shorter comes first.
///
/// A run of digits becomes a marker byte in the range of digits, its length, and its significant digits. A byte 0
/// terminates the text, so that a prefix sorts first. If there were leading zeros, the text's length and the text itself
/// follow as a tie-breaker, so keys must not be concatenated.
pub fn collate(text: &str, into: &mut Vec<u8>) {
    let mut rest = text.as_bytes();
    let mut has_zeros = false;
    while let Some(byte) = rest.first() {
        if byte.is_ascii_digit() {
            let length = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
            let zeros = rest[..length].iter().take_while(|digit| **digit == b'0').count();
            let significant = &rest[zeros..length];
            has_zeros |= zeros > 0 && length > 1;
            // A run of 255 digits or more has one more length byte for each 255.
            let mut left = significant.len();
            into.push(b'0');
            while left >= 255 {
                into.push(255);
                left -= 255;
            }
            into.push(u8::try_from(left).unwrap_or(254));
            into.extend_from_slice(significant);
            rest = &rest[length..];
        } else {
            // 0 and 1 are reserved. They are rare, so they take two bytes.
            if *byte <= 1 {
                into.push(1);
            }
            into.push(*byte);
            rest = &rest[1..];
        }
    }
    into.push(0);
    if has_zeros {
        into.extend((text.len() as u64).to_be_bytes());
        into.extend_from_slice(text.as_bytes());
    }
}
