//! Decimal number parser.

/// Parses a number: exactly, if it has at most 15 digits and an exponent of at most 22. For others, the last digits may
/// differ. The standard library is exact for all, but takes 13 KB of tables.
pub(crate) fn decimal(text: &str) -> Option<f64> {
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let (digits, exponent) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let (mut value, mut tens) = (0_u64, exponent.parse::<i32>().ok()?);
    if whole.is_empty() {
        return None;
    }
    for (digit, is_fraction) in whole.bytes().map(|d| (d, false)).chain(fraction.bytes().map(|d| (d, true))) {
        if !digit.is_ascii_digit() {
            return None;
        }
        // Beyond 18 digits, only their number counts.
        let fits = value < 100_000_000_000_000_000;
        if fits {
            value = value * 10 + u64::from(digit - b'0');
        }
        tens = tens.saturating_add(i32::from(!fits && !is_fraction) - i32::from(fits && is_fraction));
    }
    let mut number = value as f64;
    // From ±400 on the result is zero or infinite for all digits.
    for _ in 0..tens.unsigned_abs().min(400) / 22 {
        number = if tens < 0 { number / 1e22 } else { number * 1e22 };
    }
    let power = (0..tens.unsigned_abs().min(400) % 22).fold(1.0, |power, _| power * 10.0);
    number = if tens < 0 { number / power } else { number * power };
    (!number.is_infinite()).then_some(if text.starts_with('-') { -number } else { number })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn common_numbers_are_exact(digits in -999_999_999_999_999_i64..=999_999_999_999_999, tens in -22..=22_i32) {
            let text = format!("{digits}e{tens}");
            prop_assert_eq!(decimal(&text), text.parse().ok());
            let text = format!("{digits}.{:03}", tens.unsigned_abs());
            let close = decimal(&text).expect("a number") - text.parse::<f64>().expect("a number");
            prop_assert!(close.abs() <= digits.abs() as f64 * f64::EPSILON);
        }

        #[test]
        fn other_numbers_are_nearly_exact(number in prop::num::f64::NORMAL) {
            let text = format!("{number:e}");
            let read = decimal(&text).expect("a number");
            prop_assert!(((read - number) / number).abs() < 1e-13, "{read} {number}");
        }
    }

    #[test]
    fn other_texts_are_not_numbers() {
        for text in ["", "-", "x", "\"1\"", "1x", "1e", "1ex", "null", ".5", "1e999", "0x10", "--1"] {
            assert_eq!(decimal(text), None, "{text}");
        }
        assert_eq!(decimal("-0.0").map(f64::is_sign_negative), Some(true));
        assert_eq!(decimal("1E+2"), Some(100.0));
    }
}
