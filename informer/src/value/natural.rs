//! Texts as people order them.

use std::cmp::Ordering;

/// Compares two names, runs of digits as numbers: `web-9` before `web-10`. Total: equal only for equal texts.
pub(crate) fn compare(a: &str, b: &str) -> Ordering {
    let (mut left, mut right) = (a.as_bytes(), b.as_bytes());
    while let (Some(x), Some(y)) = (left.first(), right.first()) {
        if x.is_ascii_digit() && y.is_ascii_digit() {
            let (m, n) = (digits(left), digits(right));
            let (value, other) = (significant(&left[..m]), significant(&right[..n]));
            // Of any length: more digits are more, the same number of digits compares as text.
            let ordering = value.len().cmp(&other.len()).then_with(|| value.cmp(other));
            if ordering != Ordering::Equal {
                return ordering;
            }
            (left, right) = (&left[m..], &right[n..]);
        } else {
            if x != y {
                return x.cmp(y);
            }
            (left, right) = (&left[1..], &right[1..]);
        }
    }
    // What is left to differ in is zeros before numbers: fewer of them first.
    left.len().cmp(&right.len()).then(a.len().cmp(&b.len())).then_with(|| a.cmp(b))
}

/// Appends bytes that compare as [`compare`] does.
///
/// A run of digits is its length and its significant digits behind one byte that stands where digits stand; a byte 0 ends
/// a text before what is longer, and what remains equal is told apart by the text itself.
pub(crate) fn collate(text: &str, into: &mut Vec<u8>) {
    let mut rest = text.as_bytes();
    while let Some(byte) = rest.first() {
        if byte.is_ascii_digit() {
            let length = digits(rest);
            let value = significant(&rest[..length]);
            // Of 255 digits and more, one more length follows for each 255.
            let mut left = value.len();
            into.push(b'0');
            while left >= 255 {
                into.push(255);
                left -= 255;
            }
            into.push(left as u8);
            into.extend_from_slice(value);
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
    if text.as_bytes().windows(2).any(|pair| pair[0] == b'0' && pair[1].is_ascii_digit()) {
        into.extend((text.len() as u64).to_be_bytes());
        into.extend_from_slice(text.as_bytes());
    }
}

fn digits(text: &[u8]) -> usize {
    text.iter().take_while(|byte| byte.is_ascii_digit()).count()
}

fn significant(digits: &[u8]) -> &[u8] {
    let zeros = digits.iter().take_while(|digit| **digit == b'0').count();
    &digits[zeros..]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn numbers_in_names_count_as_numbers() {
        let mut names = ["web-10", "web-9", "web", "a2b", "a10b", "a02b", "web-99999999999999999999999", "ä"];
        names.sort_by(|a, b| compare(a, b));
        assert_eq!(names, ["a2b", "a02b", "a10b", "web", "web-9", "web-10", "web-99999999999999999999999", "ä"]);
    }

    proptest! {
        #[test]
        fn it_is_a_total_order(a in "[a0-2é]{0,5}", b in "[a0-2é]{0,5}", c in "[a0-2é]{0,5}") {
            prop_assert_eq!(compare(&a, &b), compare(&b, &a).reverse());
            prop_assert_eq!(compare(&a, &b) == Ordering::Equal, a == b);
            if compare(&a, &b).is_le() && compare(&b, &c).is_le() {
                prop_assert!(compare(&a, &c).is_le(), "{a:?} {b:?} {c:?}");
            }
        }
    }
}
