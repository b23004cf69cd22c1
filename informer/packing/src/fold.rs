//! Search without regard to case.

/// Whether `text` contains `needle`, whose ASCII letters are small already. O(length of one × length of the other) at
/// worst, of which neither is long.
pub fn contains_ignore_ascii_case(text: &[u8], needle: &[u8]) -> bool {
    let Some((first, rest)) = needle.split_first() else { return true };
    let Some(last) = text.len().checked_sub(needle.len()) else { return false };
    for at in 0..=last {
        if text[at].to_ascii_lowercase() == *first
            && text[at + 1..].iter().zip(rest).all(|(byte, wanted)| byte.to_ascii_lowercase() == *wanted)
        {
            return true;
        }
    }
    false
}
