//! Open aggregate, closed when it is dropped.

use wasm_bindgen::prelude::*;

use crate::client::Aggregate;

/// An aggregate, and the listener for its changes.
pub(crate) struct OpenAggregate {
    aggregate: Aggregate,
    _on_change: Closure<dyn Fn()>,
}

impl OpenAggregate {
    /// Calls back now and after each change.
    pub(crate) fn new(aggregate: Aggregate, on_change: impl Fn(&Aggregate) + 'static) -> Self {
        on_change(&aggregate);
        let read = aggregate.clone();
        let on_change = Closure::<dyn Fn()>::new(move || on_change(&read));
        let _unsubscribe = aggregate.subscribe(on_change.as_ref().unchecked_ref());
        Self { aggregate, _on_change: on_change }
    }
}

impl Drop for OpenAggregate {
    fn drop(&mut self) {
        self.aggregate.close();
    }
}
