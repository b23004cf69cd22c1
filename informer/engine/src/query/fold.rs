//! Case-insensitive text comparison.

use informer_packing::contains_ignore_ascii_case;

/// Whether a text contains `needle`, which is in lower case. Characters outside ASCII whose lower case is ASCII, the
/// Kelvin sign and the dotted I, do not match.
pub(crate) fn contains_folded(text: &str, needle: &str) -> bool {
    if needle.is_ascii() {
        contains_ignore_ascii_case(text.as_bytes(), needle.as_bytes())
    } else {
        text.to_lowercase().contains(needle)
    }
}

/// Whether two texts are equal.
pub(crate) fn equals_folded(a: &str, b: &str) -> bool {
    a.eq_ignore_ascii_case(b) || !(a.is_ascii() && b.is_ascii()) && a.to_lowercase() == b.to_lowercase()
}

/// Whether a text matches `pattern`, in which `*` matches any text. Both are compared as lower-case bytes. O(length
/// of one × length of the other) in the worst case.
pub(super) fn is_like(text: &str, pattern: &str, fold: bool) -> bool {
    if fold {
        return glob(text.to_lowercase().as_bytes(), pattern.to_lowercase().as_bytes());
    }
    glob(text.as_bytes(), pattern.as_bytes())
}

fn glob(text: &[u8], pattern: &[u8]) -> bool {
    let (mut at, mut next) = (0, 0);
    // Position of the last star, and the length that it matches.
    let mut star: Option<(usize, usize)> = None;
    while at < text.len() {
        match pattern.get(next) {
            Some(b'*') => {
                star = Some((next, at));
                next += 1;
            }
            Some(byte) if *byte == text[at] => {
                at += 1;
                next += 1;
            }
            _ => {
                let Some((star_at, taken)) = star else { return false };
                star = Some((star_at, taken + 1));
                (at, next) = (taken + 1, star_at + 1);
            }
        }
    }
    pattern[next..].iter().all(|byte| *byte == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn naive(text: &[u8], pattern: &[u8]) -> bool {
        match pattern.split_first() {
            None => text.is_empty(),
            Some((b'*', rest)) => (0..=text.len()).any(|taken| naive(&text[taken..], rest)),
            Some((byte, rest)) => text.split_first().is_some_and(|(first, tail)| first == byte && naive(tail, rest)),
        }
    }

    proptest! {
        #[test]
        fn wildcards_match_any_text(text in "[ab]{0,6}", pattern in "[ab*]{0,5}") {
            prop_assert_eq!(is_like(&text, &pattern, true), naive(text.as_bytes(), pattern.as_bytes()));
        }

        #[test]
        fn containment_ignores_case(text in "[aAbBÄä]{0,8}", needle in "[aAbBÄä]{0,3}") {
            let expected = text.to_lowercase().contains(&needle.to_lowercase());
            prop_assert_eq!(contains_folded(&text, &needle.to_lowercase()), expected);
        }
    }
}
