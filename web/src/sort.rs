//! Sort order of the rows: in links, and changed by the headers.

use informer::GroupVersionResource;
use informer_engine::OrderBy;
use informer_engine::columns::ColumnHeader;

use crate::text::lower;

/// Maximum number of sort keys.
const MAX_KEYS: usize = 4;

/// Name of a column in links and filters: lower case, with `-` for blanks.
pub(crate) fn slug(column: &str) -> String {
    lower(&column.replace(' ', "-"))
}

/// Whether two names denote the same column: case, blanks, `-` and `_` are ignored, as in a filter.
pub(crate) fn is_same(a: &str, b: &str) -> bool {
    let letters = |name: &str| lower(&name.replace([' ', '-', '_'], ""));
    letters(a) == letters(b)
}

/// Parses `restarts-desc,name`. Empty names are dropped; the view checks which columns exist.
pub(crate) fn parse(text: &str) -> Vec<OrderBy> {
    let mut keys: Vec<OrderBy> = Vec::new();
    for name in text.split(',') {
        let (column, descending) = match (name.strip_suffix("-desc"), name.strip_suffix("-asc")) {
            (Some(column), _) => (column, true),
            (None, column) => (column.unwrap_or(name), false),
        };
        let column = slug(column.trim());
        if !column.is_empty() && keys.len() < MAX_KEYS && !keys.iter().any(|key| is_same(&key.column, &column)) {
            keys.push(OrderBy { column, descending });
        }
    }
    keys
}

/// Formats one key for a link.
pub(crate) fn name(key: &OrderBy) -> String {
    let column = slug(&key.column);
    let looks_directed = column.ends_with("-desc") || column.ends_with("-asc");
    match (key.descending, looks_directed) {
        (true, _) => format!("{column}-desc"),
        (false, true) => format!("{column}-asc"),
        (false, false) => column,
    }
}

/// Returns the keys whose columns are in the view. An old link may name others, which are ignored.
pub(crate) fn known(order: &[OrderBy], columns: &[ColumnHeader]) -> Vec<OrderBy> {
    let known = |key: &OrderBy| {
        let header = columns.iter().find(|header| is_same(&header.name, &key.column))?;
        Some(OrderBy { column: header.name.clone(), descending: key.descending })
    };
    order.iter().filter_map(known).collect()
}

/// Default order of a kind: events from the newest, other kinds by namespace and name, which needs no key.
pub(crate) fn usual(resource: &GroupVersionResource) -> Vec<OrderBy> {
    let is_events = resource.resource == "events" && matches!(resource.group.as_str(), "" | "events.k8s.io");
    if is_events { vec![OrderBy::ascending("Last Seen")] } else { Vec::new() }
}

/// Sort state of a header: its position in the order, from 0, and whether it descends.
///
/// If the user chose no order, the first `shown` column of the default order is marked.
pub(crate) fn position_of(order: &[OrderBy], column: &str, shown: &[ColumnHeader]) -> Option<(usize, bool)> {
    if order.is_empty() {
        let is_shown = |name: &&str| shown.iter().any(|header| is_same(&header.name, name));
        // Times ascend from the youngest: "Last Seen" is a column of events.
        let usual = ["Last Seen", "Namespace", "Name"].into_iter().find(is_shown)?;
        return is_same(usual, column).then_some((0, false));
    }
    let position = order.iter().position(|key| is_same(&key.column, column))?;
    Some((position, order[position].descending))
}

/// Order after a click on a header: by that column or, if it is the first key already, reversed. Numbers begin with the
/// largest. `add` keeps the other keys, and cycles the column through ascending, reversed and unsorted.
pub(crate) fn press(order: &[OrderBy], header: &ColumnHeader, shown: &[ColumnHeader], add: bool) -> Vec<OrderBy> {
    let (column, first) = (slug(&header.name), header.numeric);
    let key = |descending| OrderBy { column: column.clone(), descending };
    if !add {
        return match position_of(order, &column, shown) {
            Some((0, descending)) if order.len() < 2 => vec![key(!descending)],
            _ => vec![key(first)],
        };
    }
    let mut order = order.to_vec();
    match order.iter().position(|key| is_same(&key.column, &column)) {
        Some(position) if order[position].descending == first => order[position].descending = !first,
        Some(position) => drop(order.remove(position)),
        None if order.len() < MAX_KEYS => order.push(key(first)),
        None => {}
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(name: &str, numeric: bool) -> ColumnHeader {
        ColumnHeader { name: name.to_owned(), wide: false, numeric }
    }

    fn order_text(order: &[OrderBy]) -> String {
        order.iter().map(name).collect::<Vec<_>>().join(",")
    }

    #[test]
    fn an_order_round_trips_through_a_link() {
        for text in ["", "name", "restarts-desc,name", "last-seen", "of-desc-asc", "a,b,c,d"] {
            assert_eq!(order_text(&parse(text)), text);
        }
        assert_eq!(order_text(&parse("Name,name-desc,,a,b,c,d,e")), "name,a,b,c");
    }

    #[test]
    fn unknown_columns_are_left_out() {
        let columns = [header("Last Seen", false), header("Restarts", true)];
        assert_eq!(
            known(&parse("colour,last-seen-desc"), &columns),
            [OrderBy { column: "Last Seen".to_owned(), descending: true }]
        );
        assert_eq!(known(&parse("colour"), &columns), []);
    }

    #[test]
    fn a_press_orders_and_a_second_one_reverses() {
        let shown = [header("Namespace", false), header("Name", false), header("Restarts", true)];
        let press = |order: &str, at: usize, add| order_text(&press(&parse(order), &shown[at], &shown, add));
        assert_eq!(press("", 1, false), "name");
        assert_eq!(press("name", 1, false), "name-desc");
        assert_eq!(press("name-desc", 1, false), "name");
        assert_eq!(press("", 0, false), "namespace-desc", "it is by namespace already");
        assert_eq!(press("name,restarts", 1, false), "name", "of several keys one stays");
        assert_eq!(
            (press("", 2, false), press("restarts-desc", 2, false)),
            ("restarts-desc".into(), "restarts".into())
        );
    }

    #[test]
    fn a_press_with_shift_adds_reverses_and_removes() {
        let shown = [header("Name", false), header("Restarts", true)];
        let press = |order: &str, at: usize| order_text(&press(&parse(order), &shown[at], &shown, true));
        assert_eq!(press("restarts-desc", 0), "restarts-desc,name");
        assert_eq!(press("restarts-desc,name", 0), "restarts-desc,name-desc");
        assert_eq!(press("restarts-desc,name-desc", 0), "restarts-desc");
        assert_eq!(press("restarts-desc", 1), "restarts");
        assert_eq!(press("a,b,c,d", 0), "a,b,c,d");
    }

    #[test]
    fn headers_have_their_sort_position() {
        let shown = [header("Name", false), header("Restarts", true)];
        let order = parse("restarts-desc,name");
        assert_eq!(position_of(&order, "Name", &shown), Some((1, false)));
        assert_eq!(position_of(&order, "Restarts", &shown), Some((0, true)));
        assert_eq!(position_of(&order, "Age", &shown), None);
        assert_eq!(position_of(&[], "Name", &shown), Some((0, false)), "the namespace is not shown");
    }

    #[test]
    fn events_are_from_the_newest() {
        let of = |gvr: &str| usual(&gvr.parse().expect("a resource"));
        assert_eq!(of("v1/events"), [OrderBy::ascending("Last Seen")]);
        assert_eq!(of("events.k8s.io/v1/events"), [OrderBy::ascending("Last Seen")]);
        assert!(of("v1/pods").is_empty() && of("example.org/v1/events").is_empty());
        let shown = [header("Namespace", false), header("Last Seen", false)];
        assert_eq!(position_of(&[], "Last Seen", &shown), Some((0, false)));
    }
}
