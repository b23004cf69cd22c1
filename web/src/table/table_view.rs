//! Table view: the queries sent to the engine's view, and the results that the page shows.

use std::ops::Range;

use leptos::prelude::*;

use crate::client::View;
use crate::cluster::Informer;
use crate::plain;
use crate::rows::{Row, Totals};
use crate::view::{Mirror, OpenView, Query, Seen, ViewSlot};
use crate::view_state::{Counted, Refusal, ViewState};

/// Result that the table must act on, in a frame.
pub(super) enum Answer {
    /// Rows of the window.
    Rows(Totals, Range<usize>, Vec<Row>),
    /// The rows are others now: scroll to the first.
    FromTheTop,
    /// The view cannot be opened, because of this.
    Invalid(String),
    /// Nothing more follows in this frame.
    Done,
}

/// View. Copies share their state.
#[derive(Clone, Copy)]
pub(super) struct TableView {
    pub(super) state: ViewState,
    open: ViewSlot,
    window: StoredValue<(usize, usize)>,
    /// Last requested query, and the applied one.
    asked: StoredValue<Query>,
    in_force: StoredValue<Query>,
}

/// Last seen parts of a view: each part is a new JavaScript object once it has changed.
#[derive(Default)]
struct Parts {
    columns: Seen,
    snapshot: Seen,
    query: Seen,
    counts: Seen,
    error: Seen,
}

impl TableView {
    /// Starts without a view.
    pub(super) fn new(state: ViewState) -> Self {
        Self {
            state,
            open: state.view,
            window: StoredValue::new((0, 0)),
            asked: StoredValue::new(Query::default()),
            in_force: StoredValue::new(Query::default()),
        }
    }

    /// Opens a view of an informer in place of the previous one, whose state is cleared unless it `stays`: it is then shown
    /// until there are other rows.
    pub(super) fn open(
        self,
        informer: &Informer,
        query: Query,
        end: usize,
        stays: bool,
        on_answer: impl Fn(Answer) + 'static,
    ) {
        if stays {
            self.open.set_value(None);
        } else {
            self.close();
        }
        self.window.set_value((0, end));
        let (parts, mirror) = (Parts::default(), std::cell::RefCell::new(Mirror::default()));
        let own = query.own.len();
        let on_change = move |view: &View| {
            self.hear(view, own, &parts, &mut mirror.borrow_mut(), &on_answer);
            on_answer(Answer::Done);
        };
        // Opens with every row: they stay visible if the filter of a link is invalid.
        let (namespaces, own) = (query.namespaces.clone(), query.own.clone());
        let every_row = Query { namespaces, own, ..Query::default() };
        self.asked.set_value(every_row.clone());
        self.in_force.set_value(every_row.clone());
        self.open.set_value(informer.view(&every_row, end, on_change));
        self.change(query);
    }

    /// Closes the view and clears its state.
    pub(super) fn close(self) {
        self.open.set_value(None);
        self.asked.set_value(Query::default());
        self.in_force.set_value(Query::default());
        self.state.columns.set(Vec::new());
        self.state.counted.set(Counted::default());
        self.state.filter.set(String::new());
        set_if_new(self.state.refused, None);
        set_if_new(self.state.held, false);
    }

    /// Changes the query, if it differs. The old rows stay visible until the engine has answered, and if it rejects the
    /// query.
    pub(super) fn change(self, query: Query) {
        let is_new = self.asked.with_value(|asked| *asked != query);
        let Some(view) = self.view().filter(|_| is_new) else { return };
        let (start, end) = self.window.get_value();
        let others = self.in_force.with_value(|in_force| are_others(in_force, &query));
        view.change(&query, others.then_some((0, end - start)));
        self.asked.set_value(query);
    }

    fn hear(self, view: &View, own: usize, parts: &Parts, mirror: &mut Mirror, on_answer: &impl Fn(Answer)) {
        let columns = view.columns();
        // The rows of a view that stays have other cells.
        let has_rows = view.snapshot().revision() > 0.0 || self.state.columns.with_untracked(Vec::is_empty);
        if has_rows && columns.length() > 0 && parts.columns.is_new(&columns) {
            set_if_new(self.state.own, own);
            set_if_new(self.state.columns, columns.iter().map(|header| plain::header(&header)).collect());
        }
        let snapshot = view.snapshot();
        if parts.snapshot.is_new(&snapshot) {
            if let Some(query) = snapshot.query().filter(|query| parts.query.is_new(query)) {
                self.granted(
                    Query {
                        filter: query.filter(),
                        namespaces: query.namespaces().iter().map(|name| String::from(&name)).collect(),
                        ..Query::default()
                    },
                    on_answer,
                );
            }
            let (totals, window, rows) = mirror.news(&snapshot);
            // Before the first rows, their number is unknown.
            if snapshot.revision() > 0.0 {
                on_answer(Answer::Rows(totals, window, rows));
            }
        }
        let counts = view.counts();
        if let Some(query) = counts.query().filter(|_| parts.counts.is_new(&counts)) {
            let facets = counts.columns().iter().map(|column| plain::facet(&column)).collect();
            set_if_new(self.state.counted, Counted { filter: query.filter(), facets });
        }
        let error = view.error();
        if parts.error.is_new(&error.as_ref().map_or(wasm_bindgen::JsValue::NULL, |error| (**error).clone())) {
            if let Some(error) = error.as_ref().filter(|_| own > 0 && columns.length() == 0) {
                return on_answer(Answer::Invalid(error.message().unwrap_or_default()));
            }
            let refused = error.map(|error| Refusal {
                filter: error.query().filter(),
                place: error.range().map_or(0..0, |range| place(&range, 0)..place(&range, 1)),
                message: error.message().unwrap_or_default(),
            });
            set_if_new(self.state.refused, refused);
        }
    }

    /// Handles an applied query. The table scrolls to the top before it takes the rows, both in one frame, so that the
    /// page never shows a gap before the first of them.
    fn granted(self, query: Query, on_answer: &impl Fn(Answer)) {
        let others = self.in_force.with_value(|in_force| are_others(in_force, &query));
        set_if_new(self.state.filter, query.filter.clone());
        self.in_force.set_value(query);
        // The new query unfreezes the order, because the user wants to see its result.
        set_if_new(self.state.held, false);
        if others {
            // The window that the query requested.
            self.window.update_value(|(start, end)| (*start, *end) = (0, *end - *start));
            on_answer(Answer::FromTheTop);
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
    pub(super) fn hold(self, hold: bool) {
        let Some(view) = self.view() else { return };
        if self.state.held.get_untracked() != hold {
            self.state.held.set(hold);
            view.freeze_order(hold);
        }
    }

    /// The last requested query.
    pub(super) fn query(self) -> Query {
        self.asked.with_value(Clone::clone)
    }

    fn view(self) -> Option<OpenView> {
        self.open.try_get_value().flatten()
    }
}

fn place(range: &js_sys::Array, at: u32) -> usize {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a place in a text")]
    range.get(at).as_f64().map_or(0, |place| place as usize)
}

/// Whether two queries select different rows, rather than another order of them.
fn are_others(one: &Query, other: &Query) -> bool {
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
        assert!(!are_others(&web, &by_age) && are_others(&web, &Query::default()));
        let narrowed = Query { namespaces: vec!["shop".to_owned()], ..web.clone() };
        assert!(are_others(&web, &narrowed));
    }
}
