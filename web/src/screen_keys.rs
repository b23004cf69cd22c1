//! Keys that open a screen: `o` the overview, `!` the problems. Deferred code.

use leptos::ev::KeyboardEvent;
use leptos::prelude::*;

use crate::focus;
use crate::keys::is_shortcut;
use crate::navigator::Navigator;
use crate::route::{Route, Screen};

/// Opens a screen by its key, and keeps the namespaces.
pub(crate) fn listen(navigator: Navigator) {
    let by_key = window_event_listener(leptos::ev::keydown, move |event: KeyboardEvent| {
        let screen = match event.key().as_str() {
            "o" => Screen::Overview,
            "!" => Screen::Problems,
            _ => return,
        };
        if is_shortcut(&event) {
            event.prevent_default();
            navigator.go(|route| {
                let namespaces = route.namespaces.take();
                *route = Route { screen, namespaces, ..Route::default() };
            });
            focus::table();
        }
    });
    on_cleanup(move || by_key.remove());
}
