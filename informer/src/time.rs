//! Kubernetes timestamps (RFC 3339).

/// Milliseconds since the Unix epoch of an RFC 3339 timestamp in UTC (`2026-11-21T04:31:35Z`, `…35.123456Z`), which is
/// the only form that the apiserver writes. Anything else is `None`.
///
/// A date crate would cost 20 KB of wasm for these lines; the calendar is Howard Hinnant's `days_from_civil`.
///
/// ```
/// assert_eq!(informer::parse_rfc3339("1970-01-02T00:00:00.5Z"), Some(86_400_500.0));
/// assert_eq!(informer::parse_rfc3339("yesterday"), None);
/// ```
pub fn parse_rfc3339(text: &str) -> Option<f64> {
    if let Some(seconds) = text.as_bytes().first_chunk().filter(|_| text.len() == 20).and_then(whole_seconds) {
        return Some(seconds as f64 * 1_000.0);
    }
    let (date, time) = text.strip_suffix('Z')?.split_once('T')?;
    let mut date = date.splitn(3, '-').map(number);
    let (year, month, day) = (date.next()??, date.next()??, date.next()??);
    let (clock, fraction) = time.split_once('.').unwrap_or((time, "0"));
    let mut clock = clock.splitn(3, ':').map(number);
    let (hour, minute, second) = (clock.next()??, clock.next()??, clock.next()??);
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    if !fraction.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    // As whole numbers: reading a float from a text is 13 KB of wasm. Timestamps have at most nanoseconds.
    let fraction = fraction.get(..fraction.len().min(9))?;
    let unit = fraction.bytes().fold(1, |unit, _| unit * 10);
    let fraction = number(fraction)? as f64 / f64::from(unit);
    let seconds = days_from_civil(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second;
    Some((seconds as f64 + fraction) * 1_000.0)
}

/// Parses the common form, which occurs several times in each object; `None` for other forms and invalid dates.
fn whole_seconds(text: &[u8; 20]) -> Option<i64> {
    let parts = [(4, b'-'), (7, b'-'), (10, b'T'), (13, b':'), (16, b':'), (19, b'Z')];
    if parts.iter().any(|(at, mark)| text.get(*at) != Some(mark)) {
        return None;
    }
    let two = |at: usize| match text.get(at..at + 2) {
        Some(&[tens @ b'0'..=b'9', ones @ b'0'..=b'9']) => Some(i64::from(tens & 15) * 10 + i64::from(ones & 15)),
        _ => None,
    };
    let (year, month, day) = (two(0)? * 100 + two(2)?, two(5)?, two(8)?);
    let (hour, minute, second) = (two(11)?, two(14)?, two(17)?);
    let is_time = (1..=12).contains(&month) && (1..=31).contains(&day) && hour <= 23 && minute <= 59 && second <= 60;
    is_time.then(|| days_from_civil(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second)
}

fn number(digits: &str) -> Option<i64> {
    let plausible = !digits.is_empty() && digits.len() <= 9 && digits.bytes().all(|b| b.is_ascii_digit());
    if plausible { digits.parse().ok() } else { None }
}

fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_moments() {
        assert_eq!(parse_rfc3339("2026-11-21T04:31:35Z"), Some(1_795_235_495_000.0));
        assert_eq!(parse_rfc3339("2000-02-29T23:59:59.25Z"), Some(951_868_799_250.0));
    }

    #[test]
    fn other_texts_are_not_timestamps() {
        for text in [
            "",
            "Z",
            "T",
            "2026-11-21",
            "2026-13-01T00:00:00Z",
            "2026-11-21T04:31:35+01:00",
            "a-b-cTd:e:fZ",
            "2026-11-21T04:31:35.Z",
            "2026-1é-21T04:31:35Z",
            "2026-11-21T04:31:35.12345678éZ",
        ] {
            assert_eq!(parse_rfc3339(text), None, "{text}");
        }
    }
}
