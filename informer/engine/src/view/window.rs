//! Window of a view: the rows that the reader has, and the patch to those it should have.

use std::sync::Arc;

use informer_packing::Ranked;

use super::table::Table;
use crate::message::Row;
use informer::{Keyed, Object};

/// What changed in a window: see [`crate::message::FromEngine::View`].
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
/// While it is held, each place that was sent stays with the key that it was sent with: if that row is in the view, its
/// cells are as they are now, else it is marked as gone and keeps the cells that it had; it comes back if it does. Nothing
/// else comes into these places, so `end` may lie beyond the total. Moving the window, or asking for another filter or
/// order, lets the rows go once and holds what comes then. Before the first list is complete nothing is held.
#[derive(Default)]
pub(super) struct Window {
    asked: (usize, usize),
    start: usize,
    /// From `start` on. An object that did not change is the same instance, also after a relist.
    sent: Vec<Sent>,
    told: Option<Told>,
    revision: u64,
    objects: bool,
    hold: bool,
    /// Whether what was sent keeps its places.
    fixed: bool,
}

#[derive(Clone)]
struct Sent {
    object: Arc<Object>,
    gone: bool,
}

#[derive(Clone, Copy, PartialEq)]
struct Told {
    total: usize,
    of: usize,
    synced: bool,
    end: usize,
}

impl Window {
    /// A window whose rows are the objects themselves, or their cells.
    pub(super) fn new(objects: bool) -> Self {
        Self { objects, ..Self::default() }
    }

    pub(super) fn ask(&mut self, start: usize, end: usize) {
        self.asked = (start, end.max(start));
        self.fixed = false;
    }

    pub(super) fn hold(&mut self, hold: bool) {
        self.hold = hold;
        self.fixed = hold && !self.sent.is_empty() && self.told.is_some_and(|told| told.synced);
    }

    /// Lets what is held go once: somebody asked for other rows.
    pub(super) fn let_go(&mut self) {
        self.fixed = false;
    }

    /// What the reader has not seen; `None` when it has seen everything. Before the first list is complete, having nothing
    /// is not news.
    pub(super) fn patch(&mut self, table: &Table, ranked: &Ranked, of: usize, synced: bool) -> Option<ViewPatch> {
        if !synced && of == 0 && self.told.is_none() {
            return None;
        }
        let total = ranked.shown();
        let (start, now) = if self.fixed { (self.start, self.held(table, ranked)) } else { self.due(table, ranked) };
        let mut rows = Vec::new();
        for (index, row) in (start..).zip(&now) {
            let before = index.checked_sub(self.start).and_then(|place| self.sent.get(place));
            if before.is_none_or(|sent| !Arc::ptr_eq(&sent.object, &row.object) || sent.gone != row.gone) {
                rows.push(self.to_row(table, index, row));
            }
        }
        let end = start + now.len();
        let told = Told { total, of, synced, end };
        let same = rows.is_empty() && self.told == Some(told) && self.start == start;
        (self.start, self.sent, self.told) = (start, now, Some(told));
        self.fixed = self.hold && synced && !self.sent.is_empty();
        if same {
            return None;
        }
        self.revision += 1;
        Some(ViewPatch { revision: self.revision, total, of, synced, start, end, rows })
    }

    fn due(&self, table: &Table, ranked: &Ranked) -> (usize, Vec<Sent>) {
        let total = ranked.shown();
        let (start, end) = (self.asked.0.min(total), self.asked.1.min(total));
        let sent =
            |place| table.object(ranked.at(place)?).map(|object| Sent { object: Arc::clone(object), gone: false });
        (start, (start..end).filter_map(sent).collect())
    }

    fn held(&self, table: &Table, ranked: &Ranked) -> Vec<Sent> {
        let now = |sent: &Sent| {
            let row = table.row_of(sent.object.key()).filter(|row| ranked.is_shown(*row));
            match row.and_then(|row| table.object(row)) {
                Some(object) => Sent { object: Arc::clone(object), gone: false },
                None => Sent { object: Arc::clone(&sent.object), gone: true },
            }
        };
        self.sent.iter().map(now).collect()
    }

    fn to_row(&self, table: &Table, index: usize, Sent { object, gone }: &Sent) -> Row {
        let whole = self.objects.then(|| object.json().into_owned());
        let cells = if self.objects { Vec::new() } else { table.cells().of(object) };
        let (key, uid) = (object.key().to_owned(), object.uid().to_owned());
        Row { index, key, uid, cells, object: whole, gone: *gone }
    }
}
