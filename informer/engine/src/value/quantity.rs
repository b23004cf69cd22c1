//! Numbers in Kubernetes notation: quantities, ratios, durations.

use informer_packing::Json;

/// Parses a number, a quantity (`500m`, `1Gi`, `1e3`, `2.5k`) or a ratio (`1/2` is 0.5; `0/0` is 1).
pub(crate) fn number(text: &str) -> Option<f64> {
    if let Some((part, whole)) = text.split_once('/') {
        let (part, whole) = (count(part)?, count(whole)?);
        return Some(if whole == 0.0 { 1.0 } else { part / whole });
    }
    let is_part = |c: char| c.is_ascii_digit() || c == '.';
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    if !unsigned.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let end = unsigned.find(|c| !is_part(c)).unwrap_or(unsigned.len());
    let (digits, suffix) = unsigned.split_at(end);
    let size = Json::new(digits).as_f64()?;
    let scaled = size * scale(suffix)?;
    // Numbers that overflow cannot be sorted.
    if !scaled.is_finite() {
        return None;
    }
    Some(if text.starts_with('-') { -scaled } else { scaled })
}

/// Factor of a quantity's suffix: `m`, `k`, `Mi`, `e6`, `E-3`.
fn scale(suffix: &str) -> Option<f64> {
    let (tens, twos) = exponents(suffix)?;
    Some(10f64.powi(tens) * (1_u64 << twos) as f64)
}

/// Exponents of ten and of two of a quantity's suffix.
pub(super) fn exponents(suffix: &str) -> Option<(i32, u32)> {
    let is_exponent = |rest: &&str| !matches!(*rest, "" | "i");
    if let Some(exponent) = suffix.strip_prefix(['e', 'E']).filter(is_exponent) {
        let exponent: i32 = exponent.parse().ok()?;
        return Some((exponent.clamp(-400, 400), 0));
    }
    let binary = suffix.strip_suffix('i');
    let letter = binary.unwrap_or(suffix);
    if binary.is_none() {
        match letter {
            "" => return Some((0, 0)),
            "m" => return Some((-3, 0)),
            "u" => return Some((-6, 0)),
            "n" => return Some((-9, 0)),
            _ => {}
        }
    }
    let letters = if binary.is_some() { "KMGTPE" } else { "kMGTPE" };
    let place = letters.find(letter).filter(|_| letter.len() == 1)?;
    let power = u32::try_from(place).ok()? + 1;
    Some(if binary.is_some() { (0, 10 * power) } else { (3 * power.cast_signed(), 0) })
}

fn count(text: &str) -> Option<f64> {
    let plausible = !text.is_empty() && text.len() <= 15 && text.bytes().all(|byte| byte.is_ascii_digit());
    if plausible { text.parse::<u64>().ok().map(|count| count as f64) } else { None }
}

/// Parses a duration to milliseconds: integers with units, in any order: `90s`, `1h30m`, `2d`, `1w`, `1y` (365 days).
pub(crate) fn duration_ms(text: &str) -> Option<f64> {
    let mut rest = text;
    let mut sum = 0.0;
    while !rest.is_empty() {
        let end = rest.find(|c: char| !c.is_ascii_digit())?;
        let (digits, tail) = rest.split_at(end);
        let mut letters = tail.chars();
        let seconds = match letters.next()? {
            's' => 1.0,
            'm' => 60.0,
            'h' => 3_600.0,
            'd' => 86_400.0,
            'w' => 604_800.0,
            'y' => 31_536_000.0,
            _ => return None,
        };
        sum += count(digits)? * seconds * 1_000.0;
        rest = letters.as_str();
    }
    (!text.is_empty()).then_some(sum)
}

/// Formats a number with at most three decimals; exact formatting would add wasm code size.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the cast saturates")]
pub(crate) fn text_of(number: f64) -> String {
    let thousandths = (number.abs().fract() * 1_000.0).round() as u32;
    let (whole, thousandths) =
        if thousandths == 1_000 { (number.abs().ceil(), 0) } else { (number.abs().trunc(), thousandths) };
    // A number that is rounded to zero has no sign.
    let sign = if number < 0.0 && (whole > 0.0 || thousandths > 0) { "-" } else { "" };
    if thousandths == 0 {
        return format!("{sign}{}", whole as u64);
    }
    format!("{sign}{}.{thousandths:03}", whole as u64).trim_end_matches('0').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_are_read_as_the_apiserver_writes_them() {
        for (text, expected) in [
            ("3", 3.0),
            ("500m", 0.5),
            ("1Ki", 1024.0),
            ("1.5Gi", 1.5 * 1024.0 * 1024.0 * 1024.0),
            ("2k", 2000.0),
            ("1E", 1e18),
            ("1Ei", 1_152_921_504_606_846_976.0),
            ("1e3", 1e3),
            ("1E-3", 1e-3),
            ("-7", -7.0),
            ("100n", 1e-7),
            ("1/2", 0.5),
            ("0/0", 1.0),
        ] {
            let read = number(text).expect(text);
            assert!((read - expected).abs() <= expected.abs() * 1e-12, "{text} is {read}");
        }
        for text in [
            "", "m", "1x", "1.2.3", "10.0.0.1", "1/", "/2", "1/2/3", "inf", "NaN", "1Kii", "1i", "1ki", "0x10", "1é",
            "0e400", "1e999",
        ] {
            assert_eq!(number(text), None, "{text}");
        }
    }

    #[test]
    fn durations_have_units() {
        for (text, seconds) in
            [("90s", 90.0), ("1h30m", 5_400.0), ("2d", 172_800.0), ("1w", 604_800.0), ("1y", 31_536_000.0)]
        {
            assert_eq!(duration_ms(text), Some(seconds * 1_000.0), "{text}");
        }
        for text in ["", "5", "h", "1.5h", "5é", "-5m"] {
            assert_eq!(duration_ms(text), None, "{text}");
        }
    }

    #[test]
    fn numbers_are_written_to_three_decimals() {
        for (number, text) in
            [(3.0, "3"), (-1.5, "-1.5"), (0.9996, "1"), (2.25, "2.25"), (0.0, "0"), (-0.0001, "0"), (-0.0, "0")]
        {
            assert_eq!(text_of(number), text);
        }
    }
}
