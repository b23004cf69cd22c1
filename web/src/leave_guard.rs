//! Leave guard: keeps the page, and its place in the history, while a dialog has something to lose. Deferred code.

use std::cmp::Ordering;

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Event, KeyboardEvent};

use crate::layers::First;
use crate::{focus, keys, navigator};

/// Guards the page while `stays` is set.
pub(crate) fn guard(stays: Signal<bool>) {
    let listeners = StoredValue::new_local(Vec::new());
    Effect::new(move || listeners.set_value(if stays.get() { listen() } else { Vec::new() }));
}

/// The listeners. They come before those of the page.
fn listen() -> Vec<First> {
    let here = navigator::entry();
    vec![
        // The browser asks whether to leave.
        First::listen("beforeunload", Event::prevent_default),
        First::listen("popstate", move |event| {
            let by = way_back(navigator::entry(), here);
            if by != 0 {
                event.stop_immediate_propagation();
                keys::travel(by);
            }
        }),
        // Follows the other event.
        First::listen("hashchange", Event::stop_immediate_propagation),
        First::listen("keydown", |event| {
            if is_escape(event) && !focus::happened_in(event.target(), "dialog") {
                event.prevent_default();
            }
        }),
    ]
}

/// Whether a key is Escape. A browser lets a page refuse one cancellation of a dialog: the second Escape would close it.
pub(crate) fn is_escape(event: &Event) -> bool {
    event.dyn_ref::<KeyboardEvent>().is_some_and(|event| event.key() == "Escape")
}

/// The step that leads from one entry of the history towards another. Ids grow along the history; the entry that the address
/// bar makes has none, and is the last.
fn way_back(now: Option<f64>, here: Option<f64>) -> i32 {
    match now.zip(here).and_then(|(now, here)| now.partial_cmp(&here)) {
        Some(Ordering::Less) => 1,
        Some(Ordering::Equal) => 0,
        Some(Ordering::Greater) | None => -1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn back_and_forward_are_undone_by_the_other_one() {
        assert_eq!(way_back(Some(1.0), Some(3.0)), 1);
        assert_eq!(way_back(Some(3.0), Some(3.0)), 0);
        assert_eq!(way_back(Some(4.0), Some(3.0)), -1);
        assert_eq!(way_back(None, Some(3.0)), -1);
    }
}
