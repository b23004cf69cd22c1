//! Open view of an informer, with kubectl's columns; closed when it is dropped.

use std::cell::RefCell;
use std::rc::Rc;

use informer_engine::{Facet, OrderBy, ValuesOptions};
use js_sys::{Array, JsString};
use leptos::prelude::*;
use wasm_bindgen::prelude::*;

use crate::client::record::{Record, texts};
use crate::client::{self, Snapshot, View};
use crate::cluster::{Informer, settle};
use crate::plain;
use crate::rows::{Row, Totals};

/// Query of a view. An empty field has its default.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Query {
    /// Filter, in the filter language.
    pub(crate) filter: String,
    /// Order; empty is the default order.
    pub(crate) order_by: Vec<OrderBy>,
    /// Columns whose values are counted.
    pub(crate) counts: Vec<String>,
    /// Namespaces; empty is all.
    pub(crate) namespaces: Vec<String>,
    /// Columns after those of kubectl: names and paths. Only a view that is opened takes them.
    pub(crate) custom_columns: Vec<(String, String)>,
}

impl Query {
    /// Converts the query for the package.
    fn to_options(&self, window: Option<(usize, usize)>) -> Record {
        let order = Array::<Array<JsString>>::new_typed();
        for key in &self.order_by {
            let direction = if key.descending { "desc" } else { "asc" };
            order.push(&plain::strings([key.column.as_str(), direction]));
        }
        let window = window.map(|(start, end)| Array::of2(&to_u32(start).into(), &to_u32(end).into()));
        Record::new()
            .with("filter", &self.filter)
            .with("namespaces", plain::strings(self.namespaces.iter().map(String::as_str)))
            .with("counts", plain::strings(self.counts.iter().map(String::as_str)))
            .with("orderBy", order)
            .with("window", window)
    }
}

/// Converts an index for the package.
fn to_u32(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX >> 1)
}

/// Open view. Clones share their state; dropping the last one closes the view.
#[derive(Clone)]
pub(crate) struct OpenView(Rc<Inner>);

struct Inner {
    view: View,
    _on_change: Closure<dyn Fn()>,
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.view.close();
    }
}

impl Informer {
    /// Opens a view with a window from the first row on. `on_change` is called in a frame, after any change.
    pub(crate) fn view(&self, query: &Query, end: usize, on_change: impl Fn(&View) + 'static) -> Option<OpenView> {
        let custom_columns = texts(query.custom_columns.iter().map(|(name, path)| (name.as_str(), path.as_str())));
        let custom_columns = (!query.custom_columns.is_empty()).then(|| JsValue::from(custom_columns));
        let options = query.to_options(Some((0, end))).with("columns", "kubectl").with("extraColumns", custom_columns);
        let view = self.shared()?.view(&options).ok()?;
        let shown = view.clone();
        let on_change = Closure::<dyn Fn()>::new(move || on_change(&shown));
        let _unsubscribe = view.subscribe(on_change.as_ref().unchecked_ref());
        Some(OpenView(Rc::new(Inner { view, _on_change: on_change })))
    }
}

impl OpenView {
    /// Changes the query, and optionally the window.
    pub(crate) fn change(&self, query: &Query, window: Option<(usize, usize)>) {
        // Only an argument of a wrong type throws.
        let _ = self.0.view.change(&query.to_options(window));
    }

    /// Whether the last query is still pending.
    pub(crate) fn is_pending(&self) -> bool {
        self.0.view.pending()
    }

    /// Moves the window.
    pub(crate) fn set_window(&self, start: usize, end: usize) {
        let _ = self.0.view.set_window(to_u32(start), to_u32(end));
    }

    /// Freezes or unfreezes the order.
    pub(crate) fn freeze_order(&self, frozen: bool) {
        self.0.view.freeze_order(frozen);
    }

    /// Requests the values of a column, over rows of another filter; `None` if they cannot be counted.
    pub(crate) fn count_values(&self, options: &ValuesOptions, on_reply: impl FnOnce(Option<Facet>) + 'static) {
        let options =
            texts([("column", &*options.column), ("filter", &options.filter), ("containing", &options.containing)]);
        let read = |counts: JsValue| plain::facet(counts.unchecked_ref());
        settle(self.0.view.count_values(&options), move |answer| on_reply(answer.ok().map(read)));
    }
}

/// Rows of the last snapshot, to recognize unchanged rows in the next one.
#[derive(Default)]
pub(crate) struct LastRows {
    start: usize,
    rows: Vec<client::Row>,
}

impl LastRows {
    /// Returns the counts and the window of a snapshot, and those of its rows that are new or changed.
    pub(crate) fn update(&mut self, snapshot: &Snapshot) -> (Totals, std::ops::Range<usize>, Vec<Row>) {
        let (start, rows) = (snapshot.start() as usize, snapshot.rows());
        let rows: Vec<client::Row> = rows.iter().collect();
        let changed = rows.iter().enumerate().filter(|(at, row)| {
            let before = (start + at).checked_sub(self.start).and_then(|at| self.rows.get(at));
            !row.is_undefined() && before != Some(*row)
        });
        let changed = changed.map(|(at, row)| plain::row(start + at, row)).collect();
        let window = start..start + rows.len();
        (self.start, self.rows) = (start, rows);
        let (total, unfiltered) = (snapshot.total() as usize, snapshot.unfiltered() as usize);
        (Totals { total, unfiltered, synced: snapshot.has_synced() }, window, changed)
    }
}

/// Shared slot for a view, which is closed with its owner.
pub(crate) type ViewSlot = StoredValue<Option<OpenView>, LocalStorage>;

/// Last seen value, compared by identity.
#[derive(Default)]
pub(crate) struct LastSeen(RefCell<Option<JsValue>>);

impl LastSeen {
    /// Whether a value differs from the last one.
    pub(crate) fn is_new(&self, value: &JsValue) -> bool {
        self.0.replace(Some(value.clone())).as_ref() != Some(value)
    }
}
