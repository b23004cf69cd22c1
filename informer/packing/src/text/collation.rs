//! Natural sort keys: bytes that sort as people order texts.

/// Appends a text as bytes whose order is that of names, runs of digits being numbers: `web-9` before `web-10`. Of texts
/// that differ only in zeros before numbers, the shorter comes first.
///
/// A run of digits is its length and its significant digits behind one byte that stands where digits stand; a byte 0 ends
/// a text before what is longer, and what remains equal is told apart by the text itself.
pub fn collate(text: &str, into: &mut Vec<u8>) {
    let mut rest = text.as_bytes();
    let mut has_zeros = false;
    while let Some(byte) = rest.first() {
        if byte.is_ascii_digit() {
            let length = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
            let zeros = rest[..length].iter().take_while(|digit| **digit == b'0').count();
            let significant = &rest[zeros..length];
            has_zeros |= zeros > 0 && length > 1;
            // Of 255 digits and more, one more length follows for each 255.
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
            // 0 and 1 are taken: they are so rare that they may take two bytes.
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
