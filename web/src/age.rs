//! Formatting of ages, counts and sizes.

pub(crate) use informer_engine::columns::age;

/// Columns of past times: a future one is due to a wrong clock.
const PAST_COLUMNS: [&str; 4] = ["Age", "Last Seen", "First Seen", "Last Schedule"];

/// Formats a time: an age as kubectl prints it, or `in 404d` in columns that may contain future times.
pub(crate) fn moment(column: &str, now: f64, at: f64) -> String {
    // Less than two seconds is a difference of clocks.
    if at - now < 2_000.0 || PAST_COLUMNS.contains(&column) { age(now, at) } else { format!("in {}", age(at, now)) }
}

/// Formats a count with thousands separators: `2,014`.
pub(crate) fn thousands(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Formats bytes in the unit that keeps them short: `640 B`, `6.4 MB`.
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
    fn a_moment_ahead_is_in_some_time_and_an_age_ahead_is_invalid() {
        let days = |days: f64| days * 86_400_000.0;
        for (column, at, text) in [
            ("Expires", days(404.5), "in 404d"),
            ("Expires", 90_000.0, "in 90s"),
            ("Expires", 1_999.0, "0s"),
            ("Expires", -days(5.0), "5d"),
            ("Age", days(404.5), "<invalid>"),
            ("Age", 1_999.0, "0s"),
            ("Age", -days(5.0), "5d"),
            ("Last Seen", 60_000.0, "<invalid>"),
        ] {
            assert_eq!(moment(column, 0.0, at), text, "{column} {at}");
        }
    }

    #[test]
    fn thousands_are_separated() {
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
