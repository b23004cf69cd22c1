//! States: rows of a card, from figures, each with the filter that selects the same objects in the table.

use super::counts::{CONDITIONS, Kind};
use crate::figures::{Figures, count_by_value};
use crate::filter::toggle;
use crate::tone::{Tone, tone_of};

/// Maximum length of a filter in the filter language, in bytes.
const MAX_FILTER_BYTES: usize = 4_096;

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
        let filter = Some(filter).filter(|filter| filter.len() <= MAX_FILTER_BYTES);
        Self { id: label.to_owned(), label: label.to_owned(), tone, count, filter }
    }
}

/// Rows of the values of a column, at most `limit` and one for the others. They are in an order that does not depend on
/// the numbers, so that rows do not move: bad ones first, then by name. If there are too many, those that are not bad
/// and have the fewest objects become the others.
pub(super) fn value_states(figures: &Figures, column: &str, limit: usize) -> Vec<State> {
    let mut values = count_by_value(&figures.groups);
    values.sort_by_key(|(value, count)| (tone_of(column, value) != Some(Tone::Bad), u64::MAX - count));
    let shown: u64 = values.iter().take(limit).map(|(_, count)| count).sum();
    values.truncate(limit);
    let names = values.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>();
    let others = figures.count().saturating_sub(shown);
    let others = (others > 0).then(|| State::new("Others", None, others, excluding_filter(column, &names)));
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

fn excluding_filter(column: &str, values: &[&str]) -> String {
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

/// Rows of workloads, from the numbers of objects that each count of the kind selects. `idle` names those without a pod
/// to run.
pub(super) fn ready_states(kind: &Kind, counts: [u64; 3], idle: &str) -> Vec<State> {
    let [missing, ready, none] = counts;
    let filter = |at: usize| kind.counts.get(at).map_or("", |count| count.filter).to_owned();
    vec![
        State::new("Not ready", warn_if(missing), missing, filter(0)),
        State::new("Ready", Some(Tone::Ok), ready, filter(1)),
        State::new(idle, Some(Tone::Idle), none, filter(2)),
    ]
}

/// Rows of the conditions of nodes, from the number of nodes that have each.
pub(super) fn condition_states(counts: [u64; CONDITIONS.len()]) -> Vec<State> {
    let state = |((label, filter), count): ((&str, &str), u64)| {
        State::new(label, (count > 0).then_some(Tone::Bad), count, filter.to_owned())
    };
    CONDITIONS.into_iter().zip(counts).map(state).collect()
}

fn warn_if(count: u64) -> Option<Tone> {
    (count > 0).then_some(Tone::Warn)
}

#[cfg(test)]
mod tests {
    use informer_engine::Query;

    use super::*;
    use crate::figures::Group;

    fn figures(groups: &[(&[&str], f64)]) -> Figures {
        let group = |(key, count): &(&[&str], f64)| Group {
            key: key.iter().map(|&text| text.to_owned()).collect(),
            values: vec![*count],
        };
        let total = groups.iter().map(|(_, count)| count).sum();
        Figures { groups: groups.iter().map(group).collect(), total: vec![total] }
    }

    fn as_rows(states: &[State]) -> Vec<(&str, u64, &str)> {
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
            as_rows(&value_states(&pods, "Status", 9)),
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
            as_rows(&value_states(&nodes, "Status", 2)),
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
            as_rows(&value_states(&pods, "Status", 2)),
            [
                ("OOMKilled", 1, "status=OOMKilled"),
                ("Running", 9, "status=Running"),
                ("Others", 5, "status!=OOMKilled,Running"),
            ]
        );
    }

    #[test]
    fn values_equal_for_the_filter_are_one_row() {
        let reasons = figures(&[(&["Failed"], 2.0), (&["failed"], 1.0), (&["a \"b\" \\"], 1.0)]);
        assert_eq!(
            as_rows(&value_states(&reasons, "Reason", 9)),
            [("Failed", 3, "reason=Failed"), ("a \"b\" \\", 1, "reason=\"a \\\"b\\\" \\\\\"")]
        );
    }

    #[test]
    fn a_number_without_a_filter_that_fits_has_no_link() {
        let long = "x".repeat(MAX_FILTER_BYTES);
        assert_eq!(value_states(&figures(&[(&[&long], 1.0)]), "Reason", 9)[0].filter, None);
    }

    #[test]
    fn each_count_of_a_workload_has_its_filter() {
        use super::super::counts::{DAEMON_SETS, DEPLOYMENTS, NOT_ENDED, WITH_RESTARTS};
        assert_eq!(
            as_rows(&ready_states(&DAEMON_SETS, [1, 2, 3], "On no node")),
            [
                ("Not ready", 1, "readiness<1/1"),
                ("Ready", 2, "readiness>=1/1 readiness!=0/0"),
                ("On no node", 3, "readiness=0/0"),
            ]
        );
        assert_eq!(as_rows(&ready_states(&DEPLOYMENTS, [0, 0, 0], "Scaled to 0"))[0], ("Not ready", 0, "ready<1/1"));
        for filter in [NOT_ENDED, WITH_RESTARTS] {
            assert!(filter.parse::<Query>().is_ok(), "{filter}");
        }
    }

    #[test]
    fn a_condition_is_bad_where_a_node_has_it() {
        let states = condition_states([0, 2, 0, 0]);
        assert_eq!(as_rows(&states)[1], ("Disk pressure", 2, "disk-pressure=True"));
        assert_eq!((states[0].tone, states[1].tone), (None, Some(Tone::Bad)));
    }
}
