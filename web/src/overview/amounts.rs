//! Amounts of resources as text: cores, bytes, and shares of a capacity.

use crate::age::thousands;

const UNITS: [&str; 7] = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];

/// Formats bytes in the largest unit in which they are at least 1: `1.5 GiB`.
pub(super) fn memory(bytes: f64) -> String {
    let mut size = bytes;
    let mut unit = 0;
    // What would be rounded to 1,024 is 1 of the next unit.
    while size >= 1_023.5 && unit + 1 < UNITS.len() {
        size /= 1_024.0;
        unit += 1;
    }
    format!("{} {}", number(size), UNITS[unit])
}

/// Percentage of a capacity; `None` without one.
pub(super) fn share(amount: f64, capacity: f64) -> Option<String> {
    (capacity > 0.0).then(|| format!("{} %", number((amount / capacity * 100.0).round())))
}

/// Width of a bar in percent, at most 100.
pub(super) fn width(amount: f64, capacity: f64) -> f64 {
    if capacity > 0.0 { (amount / capacity * 100.0).clamp(0.0, 100.0) } else { 0.0 }
}

/// Formats cores, or a number of objects: `0.25`, `12.5`, `1,234`. At most three digits that matter, and no zeros at
/// the end.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is shown, and saturates")]
pub(super) fn number(amount: f64) -> String {
    let decimals = if amount < 9.995 {
        2
    } else if amount < 99.95 {
        1
    } else {
        return thousands(amount.round() as u64);
    };
    let text = format!("{amount:.decimals$}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_have_the_digits_that_matter() {
        for (count, text) in [
            (0.0, "0"),
            (0.25, "0.25"),
            (0.1 + 0.2, "0.3"),
            (9.999, "10"),
            (12.5, "12.5"),
            (64.0, "64"),
            (1_234.4, "1,234"),
        ] {
            assert_eq!(number(count), text);
        }
        let gib = 1_073_741_824.0;
        for (bytes, text) in [
            (0.0, "0 B"),
            (1_023.0, "1,023 B"),
            (1_023.9, "1 KiB"),
            (1.5 * gib, "1.5 GiB"),
            (2_048.0 * gib, "2 TiB"),
            (1e30, "867,361,737,988 EiB"),
        ] {
            assert_eq!(memory(bytes), text, "{bytes}");
        }
    }

    #[test]
    fn a_share_needs_a_capacity() {
        assert_eq!(share(1.0, 3.0).as_deref(), Some("33 %"));
        assert_eq!(share(6.0, 3.0).as_deref(), Some("200 %"));
        assert_eq!(share(1.0, 0.0), None);
        assert_eq!((width(6.0, 3.0), width(1.0, 4.0), width(1.0, 0.0)), (100.0, 25.0, 0.0));
    }
}
