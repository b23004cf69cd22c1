//! Rows of a view's window, as received from the engine.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use informer_engine::columns::Cell;

/// One row of the window.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Row {
    /// Its place in the whole view, from 0.
    pub(crate) index: usize,
    /// `namespace/name` or `name`.
    pub(crate) key: String,
    /// Whether its object is gone from the view, and only its place is kept.
    pub(crate) gone: bool,
    /// One for each header.
    pub(crate) cells: Vec<Cell>,
}

/// How many rows a view has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Totals {
    /// In the view.
    pub(crate) total: usize,
    /// Without its filter.
    pub(crate) of: usize,
    /// Whether that is all of them: the first list is complete.
    pub(crate) synced: bool,
}

/// Rows by their place; what lies outside the last window is forgotten, as the engine forgets it.
#[derive(Debug, Default)]
pub(crate) struct Rows {
    totals: Option<Totals>,
    /// One past the last place that has a row. Beyond the total while rows that are gone hold their places.
    places: usize,
    by_index: HashMap<usize, Arc<Row>>,
}

impl Rows {
    /// Takes in one message of the view.
    pub(crate) fn patch(&mut self, totals: Totals, window: &Range<usize>, rows: Vec<Row>) {
        self.totals = Some(totals);
        self.places = totals.total.max(window.end);
        self.by_index.retain(|index, _| window.contains(index));
        for row in rows {
            self.by_index.insert(row.index, Arc::new(row));
        }
    }

    /// How many rows there are, once the engine has said so.
    pub(crate) fn totals(&self) -> Option<Totals> {
        self.totals
    }

    /// Places for rows in the whole view: its rows, and those that are gone and hold theirs.
    pub(crate) fn places(&self) -> Option<usize> {
        self.totals.map(|_| self.places)
    }

    /// The row at a place, if it is here.
    pub(crate) fn get(&self, index: usize) -> Option<&Arc<Row>> {
        self.by_index.get(&index)
    }

    /// Where the row of a key is, if it is here.
    pub(crate) fn index_of(&self, key: &str) -> Option<usize> {
        self.by_index.values().find(|row| row.key == key).map(|row| row.index)
    }
}

/// What part of a view is in sight.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Sight {
    /// Pixels above the first visible one.
    pub(crate) top: f64,
    /// Visible pixels.
    pub(crate) height: f64,
    /// Height of one row.
    pub(crate) row: f64,
}

impl Sight {
    /// How many slots cover the sight with its overscan.
    pub(crate) fn slots(self) -> usize {
        self.rows() + 2 * self.overscan()
    }

    /// How many rows one page is.
    pub(crate) fn rows(self) -> usize {
        whole((self.height / self.row.max(1.0)).ceil()) + 1
    }

    /// The rows that are seen as a whole. The header lies over the first row height of the sight.
    pub(crate) fn whole_rows(self) -> Range<usize> {
        // Sizes in pixels are rounded.
        const ROUNDING: f64 = 2.0;
        let row = self.row.max(1.0);
        let first = whole(((self.top - ROUNDING) / row).ceil());
        first..whole(((self.top + self.height - row + ROUNDING) / row).floor()).max(first + 1)
    }

    /// Rows kept ready above and below: half of what is seen, so that a turn of the wheel finds them there.
    fn overscan(self) -> usize {
        (self.rows() / 2).clamp(8, 40)
    }

    /// The rows wanted: always as many as there are slots, but for short views.
    pub(crate) fn window(self, total: usize) -> Range<usize> {
        let slots = self.slots();
        let first = whole((self.top / self.row.max(1.0)).floor());
        let start = first.saturating_sub(self.overscan()).min(total.saturating_sub(slots));
        start..(start + slots).min(total)
    }
}

/// A length in pixels as a count; what is below 0 or not a number is 0.
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

    fn of(total: usize) -> Totals {
        Totals { total, of: total, synced: true }
    }

    #[test]
    fn rows_outside_the_window_are_forgotten() {
        let mut rows = Rows::default();
        assert_eq!(rows.places(), None);
        rows.patch(of(10), &(0..3), vec![row(0, "a"), row(1, "b"), row(2, "c")]);
        rows.patch(of(10), &(2..4), vec![row(3, "d")]);
        assert_eq!((rows.index_of("a"), rows.index_of("c"), rows.index_of("d")), (None, Some(2), Some(3)));
        rows.patch(of(3), &(2..3), vec![]);
        assert_eq!((rows.places(), rows.get(3)), (Some(3), None));
    }

    #[test]
    fn a_row_that_is_gone_keeps_its_place_beyond_the_total() {
        let mut rows = Rows::default();
        rows.patch(of(2), &(0..2), vec![row(0, "a"), row(1, "b")]);
        rows.patch(of(1), &(0..2), vec![Row { gone: true, ..row(1, "b") }]);
        assert_eq!((rows.places(), rows.get(1).is_some_and(|row| row.gone)), (Some(2), true));
        rows.patch(of(1), &(0..1), vec![]);
        assert_eq!((rows.places(), rows.get(1)), (Some(1), None));
    }

    #[test]
    fn the_window_covers_what_is_seen() {
        let sight = Sight { top: 3200.0, height: 640.0, row: 32.0 };
        let window = sight.window(1000);
        assert!(window.start <= 100 && window.end >= 121);
        assert_eq!(window.len(), sight.slots());
    }

    #[test]
    fn rows_below_the_header_are_seen_as_a_whole() {
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
