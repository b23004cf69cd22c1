//! Table view: the queries sent to the engine's view, and the results that the page shows.

use std::ops::Range;

use leptos::prelude::*;

use crate::client::View;
use crate::cluster::Informer;
use crate::plain;
use crate::rows::{Row, Totals};
use crate::view::{LastRows, LastSeen, OpenView, Query, ViewSlot};
use crate::view_state::{Rejection, ValueCounts, ViewState};

/// Result that the table must act on, in a frame.
pub(super) enum ViewEvent {
    /// Rows of the window.
    Rows(Totals, Range<usize>, Vec<Row>),
    /// Other rows are selected: scroll to the first one.
    ScrollToTop,
    /// The view cannot be opened, with the reason.
    Invalid(String),
    /// Nothing more follows in this frame.
    Done,
}

/// Handle of the view. Copies share their state.
#[derive(Clone, Copy)]
pub(super) struct TableView {
    pub(super) state: ViewState,
    open: ViewSlot,
    window: StoredValue<(usize, usize)>,
    /// Last requested query, and the applied one.
    requested: StoredValue<Query>,
    applied: StoredValue<Query>,
}

/// Last seen parts of a view: each part is a new JavaScript object once it has changed.
#[derive(Default)]
struct Parts {
    columns: LastSeen,
    snapshot: LastSeen,
    query: LastSeen,
    counts: LastSeen,
    error: LastSeen,
}

impl TableView {
    /// Starts without a view.
    pub(super) fn new(state: ViewState) -> Self {
        Self {
            state,
            open: state.view,
            window: StoredValue::new((0, 0)),
            requested: StoredValue::new(Query::default()),
            applied: StoredValue::new(Query::default()),
        }
    }

    /// Opens a view of an informer in place of the previous one, whose state is cleared unless it `stays`: it is then
    /// shown until there are other rows.
    pub(super) fn open(
        self,
        informer: &Informer,
        query: Query,
        end: usize,
        stays: bool,
        on_event: impl Fn(ViewEvent) + 'static,
    ) {
        if stays {
            self.open.set_value(None);
        } else {
            self.close();
        }
        self.window.set_value((0, end));
        let (parts, last_rows) = (Parts::default(), std::cell::RefCell::new(LastRows::default()));
        let custom_count = query.custom_columns.len();
        let on_change = move |view: &View| {
            self.on_view_change(view, custom_count, &parts, &mut last_rows.borrow_mut(), &on_event);
            on_event(ViewEvent::Done);
        };
        // Opens with every row: they stay visible if the filter of a link is invalid.
        let (namespaces, custom_columns) = (query.namespaces.clone(), query.custom_columns.clone());
        let every_row = Query { namespaces, custom_columns, ..Query::default() };
        self.requested.set_value(every_row.clone());
        self.applied.set_value(every_row.clone());
        self.open.set_value(informer.view(&every_row, end, on_change));
        self.change(query);
    }

    /// Closes the view and clears its state.
    pub(super) fn close(self) {
        self.open.set_value(None);
        self.requested.set_value(Query::default());
        self.applied.set_value(Query::default());
        self.state.columns.set(Vec::new());
        self.state.value_counts.set(ValueCounts::default());
        self.state.filter.set(String::new());
        set_if_new(self.state.rejection, None);
        set_if_new(self.state.order_frozen, false);
    }

    /// Changes the query, if it differs. The old rows stay visible until the engine has answered, and if it rejects the
    /// query.
    pub(super) fn change(self, query: Query) {
        let is_new = self.requested.with_value(|requested| *requested != query);
        let Some(view) = self.view().filter(|_| is_new) else { return };
        let (start, end) = self.window.get_value();
        let selects_others = self.applied.with_value(|applied| selects_other_rows(applied, &query));
        view.change(&query, selects_others.then_some((0, end - start)));
        self.requested.set_value(query);
    }

    fn on_view_change(
        self,
        view: &View,
        custom_count: usize,
        parts: &Parts,
        last_rows: &mut LastRows,
        on_event: &impl Fn(ViewEvent),
    ) {
        let columns = view.columns();
        // The rows of a view that stays have other cells.
        let has_rows = view.snapshot().revision() > 0.0 || self.state.columns.with_untracked(Vec::is_empty);
        if has_rows && columns.length() > 0 && parts.columns.is_new(&columns) {
            set_if_new(self.state.custom_count, custom_count);
            set_if_new(self.state.columns, columns.iter().map(|header| plain::header(&header)).collect());
        }
        let snapshot = view.snapshot();
        if parts.snapshot.is_new(&snapshot) {
            if let Some(query) = snapshot.query().filter(|query| parts.query.is_new(query)) {
                self.on_applied(
                    Query {
                        filter: query.filter(),
                        namespaces: query.namespaces().iter().map(|name| String::from(&name)).collect(),
                        ..Query::default()
                    },
                    on_event,
                );
            }
            let (totals, window, rows) = last_rows.update(&snapshot);
            // Before the first rows, their number is unknown.
            if snapshot.revision() > 0.0 {
                on_event(ViewEvent::Rows(totals, window, rows));
            }
        }
        let counts = view.counts();
        if let Some(query) = counts.query().filter(|_| parts.counts.is_new(&counts)) {
            let facets = counts.columns().iter().map(|column| plain::facet(&column)).collect();
            set_if_new(self.state.value_counts, ValueCounts { filter: query.filter(), facets });
        }
        let error = view.error();
        if parts.error.is_new(&error.as_ref().map_or(wasm_bindgen::JsValue::NULL, |error| (**error).clone())) {
            if let Some(error) = error.as_ref().filter(|_| custom_count > 0 && columns.length() == 0) {
                return on_event(ViewEvent::Invalid(error.message().unwrap_or_default()));
            }
            let rejection = error.map(|error| Rejection {
                filter: error.query().filter(),
                range: error.range().map_or(0..0, |range| position_at(&range, 0)..position_at(&range, 1)),
                message: error.message().unwrap_or_default(),
            });
            set_if_new(self.state.rejection, rejection);
        }
    }

    /// Handles an applied query. The table scrolls to the top before it takes the rows, both in one frame, so that the
    /// page never shows a gap before the first of them.
    fn on_applied(self, query: Query, on_event: &impl Fn(ViewEvent)) {
        let selects_others = self.applied.with_value(|applied| selects_other_rows(applied, &query));
        set_if_new(self.state.filter, query.filter.clone());
        self.applied.set_value(query);
        // The new query unfreezes the order, because the user wants to see its result.
        set_if_new(self.state.order_frozen, false);
        if selects_others {
            // The window that the query requested.
            self.window.update_value(|(start, end)| (*start, *end) = (0, *end - *start));
            on_event(ViewEvent::ScrollToTop);
        }
    }

    /// Requests a window of rows. While a query is pending, its own window counts.
    pub(super) fn set_window(self, start: usize, end: usize) {
        let Some(view) = self.view() else { return };
        if self.window.get_value() != (start, end) && !view.is_pending() {
            self.window.set_value((start, end));
            view.set_window(start, end);
        }
    }

    /// Freezes or unfreezes the order.
    pub(super) fn freeze(self, freeze: bool) {
        let Some(view) = self.view() else { return };
        if self.state.order_frozen.get_untracked() != freeze {
            self.state.order_frozen.set(freeze);
            view.freeze_order(freeze);
        }
    }

    /// The last requested query.
    pub(super) fn query(self) -> Query {
        self.requested.with_value(Clone::clone)
    }

    fn view(self) -> Option<OpenView> {
        self.open.try_get_value().flatten()
    }
}

fn position_at(range: &js_sys::Array, at: u32) -> usize {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a position in a text")]
    range.get(at).as_f64().map_or(0, |position| position as usize)
}

/// Whether two queries select different rows, rather than another order of them.
fn selects_other_rows(one: &Query, other: &Query) -> bool {
    one.filter != other.filter || one.namespaces != other.namespaces
}

/// Sets a signal only if its value changes: signals notify their readers without a change too.
pub(super) fn set_if_new<T: PartialEq + Send + Sync + 'static>(signal: RwSignal<T>, value: T) {
    if signal.try_with_untracked(|known| *known != value) == Some(true) {
        signal.set(value);
    }
}

#[cfg(test)]
mod tests {
    use informer_engine::OrderBy;

    use super::*;

    #[test]
    fn another_order_is_of_the_same_rows() {
        let web = Query { filter: "web".to_owned(), ..Query::default() };
        let by_age = Query { order_by: vec![OrderBy::ascending("Age")], ..web.clone() };
        assert!(!selects_other_rows(&web, &by_age) && selects_other_rows(&web, &Query::default()));
        let in_namespace = Query { namespaces: vec!["shop".to_owned()], ..web.clone() };
        assert!(selects_other_rows(&web, &in_namespace));
    }
}
