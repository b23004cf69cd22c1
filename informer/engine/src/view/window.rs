//! Window of a view: the rows that the reader has, and the patch to those it should have.

use std::sync::Arc;

use informer_packing::{Ranked, sorted_by_number};

use super::table::Table;
use crate::columns::Cell;
use crate::message::Row;
use informer::{Keyed, Object};

/// Patch of a window: see [`crate::message::FromEngine::View`].
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ViewPatch {
    pub(crate) revision: u64,
    pub(crate) total: usize,
    pub(crate) of: usize,
    pub(crate) synced: bool,
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) rows: Vec<Row>,
}

/// The window of a view.
///
/// While its order is frozen, each place that was sent keeps its key. If the row is in the view, its cells are current;
/// otherwise it is marked as gone and keeps its last cells, and it may come back. No other row takes such a place, so
/// `end` may lie beyond the total. Moving the window, or another filter or order, releases the places once, and the
/// rows that follow are frozen. Before the first list is complete nothing is frozen.
#[derive(Default)]
pub(super) struct Window {
    requested: (usize, usize),
    start: usize,
    /// From `start` on. An object that did not change is the same instance, also after a relist.
    sent: Vec<SentRow>,
    /// Cells of sent rows that have changed since, by row id, sorted; `None` for rows without a change. A change of a
    /// visible row is therefore decoded once.
    decoded: Vec<(u32, Option<Vec<Cell>>)>,
    sent_totals: Option<SentTotals>,
    revision: u64,
    objects: bool,
    /// Whether the page has frozen the order.
    frozen: bool,
    /// Whether the sent rows keep their places.
    pinned: bool,
}

#[derive(Clone)]
struct SentRow {
    object: Arc<Object>,
    /// `None` if it is gone.
    row: Option<u32>,
}

impl SentRow {
    fn gone(&self) -> bool {
        self.row.is_none()
    }
}

#[derive(Clone, Copy, PartialEq)]
struct SentTotals {
    total: usize,
    of: usize,
    synced: bool,
    end: usize,
}

impl Window {
    /// Creates a window whose rows are the objects themselves, or their cells.
    pub(super) fn new(objects: bool) -> Self {
        Self { objects, ..Self::default() }
    }

    pub(super) fn set(&mut self, start: usize, end: usize) {
        self.requested = (start, end.max(start));
        self.pinned = false;
    }

    pub(super) fn freeze_order(&mut self, frozen: bool) {
        self.frozen = frozen;
        self.pinned = frozen && !self.sent.is_empty() && self.sent_totals.is_some_and(|sent_totals| sent_totals.synced);
    }

    /// Releases the frozen places once: other rows are requested.
    pub(super) fn release(&mut self) {
        self.pinned = false;
    }

    /// Keeps the decoded cells of an object that was put into a row, if the row is visible.
    pub(super) fn keep_cells(&mut self, row: u32, cells: Vec<Cell>) {
        if let Some(decoded) = self.decoded_at(row) {
            *decoded = Some(cells);
        }
    }

    /// Returns the difference from the sent rows; `None` if there is none. Before the first list is complete, an empty
    /// view sends no patch.
    pub(super) fn patch(&mut self, table: &Table, ranked: &Ranked, of: usize, synced: bool) -> Option<ViewPatch> {
        if !synced && of == 0 && self.sent_totals.is_none() {
            return None;
        }
        let total = ranked.shown();
        let (start, now) =
            if self.pinned { (self.start, self.frozen_rows(table, ranked)) } else { self.due(table, ranked) };
        let mut rows = Vec::new();
        for (index, row) in (start..).zip(&now) {
            let before = index.checked_sub(self.start).and_then(|index| self.sent.get(index));
            if before.is_none_or(|sent| !Arc::ptr_eq(&sent.object, &row.object) || sent.gone() != row.gone()) {
                rows.push(self.make_row(table, index, row));
            }
        }
        let end = start + now.len();
        let sent_totals = SentTotals { total, of, synced, end };
        let same = rows.is_empty() && self.sent_totals == Some(sent_totals) && self.start == start;
        (self.start, self.sent, self.sent_totals) = (start, now, Some(sent_totals));
        self.pinned = self.frozen && synced && !self.sent.is_empty();
        if same {
            return None;
        }
        if !self.objects {
            self.expect_changes();
        }
        self.revision += 1;
        Some(ViewPatch { revision: self.revision, total, of, synced, start, end, rows })
    }

    fn due(&self, table: &Table, ranked: &Ranked) -> (usize, Vec<SentRow>) {
        let total = ranked.shown();
        let (start, end) = (self.requested.0.min(total), self.requested.1.min(total));
        let sent = |row: u32| table.object(row).map(|object| SentRow { object: Arc::clone(object), row: Some(row) });
        (start, (start..end).filter_map(|index| sent(ranked.at(index)?)).collect())
    }

    fn frozen_rows(&self, table: &Table, ranked: &Ranked) -> Vec<SentRow> {
        let now = |sent: &SentRow| {
            let row = table.row_of(sent.object.key()).filter(|row| ranked.is_shown(*row));
            let object = row.and_then(|row| table.object(row)).unwrap_or(&sent.object);
            SentRow { object: Arc::clone(object), row }
        };
        self.sent.iter().map(now).collect()
    }

    fn make_row(&mut self, table: &Table, index: usize, sent: &SentRow) -> Row {
        let object = &sent.object;
        let whole = self.objects.then(|| object.json().into_owned());
        let cells = if self.objects { Vec::new() } else { self.take_cells(table, sent) };
        let (key, uid) = (object.key().to_owned(), object.uid().to_owned());
        Row { index, key, uid, cells, object: whole, gone: sent.gone() }
    }

    /// Returns the cells of an object: those kept when it changed, or decoded now.
    fn take_cells(&mut self, table: &Table, sent: &SentRow) -> Vec<Cell> {
        let decoded = sent.row.and_then(|row| self.decoded_at(row)).and_then(Option::take);
        decoded.unwrap_or_else(|| table.cells().of(&sent.object))
    }

    fn decoded_at(&mut self, row: u32) -> Option<&mut Option<Vec<Cell>>> {
        let index = self.decoded.binary_search_by_key(&row, |(row, _)| *row).ok()?;
        Some(&mut self.decoded[index].1)
    }

    /// Returns the visible rows with kept cells.
    #[cfg(test)]
    pub(super) fn decoded(&self) -> impl Iterator<Item = u32> {
        self.decoded.iter().filter(|(_, cells)| cells.is_some()).map(|(row, _)| *row)
    }

    /// Reserves a slot for the cells of each sent row, for changes until the next patch.
    fn expect_changes(&mut self) {
        let rows: Vec<u32> = self.sent.iter().filter_map(|sent| sent.row).collect();
        let numbers: Vec<u64> = rows.iter().copied().map(u64::from).collect();
        let sorted = sorted_by_number(&numbers);
        self.decoded = sorted.into_iter().map(|index| (rows[index as usize], None)).collect();
    }
}
