//! Minutes: how many objects there are in each minute of the last hour, from an aggregate by the minute.

use std::collections::BTreeMap;

use crate::figures::{Figures, count};

/// Number of minutes: those that the last hour touches.
const MINUTES: u32 = 61;

/// Seconds of a minute.
const MINUTE: f64 = 60.0;

/// Numbers of the minutes up to now.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Minutes {
    /// Start of the first minute, in seconds since the Unix epoch.
    pub(super) first: f64,
    pub(super) values: Vec<u64>,
}

impl Minutes {
    /// The numbers at a time in milliseconds since the Unix epoch. The clock of the cluster may be ahead: what is later
    /// counts in the last minute.
    pub(super) fn of(figures: &Figures, now: f64) -> Self {
        let first = (now / 1_000.0 / MINUTE).floor() * MINUTE - f64::from(MINUTES - 1) * MINUTE;
        let mut values = vec![0; MINUTES as usize];
        let known: BTreeMap<u32, u64> = figures
            .groups
            .iter()
            .filter_map(|group| Some((index_of(group.key.first()?.parse().ok()?, first)?, count(&group.values))))
            .fold(BTreeMap::new(), |mut sums, (index, count)| {
                *sums.entry(index).or_default() += count;
                sums
            });
        for (index, count) in known {
            if let Some(value) = values.get_mut(index as usize) {
                *value += count;
            }
        }
        Self { first, values }
    }

    /// Start of a minute, in seconds since the Unix epoch.
    pub(super) fn start_of(&self, index: usize) -> f64 {
        self.first + MINUTE * f64::from(u32::try_from(index).unwrap_or(u32::MAX))
    }

    pub(super) fn total(&self) -> u64 {
        self.values.iter().sum()
    }

    /// Indexes of the minutes with objects, the newest first, and their numbers of objects.
    pub(super) fn non_empty(&self) -> Vec<(usize, u64)> {
        self.values.iter().copied().enumerate().filter(|(_, count)| *count > 0).rev().collect()
    }
}

/// Index of a minute; `None` if it is before the first one.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is not negative, and saturates")]
fn index_of(second: f64, first: f64) -> Option<u32> {
    (second >= first).then(|| (((second - first) / MINUTE) as u32).min(MINUTES - 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::Group;

    #[test]
    fn each_minute_of_the_last_hour_has_its_number() {
        let group = |key: &str, count: f64| Group { key: vec![key.to_owned()], values: vec![count] };
        let groups = vec![
            group("1767225600", 3.0),
            group("1767225660", 1.0),
            group("1767229260", 2.0),
            group("1767225540", 9.0),
            group("", 9.0),
        ];
        let figures = Figures { groups, total: vec![24.0] };
        // An hour and 59 seconds after the first of them.
        let minutes = Minutes::of(&figures, 1_767_229_259_000.0);
        assert_eq!((minutes.first, minutes.values.len(), minutes.total()), (1_767_225_600.0, 61, 6));
        assert_eq!(minutes.non_empty(), [(60, 2), (1, 1), (0, 3)], "what is ahead is in the last minute");
        assert!((minutes.start_of(60) - 1_767_229_200.0).abs() < f64::EPSILON);
    }
}
