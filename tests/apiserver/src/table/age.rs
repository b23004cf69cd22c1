//! Ages: `16m`, `3d4h`.

use std::time::SystemTime;

use humantime::parse_rfc3339;
use serde_json::Value;

use super::cells::text;

use crate::clock;

/// Parses a time of the API.
pub(super) fn moment(value: &Value) -> Option<SystemTime> {
    parse_rfc3339(text(value)).ok()
}

/// Time since a time; `<unknown>` if it is missing.
pub(super) fn since(value: &Value) -> String {
    moment(value).map_or_else(|| "<unknown>".to_owned(), |then| between(then, clock::now()))
}

/// Formats the time between two times.
pub(super) fn between(from: SystemTime, to: SystemTime) -> String {
    match to.duration_since(from) {
        Ok(passed) => human(passed.as_secs()),
        // Clocks differ slightly: the real server tolerates two seconds.
        Err(ahead) if ahead.duration().as_secs() < 2 => "0s".to_owned(),
        Err(_) => "<invalid>".to_owned(),
    }
}

fn human(seconds: u64) -> String {
    let (minutes, hours) = (seconds / 60, seconds / 3600);
    let (days, years) = (hours / 24, hours / 24 / 365);
    let two = |large: u64, unit: &str, small: u64, small_unit: &str| {
        if small == 0 { format!("{large}{unit}") } else { format!("{large}{unit}{small}{small_unit}") }
    };
    match () {
        () if seconds < 120 => format!("{seconds}s"),
        () if minutes < 10 => two(minutes, "m", seconds % 60, "s"),
        () if minutes < 180 => format!("{minutes}m"),
        () if hours < 8 => two(hours, "h", minutes % 60, "m"),
        () if hours < 48 => format!("{hours}h"),
        () if days < 8 => two(days, "d", hours % 24, "h"),
        () if years < 2 => format!("{days}d"),
        () if years < 8 => two(years, "y", days % 365, "d"),
        () => format!("{years}y"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_have_at_most_two_figures() {
        const DAY: u64 = 86_400;
        let cases = [
            (0, "0s"),
            (119, "119s"),
            (120, "2m"),
            (599, "9m59s"),
            (600, "10m"),
            (10_799, "179m"),
            (10_800, "3h"),
            (27_000, "7h30m"),
            (8 * 3600, "8h"),
            (2 * DAY - 1, "47h"),
            (2 * DAY, "2d"),
            (3 * DAY + 4 * 3600, "3d4h"),
            (8 * DAY, "8d"),
            (729 * DAY, "729d"),
            (731 * DAY, "2y1d"),
            (8 * 365 * DAY, "8y"),
        ];
        for (seconds, text) in cases {
            assert_eq!(human(seconds), text, "{seconds}");
        }
    }
}
