//! Ages, counts and sizes, as people read them.

pub(crate) use informer::columns::age;

/// A count with its thousands apart: `2,014`.
pub(crate) fn thousands(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Bytes in the unit that keeps them short: `640 B`, `6.4 MB`.
pub(crate) fn bytes(count: u64) -> String {
    let count = count as f64;
    if count < 1e3 {
        format!("{count} B")
    } else if count < 1e6 {
        format!("{:.1} kB", count / 1e3)
    } else {
        format!("{:.1} MB", count / 1e6)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_apart() {
        for (count, text) in [(0, "0"), (999, "999"), (1000, "1,000"), (2_014, "2,014"), (1_234_567, "1,234,567")] {
            assert_eq!(thousands(count), text);
        }
    }

    #[test]
    fn bytes_are_short() {
        for (count, text) in [(640, "640 B"), (6_400, "6.4 kB"), (6_400_000, "6.4 MB")] {
            assert_eq!(bytes(count), text);
        }
    }
}
