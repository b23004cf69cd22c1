//! Leave guard: the browser asks before the page is left while an editor has changes or requests of an action are in
//! flight. Deferred code.
//!
//! It covers a reload, a closed tab and a link to another site. Back and Forward within the page are not covered: a
//! step cannot be refused, and undoing it by another step left the page in tests. The editor keeps its text instead
//! (`web/parts/src/drafts.js`).

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Event, KeyboardEvent};

use crate::capture::Capture;
use crate::focus;

/// Guards the page while `stays` is set.
pub(crate) fn guard(stays: Signal<bool>) {
    let listeners = StoredValue::new_local(Vec::new());
    Effect::new(move || listeners.set_value(if stays.get() { listen() } else { Vec::new() }));
}

fn listen() -> Vec<Capture> {
    vec![
        // The browser shows its confirmation.
        Capture::listen("beforeunload", Event::prevent_default),
        Capture::listen("keydown", |event| {
            if is_escape(event) && !focus::is_target_in(event.target(), "dialog") {
                event.prevent_default();
            }
        }),
    ]
}

/// Whether a key is Escape. A browser lets a page refuse one cancellation of a dialog: the second Escape would close
/// it.
pub(crate) fn is_escape(event: &Event) -> bool {
    event.dyn_ref::<KeyboardEvent>().is_some_and(|event| event.key() == "Escape")
}
