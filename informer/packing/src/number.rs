//! Decimal numbers, read.

/// The number that a text is: exactly, if it has at most 15 digits and is no further from 1 than 22 powers of ten. Of
/// others the last digits may differ. The standard library is exact for all; that takes 13 KB of tables.
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
        // Beyond 18 digits only how many there are counts.
        let fits = value < 100_000_000_000_000_000;
        if fits {
            value = value * 10 + u64::from(digit - b'0');
        }
        tens = tens.saturating_add(i32::from(!fits && !is_fraction) - i32::from(fits && is_fraction));
    }
    let mut number = value as f64;
    // From ±400 on it is nothing, or more than there is, whatever the digits.
    for _ in 0..tens.unsigned_abs().min(400) / 22 {
        number = if tens < 0 { number / 1e22 } else { number * 1e22 };
    }
    let power = (0..tens.unsigned_abs().min(400) % 22).fold(1.0, |power, _| power * 10.0);
    number = if tens < 0 { number / power } else { number * power };
    (!number.is_infinite()).then_some(if text.starts_with('-') { -number } else { number })
}
