//! Open aggregate: one count of a feed, closed when it is dropped.

use js_sys::Array;
use wasm_bindgen::prelude::*;

use super::counts::Count;
use crate::client::Aggregate;
use crate::client::record::{Record, texts};
use crate::namespaces::names;
use crate::plain;

/// An aggregate, and the listener for its changes.
pub(super) struct Opened {
    aggregate: Aggregate,
    _on_change: Closure<dyn Fn()>,
}

impl Opened {
    /// Calls back now and after each change.
    pub(super) fn new(aggregate: Aggregate, on_change: impl Fn(&Aggregate) + 'static) -> Self {
        on_change(&aggregate);
        let read = aggregate.clone();
        let on_change = Closure::<dyn Fn()>::new(move || on_change(&read));
        let _unsubscribe = aggregate.subscribe(on_change.as_ref().unchecked_ref());
        Self { aggregate, _on_change: on_change }
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        self.aggregate.close();
    }
}

/// Options of an aggregate, over some namespaces of its informer; all without a name.
pub(super) fn options(count: &Count, namespaces: &str) -> Record {
    let of = Array::new();
    of.push(&Record::new().with("op", "count"));
    for column in count.sums {
        of.push(&Record::new().with("op", "sum").with("column", *column));
    }
    let columns = count.columns.iter().map(|(name, path)| (*name, *path));
    Record::new()
        .with("by", plain::strings(count.by.iter().copied()))
        .with("of", of)
        .with("filter", count.filter)
        .with("limit", count.limit)
        .with("namespaces", plain::strings(names(namespaces)))
        .with("columns", (!count.columns.is_empty()).then(|| texts(columns)))
}
