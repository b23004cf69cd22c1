//! Part flag: a boolean that a page part reports while it is shown, such as whether an editor has changes that are not
//! applied. Deferred code.

use leptos::prelude::*;
use wasm_bindgen::prelude::*;

/// Flag of one part, and the function by which the part reports it. Copies share their state.
#[derive(Clone, Copy)]
pub(crate) struct PartFlag {
    is_set: RwSignal<bool>,
    listener: StoredValue<Closure<dyn Fn(bool)>, LocalStorage>,
}

impl PartFlag {
    /// A flag that is not set until the part reports it.
    pub(crate) fn new() -> Self {
        let is_set = RwSignal::new(false);
        // A part that runs on behind a closed dialog may report once more.
        let listener = StoredValue::new_local(Closure::<dyn Fn(bool)>::new(move |is| {
            is_set.try_set(is);
        }));
        Self { is_set, listener }
    }

    pub(crate) fn signal(self) -> Signal<bool> {
        self.is_set.into()
    }

    /// Value of the part's option that reports the flag: `onEdited` of the editor, `onRunning` of the drain.
    pub(crate) fn listener(self) -> JsValue {
        self.listener.with_value(|listener| listener.as_ref().clone())
    }
}
