//! Edited: whether an open editor has changes that are not applied. Deferred code.

use leptos::prelude::*;
use wasm_bindgen::prelude::*;

/// State of one editor, and the function by which the part reports it. Copies are the same.
#[derive(Clone, Copy)]
pub(crate) struct Edited {
    is_edited: RwSignal<bool>,
    listener: StoredValue<Closure<dyn Fn(bool)>, LocalStorage>,
}

impl Edited {
    /// Without changes, until the part reports some.
    pub(crate) fn new() -> Self {
        let is_edited = RwSignal::new(false);
        let listener = StoredValue::new_local(Closure::<dyn Fn(bool)>::new(move |is| is_edited.set(is)));
        Self { is_edited, listener }
    }

    pub(crate) fn signal(self) -> Signal<bool> {
        self.is_edited.into()
    }

    /// Value of the part's option `onEdited`.
    pub(crate) fn listener(self) -> JsValue {
        self.listener.with_value(|listener| listener.as_ref().clone())
    }
}
