//! Hold: whether the pointer or the focus is in a list, which then keeps its order.

use leptos::ev::FocusEvent;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::Node;

/// Pointer and focus of a list. Copies share their state.
#[derive(Clone, Copy)]
pub(crate) struct Hold {
    is_over: RwSignal<bool>,
    has_focus: RwSignal<bool>,
}

impl Hold {
    pub(crate) fn new() -> Self {
        Self { is_over: RwSignal::new(false), has_focus: RwSignal::new(false) }
    }

    /// Tracked.
    pub(crate) fn get(self) -> bool {
        // Both are read, so that both are tracked.
        self.is_over.get() | self.has_focus.get()
    }

    /// The pointer enters or leaves.
    pub(crate) fn point(self, is_over: bool) {
        self.is_over.set(is_over);
    }

    /// The focus enters.
    pub(crate) fn focus(self) {
        self.has_focus.set(true);
    }

    /// The focus leaves an element of the list. If it goes to another one, the hold stays: a row that moves between press and
    /// release of a button would lose the click.
    pub(crate) fn blur(self, event: &FocusEvent) {
        let list = event.current_target().and_then(|list| list.dyn_into::<Node>().ok());
        let next = event.related_target().and_then(|next| next.dyn_into::<Node>().ok());
        self.has_focus.set(list.is_some_and(|list| next.is_some() && list.contains(next.as_ref())));
    }
}
