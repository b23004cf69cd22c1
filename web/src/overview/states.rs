//! States: rows of a card, from figures, each with the filter that selects the same objects in the table.

use std::collections::BTreeMap;

use super::counts::{NOT_READY, READY, SCALED_TO_0};
use super::figures::{Figures, Group, count};
use crate::filter::toggle;
use crate::text::lower;
use crate::tone::{Tone, tone_of};

/// The longest filter that the filter language accepts, in bytes.
const MOST_BYTES: usize = 4_096;

/// Row: a number of objects.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct State {
    /// Unique key of the row in its list.
    pub(super) id: String,
    pub(super) label: String,
    pub(super) tone: Option<Tone>,
    pub(super) count: u64,
    /// Filter of the table; `None` if there is none.
    pub(super) filter: Option<String>,
}

impl State {
    pub(super) fn new(label: &str, tone: Option<Tone>, count: u64, filter: String) -> Self {
        let filter = Some(filter).filter(|filter| filter.len() <= MOST_BYTES);
        Self { id: label.to_owned(), label: label.to_owned(), tone, count, filter }
    }
}

/// Rows of the values of a column, at most `most` and one for the others. They are in an order that does not depend on
/// the numbers, so that rows do not move: bad ones first, then by name. If there are too many, those that are not bad and have
/// the fewest objects become the others.
pub(super) fn of_values(figures: &Figures, column: &str, most: usize) -> Vec<State> {
    let mut values = merged(&figures.groups);
    values.sort_by_key(|(value, count)| (tone_of(column, value) != Some(Tone::Bad), u64::MAX - count));
    let shown: u64 = values.iter().take(most).map(|(_, count)| count).sum();
    values.truncate(most);
    let names = values.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>();
    let others = figures.count().saturating_sub(shown);
    let others = (others > 0).then(|| State::new("Others", None, others, is_none_of(column, &names)));
    let state = |(value, count): &(String, u64)| {
        let label = if value.is_empty() { "None" } else { value };
        let filter = toggle("", column, value);
        // A value may be "Others", too.
        State { id: filter.clone(), ..State::new(label, tone_of(column, value), *count, filter) }
    };
    let mut states: Vec<State> = values.iter().map(state).collect();
    states.sort_by(|a, b| (rank(a.tone), &a.label).cmp(&(rank(b.tone), &b.label)));
    states.into_iter().chain(others).collect()
}

/// The filter language ignores case, so values that differ only by case are one row.
fn merged(groups: &[Group]) -> Vec<(String, u64)> {
    let mut values: Vec<(String, u64)> = Vec::new();
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    for group in groups {
        let value = group.key.first().cloned().unwrap_or_default();
        let at = *places.entry(lower(&value)).or_insert(values.len());
        match values.get_mut(at) {
            Some((_, known)) => *known += count(&group.values),
            None => values.push((value, count(&group.values))),
        }
    }
    values
}

fn is_none_of(column: &str, values: &[&str]) -> String {
    let word = values.iter().fold(String::new(), |word, value| toggle(&word, column, value));
    word.replacen('=', "!=", 1)
}

fn rank(tone: Option<Tone>) -> u8 {
    match tone {
        Some(Tone::Bad) => 0,
        Some(Tone::Warn) => 1,
        None => 2,
        Some(Tone::Ok) => 3,
        Some(Tone::Idle) => 4,
    }
}

/// Rows of daemon sets, from their groups by Desired and Ready. The filter language compares a column with a value, not
/// with another column, so the filter of those that are not ready has a term for each pair of numbers.
pub(super) fn of_daemon_sets(groups: &[Group]) -> Vec<State> {
    let (mut missing, mut ready, mut none) = (0, 0, 0);
    let mut pairs = Vec::new();
    for group in groups {
        let number = |at: usize| group.key.get(at).and_then(|text| text.parse::<u64>().ok()).unwrap_or_default();
        let count = count(&group.values);
        match (number(0), number(1)) {
            (0, _) => none += count,
            (desired, is) if is >= desired => ready += count,
            (desired, is) => {
                missing += count;
                pairs.push(format!("(desired={desired} ready={is})"));
            }
        }
    }
    pairs.sort();
    let pairs = pairs.join(" OR ");
    let (rest, missed) = match pairs.as_str() {
        // No number is below 0: nothing is selected.
        "" => ("desired>0".to_owned(), "desired<0".to_owned()),
        pairs => (format!("desired>0 -({pairs})"), pairs.to_owned()),
    };
    vec![
        State::new("Not ready", warn_if(missing), missing, missed),
        State::new("Ready", Some(Tone::Ok), ready, rest),
        State::new("On no node", Some(Tone::Idle), none, "desired=0".to_owned()),
    ]
}

/// Rows of workloads with a column Ready, from the numbers of objects that each filter selects.
pub(super) fn of_ready(counts: [u64; 3]) -> Vec<State> {
    let [missing, ready, none] = counts;
    vec![
        State::new("Not ready", warn_if(missing), missing, NOT_READY.to_owned()),
        State::new("Ready", Some(Tone::Ok), ready, READY.to_owned()),
        State::new("Scaled to 0", Some(Tone::Idle), none, SCALED_TO_0.to_owned()),
    ]
}

fn warn_if(count: u64) -> Option<Tone> {
    (count > 0).then_some(Tone::Warn)
}

#[cfg(test)]
mod tests {
    use informer_engine::Query;

    use super::*;

    fn figures(groups: &[(&[&str], f64)]) -> Figures {
        let group = |(key, count): &(&[&str], f64)| Group {
            key: key.iter().map(|&text| text.to_owned()).collect(),
            values: vec![*count],
        };
        let total = groups.iter().map(|(_, count)| count).sum();
        Figures { groups: groups.iter().map(group).collect(), total: vec![total] }
    }

    fn seen(states: &[State]) -> Vec<(&str, u64, &str)> {
        for filter in states.iter().filter_map(|state| state.filter.as_ref()) {
            assert!(filter.parse::<Query>().is_ok(), "{filter}");
        }
        states.iter().map(|state| (&*state.label, state.count, state.filter.as_deref().unwrap_or("none"))).collect()
    }

    #[test]
    fn bad_states_come_first_whatever_the_numbers_are() {
        let pods = figures(&[
            (&["Running"], 90.0),
            (&["Completed"], 5.0),
            (&["Pending"], 3.0),
            (&["CrashLoopBackOff"], 2.0),
            (&[""], 1.0),
        ]);
        assert_eq!(
            seen(&of_values(&pods, "Status", 9)),
            [
                ("CrashLoopBackOff", 2, "status=CrashLoopBackOff"),
                ("Pending", 3, "status=Pending"),
                ("None", 1, "status=\"\""),
                ("Running", 90, "status=Running"),
                ("Completed", 5, "status=Completed"),
            ]
        );
    }

    #[test]
    fn the_others_are_one_row_that_selects_them() {
        let nodes = figures(&[(&["Ready"], 9.0), (&["Ready,SchedulingDisabled"], 2.0), (&["NotReady"], 1.0)]);
        assert_eq!(
            seen(&of_values(&nodes, "Status", 2)),
            [
                ("Ready,SchedulingDisabled", 2, "status=\"Ready,SchedulingDisabled\""),
                ("Ready", 9, "status=Ready"),
                ("Others", 1, "status!=Ready,\"Ready,SchedulingDisabled\""),
            ]
        );
    }

    #[test]
    fn a_bad_state_is_not_among_the_others() {
        let pods = figures(&[(&["Running"], 9.0), (&["Completed"], 5.0), (&["OOMKilled"], 1.0)]);
        assert_eq!(
            seen(&of_values(&pods, "Status", 2)),
            [
                ("OOMKilled", 1, "status=OOMKilled"),
                ("Running", 9, "status=Running"),
                ("Others", 5, "status!=OOMKilled,Running"),
            ]
        );
    }

    #[test]
    fn values_that_the_filter_cannot_tell_apart_are_one_row() {
        let reasons = figures(&[(&["Failed"], 2.0), (&["failed"], 1.0), (&["a \"b\" \\"], 1.0)]);
        assert_eq!(
            seen(&of_values(&reasons, "Reason", 9)),
            [("Failed", 3, "reason=Failed"), ("a \"b\" \\", 1, "reason=\"a \\\"b\\\" \\\\\"")]
        );
    }

    #[test]
    fn a_number_without_a_filter_that_fits_has_no_link() {
        let long = "x".repeat(MOST_BYTES);
        assert_eq!(of_values(&figures(&[(&[&long], 1.0)]), "Reason", 9)[0].filter, None);
    }

    #[test]
    fn daemon_sets_that_are_not_ready_are_selected_by_their_numbers() {
        let groups: [(&[&str], f64); 4] =
            [(&["3", "3"], 4.0), (&["3", "2"], 1.0), (&["12", "0"], 2.0), (&["0", "0"], 1.0)];
        assert_eq!(
            seen(&of_daemon_sets(&figures(&groups).groups)),
            [
                ("Not ready", 3, "(desired=12 ready=0) OR (desired=3 ready=2)"),
                ("Ready", 4, "desired>0 -((desired=12 ready=0) OR (desired=3 ready=2))"),
                ("On no node", 1, "desired=0"),
            ]
        );
        assert_eq!(
            seen(&of_daemon_sets(&[])),
            [("Not ready", 0, "desired<0"), ("Ready", 0, "desired>0"), ("On no node", 0, "desired=0")]
        );
    }

    #[test]
    fn filters_of_workloads_are_in_the_filter_language() {
        assert_eq!(seen(&of_ready([1, 2, 3])).iter().map(|(_, count, _)| *count).sum::<u64>(), 6);
        for filter in [super::super::counts::NOT_ENDED, super::super::counts::WITH_RESTARTS] {
            assert!(filter.parse::<Query>().is_ok(), "{filter}");
        }
    }
}
