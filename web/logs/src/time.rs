//! Timestamps of log lines: RFC 3339 in, nanoseconds since 1970 inside, RFC 3339 in UTC or at an offset out.

use std::fmt::Write;

/// Nanoseconds since 1970 in UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Time(pub i64);

const SECOND: i64 = 1_000_000_000;

/// Parses an RFC 3339 timestamp of the years 1970 to 2261; `None` otherwise. The number of days in a month and the ranges of
/// hours, minutes and seconds are not checked.
pub fn parse(text: &str) -> Option<Time> {
    let bytes = text.as_bytes();
    let digits = |range: std::ops::Range<usize>| -> Option<i64> {
        let digits = bytes.get(range)?;
        digits.iter().try_fold(0, |sum, byte| byte.is_ascii_digit().then(|| sum * 10 + i64::from(byte - b'0')))
    };
    let marks = [(4, b'-'), (7, b'-'), (10, b'T'), (13, b':'), (16, b':')];
    if marks.iter().any(|(at, mark)| bytes.get(*at) != Some(mark)) {
        return None;
    }
    let (year, month, day) = (digits(0..4)?, digits(5..7)?, digits(8..10)?);
    if !(1970..2262).contains(&year) || !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    let mut seconds = days(year, month, day) * 86_400 + digits(11..13)? * 3600 + digits(14..16)? * 60 + digits(17..19)?;
    let mut at = 19;
    let mut nanos = 0;
    if bytes.get(at) == Some(&b'.') {
        at += 1;
        let length = bytes[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let used = length.min(9);
        nanos = digits(at..at + used)? * 10_i64.pow(u32::try_from(9 - used).unwrap_or(0));
        at += length;
    }
    match bytes.get(at)? {
        b'Z' => {}
        sign @ (b'+' | b'-') => {
            let offset = digits(at + 1..at + 3)? * 3600 + digits(at + 4..at + 6)? * 60;
            seconds += if *sign == b'+' { -offset } else { offset };
        }
        _ => return None,
    }
    Some(Time(seconds * SECOND + nanos))
}

/// Days since 1970-01-01 of a date of the Gregorian calendar (Howard Hinnant, `days_from_civil`).
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year / 400;
    let of_era = year - era * 400;
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// The date of a day since 1970-01-01 (`civil_from_days`).
fn date(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let of_era = days.rem_euclid(146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year + era * 400 + i64::from(month <= 2), month, day)
}

impl Time {
    /// RFC 3339 with `digits` of the second's fraction (at most 9), at an offset from UTC in minutes; `Z` for `None`.
    #[must_use]
    pub fn format(self, digits: u32, offset: Option<i64>) -> String {
        let local = self.0 + offset.unwrap_or(0) * 60 * SECOND;
        let (seconds, nanos) = (local.div_euclid(SECOND), local.rem_euclid(SECOND));
        let (year, month, day) = date(seconds.div_euclid(86_400));
        let of_day = seconds.rem_euclid(86_400);
        let (hour, minute, second) = (of_day / 3600, of_day / 60 % 60, of_day % 60);
        let mut text = format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}");
        let digits = digits.min(9);
        if digits > 0 {
            let fraction = nanos / 10_i64.pow(9 - digits);
            // Writing to a String cannot fail.
            let _ = write!(text, ".{fraction:0width$}", width = digits as usize);
        }
        match offset {
            None => text.push('Z'),
            Some(offset) => {
                let sign = if offset < 0 { '-' } else { '+' };
                let _ = write!(text, "{sign}{:02}:{:02}", offset.abs() / 60, offset.abs() % 60);
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timestamp_round_trips_with_all_its_digits() {
        for text in
            ["2026-11-23T01:02:03.000000007Z", "1970-01-01T00:00:00.123456789Z", "2024-02-29T23:59:59.999999999Z"]
        {
            assert_eq!(parse(text).map(|time| time.format(9, None)).as_deref(), Some(text));
        }
        assert_eq!(parse("1970-01-02T00:00:00Z"), Some(Time(86_400 * SECOND)));
    }

    #[test]
    fn offsets_are_read_and_written() {
        let time = parse("2026-11-23T01:02:03.5+02:30").expect("a timestamp");
        assert_eq!(time.format(3, None), "2026-11-22T22:32:03.500Z");
        assert_eq!(time.format(0, Some(150)), "2026-11-23T01:02:03+02:30");
        assert_eq!(time.format(0, Some(-90)), "2026-11-22T21:02:03-01:30");
    }

    #[test]
    fn what_is_no_timestamp_gives_nothing() {
        for text in [
            "",
            "2026",
            "2026-11-23",
            "2026-11-23T01:02:03",
            "2026-13-01T00:00:00Z",
            "2026-11-23T01:02:03é",
            "2026-11-23T01:02:03+0",
            "0001-01-01T00:00:00Z",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
