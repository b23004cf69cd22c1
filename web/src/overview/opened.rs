//! Open aggregate: one count of a feed, closed when it is dropped.

use js_sys::{Array, Object, Reflect};
use wasm_bindgen::prelude::*;

use super::counts::Count;
use crate::client;
use crate::client::aggregates::{Aggregate, AggregateOptions, AggregateValue};
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

/// Options of an aggregate, over one namespace of its informer or all.
pub(super) fn options(count: &Count, namespace: Option<&str>) -> AggregateOptions {
    let options: AggregateOptions = client::record();
    options.set_by(&plain::strings(count.by.iter().copied()));
    let of = Array::<AggregateValue>::new_typed();
    let value: AggregateValue = client::record();
    value.set_op("count");
    of.push(&value);
    for column in count.sums {
        let value: AggregateValue = client::record();
        value.set_op("sum");
        value.set_column(column);
        of.push(&value);
    }
    options.set_of(&of);
    options.set_filter(count.filter);
    options.set_limit(count.limit);
    options.set_namespaces(&plain::strings(namespace));
    if !count.columns.is_empty() {
        let paths = Object::new();
        for (name, path) in count.columns {
            // Fails for frozen objects only.
            let _ = Reflect::set(&paths, &(*name).into(), &(*path).into());
        }
        options.set_columns(&paths);
    }
    options
}
