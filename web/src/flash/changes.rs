//! Changes of the rows in sight between two paints: new rows, and cells with another text. Pure.

use std::collections::HashMap;
use std::sync::Arc;

use crate::rows::Row;

/// Change of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Change {
    New,
    /// The indexes of the changed cells.
    Cells(Vec<usize>),
}

/// Rows of a paint, in order, and the number of rows in the whole view.
#[derive(Clone, Debug, Default)]
pub(super) struct Paint {
    rows: Vec<Arc<Row>>,
    row_count: usize,
}

impl Paint {
    pub(super) fn new(mut rows: Vec<Arc<Row>>, row_count: usize) -> Self {
        rows.sort_by_key(|row| row.index);
        Self { rows, row_count }
    }

    /// Whether both paints have the very same rows.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        let same = |(one, other): (&Arc<Row>, &Arc<Row>)| Arc::ptr_eq(one, other);
        self.rows.len() == other.rows.len() && self.rows.iter().zip(&other.rows).all(same)
    }

    /// The changes since an earlier paint of the same query, by key. `cells` are the indexes of the shown ones.
    ///
    /// A row that was not in sight before is new only if it is between rows that were, or at an end of the view that
    /// was in sight: any other one was scrolled or moved into sight.
    pub(super) fn since(&self, before: &Self, cells: &[usize]) -> Vec<(&str, Change)> {
        let known: HashMap<&str, &Row> = before.rows.iter().map(|row| (row.key.as_str(), &**row)).collect();
        let is_known = |row: &Arc<Row>| known.contains_key(row.key.as_str());
        let (first, last) = (self.rows.iter().position(is_known), self.rows.iter().rposition(is_known));
        let began_at_top = before.rows.first().is_some_and(|row| row.index == 0);
        let had_end = before.rows.last().is_some_and(|row| row.index + 1 >= before.row_count);
        let is_at_top = self.rows.first().is_some_and(|row| row.index == 0);
        let is_new = |at: usize| match (first, last) {
            (Some(first), Some(last)) if at < first => began_at_top && is_at_top && first <= last,
            (Some(_), Some(last)) if at > last => had_end,
            (Some(_), Some(_)) => true,
            _ => before.row_count == 0,
        };
        let change = |(at, row): (usize, &'_ Arc<Row>)| match known.get(row.key.as_str()) {
            _ if row.gone => None,
            None => is_new(at).then_some(Change::New),
            Some(known) => {
                let others = changed(known, row, cells);
                (!others.is_empty()).then_some(Change::Cells(others))
            }
        };
        self.rows.iter().enumerate().filter_map(|row| Some((row.1.key.as_str(), change(row)?))).collect()
    }
}

/// The indexes of changed cells. Rows with other columns have no cells in common.
fn changed(before: &Row, now: &Row, cells: &[usize]) -> Vec<usize> {
    if before.cells.len() != now.cells.len() {
        return Vec::new();
    }
    cells.iter().copied().filter(|at| before.cells.get(*at) != now.cells.get(*at)).collect()
}

#[cfg(test)]
mod tests {
    use informer_engine::columns::Cell;

    use super::*;

    fn row(index: usize, key: &str, status: &str) -> Arc<Row> {
        let cells = vec![Cell::Text(key.to_owned()), Cell::Text(status.to_owned()), Cell::Time(7.0)];
        Arc::new(Row { index, key: key.to_owned(), gone: false, cells })
    }

    /// A paint of a view of `row_count` rows, from an index on.
    fn paint(from: usize, keys: &str, row_count: usize) -> Paint {
        Paint::new(
            keys.chars().enumerate().map(|(at, key)| row(from + at, &key.to_string(), "ok")).collect(),
            row_count,
        )
    }

    fn new(before: &Paint, now: &Paint) -> String {
        now.since(before, &[0, 1, 2])
            .into_iter()
            .map(|(key, change)| {
                assert_eq!(change, Change::New, "{key}");
                key.to_owned()
            })
            .collect()
    }

    #[test]
    fn changed_cells_are_found_wherever_the_row_is() {
        let before = Paint::new(vec![row(0, "a", "ok"), row(1, "b", "ok")], 2);
        let now = Paint::new(vec![row(1, "a", "bad"), row(0, "b", "ok")], 2);
        assert_eq!(now.since(&before, &[0, 1, 2]), [("a", Change::Cells(vec![1]))]);
        assert_eq!(now.since(&before, &[0, 2]), [], "a cell that is not shown");
        assert!(!now.is_same(&before) && now.is_same(&now.clone()));
    }

    #[test]
    fn a_row_between_known_rows_or_at_an_end_in_sight_is_new() {
        assert_eq!(new(&paint(0, "ab", 2), &paint(0, "axb", 3)), "x");
        assert_eq!(new(&paint(0, "ab", 2), &paint(0, "xabyz", 5)), "xyz");
        assert_eq!(new(&paint(3, "abc", 9), &paint(3, "axb", 10)), "x", "the last one left the window");
        assert_eq!(new(&paint(0, "", 0), &paint(0, "ab", 2)), "ab", "the first rows of an empty view");
    }

    #[test]
    fn a_row_that_was_scrolled_or_moved_into_sight_is_not_new() {
        let before = paint(3, "abc", 9);
        assert_eq!(new(&before, &paint(4, "bcd", 9)), "");
        assert_eq!(new(&before, &paint(2, "zab", 9)), "");
        assert_eq!(new(&before, &paint(3, "bcd", 8)), "", "one above was deleted, and the next ones move up");
        assert_eq!(new(&before, &paint(3, "zab", 10)), "", "one was added above the window");
        assert_eq!(new(&before, &paint(90, "xyz", 200)), "", "a jump");
        assert_eq!(new(&paint(1, "abc", 9), &paint(0, "zabc", 9)), "", "a scroll to the top");
    }

    #[test]
    fn rows_that_are_gone_or_have_other_columns_did_not_change() {
        let before = paint(0, "ab", 2);
        let gone = Row { gone: true, ..(*row(0, "a", "bad")).clone() };
        let other = Row { cells: vec![Cell::None], ..(*row(1, "b", "ok")).clone() };
        assert_eq!(Paint::new(vec![Arc::new(gone), Arc::new(other)], 2).since(&before, &[0, 1]), []);
    }
}
