//! Case-insensitive substring search.

/// Whether `text` contains `needle`, whose ASCII letters are lower case. O(length of both, multiplied) in the worst
/// case. Both are short, so this plain loop ends before a search algorithm has finished its setup.
pub fn contains_ignore_ascii_case(text: &[u8], needle: &[u8]) -> bool {
    let Some((&small, rest)) = needle.split_first() else { return true };
    let Some(last) = text.len().checked_sub(rest.len()) else { return false };
    let large = small.to_ascii_uppercase();
    for at in 0..last {
        let byte = text[at];
        if (byte == small || byte == large)
            && text[at + 1..].iter().zip(rest).all(|(byte, wanted)| byte.to_ascii_lowercase() == *wanted)
        {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn search_ignores_case(text in "[aAbB-]{0,9}", needle in "[ab-]{0,3}") {
            let expected = text.to_ascii_lowercase().contains(&needle);
            prop_assert_eq!(contains_ignore_ascii_case(text.as_bytes(), needle.as_bytes()), expected);
        }
    }
}
