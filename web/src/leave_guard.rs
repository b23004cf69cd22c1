//! Leave guard: keeps the page, and its place in the history, while a dialog has something to lose. Deferred code.

use std::cell::Cell;
use std::cmp::Ordering;

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Event, KeyboardEvent};

use crate::layers::First;
use crate::{focus, keys, navigator};

thread_local! {
    /// Entry of the history that is kept.
    static HERE: Cell<Option<f64>> = const { Cell::new(None) };
    /// Entry from which a step back was made: two events tell of it.
    static LEFT: Cell<Option<u64>> = const { Cell::new(None) };
}

/// Guards the page while `stays` is set.
pub(crate) fn guard(stays: Signal<bool>) {
    let guard = StoredValue::new_local(None);
    Effect::new(move || guard.set_value(stays.get().then(Guard::new)));
}

struct Guard(#[allow(dead_code, reason = "they listen until they are dropped")] [First; 2]);

impl Guard {
    fn new() -> Self {
        HERE.set(navigator::entry());
        navigator::set_guard(Some(stay));
        Self([
            // The browser asks whether to leave.
            First::listen("beforeunload", Event::prevent_default),
            First::listen("keydown", |event| {
                if is_escape(event) && !focus::happened_in(event.target(), "dialog") {
                    event.prevent_default();
                }
            }),
        ])
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        navigator::set_guard(None);
    }
}

/// Returns to the entry that is kept, after a step of the history. Gives whether the page is elsewhere.
fn stay() -> bool {
    let now = navigator::entry();
    let by = way_back(now, HERE.get());
    let left = (by != 0).then(|| now.map_or(u64::MAX, f64::to_bits));
    if LEFT.replace(left) != left && by != 0 {
        keys::travel(by);
    }
    by != 0
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
