//! Amount: a number or quantity as a whole number of billionths, so that sums are exact.

use informer_packing::write_number;

use super::quantity::exponents;

/// Billionths in one.
const ONE: i128 = 1_000_000_000;

/// Maximum amount of one value: 2^63 − 1, as for a quantity of Kubernetes.
const MAX_SIZE: i128 = i64::MAX as i128 * ONE;

/// Decimal digits of the low part when an amount is written.
const LOW_DIGITS: u32 = 18;

/// A number in billionths, which is the smallest unit of a quantity.
///
/// The limits of one value are those of apimachinery's `Quantity`: finer fractions are rounded away from zero, and
/// larger values are capped at 2^63 − 1. Four billion such values can be added without overflow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Amount(i128);

impl Amount {
    /// Creates the amount of a number of objects.
    pub(crate) fn count(objects: usize) -> Self {
        Self(objects as i128 * ONE)
    }

    /// Converts a number, rounded to the nearest billionth.
    #[expect(clippy::cast_possible_truncation, reason = "it saturates, and NaN is 0")]
    pub(crate) fn of_number(number: f64) -> Self {
        let whole = number.trunc() as i128;
        let fraction = (number.fract() * ONE as f64).round() as i128;
        Self::capped(whole.saturating_mul(ONE).saturating_add(fraction))
    }

    /// Parses a number or a quantity: `3`, `-0.5`, `500m`, `1.5Gi`, `1e3`. `None` for other texts, ratios included.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
        let end = unsigned.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(unsigned.len());
        let (digits, suffix) = unsigned.split_at(end);
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        if whole.is_empty() || fraction.contains('.') {
            return None;
        }
        let (tens, twos) = exponents(suffix)?;
        let mut size: i128 = 0;
        for digit in whole.bytes().chain(fraction.bytes()) {
            size = size.checked_mul(10)?.checked_add(i128::from(digit - b'0'))?;
        }
        let places = i64::from(tens) + 9 - i64::try_from(fraction.len()).ok()?;
        let size = scaled(size, places, twos).unwrap_or(MAX_SIZE).min(MAX_SIZE);
        Some(Self(if text.starts_with('-') { -size } else { size }))
    }

    fn capped(size: i128) -> Self {
        Self(size.clamp(-MAX_SIZE, MAX_SIZE))
    }

    /// Adds the amounts of one object.
    pub(crate) fn plus(self, other: Self) -> Self {
        Self::capped(self.0 + other.0)
    }

    /// Adds the amount of an object to a sum.
    pub(crate) fn add(&mut self, other: Self) {
        self.0 = self.0.wrapping_add(other.0);
    }

    /// Takes the amount of an object from a sum.
    pub(crate) fn subtract(&mut self, other: Self) {
        self.0 = self.0.wrapping_sub(other.0);
    }

    /// Writes it as a JSON number with all its digits.
    pub(crate) fn write(self, out: &mut String) {
        if self.0 < 0 {
            out.push('-');
        }
        let size = self.0.unsigned_abs();
        let (whole, fraction) = (size / ONE.unsigned_abs(), size % ONE.unsigned_abs());
        let low_part = 10_u128.pow(LOW_DIGITS);
        let (high, low) = (whole / low_part, whole % low_part);
        if high > 0 {
            write_number(out, part(high));
            write_padded(out, part(low), LOW_DIGITS);
        } else {
            write_number(out, part(low));
        }
        if fraction > 0 {
            out.push('.');
            write_padded(out, part(fraction), 9);
            out.truncate(out.trim_end_matches('0').len());
        }
    }
}

/// Multiplies by powers of ten and two, rounded up; `None` if it is too large.
fn scaled(size: i128, tens: i64, twos: u32) -> Option<i128> {
    if size == 0 {
        return Some(0);
    }
    let size = size.checked_mul(1_i128.checked_shl(twos)?)?;
    let power = |tens: i64| 10_i128.checked_pow(u32::try_from(tens).ok()?);
    if tens >= 0 {
        return size.checked_mul(power(tens)?);
    }
    let Some(divisor) = power(-tens) else { return Some(1) };
    Some(size / divisor + i128::from(size % divisor > 0))
}

/// Narrows a part of an amount, which fits.
fn part(number: u128) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}

fn write_padded(out: &mut String, number: u64, digits: u32) {
    let own = number.checked_ilog10().map_or(1, |log| log + 1);
    (own..digits).for_each(|_| out.push('0'));
    write_number(out, number);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::number;
    use proptest::prelude::*;

    fn written(amount: Amount) -> String {
        let mut out = String::new();
        amount.write(&mut out);
        out
    }

    #[test]
    fn quantities_are_exact() {
        for (text, expected) in [
            ("0", "0"),
            ("3", "3"),
            ("500m", "0.5"),
            ("1Ki", "1024"),
            ("1.5Gi", "1610612736"),
            ("2k", "2000"),
            ("1e3", "1000"),
            ("1E-3", "0.001"),
            ("-7", "-7"),
            ("+7", "7"),
            ("100n", "0.0000001"),
            ("0.1", "0.1"),
            ("128974848", "128974848"),
            ("1.", "1"),
            // Finer than the smallest unit: rounded away from zero.
            ("0.5n", "0.000000001"),
            ("20e-10", "0.000000002"),
            ("-1e-400", "-0.000000001"),
            ("0e-400", "0"),
            // Larger than the largest quantity: capped.
            ("1E", "1000000000000000000"),
            ("9Ei", "9223372036854775807"),
            ("-1e400", "-9223372036854775807"),
            ("0e400", "0"),
        ] {
            assert_eq!(Amount::parse(text).map(written).as_deref(), Some(expected), "{text}");
        }
        for text in
            ["", "m", ".5", "1x", "1.2.3", "10.0.0.1", "1/2", "inf", "NaN", "1Kii", "1ki", "1é", "é", "-", "1,2"]
        {
            assert_eq!(Amount::parse(text), None, "{text}");
        }
    }

    #[test]
    fn numbers_are_rounded_to_billionths() {
        for (number, expected) in
            [(0.0, "0"), (-2.5, "-2.5"), (0.1 + 0.2, "0.3"), (1e15, "1000000000000000"), (f64::NAN, "0")]
        {
            assert_eq!(written(Amount::of_number(number)), expected);
        }
        assert_eq!(written(Amount::of_number(f64::NEG_INFINITY)), "-9223372036854775807");
        assert_eq!(written(Amount::count(12)), "12");
    }

    #[test]
    fn sums_may_be_larger_than_any_value() {
        let mut sum = Amount::default();
        (0..4_000).for_each(|_| sum.add(Amount(MAX_SIZE)));
        sum.add(Amount(1));
        assert_eq!(written(sum), "36893488147419103228000.000000001");
        (0..4_000).for_each(|_| sum.subtract(Amount(MAX_SIZE)));
        assert_eq!(sum, Amount(1));
        assert_eq!(Amount(MAX_SIZE).plus(Amount(MAX_SIZE)), Amount(MAX_SIZE));
    }

    proptest! {
        #[test]
        fn values_round_trip(size in -MAX_SIZE..=MAX_SIZE) {
            prop_assert_eq!(Amount::parse(&written(Amount(size))), Some(Amount(size)));
        }

        /// The same texts are numbers, of the same size.
        #[test]
        fn it_agrees_with_the_number_of_a_filter(text in "[-+]?[0-9]{1,3}(\\.[0-9]{1,4})?(m|u|n|k|M|G|T|P|Ki|Mi|Gi|Ti|Pi|e[0-9]|E-[0-9])?") {
            let exact: f64 = written(Amount::parse(&text).expect("a quantity")).parse().expect("a number");
            let number = number(&text).expect("a quantity");
            prop_assert!((exact - number).abs() <= number.abs() * 1e-12 + 1e-9, "{} is {} or {}", text, exact, number);
        }

        #[test]
        fn no_text_is_a_number_for_one_of_them_only(text in "[-+0-9.eEmkKi]{0,6}") {
            // Texts with a dot are left out, because only a filter rejects "1.".
            if !text.contains('.') && number(&text).is_some() {
                prop_assert!(Amount::parse(&text).is_some(), "{}", text);
            }
        }

        #[test]
        fn any_text_is_parsed_without_a_panic(text in any::<String>()) {
            let _ = Amount::parse(&text);
        }
    }
}
