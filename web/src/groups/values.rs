//! Values of a group list: their order, and the filters that select them. Pure.

use crate::figures::{Group, count_by_value};
use crate::filter::{chosen, toggle};
use crate::sort::is_same;
use crate::text::lower;

/// Order of the list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Order {
    /// By number of rows, the largest first.
    #[default]
    Count,
    /// By value; rows without one last.
    Value,
}

/// Values and their numbers of rows, in order.
pub(super) fn ordered(groups: &[Group], order: Order) -> Vec<(String, u64)> {
    let mut values = count_by_value(groups);
    match order {
        Order::Count => values.sort_by(|(a, of_a), (b, of_b)| of_b.cmp(of_a).then_with(|| a.cmp(b))),
        Order::Value => values
            .sort_by_cached_key(|(value, _)| (value.is_empty(), number(value).is_none(), number(value), lower(value))),
    }
    values
}

/// A whole number, so that 10 comes after 9.
fn number(value: &str) -> Option<u64> {
    value.parse().ok()
}

/// Order of the values while the list is frozen: the previous values in their order, with their new numbers, then new
/// values.
pub(super) fn keep_order(before: &[(String, u64)], mut values: Vec<(String, u64)>) -> Vec<(String, u64)> {
    let previous_index: std::collections::HashMap<&str, usize> =
        before.iter().enumerate().map(|(at, (value, _))| (value.as_str(), at)).collect();
    values.sort_by_key(|(value, _)| previous_index.get(value.as_str()).copied().unwrap_or(usize::MAX));
    values
}

/// The filter without the values that it selects of a column: the rows that the groups divide.
pub(super) fn without_column(filter: &str, column: &str) -> String {
    let mut filter = filter.to_owned();
    for value in chosen(&filter, column) {
        let next = toggle(&filter, column, &value);
        // A value that cannot be removed stays.
        if chosen(&next, column).len() < chosen(&filter, column).len() {
            filter = next;
        }
    }
    filter
}

/// The filter after a press on a value: only that value, or all if it was the only one. `add` adds it to the others, or
/// takes it away.
pub(super) fn after_press(filter: &str, column: &str, value: &str, add: bool) -> String {
    let before = chosen(filter, column);
    let is_only = matches!(&*before, [only] if lower(only) == lower(value));
    if add || is_only { toggle(filter, column, value) } else { toggle(&without_column(filter, column), column, value) }
}

/// Columns that nearly every object has its own value in, or one that changes with the time. The engine groups by none
/// of them.
const UNIQUE_COLUMNS: [&str; 8] =
    ["Name", "Age", "Last Seen", "First Seen", "Last Schedule", "Duration", "Expires", "Requested Duration"];

/// Whether rows can be grouped by a column.
pub(super) fn is_groupable(column: &str) -> bool {
    !UNIQUE_COLUMNS.iter().any(|unique| is_same(unique, column))
}

/// The column that the rows are grouped by first: one with few values that matter.
pub(super) fn default_column<'c>(columns: &[&'c str]) -> Option<&'c str> {
    const FIRST: [&str; 6] = ["Status", "Type", "Phase", "Node", "Namespace", "Class"];
    let known = FIRST.into_iter().find_map(|name| columns.iter().find(|column| is_same(column, name)));
    known.or_else(|| columns.first()).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn groups(groups: &[(&str, f64)]) -> Vec<Group> {
        groups.iter().map(|(key, count)| Group { key: vec![(*key).to_owned()], values: vec![*count] }).collect()
    }

    fn names(values: &[(String, u64)]) -> Vec<&str> {
        values.iter().map(|(value, _)| value.as_str()).collect()
    }

    #[test]
    fn values_are_ordered_by_count_or_by_value() {
        let groups = groups(&[("b", 2.0), ("10", 1.0), ("a", 2.0), ("9", 5.0), ("", 1.0), ("A", 1.0)]);
        let by_count = ordered(&groups, Order::Count);
        assert_eq!(names(&by_count), ["9", "a", "b", "", "10"], "a filter ignores case");
        assert_eq!(by_count[1].1, 3);
        assert_eq!(names(&ordered(&groups, Order::Value)), ["9", "10", "a", "b", ""]);
    }

    #[test]
    fn frozen_values_keep_their_positions() {
        let before = ordered(&groups(&[("a", 9.0), ("b", 8.0)]), Order::Count);
        let after = ordered(&groups(&[("b", 10.0), ("c", 9.5), ("a", 9.0)]), Order::Count);
        let values: Vec<_> = keep_order(&before, after);
        assert_eq!(values, [("a".to_owned(), 9), ("b".to_owned(), 10), ("c".to_owned(), 9)]);
    }

    #[test]
    fn a_press_selects_one_value_and_a_second_one_all() {
        assert_eq!(after_press("web", "Status", "Running", false), "web status=Running");
        assert_eq!(after_press("web status=Running", "Status", "Pending", false), "web status=Pending");
        assert_eq!(after_press("web status=running", "Status", "Running", false), "web");
        assert_eq!(after_press("status=Running", "Status", "Pending", true), "status=Running,Pending");
        assert_eq!(after_press("status=Running,Pending", "Status", "Pending", true), "status=Running");
        assert_eq!(after_press("status=Running,Pending", "Status", "Pending", false), "status=Pending");
        assert_eq!(after_press("", "Node", "", false), "node=\"\"");
    }

    #[test]
    fn groups_divide_the_rows_of_the_rest_of_the_filter() {
        assert_eq!(without_column("web status=Running,Pending node=a", "Status"), "web node=a");
        assert_eq!(without_column("web", "Status"), "web");
        assert_eq!(without_column("web status=Run*", "Status"), "web", "a pattern selects values, too");
        assert_eq!(without_column("a OR b", "Status"), "a OR b");
    }

    #[test]
    fn the_column_that_matters_is_first() {
        assert_eq!(default_column(&["Namespace", "Ready", "Status"]), Some("Status"));
        assert_eq!(default_column(&["Data", "Immutable"]), Some("Data"));
        assert_eq!(default_column(&[]), None);
        assert!(is_groupable("Ready") && !is_groupable("Last Seen") && !is_groupable("name"));
    }
}
