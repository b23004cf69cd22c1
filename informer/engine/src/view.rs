//! View: a filtered, sorted read of a cache, with a window.

mod cells;
mod facets;
mod filter;
#[cfg(test)]
mod naive;
mod names;
mod order;
mod prefilter;
mod retests;
mod rewindable;
mod table;
#[cfg(test)]
mod tests;
mod values;
mod window;

use std::sync::Arc;

use informer_packing::{Ranked, mark};

use crate::columns::ColumnHeader;
use crate::message::{FromEngine, ViewRequest};
use crate::order_by::OrderBy;
use crate::query::{Query, QueryError};
use crate::value_counts::{Facet, ValuesOptions};
use informer::{Change, ChangeBatch, ErrorCode, InformerError, Keyed, LabelSelector, Object};

pub(crate) use cells::Cells;
use facets::Facets;
pub(crate) use filter::Filter;
use names::Names;
use order::Order;
pub(crate) use retests::Retests;
pub(crate) use rewindable::{Past, Rewindable};
use table::NAMESPACE;
pub(crate) use table::{Field, Table};
use window::{ViewPatch, Window};

/// Number of changes above which all rows are sorted again, if also more than every eighth row changed. Placing them
/// one by one would be slower.
const FULL_SORT_MIN_CHANGES: usize = 64;

/// View query: rows and order of a view.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ViewQuery {
    pub(crate) filter: String,
    pub(crate) order_by: Vec<OrderBy>,
    pub(crate) facets: Vec<String>,
    pub(crate) namespaces: Vec<String>,
}

/// Rejection of a view query. `start` and `end` are a position in the filter, in UTF-16 units; 0 and 0 if the filter is
/// valid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Rejection {
    pub(crate) message: String,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// Rows of a view, kept in order as the cache changes, and what its reader has received.
///
/// Every object is a row, in its place in the order; those that match the filter are shown and counted. A change
/// costs O(log n) comparisons, another filter one test per row without a sort, another order a sort. Equal texts of
/// cells are stored once. Methods receive the time as an argument, in milliseconds since the Unix epoch.
pub(crate) struct View {
    table: Table,
    label_selector: Option<LabelSelector>,
    namespaces: Vec<String>,
    query: Query,
    filter: Filter,
    order: Order,
    names: Names,
    ranked: Ranked,
    /// Rows before the filter.
    unfiltered: usize,
    facets: Facets,
    retests: Retests,
    window: Window,
}

/// View, aggregate or recording, as the engine uses it: see [`View`], [`Aggregate`](crate::aggregate::Aggregate) and
/// [`Recording`](crate::change_log::Recording).
///
/// The methods with a default concern the rows of a view, which the others do not have.
pub(crate) trait LiveView {
    /// Applies a batch of changes.
    fn apply(&mut self, batch: &ChangeBatch<Object>, now: f64);
    /// Returns the messages with what the reader has not received; none if it is up to date. `view` is its id,
    /// `query_id` the number of its view query.
    fn updates(&mut self, view: u32, query_id: u32, synced: bool, now: f64) -> Vec<FromEngine>;
    /// Returns the earliest time at which it changes without an event.
    fn due_at(&self) -> Option<f64>;
    fn headers(&self) -> Vec<ColumnHeader> {
        Vec::new()
    }
    /// Applies a view query. O(n), and a sort if the order changes.
    ///
    /// # Errors
    /// If any part is invalid; nothing changes then.
    fn change(&mut self, _: &ViewQuery, _: f64) -> Result<(), Rejection> {
        Err(Rejection::elsewhere("only a view can be changed; close this one and open another one".to_owned()))
    }
    fn set_window(&mut self, _start: usize, _end: usize) {}
    /// Freezes or unfreezes the visible rows: see [`Window`].
    fn freeze_order(&mut self, _frozen: bool) {}
    /// Shows the objects of an earlier time, or the present again.
    fn show(&mut self, _past: Option<&dyn Past>, _now: f64) {}
    /// Returns the objects at the time that a recording is rewound to; `None` at present.
    fn past(&self) -> Option<Box<dyn Past + '_>> {
        None
    }
    /// Rewinds to a time, at the latest to the last millisecond, or returns to the present.
    ///
    /// # Errors
    /// If it is no recording, or its states at that time are not known.
    fn rewind(&mut self, _time: Option<f64>, _now: f64) -> informer::Result<()> {
        Err(unsupported_request())
    }
    /// Responds to a request with JSON text.
    ///
    /// # Errors
    /// If the request is invalid, or not supported by this kind of view.
    fn respond(&self, _: &ViewRequest, _: f64) -> informer::Result<String> {
        Err(unsupported_request())
    }
}

impl LiveView for View {
    fn headers(&self) -> Vec<ColumnHeader> {
        self.table.headers().to_vec()
    }

    fn change(&mut self, view_query: &ViewQuery, now: f64) -> Result<(), Rejection> {
        let in_filter = |error: QueryError| Rejection::in_filter(&view_query.filter, &error);
        let query: Query = view_query.filter.parse().map_err(in_filter)?;
        let filter = Filter::bind(&query, &self.table).map_err(in_filter)?;
        let order = Order::bind(&view_query.order_by, &self.table).map_err(Rejection::elsewhere)?;
        let facets = Facets::bind(&view_query.facets, &self.table).map_err(Rejection::elsewhere)?;
        let rows = if order == self.order {
            self.ranked.rows()
        } else {
            order.sorted(&self.table, self.names.sorted(&self.table))
        };
        self.pass_time(now);
        let refines = query.refines(&self.query) && view_query.namespaces == self.namespaces;
        let shown = (refines && testing_few_pays(self.ranked.shown(), rows.len())).then(|| self.ranked.shown_rows());
        (self.query, self.filter, self.order, self.facets) = (query, filter, order, facets);
        self.namespaces.clone_from(&view_query.namespaces);
        let passing = match shown {
            Some(shown) => self.passing(&shown, now),
            None => self.filter.scan(&self.table, now),
        };
        self.rebuild(&rows, passing, now);
        self.window.release();
        Ok(())
    }

    fn set_window(&mut self, start: usize, end: usize) {
        self.window.set(start, end);
    }

    fn freeze_order(&mut self, frozen: bool) {
        self.window.freeze_order(frozen);
    }

    fn apply(&mut self, batch: &ChangeBatch<Object>, now: f64) {
        let whole = sorting_all_pays(batch.changes.len(), self.table.len());
        if self.table.len() == 0 {
            self.table.reserve(batch.changes.len());
        }
        for change in &batch.changes {
            let object = change.object();
            let stays = !matches!(change, Change::Delete { .. }) && self.is_selected(object);
            let row = self.table.row_of(object.key());
            match (row, stays, whole) {
                (Some(row), true, _) if self.is_same(row, object) => {}
                (_, true, false) => self.put(row, object, now),
                (_, true, true) => {
                    let (now_at, cells) = self.table.put(object);
                    self.window.keep_cells(now_at, cells);
                    if row.is_none() {
                        self.names.add(now_at, &self.table);
                    }
                }
                (Some(row), false, false) => self.remove(row),
                (Some(row), false, true) => self.table.remove(row),
                (None, false, _) => {}
            }
        }
        if whole {
            let rows = self.order.sorted(&self.table, self.names.sorted(&self.table));
            let passing = self.filter.scan(&self.table, now);
            self.rebuild(&rows, passing, now);
        }
    }

    fn updates(&mut self, view: u32, query_id: u32, synced: bool, now: f64) -> Vec<FromEngine> {
        let patch = self.patch(synced, now).map(|patch| {
            let ViewPatch { revision, total, of, synced, start, end, rows } = patch;
            FromEngine::View { view, query_id, revision, total, of, synced, start, end, rows }
        });
        let facets = self.facets(now).map(|facets| FromEngine::Facets { view, query_id, facets });
        patch.into_iter().chain(facets).collect()
    }

    fn respond(&self, request: &ViewRequest, now: f64) -> informer::Result<String> {
        let ViewRequest::Values(options) = request else { return Err(unsupported_request()) };
        let facet = self.values(options, now);
        facet.map(|facet| facet.to_json()).map_err(|reason| InformerError::new(ErrorCode::BadRequest, reason.message))
    }

    fn due_at(&self) -> Option<f64> {
        self.retests.next().into_iter().chain(self.facets.due_at()).reduce(f64::min)
    }
}

/// Error of a request that this kind of view does not support: views, aggregates and recordings have different ones.
pub(crate) fn unsupported_request() -> InformerError {
    let message = "this request is for a view, an aggregate or a recording, and the id is of another of the three";
    InformerError::new(ErrorCode::BadRequest, message)
}

impl View {
    /// Returns the values of a column that contain a text, counted over the rows of another filter. O(rows).
    ///
    /// # Errors
    /// If the filter is invalid, or the column cannot be counted.
    fn values(&self, ask: &ValuesOptions, now: f64) -> Result<Facet, Rejection> {
        let in_filter = |error: QueryError| Rejection::in_filter(&ask.filter, &error);
        let query: Query = ask.filter.parse().map_err(in_filter)?;
        let filter = Filter::bind(&query, &self.table).map_err(in_filter)?;
        let passing = self.in_scope(filter.scan(&self.table, now));
        let passes = |row: u32| passing[row as usize] == 1;
        Facets::once(&ask.column, &ask.containing.to_lowercase(), &self.table, passes).map_err(Rejection::elsewhere)
    }

    /// Creates a view without rows that shows all its objects, by namespace and name: their cells, or the `objects`.
    pub(crate) fn new(cells: Cells, objects: bool, label_selector: Option<LabelSelector>) -> Self {
        Self {
            table: Table::new(cells),
            label_selector,
            namespaces: Vec::new(),
            query: Query::default(),
            filter: Filter::All(Vec::new()),
            order: Order::default(),
            names: Names::default(),
            ranked: Ranked::default(),
            unfiltered: 0,
            facets: Facets::default(),
            retests: Retests::default(),
            window: Window::new(objects),
        }
    }

    /// Returns a patch of the changes that the reader has not received; `None` if it is up to date.
    fn patch(&mut self, synced: bool, now: f64) -> Option<ViewPatch> {
        self.pass_time(now);
        self.window.patch(&self.table, &self.ranked, self.unfiltered, synced)
    }

    /// Returns the value counts that the reader has not received.
    fn facets(&mut self, now: f64) -> Option<Vec<Facet>> {
        self.facets.updates(&self.table, now)
    }

    fn is_same(&self, row: u32, object: &Arc<Object>) -> bool {
        self.table.object(row).is_some_and(|known| Arc::ptr_eq(known, object))
    }

    fn is_selected(&self, object: &Object) -> bool {
        self.label_selector.as_ref().is_none_or(|selector| selector.matches(&object.labels()))
    }

    fn put(&mut self, row: Option<u32>, object: &Arc<Object>, now: f64) {
        let before = row.and_then(|row| self.filter.retest_at(&self.table, row, now));
        if let Some(row) = row {
            if self.ranked.is_shown(row) {
                self.facets.remove(&self.table, row);
            }
            self.ranked.remove(row);
        }
        let is_new = row.is_none();
        let (row, cells) = self.table.put(object);
        self.window.keep_cells(row, cells);
        if is_new {
            self.names.add(row, &self.table);
        }
        let in_scope = self.is_in_scope(row);
        self.unfiltered += usize::from(is_new && in_scope);
        let shown = in_scope && self.filter.passes(&self.table, row, now);
        let (table, order) = (&self.table, &self.order);
        self.ranked.insert(row, shown, &mut |other| order.compare(table, row, other));
        if shown {
            self.facets.add(&self.table, row);
        }
        let retest = self.filter.retest_at(&self.table, row, now);
        if retest != before {
            self.retests.add(row, retest);
        }
        if self.retests.clearing_pays(self.table.len()) {
            self.schedule_retests(now);
        }
    }

    fn remove(&mut self, row: u32) {
        if self.ranked.is_shown(row) {
            self.facets.remove(&self.table, row);
        }
        self.unfiltered -= usize::from(self.is_in_scope(row));
        self.ranked.remove(row);
        self.table.remove(row);
    }

    fn is_in_scope(&self, row: u32) -> bool {
        let namespace = || self.table.object(row).map_or("", |object| object.namespace());
        self.namespaces.is_empty() || self.namespaces.iter().any(|known| known == namespace())
    }

    /// Filters these rows.
    fn passing(&self, rows: &[u32], now: f64) -> Vec<u8> {
        let mut passing = vec![0; self.table.len()];
        for &row in rows {
            passing[row as usize] = u8::from(self.filter.passes(&self.table, row, now));
        }
        passing
    }

    /// Restricts these rows to the requested namespaces. O(rows).
    fn in_scope(&self, mut rows: Vec<u8>) -> Vec<u8> {
        if !self.namespaces.is_empty() {
            let of = &self.table.columns[NAMESPACE];
            let is_one = of.values.mark(|value| self.namespaces.iter().any(|known| **known == *value.text));
            let mut in_scope = vec![0; rows.len()];
            mark(&mut in_scope, &of.ids, &is_one);
            rows.iter_mut().zip(in_scope).for_each(|(row, in_scope)| *row &= in_scope);
        }
        rows
    }

    /// Sorts all rows in this order and shows those that match and are in scope. O(n).
    fn rebuild(&mut self, rows: &[u32], passing: Vec<u8>, now: f64) {
        self.unfiltered = if self.namespaces.is_empty() {
            rows.len()
        } else {
            let in_scope = self.in_scope(vec![1; passing.len()]);
            rows.iter().filter(|row| in_scope[**row as usize] == 1).count()
        };
        let shown = self.in_scope(passing);
        self.ranked.rebuild(rows, &shown);
        self.facets.recount(&self.table, |row| shown[row as usize] == 1);
        self.schedule_retests(now);
    }

    /// Computes the next retest of each row. O(n).
    fn schedule_retests(&mut self, now: f64) {
        self.retests.clear();
        if self.filter.depends_on_time() {
            for row in (0..).take(self.table.len()) {
                self.retests.add(row, self.filter.retest_at(&self.table, row, now));
            }
        }
    }

    /// Tests the rows again whose age has passed a limit. O(log n) for each.
    fn pass_time(&mut self, now: f64) {
        while let Some(row) = self.retests.take(now) {
            if !self.ranked.holds(row) {
                continue;
            }
            let shown = self.is_in_scope(row) && self.filter.passes(&self.table, row, now);
            if shown != self.ranked.is_shown(row) {
                self.ranked.show(row, shown);
                if shown { self.facets.add(&self.table, row) } else { self.facets.remove(&self.table, row) }
            }
            self.retests.add(row, self.filter.retest_at(&self.table, row, now));
        }
    }
}

// Both ways lead to the same rows each time; these functions choose the cheaper one. No test can observe the choice
// of a function that ends with `_pays` (.cargo/mutants.toml).

/// Whether to test the visible rows alone: the filter costs about three times its share of testing all.
fn testing_few_pays(shown: usize, rows: usize) -> bool {
    shown < rows / 4
}

/// Whether to sort all rows again, instead of finding the place of each changed one.
fn sorting_all_pays(changes: usize, rows: usize) -> bool {
    changes > FULL_SORT_MIN_CHANGES && changes * 8 > rows
}

impl Rejection {
    pub(crate) fn in_filter(filter: &str, error: &QueryError) -> Self {
        let units = |byte: usize| filter.get(..byte).map_or(0, |before| before.encode_utf16().count());
        Self { message: error.message.clone(), start: units(error.start), end: units(error.end) }
    }

    pub(crate) fn elsewhere(message: String) -> Self {
        Self { message, start: 0, end: 0 }
    }
}
