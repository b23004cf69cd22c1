//! Keys of the whole page: `o` opens the overview, `!` the problems, `h` the changes, `m` the map, `i` the inspector; `0`
//! shows all namespaces. Deferred code.

use leptos::ev::KeyboardEvent;
use leptos::prelude::*;

use crate::focus;
use crate::keys::is_shortcut;
use crate::navigator::Navigator;
use crate::route::{Route, Screen};

/// The key of a screen.
pub(crate) fn key_of(screen: Screen) -> &'static str {
    match screen {
        Screen::Table => "",
        Screen::Overview => "o",
        Screen::Problems => "!",
        Screen::Changes => "h",
        Screen::Map => "m",
        Screen::Inspector => "i",
    }
}

/// Handles these keys until the owner is cleaned up. A screen keeps the chosen namespaces.
pub(crate) fn listen(navigator: Navigator) {
    let by_key = window_event_listener(leptos::ev::keydown, move |event: KeyboardEvent| {
        let key = event.key();
        // A header and the map have handled it before: it has another meaning there.
        if key == "0" && is_shortcut(&event) && navigator.namespaces.with_untracked(Option::is_some) {
            event.prevent_default();
            return navigator.go(|route| route.namespaces = None);
        }
        let Some(screen) = Screen::OTHERS.into_iter().find(|screen| key_of(*screen) == key) else { return };
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
