//! Schedules of cron jobs: the dialect of `robfig/cron/v3`, which kube-controller-manager uses.
//!
//! Not a crate: `croner` and `cron` read other dialects (seconds, years, `L`, `#`; a week that begins at another number),
//! and need a calendar crate besides: `croner` with `chrono` is 37 KB of wasm, compressed.

/// The sets of minutes, hours, days, months and weekdays, as bits.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Schedule {
    minutes: u64,
    hours: u64,
    days: u64,
    months: u64,
    weekdays: u64,
    /// Whether neither days nor weekdays are `*`: then one of both is enough.
    either: bool,
}

const MONTHS: [&str; 12] = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const WEEKDAYS: [&str; 7] = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

/// One field's numbers, as bits, and whether it is `*` or `?`.
fn field(text: &str, low: u32, high: u32, names: &[&str], first: u32) -> Option<(u64, bool)> {
    let mut bits = 0;
    let mut is_any = false;
    let number = |text: &str| {
        let place = names.iter().position(|name| text.eq_ignore_ascii_case(name));
        match place {
            Some(at) => u32::try_from(at).ok().map(|at| at + first),
            None => text.parse().ok().filter(|_| text.bytes().all(|b| b.is_ascii_digit())),
        }
    };
    for part in text.split(',') {
        let (range, step) = part.split_once('/').map_or((part, None), |(range, step)| (range, Some(step)));
        let (from, to) = if matches!(range, "*" | "?") {
            is_any |= step.is_none_or(|step| step == "1");
            (low, high)
        } else if let Some((from, to)) = range.split_once('-') {
            (number(from)?, number(to)?)
        } else {
            // `5/15` is from 5 to the end.
            let from = number(range)?;
            (from, if step.is_some() { high } else { from })
        };
        let step = step.map_or(Some(1), |step| step.parse().ok())?;
        if from < low || to > high || from > to || step == 0 {
            return None;
        }
        bits |= (from..=to).step_by(usize::try_from(step).ok()?).fold(0, |bits, at| bits | 1_u64 << at);
    }
    Some((bits, is_any))
}

impl Schedule {
    /// Reads five fields, or `@hourly` and its like. `@every` has no fixed times and is none.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let text = match text.trim() {
            "@yearly" | "@annually" => "0 0 1 1 *",
            "@monthly" => "0 0 1 * *",
            "@weekly" => "0 0 * * 0",
            "@daily" | "@midnight" => "0 0 * * *",
            "@hourly" => "0 * * * *",
            text => text,
        };
        let fields: Vec<&str> = text.split_whitespace().collect();
        let [minutes, hours, days, months, weekdays] = fields.as_slice() else { return None };
        let (minutes, _) = field(minutes, 0, 59, &[], 0)?;
        let (hours, _) = field(hours, 0, 23, &[], 0)?;
        let (days, any_day) = field(days, 1, 31, &[], 0)?;
        let (months, _) = field(months, 1, 12, &MONTHS, 1)?;
        let (weekdays, any_weekday) = field(weekdays, 0, 6, &WEEKDAYS, 0)?;
        Some(Self { minutes, hours, days, months, weekdays, either: !any_day && !any_weekday })
    }

    /// The next moment after `now`, both in milliseconds of the schedule's wall clock; `None` if there is none in nine
    /// years: 30 February.
    pub(crate) fn next(&self, now: f64) -> Option<f64> {
        if !(0.0..4e14).contains(&now) {
            return None;
        }
        let has = |bits: u64, at: i64| at >= 0 && bits & (1_u64 << at) != 0;
        #[expect(clippy::cast_possible_truncation, reason = "between 0 and 4e14 / 60,000")]
        let first = (now / 60_000.0).floor() as i64 + 1;
        let (today, minute_of_day) = (first.div_euclid(1_440), first.rem_euclid(1_440));
        for day in today..today + 366 * 9 {
            let (month, date) = civil(day);
            let weekday = (day + 4).rem_euclid(7);
            let (by_date, by_weekday) = (has(self.days, date), has(self.weekdays, weekday));
            let fits = if self.either { by_date || by_weekday } else { by_date && by_weekday };
            if !has(self.months, month) || !fits {
                continue;
            }
            let from = if day == today { minute_of_day } else { 0 };
            let minute = (from..1_440).find(|minute| has(self.hours, minute / 60) && has(self.minutes, minute % 60));
            if let Some(minute) = minute {
                return Some(((day * 1_440 + minute) * 60_000) as f64);
            }
        }
        None
    }
}

/// Month and day of a day since 1970 (Howard Hinnant's `civil_from_days`).
fn civil(day: i64) -> (i64, i64) {
    let day = day + 719_468;
    let of_era = day.rem_euclid(146_097);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    (if month < 10 { month + 3 } else { month - 9 }, of_year - (153 * month + 2) / 5 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn next(schedule: &str, now: &str) -> Option<f64> {
        Schedule::parse(schedule).expect(schedule).next(informer::parse_rfc3339(now).expect(now))
    }

    #[test]
    fn the_next_start_is_after_now() {
        for (schedule, now, expected) in [
            ("*/10 * * * *", "2026-11-22T12:00:00Z", "2026-11-22T12:10:00Z"),
            ("5/20 * * * *", "2026-11-22T12:26:00Z", "2026-11-22T12:45:00Z"),
            ("0 3 * * *", "2026-11-22T12:00:00Z", "2026-11-23T03:00:00Z"),
            ("30 9 * * MON-fri", "2026-11-22T12:00:00Z", "2026-11-23T09:30:00Z"),
            ("0 0 29 2 *", "2026-11-22T12:00:00Z", "2028-02-29T00:00:00Z"),
            ("0 0 1 * 0", "2026-11-23T00:00:00Z", "2026-11-29T00:00:00Z"),
            ("0 0 13 * ?", "2026-11-22T00:00:00Z", "2026-12-13T00:00:00Z"),
            ("@monthly", "2026-12-31T23:59:59Z", "2027-01-01T00:00:00Z"),
            ("15,45 0 1 jan *", "2026-11-22T00:00:00Z", "2027-01-01T00:15:00Z"),
        ] {
            assert_eq!(next(schedule, now), informer::parse_rfc3339(expected), "{schedule}");
        }
        assert_eq!(next("0 0 30 2 *", "2026-11-22T12:00:00Z"), None);
    }

    #[test]
    fn what_is_no_schedule_is_none() {
        for text in [
            "",
            "* * * *",
            "60 * * * *",
            "* * 0 * *",
            "* * * * 7",
            "*/0 * * * *",
            "5-1 * * * *",
            "+5 * * * *",
            "@every 1h",
        ] {
            assert_eq!(Schedule::parse(text), None, "{text}");
        }
    }
}
