//! Arranged values: which values of a column are chips, their order, and how many fit.

use informer_engine::Facet;

use crate::filter;

/// Number of values of the first column before those of others.
const FIRST_COLUMN_VALUES: usize = 5;

/// Values of a column, in display order.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Group {
    /// The name of its header.
    pub(crate) column: String,
    /// Its values.
    pub(crate) values: Vec<String>,
    /// Values that the filter selects.
    pub(crate) chosen: Vec<String>,
    /// Number of further values that the engine does not list.
    pub(crate) more: usize,
}

/// Value groups, and the filter that they were counted for; empty until all rows are loaded.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Groups {
    pub(super) groups: Vec<Group>,
    pub(super) filter: Option<String>,
}

/// Arranges the counted values. Values keep their positions while the same rows are counted (`is_same_query`), even if
/// counts change: a chip must not move away under the pointer. If one is selected, the others stay, because they can be
/// selected too. A value of the filter that no row has is omitted: usually it is incomplete.
pub(super) fn arrange(
    columns: &[String],
    facets: &[Facet],
    filter: &str,
    before: &[Group],
    is_same_query: bool,
) -> Vec<Group> {
    let group = |column: &String| {
        let chosen = filter::chosen(filter, column);
        let mut group = Group { column: column.clone(), chosen, ..Group::default() };
        let counted = facets.iter().find(|facet| facet.column == *column);
        if let Some(before) = before.iter().find(|before| before.column == *column)
            && (is_same_query || !group.chosen.is_empty() || counted.is_none_or(|facet| facet.values.is_empty()))
        {
            group.values.clone_from(&before.values);
        }
        if let Some(facet) = counted {
            group.more = facet.more;
            // An incomplete word matches nothing: the chips stay.
            if group.chosen.is_empty() && !facet.values.is_empty() {
                group.values.retain(|value| facet.values.iter().any(|known| known.value == *value));
            }
            for value in &facet.values {
                if !group.values.contains(&value.value) {
                    group.values.push(value.value.clone());
                }
            }
        }
        group
    };
    columns.iter().map(group).collect()
}

/// Returns how many values of each group fit into `width` pixels. The first group gets its share first; then one value
/// of each group in turn.
pub(super) fn room(groups: &[Group], width: f64) -> Vec<usize> {
    // The heading, and the button for the rest.
    let mut left = width - groups.iter().map(|group| letters(&group.column) + 84.0).sum::<f64>();
    let mut shown = vec![0; groups.len()];
    let mut take = |at: usize, shown: &mut Vec<usize>| {
        // A value, its count, and the space around them.
        let wide = groups[at].values.get(shown[at]).map(|value| letters(value).min(170.0) + 68.0);
        let fits = wide.filter(|wide| *wide <= left);
        left -= fits.unwrap_or_default();
        shown[at] += usize::from(fits.is_some());
        fits.is_some()
    };
    if !groups.is_empty() {
        while shown[0] < FIRST_COLUMN_VALUES && take(0, &mut shown) {}
    }
    while (0..groups.len()).filter(|at| take(*at, &mut shown)).count() > 0 {}
    shown
}

fn letters(text: &str) -> f64 {
    text.chars().count() as f64 * 7.0
}

impl Group {
    /// Whether the filter selects a value.
    pub(crate) fn is_chosen(&self, value: &str) -> bool {
        self.chosen.iter().any(|chosen| chosen.eq_ignore_ascii_case(value))
    }

    /// Returns the visible values for this much room: the first ones; selected values replace the last of them if they
    /// would be hidden.
    pub(crate) fn visible_values(&self, room: usize) -> Vec<String> {
        let (first, rest) = self.values.split_at(room.min(self.values.len()));
        let mut visible = first.to_vec();
        for chosen in rest.iter().filter(|value| self.is_chosen(value)) {
            if let Some(at) = visible.iter().rposition(|value| !self.is_chosen(value)) {
                visible.remove(at);
                visible.push(chosen.clone());
            }
        }
        visible
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use informer_engine::FacetValue;

    fn facet(column: &str, values: &[(&str, usize)]) -> Facet {
        let values = values.iter().map(|(value, count)| FacetValue { value: (*value).to_owned(), count: *count });
        Facet { column: column.to_owned(), values: values.collect(), more: 0 }
    }

    fn values(groups: &[Group]) -> Vec<&str> {
        groups.iter().flat_map(|group| &group.values).map(String::as_str).collect()
    }

    #[test]
    fn chips_stay_where_they_are() {
        let columns = ["Status".to_owned()];
        let first = arrange(&columns, &[facet("Status", &[("Running", 9), ("Pending", 5)])], "", &[], false);
        let later = [facet("Status", &[("Pending", 8), ("Running", 7), ("Failed", 1)])];
        let second = arrange(&columns, &later, "", &first, true);
        assert_eq!(values(&second), ["Running", "Pending", "Failed"]);
        assert_eq!(values(&arrange(&columns, &later[..1], "web", &second, false)), ["Pending", "Running", "Failed"]);
        let fewer = [facet("Status", &[("Pending", 8)])];
        assert_eq!(
            values(&arrange(&columns, &fewer, "", &second, true)),
            ["Pending"],
            "a value without rows disappears"
        );
        let none = [facet("Status", &[])];
        assert_eq!(
            values(&arrange(&columns, &none, "statu", &second, false)).len(),
            3,
            "an incomplete filter keeps all chips"
        );
    }

    #[test]
    fn selected_values_are_listed_and_the_others_stay() {
        let columns = ["Status".to_owned()];
        let before = arrange(&columns, &[facet("Status", &[("Running", 9), ("Pending", 5)])], "", &[], false);
        let only = [facet("Status", &[("Pending", 5)])];
        let after = arrange(&columns, &only, "status=pending", &before, false);
        assert_eq!((values(&after), after[0].is_chosen("Pending")), (vec!["Running", "Pending"], true));
        let typing = arrange(&columns, &[facet("Status", &[])], "status=Pen", &before, false);
        assert_eq!(values(&typing), ["Running", "Pending"], "what is half typed is no value");
    }

    #[test]
    fn selected_values_are_visible() {
        let values = ["a", "b", "c", "d"].map(str::to_owned).to_vec();
        let group = |chosen: &[&str]| Group {
            values: values.clone(),
            chosen: chosen.iter().map(|value| (*value).to_owned()).collect(),
            ..Group::default()
        };
        assert_eq!(group(&["a"]).visible_values(2), ["a", "b"]);
        assert_eq!(group(&["D"]).visible_values(2), ["a", "d"]);
        assert_eq!(group(&["a", "d"]).visible_values(1), ["a"]);
        assert_eq!(group(&[]).visible_values(9), ["a", "b", "c", "d"]);
    }

    #[test]
    fn each_group_gets_room_in_turn() {
        let group = |column: &str, count: usize| Group {
            column: column.to_owned(),
            values: (0..count).map(|at| format!("value-{at}")).collect(),
            ..Group::default()
        };
        let groups = [group("Status", 9), group("Node", 9)];
        assert_eq!(room(&groups, 100.0), [0, 0]);
        let (headings, chip) = (2.0 * 84.0 + 10.0 * 7.0, 7.0 * 7.0 + 68.0);
        assert_eq!(room(&groups, headings + 3.5 * chip), [3, 0]);
        assert_eq!(room(&groups, headings + 8.5 * chip), [7, 1]);
        assert_eq!(room(&groups, 1e6), [9, 9]);
        assert!(room(&[], 500.0).is_empty());
    }
}
