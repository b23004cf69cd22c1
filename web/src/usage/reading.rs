//! Reading: the content of a cell of usage. Pure.

use kube_objects::amount;

use super::sample::{Bounds, Sample};
use crate::layout::Usage;
use crate::visible::visible;

/// Age from which on a sample is old, in milliseconds. Metrics servers measure each 10 to 60 s.
const MAX_AGE: f64 = 180_000.0;

/// Content of a cell.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Reading {
    /// Amount, as `kubectl top` writes it: `125m`, `512Mi`.
    pub(super) text: String,
    /// Share of the bar that is filled, in percent; `None` if the amount is a share of nothing.
    pub(super) width: Option<f64>,
    /// Whether the usage exceeds the amount of the whole bar.
    pub(super) is_over: bool,
    /// Whether the sample may be outdated.
    pub(super) is_old: bool,
    /// Tooltip: the amounts that it is a share of, and the time of the measurement.
    pub(super) title: String,
}

/// Reads a sample. `is_current` is whether the samples are still polled; `clock` formats a time.
pub(super) fn reading(
    usage: Usage,
    sample: &Sample,
    bounds: Option<&Bounds>,
    now: f64,
    is_current: bool,
    clock: impl Fn(f64) -> String,
) -> Option<Reading> {
    let used = sample.used(usage)?;
    let created = bounds.and_then(|bounds| bounds.created);
    if created.zip(sample.at).is_some_and(|(created, at)| at < created) {
        return None;
    }
    let written = |value: f64| amount(usage.name(), value);
    let bound = bounds.map(|bounds| bounds.of(usage)).unwrap_or_default();
    let shares = [("limit", bound.limit), ("request", bound.request), ("capacity", bound.capacity)];
    let shares: Vec<(&str, f64)> =
        shares.into_iter().filter_map(|(name, base)| Some((name, base.filter(|base| *base > 0.0)?))).collect();
    let percent = |base: f64| (used / base * 100.0).round();
    let share = |(name, base): &(&str, f64)| format!("{} % of the {name} ({})", percent(*base), written(*base));
    let share_text = match shares.is_empty() {
        true if bounds.is_none() => String::new(),
        true => "neither a request nor a limit".to_owned(),
        false => shares.iter().map(share).collect::<Vec<_>>().join(", "),
    };
    let is_old = !is_current || sample.at.is_none_or(|at| now - at > MAX_AGE);
    let at = sample.at.map_or_else(|| "at an unknown time".to_owned(), |at| format!("at {}", clock(at)));
    let over = if sample.window.is_empty() { String::new() } else { format!(" over {}", visible(&sample.window)) };
    let measured = format!("measured {at}{over}");
    let old = is_old.then(|| "old".to_owned());
    let bar = shares.first().map(|(_, base)| used / base * 100.0);
    let parts = [share_text, measured].into_iter().chain(old).filter(|part| !part.is_empty());
    Some(Reading {
        text: written(used),
        width: bar.map(|width| width.clamp(0.0, 100.0)),
        is_over: bar.is_some_and(|width| width > 100.0),
        is_old,
        title: parts.collect::<Vec<_>>().join("; "),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const MEASURED_AT: f64 = 1_767_225_600_000.0;

    fn sample() -> Sample {
        let json = r#"{"timestamp":"2026-01-01T00:00:00Z","window":"15s","usage":{"cpu":"125m","memory":"512Mi"}}"#;
        Sample::read(json).expect("metrics")
    }

    fn read(bounds: Option<&str>, now: f64, is_current: bool) -> Option<Reading> {
        let bounds = bounds.map(|json| Bounds::read(json).expect("an object"));
        reading(Usage::Cpu, &sample(), bounds.as_ref(), now, is_current, |at| format!("@{at}"))
    }

    fn pod(resources: &str) -> String {
        format!(
            r#"{{"metadata":{{"creationTimestamp":"2025-12-31T00:00:00Z"}},"spec":{{"containers":[{{"resources":{resources}}}]}}}}"#
        )
    }

    #[test]
    fn a_bar_shows_the_share_of_the_limit_or_else_of_the_request() {
        let limited = pod(r#"{"requests":{"cpu":"100m"},"limits":{"cpu":"250m"}}"#);
        let shown = read(Some(&limited), MEASURED_AT, true).expect("a reading");
        assert_eq!((&*shown.text, shown.width, shown.is_over, shown.is_old), ("125m", Some(50.0), false, false));
        assert_eq!(
            shown.title,
            "50 % of the limit (250m), 125 % of the request (100m); measured at @1767225600000 over 15s"
        );
        let requested = read(Some(&pod(r#"{"requests":{"cpu":"100m"}}"#)), MEASURED_AT, true).expect("a reading");
        assert_eq!((requested.width, requested.is_over), (Some(100.0), true));
        let free = read(Some(&pod("{}")), MEASURED_AT, true).expect("a reading");
        assert_eq!(free.width, None);
        assert!(free.title.starts_with("neither a request nor a limit; "), "{}", free.title);
        let node = read(Some(r#"{"status":{"capacity":{"cpu":"4"}}}"#), MEASURED_AT, true).expect("a reading");
        assert!(node.title.starts_with("3 % of the capacity (4); "), "{}", node.title);
        assert!(
            read(None, MEASURED_AT, true).expect("a reading").title.starts_with("measured"),
            "the object is not there yet"
        );
    }

    #[test]
    fn an_old_sample_is_marked() {
        let pod = pod("{}");
        let is_old = |now, is_current| {
            read(Some(&pod), now, is_current).map(|shown| (shown.is_old, shown.title.ends_with("; old")))
        };
        assert_eq!(is_old(MEASURED_AT + 60_000.0, true), Some((false, false)));
        assert_eq!(is_old(MEASURED_AT + 60_000.0, false), Some((true, true)), "the server is not polled");
        assert_eq!(is_old(MEASURED_AT + 200_000.0, true), Some((true, true)), "the server measures no more");
    }

    #[test]
    fn a_sample_of_an_earlier_pod_of_the_name_is_not_shown() {
        let later = pod("{}").replace("2025-12-31", "2026-01-02");
        assert_eq!(read(Some(&later), MEASURED_AT, true), None);
    }
}
