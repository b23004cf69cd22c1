//! Sort order of the rows: in links, and changed by the headers.

use informer::GroupVersionResource;
use informer_engine::columns::ColumnHeader;
use informer_engine::message::OrderBy;

/// The maximum number of sort keys shown in the headers.
const MOST_KEYS: usize = 4;

/// The name of a column in links and filters: small letters, and `-` for a blank.
pub(crate) fn slug(column: &str) -> String {
    column.chars().map(|c| if c == ' ' { '-' } else { c }).flat_map(char::to_lowercase).collect()
}

/// Whether two names are the same column's: case, blanks, `-` and `_` do not count, as in a filter.
pub(crate) fn is_same(a: &str, b: &str) -> bool {
    let letters =
        |name: &str| name.chars().filter(|c| !matches!(c, ' ' | '-' | '_')).flat_map(char::to_lowercase).collect();
    let (a, b): (String, String) = (letters(a), letters(b));
    a == b
}

/// Reads `restarts-desc,name`. What names no column is left out; which ones there are the view knows.
pub(crate) fn parse(text: &str) -> Vec<OrderBy> {
    let mut keys: Vec<OrderBy> = Vec::new();
    for name in text.split(',') {
        let (column, descending) = match (name.strip_suffix("-desc"), name.strip_suffix("-asc")) {
            (Some(column), _) => (column, true),
            (None, column) => (column.unwrap_or(name), false),
        };
        let column = slug(column.trim());
        if !column.is_empty() && keys.len() < MOST_KEYS && !keys.iter().any(|key| is_same(&key.column, &column)) {
            keys.push(OrderBy { column, descending });
        }
    }
    keys
}

/// One key as a link says it.
pub(crate) fn name(key: &OrderBy) -> String {
    let column = slug(&key.column);
    let looks_directed = column.ends_with("-desc") || column.ends_with("-asc");
    match (key.descending, looks_directed) {
        (true, _) => format!("{column}-desc"),
        (false, true) => format!("{column}-asc"),
        (false, false) => column,
    }
}

/// The keys that name columns of the view, by their headers. An old link may name others: those do no harm.
pub(crate) fn known(order: &[OrderBy], columns: &[ColumnHeader]) -> Vec<OrderBy> {
    let known = |key: &OrderBy| {
        let header = columns.iter().find(|header| is_same(&header.name, &key.column))?;
        Some(OrderBy { column: header.name.clone(), descending: key.descending })
    };
    order.iter().filter_map(known).collect()
}

/// The order of a kind without one of the user's own: events from the newest, all else by namespace and name, which is what
/// no key at all means.
pub(crate) fn usual(resource: &GroupVersionResource) -> Vec<OrderBy> {
    let is_events = resource.resource == "events" && matches!(resource.group.as_str(), "" | "events.k8s.io");
    if is_events { vec![OrderBy::ascending("Last Seen")] } else { Vec::new() }
}

/// What the header of a column says: its place in the order, from 0, and whether it descends.
///
/// Without an order of the user's own it is the usual one, and the first of its columns that is `shown` says so.
pub(crate) fn place_of(order: &[OrderBy], column: &str, shown: &[ColumnHeader]) -> Option<(usize, bool)> {
    if order.is_empty() {
        let is_shown = |name: &&str| shown.iter().any(|header| is_same(&header.name, name));
        // A moment from the youngest on: "Last Seen" is a column of events.
        let usual = ["Last Seen", "Namespace", "Name"].into_iter().find(is_shown)?;
        return is_same(usual, column).then_some((0, false));
    }
    let place = order.iter().position(|key| is_same(&key.column, column))?;
    Some((place, order[place].descending))
}

/// The order after a press on a header: by that column, or, pressed again, the other way round. Numbers begin with the
/// greatest. `add` keeps the keys that are there and goes through first, reversed, and not at all.
pub(crate) fn press(order: &[OrderBy], header: &ColumnHeader, shown: &[ColumnHeader], add: bool) -> Vec<OrderBy> {
    let (column, first) = (slug(&header.name), header.numeric);
    let key = |descending| OrderBy { column: column.clone(), descending };
    if !add {
        return match place_of(order, &column, shown) {
            Some((0, descending)) if order.len() < 2 => vec![key(!descending)],
            _ => vec![key(first)],
        };
    }
    let mut order = order.to_vec();
    match order.iter().position(|key| is_same(&key.column, &column)) {
        Some(place) if order[place].descending == first => order[place].descending = !first,
        Some(place) => drop(order.remove(place)),
        None if order.len() < MOST_KEYS => order.push(key(first)),
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

    fn said(order: &[OrderBy]) -> String {
        order.iter().map(name).collect::<Vec<_>>().join(",")
    }

    #[test]
    fn an_order_round_trips_through_a_link() {
        for text in ["", "name", "restarts-desc,name", "last-seen", "of-desc-asc", "a,b,c,d"] {
            assert_eq!(said(&parse(text)), text);
        }
        assert_eq!(said(&parse("Name,name-desc,,a,b,c,d,e")), "name,a,b,c");
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
    fn a_press_orders_and_a_second_one_turns() {
        let shown = [header("Namespace", false), header("Name", false), header("Restarts", true)];
        let press = |order: &str, at: usize, add| said(&press(&parse(order), &shown[at], &shown, add));
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
    fn a_press_with_shift_adds_turns_and_takes_away() {
        let shown = [header("Name", false), header("Restarts", true)];
        let press = |order: &str, at: usize| said(&press(&parse(order), &shown[at], &shown, true));
        assert_eq!(press("restarts-desc", 0), "restarts-desc,name");
        assert_eq!(press("restarts-desc,name", 0), "restarts-desc,name-desc");
        assert_eq!(press("restarts-desc,name-desc", 0), "restarts-desc");
        assert_eq!(press("restarts-desc", 1), "restarts");
        assert_eq!(press("a,b,c,d", 0), "a,b,c,d");
    }

    #[test]
    fn headers_know_their_place() {
        let shown = [header("Name", false), header("Restarts", true)];
        let order = parse("restarts-desc,name");
        assert_eq!(place_of(&order, "Name", &shown), Some((1, false)));
        assert_eq!(place_of(&order, "Restarts", &shown), Some((0, true)));
        assert_eq!(place_of(&order, "Age", &shown), None);
        assert_eq!(place_of(&[], "Name", &shown), Some((0, false)), "the namespace is not shown");
    }

    #[test]
    fn events_are_from_the_newest() {
        let of = |gvr: &str| usual(&gvr.parse().expect("a resource"));
        assert_eq!(of("v1/events"), [OrderBy::ascending("Last Seen")]);
        assert_eq!(of("events.k8s.io/v1/events"), [OrderBy::ascending("Last Seen")]);
        assert!(of("v1/pods").is_empty() && of("example.org/v1/events").is_empty());
        let shown = [header("Namespace", false), header("Last Seen", false)];
        assert_eq!(place_of(&[], "Last Seen", &shown), Some((0, false)));
    }
}
