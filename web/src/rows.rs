//! Rows of a view's window, as received from the engine.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use informer_engine::columns::Cell;

/// Row of the window.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Row {
    /// Index in the whole view, from 0.
    pub(crate) index: usize,
    /// `namespace/name` or `name`.
    pub(crate) key: String,
    /// Whether its object left the view while the order is frozen.
    pub(crate) gone: bool,
    /// Cells, one for each header.
    pub(crate) cells: Vec<Cell>,
}

/// Row counts of a view.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Totals {
    /// Rows that match the filter.
    pub(crate) total: usize,
    /// Rows without the filter.
    pub(crate) unfiltered: usize,
    /// Whether the counts are complete: the first list is complete.
    pub(crate) synced: bool,
}

/// Rows by index. Rows outside the last window are dropped, as in the engine.
#[derive(Debug, Default)]
pub(crate) struct Rows {
    totals: Option<Totals>,
    /// One past the last index with a row. Exceeds the total while removed rows keep frozen positions.
    row_count: usize,
    by_index: HashMap<usize, Arc<Row>>,
}

impl Rows {
    /// Applies a message of the view.
    pub(crate) fn patch(&mut self, totals: Totals, window: &Range<usize>, rows: Vec<Row>) {
        self.totals = Some(totals);
        self.row_count = totals.total.max(window.end);
        self.by_index.retain(|index, _| window.contains(index));
        for row in rows {
            self.by_index.insert(row.index, Arc::new(row));
        }
    }

    /// Returns the counts, once known.
    pub(crate) fn totals(&self) -> Option<Totals> {
        self.totals
    }

    /// Number of rows in the whole view, including removed rows in frozen positions.
    pub(crate) fn row_count(&self) -> Option<usize> {
        self.totals.map(|_| self.row_count)
    }

    /// Returns the row at an index, if it is loaded.
    pub(crate) fn get(&self, index: usize) -> Option<&Arc<Row>> {
        self.by_index.get(&index)
    }

    /// Returns the index of a key, if its row is loaded.
    pub(crate) fn index_of(&self, key: &str) -> Option<usize> {
        self.by_index.values().find(|row| row.key == key).map(|row| row.index)
    }
}

/// Visible part of a view.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Sight {
    /// Pixels above the first visible row.
    pub(crate) top: f64,
    /// Visible pixels.
    pub(crate) height: f64,
    /// Height of one row.
    pub(crate) row: f64,
}

impl Sight {
    /// Number of slots that cover the visible part and its overscan.
    pub(crate) fn slots(self) -> usize {
        self.rows() + 2 * self.overscan()
    }

    /// Number of rows per page.
    pub(crate) fn rows(self) -> usize {
        whole((self.height / self.row.max(1.0)).ceil()) + 1
    }

    /// Rows that are completely visible. The header covers the first row height.
    pub(crate) fn whole_rows(self) -> Range<usize> {
        // Pixel sizes are rounded.
        const ROUNDING: f64 = 2.0;
        let row = self.row.max(1.0);
        let first = whole(((self.top - ROUNDING) / row).ceil());
        first..whole(((self.top + self.height - row + ROUNDING) / row).floor()).max(first + 1)
    }

    /// Rows prepared above and below: half of the visible ones, so that one turn of the wheel finds them.
    fn overscan(self) -> usize {
        (self.rows() / 2).clamp(8, 40)
    }

    /// Rows to request: as many as there are slots, except in short views.
    pub(crate) fn window(self, total: usize) -> Range<usize> {
        let slots = self.slots();
        let first = whole((self.top / self.row.max(1.0)).floor());
        let start = first.saturating_sub(self.overscan()).min(total.saturating_sub(slots));
        start..(start + slots).min(total)
    }
}

/// Converts a length in pixels to a count; negative numbers and NaN give 0.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn whole(value: f64) -> usize {
    value.clamp(0.0, 1e9) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(index: usize, key: &str) -> Row {
        Row { index, key: key.to_owned(), gone: false, cells: vec![] }
    }

    fn totals(total: usize) -> Totals {
        Totals { total, unfiltered: total, synced: true }
    }

    #[test]
    fn rows_outside_the_window_are_dropped() {
        let mut rows = Rows::default();
        assert_eq!(rows.row_count(), None);
        rows.patch(totals(10), &(0..3), vec![row(0, "a"), row(1, "b"), row(2, "c")]);
        rows.patch(totals(10), &(2..4), vec![row(3, "d")]);
        assert_eq!((rows.index_of("a"), rows.index_of("c"), rows.index_of("d")), (None, Some(2), Some(3)));
        rows.patch(totals(3), &(2..3), vec![]);
        assert_eq!((rows.row_count(), rows.get(3)), (Some(3), None));
    }

    #[test]
    fn a_removed_row_keeps_its_position_beyond_the_total() {
        let mut rows = Rows::default();
        rows.patch(totals(2), &(0..2), vec![row(0, "a"), row(1, "b")]);
        rows.patch(totals(1), &(0..2), vec![Row { gone: true, ..row(1, "b") }]);
        assert_eq!((rows.row_count(), rows.get(1).is_some_and(|row| row.gone)), (Some(2), true));
        rows.patch(totals(1), &(0..1), vec![]);
        assert_eq!((rows.row_count(), rows.get(1)), (Some(1), None));
    }

    #[test]
    fn the_window_covers_the_visible_rows() {
        let sight = Sight { top: 3200.0, height: 640.0, row: 32.0 };
        let window = sight.window(1000);
        assert!(window.start <= 100 && window.end >= 121);
        assert_eq!(window.len(), sight.slots());
    }

    #[test]
    fn rows_below_the_header_are_completely_visible() {
        let sight = Sight { top: 0.0, height: 640.0, row: 32.0 };
        assert_eq!(sight.whole_rows(), 0..19);
        assert_eq!(Sight { top: 3200.0, ..sight }.whole_rows(), 100..119);
        assert_eq!(Sight { top: 3216.0, ..sight }.whole_rows(), 101..119);
        assert_eq!(Sight { height: 10.0, ..sight }.whole_rows(), 0..1, "never none");
    }

    #[test]
    fn the_window_stays_within_the_view() {
        let sight = Sight { top: 1e12, height: 640.0, row: 32.0 };
        assert_eq!(sight.window(1000).end, 1000);
        assert_eq!(sight.window(5), 0..5);
        assert_eq!(sight.window(0), 0..0);
        assert!(Sight { top: f64::NAN, height: f64::NAN, row: 0.0 }.window(9).end <= 9);
    }
}
