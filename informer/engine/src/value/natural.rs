//! Natural order of texts.

use std::cmp::Ordering;

/// Compares two names, runs of digits as numbers: `web-9` before `web-10`. Total: equal only for equal texts.
pub(crate) fn compare(a: &str, b: &str) -> Ordering {
    let (mut left, mut right) = (a.as_bytes(), b.as_bytes());
    while let (Some(x), Some(y)) = (left.first(), right.first()) {
        if x.is_ascii_digit() && y.is_ascii_digit() {
            let (m, n) = (digits(left), digits(right));
            let (value, other) = (significant(&left[..m]), significant(&right[..n]));
            // Numbers of any length: more digits are larger; the same number of digits compares as text.
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
    // The texts differ only in leading zeros: fewer come first.
    left.len().cmp(&right.len()).then(a.len().cmp(&b.len())).then_with(|| a.cmp(b))
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
