//! List freeze: whether the pointer or the focus is in a list, so that the list keeps its order.

use leptos::ev::FocusEvent;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::Node;

/// Pointer and focus of a list. Copies share their state.
#[derive(Clone, Copy)]
pub(crate) struct ListFreeze {
    is_over: RwSignal<bool>,
    has_focus: RwSignal<bool>,
}

impl ListFreeze {
    pub(crate) fn new() -> Self {
        Self { is_over: RwSignal::new(false), has_focus: RwSignal::new(false) }
    }

    /// Whether the list keeps its order. Tracked.
    pub(crate) fn is_frozen(self) -> bool {
        // Both are read, so that both are tracked.
        self.is_over.get() | self.has_focus.get()
    }

    /// Records that the pointer has entered or left the list.
    pub(crate) fn set_pointer_over(self, is_over: bool) {
        self.is_over.set(is_over);
    }

    /// Records that the focus has entered the list.
    pub(crate) fn focus_entered(self) {
        self.has_focus.set(true);
    }

    /// Records that the focus has left an element of the list. If it goes to another one, the freeze stays: a row that
    /// moves between press and release of a button would lose the click.
    pub(crate) fn focus_left(self, event: &FocusEvent) {
        let list = event.current_target().and_then(|list| list.dyn_into::<Node>().ok());
        let next = event.related_target().and_then(|next| next.dyn_into::<Node>().ok());
        self.has_focus.set(list.is_some_and(|list| next.is_some() && list.contains(next.as_ref())));
    }
}
