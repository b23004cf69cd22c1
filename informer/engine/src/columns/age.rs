//! Age format of kubectl (`duration.HumanDuration`).

/// Formats the time between two moments, in milliseconds, with at most two units: `5m`, `3h20m`, `2d`, `3y45d`.
///
/// A moment less than two seconds in the future gives `0s`, because clocks differ; a later one gives `<invalid>`.
pub fn age(now: f64, then: f64) -> String {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "it saturates, and NaN is 0: extreme moments give an age, and no panic"
    )]
    let seconds = ((now - then) / 1000.0) as i64;
    if seconds < -1 {
        return "<invalid>".to_owned();
    }
    let seconds = seconds.max(0);
    let (minutes, hours, days) = (seconds / 60, seconds / 3600, seconds / 86400);
    let years = days / 365;
    if seconds < 120 {
        format!("{seconds}s")
    } else if minutes < 10 {
        with_rest(minutes, 'm', seconds % 60, 's')
    } else if minutes < 180 {
        format!("{minutes}m")
    } else if hours < 8 {
        with_rest(hours, 'h', minutes % 60, 'm')
    } else if hours < 48 {
        format!("{hours}h")
    } else if days < 8 {
        with_rest(days, 'd', hours % 24, 'h')
    } else if days < 365 * 2 {
        format!("{days}d")
    } else if years < 8 {
        with_rest(years, 'y', days % 365, 'd')
    } else {
        format!("{years}y")
    }
}

fn with_rest(whole: i64, unit: char, rest: i64, rest_unit: char) -> String {
    if rest == 0 { format!("{whole}{unit}") } else { format!("{whole}{unit}{rest}{rest_unit}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_are_kubectls() {
        let cases = [
            (0.0, "0s"),
            (119.0, "119s"),
            (120.0, "2m"),
            (185.0, "3m5s"),
            (600.0, "10m"),
            (10_799.0, "179m"),
            (10_800.0, "3h"),
            (12_000.0, "3h20m"),
            (8.0 * 3600.0, "8h"),
            (47.0 * 3600.0, "47h"),
            (48.0 * 3600.0, "2d"),
            (50.0 * 3600.0, "2d2h"),
            (9.0 * 86400.0, "9d"),
            (729.0 * 86400.0, "729d"),
            (730.0 * 86400.0, "2y"),
            (775.0 * 86400.0, "2y45d"),
            (3650.0 * 86400.0, "10y"),
        ];
        for (seconds, text) in cases {
            assert_eq!(age(seconds * 1000.0, 0.0), text);
        }
    }

    #[test]
    fn extreme_moments_give_an_age() {
        assert_eq!(age(0.0, 1999.0), "0s", "clocks differ");
        assert_eq!(age(0.0, 2000.0), "<invalid>");
        assert_eq!(age(0.0, f64::INFINITY), "<invalid>");
        assert_eq!(age(f64::NAN, 0.0), "0s");
        assert!(age(f64::INFINITY, 0.0).ends_with('y'));
    }
}
